//! The doors: listeners, limits, routing, and one handler for each of Solr's paths. A request comes in as bytes, `solr`
//! reads it, `cluster` answers it, `solr` writes the answer, and this crate sends it. The only crate that names hyper.
//!
//! `handlers/select.rs` shows the whole trip of a request.

mod answers;
mod body;
mod call;
mod config;
mod configsets;
mod guarded;
mod handlers;
mod params;
mod reply;
mod route;
mod server;
mod service;
mod target_escape;
mod tasks;
mod unpack;

pub use config::ServeConfig;
pub use configsets::{Configset, Configsets};
pub use server::serve;
