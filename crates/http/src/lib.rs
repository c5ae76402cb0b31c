//! The doors: listeners, limits, routing, and one handler for each of Solr's paths. A request comes in as bytes, `solr`
//! reads it, `cluster` answers it, `solr` writes the answer, and this crate sends it. The only crate that names hyper.
//!
//! `handlers/select.rs` shows the whole trip of a request.

mod admission;
mod answers;
mod body;
mod call;
mod compress;
mod config;
mod configsets;
mod connection;
mod gate;
mod guarded;
mod handlers;
mod listener;
mod logs;
mod lull;
mod machine;
mod openapi;
mod params;
mod reply;
mod route;
mod security;
mod server;
mod service;
mod slow;
mod tally;
mod target_escape;
mod tasks;
mod tls;
mod unpack;
mod upgrade;
mod v2;
mod zip;

pub use compress::Compress;
pub use config::ServeConfig;
pub use configsets::{Configset, Configsets};
pub use gate::GateLimits;
pub use listener::Listener;
pub use logs::{LogRecord, Logger, Logs, ROOT as ROOT_LOGGER};
pub use machine::MachineFacts;
pub use openapi::openapi_document;
pub use server::{STACK_BYTES, serve};
pub use tls::Tls;
