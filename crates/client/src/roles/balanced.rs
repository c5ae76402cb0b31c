//! The client of several servers that each can answer everything. Which of them is asked, when one is left
//! out and when a second is asked too is decided in `balance/` and `transport/`; here is only the face that
//! applications call, with the names and the promises of SolrJ's role. For documents that belong to shards
//! there is `cloud.rs`.

use std::fmt;

use bytes::Bytes;

use super::Pairs;
use crate::balance::EndpointSource;
use crate::error::Error;
use crate::metrics::MetricsSnapshot;
use crate::options::ClientOptions;
use crate::request::Request;
use crate::response::Response;
use crate::transport::{StreamedResponse, Transport};

/// A client of a list of servers (SolrJ's `LBSolrClient`): each request goes to the least busy of the
/// nearest; servers that fail are left out for a while. Cheap to clone.
///
/// ```no_run
/// # async fn example() -> Result<(), client::Error> {
/// use client::{BalancedClient, ClientOptions, Endpoint, Hedge, SolrUrl, StaticEndpoints};
///
/// let west: SolrUrl = "http://west:8983".parse()?;
/// let east: SolrUrl = "http://east:8983".parse()?;
/// let servers = StaticEndpoints::new([
///     Endpoint::from(west).in_zone("west"),
///     Endpoint::from(east).in_zone("east"),
/// ]);
/// let options = ClientOptions {
///     preferences: vec!["zone:west".parse()?],
///     hedge: Some(Hedge::Quantile(0.95)),
///     ..ClientOptions::default()
/// };
/// let client = BalancedClient::new(&servers, options);
/// client.get("films/select", &[("q", "solaris")]).await?.ok()?;
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct BalancedClient {
    transport: Transport,
}

impl BalancedClient {
    pub fn new(servers: &dyn EndpointSource, options: ClientOptions) -> Self {
        Self { transport: Transport::new(servers, options) }
    }

    /// GET of a path below the servers' URLs, such as `films/select`.
    pub async fn get(&self, path: &str, params: Pairs<'_>) -> Result<Response, Error> {
        self.send(&Request::get(path, params)).await
    }

    /// POST of `body` with its content type.
    pub async fn post(
        &self,
        path: &str,
        params: Pairs<'_>,
        content_type: &str,
        body: Bytes,
    ) -> Result<Response, Error> {
        self.send(&Request::post(path, params, content_type, body)).await
    }

    /// An answer of any status: see [`Response::ok`].
    pub async fn send(&self, request: &Request) -> Result<Response, Error> {
        self.transport.send(request).await
    }

    /// An answer of any status whose body is read as it comes.
    pub async fn open(&self, request: &Request) -> Result<StreamedResponse, Error> {
        self.transport.open(request).await
    }

    pub fn metrics(&self) -> MetricsSnapshot {
        self.transport.metrics()
    }
}

impl fmt::Debug for BalancedClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BalancedClient").finish_non_exhaustive()
    }
}
