//! The relay: a sidecar for applications whose client cannot be changed. On this machine it speaks plain
//! HTTP/1.1 as Solr does; to the servers it is this project's client, with all that one does: connections
//! that are kept and trusted, HTTP/2, TLS, packed bodies, near replicas, updates to the leaders of their
//! documents, hedging, another attempt only where it is safe, and, where it is asked for, reads that show an
//! application's own writes.
//!
//! It owns what lies between: which requests may go where and how often, bodies within bounds, answers as
//! they come. It changes nothing of what is asked or answered, keeps nothing unless it is set to, and knows
//! of servers only what Solr's API tells. Files and the command line are the binary's.
//!
//! An answer is the server's to the last byte, or the relay says that it is not: a status of its own before
//! the first byte, an early end of the connection behind it. `x-relay-outcome` tells what may have been done:
//! `nothing` or `unknown`.

mod body;
mod cache;
mod config;
mod connection;
mod exchange;
mod headers;
mod ids;
mod json_parts;
mod listener;
mod metrics;
mod own_pages;
mod refusal;
mod request_body;
mod room;
mod route;
mod serve;
mod shared;
mod split;
mod upstream;
mod writes;

pub use cache::CacheConfig;
pub use config::{RelayLimits, UpstreamConfig};
pub use listener::Listener;
pub use serve::Relay;
