//! The doors: listeners, limits, routing, and one handler for each of Solr's paths. A request comes in as
//! bytes, `solr` reads it, `cluster` answers it, `solr` writes the answer, and this crate sends it. The only
//! crate that names hyper.
//!
//! `handlers/select/mod.rs` shows the whole trip of a request.

mod admission;
mod config;
mod configsets;
mod connection;
mod handlers;
mod members;
mod observe;
mod openapi;
mod public_view;
mod request;
mod security;
mod server;

pub use admission::gate::GateLimits;
pub use admission::objective::{LatencyGoal, Objective, UpdateShare};
pub use config::ServeConfig;
pub use configsets::{Configset, Configsets};
pub use connection::listener::Listener;
pub use connection::serve::{STACK_BYTES, serve};
pub use connection::tls::Tls;
pub use handlers::{ViewNode, cluster_view};
pub use members::{Forward, Forwarded, ForwardedAnswer};
pub use observe::host::{HostNote, HostNotes};
pub use observe::logs::{LogRecord, Logger, Logs, ROOT as ROOT_LOGGER};
pub use observe::machine::MachineFacts;
pub use observe::query_log::{LoggedSearch, QueryLog, QueryLogFigures, QueryRecord};
pub use observe::store::{StoreCacheFigures, StoreFigures, StoreRequestFigures};
pub use observe::watch::{NodeWatch, SelfLook, Sign, SignKind};
pub use openapi::openapi_document;
pub use public_view::PublicView;
pub use request::compress::Compress;
