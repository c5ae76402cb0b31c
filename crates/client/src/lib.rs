//! The HTTP client of Solr and Parhelion that the command line, the ingest service and the lab share, and
//! that applications may use: connections kept and trusted, several servers balanced, retries only where they
//! are safe, errors that say what to do. It speaks Solr's paths and knows nothing of Parhelion's inside.
//!
//! | role | knows | SolrJ's |
//! |---|---|---|
//! | [`SolrClient`] | one URL | `HttpJdkSolrClient` |
//! | [`BalancedClient`] | a list of servers, with zones and tags | `LBSolrClient` |
//! | [`CloudClient`] | a cluster's state: who has what, who leads | `CloudSolrClient` |
//! | [`UpdateStream`] | a collection to feed, in batches over several streams | `ConcurrentUpdateHttp2SolrClient` |
//!
//! [`blocking::Client`] is for programs without a runtime.
//!
//! # What is sent twice
//! Nothing, unless it is safe: a request is sent again when no server can have seen it (nothing accepted the
//! connection, or it closed before the first byte went out), or when it only reads ([`Request::is_safe`]).
//! Then too only under a budget ([`RetryOptions`]). An error of [`ErrorKind::OutcomeUnknown`] says that an
//! update may have been done.
//!
//! # Connections
//! No check for staleness before each request: idle connections are closed before the server closes them
//! ([`PoolOptions`]), and those it closes earlier are noticed when that happens.

mod balance;
pub mod blocking;
mod cloud;
mod error;
mod login;
mod metrics;
mod options;
mod packing;
mod pool;
mod request;
mod resolve;
mod response;
mod roles;
mod shown;
mod tls;
mod transport;
mod url;

pub use balance::{Endpoint, EndpointSource, Preference, StaticEndpoints};
pub use cloud::{
    ClusterState, ClusterStateSource, Fetching, HttpClusterState, Replica, Shard, ZooKeeperState,
};
pub use coding::Coding;
pub use error::{Error, ErrorKind};
pub use login::Login;
pub use metrics::MetricsSnapshot;
pub use options::{
    ClientOptions, CompressionOptions, EjectionOptions, Hedge, PoolOptions, Protocol, RequestCoding,
    RetryOptions,
};
pub use request::{Request, is_reader};
pub use resolve::{Resolve, Resolving, SystemResolver};
pub use response::Response;
pub use roles::{
    BalancedClient, CloudClient, FailedBatch, Pairs, SolrClient, Target, UpdateOptions, UpdateStream,
    UpdateTotals,
};
pub use shown::shown_certificates;
pub use tls::Tls;
pub use transport::StreamedResponse;
pub use url::SolrUrl;
