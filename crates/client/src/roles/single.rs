//! The client of one URL. It is `balanced.rs` with a list of one: the same transport, pool, retries and
//! metrics, so that nothing can work here and fail there. Requests and answers pass through unread. What
//! SolrJ's role of this name does besides (writing documents, reading answers into types) is left to the
//! caller.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;

use super::Pairs;
use crate::balance::StaticEndpoints;
use crate::error::Error;
use crate::metrics::MetricsSnapshot;
use crate::options::ClientOptions;
use crate::request::Request;
use crate::response::Response;
use crate::transport::{StreamedResponse, Transport};
use crate::url::SolrUrl;

/// A client of one Solr URL (SolrJ's `HttpJdkSolrClient`). Cheap to clone; clones share the connections.
///
/// ```no_run
/// # async fn example() -> Result<(), client::Error> {
/// use client::SolrClient;
/// use std::time::Duration;
///
/// let client = SolrClient::new("127.0.0.1:8983".parse()?, Duration::from_secs(10));
/// let found = client.get("films/select", &[("q", "solaris")]).await?.ok()?.json()?;
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct SolrClient {
    url: SolrUrl,
    transport: Transport,
}

impl SolrClient {
    /// A client of `url`; a request that takes longer than `timeout` fails.
    pub fn new(url: SolrUrl, timeout: Duration) -> Self {
        Self::with_options(url, ClientOptions { timeout, ..ClientOptions::default() })
    }

    pub fn with_options(url: SolrUrl, options: ClientOptions) -> Self {
        let transport = Transport::new(&StaticEndpoints::new([url.clone()]), options);
        Self { url, transport }
    }

    pub fn url(&self) -> &SolrUrl {
        &self.url
    }

    /// GET of a path below the URL, such as `films/select`.
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

impl fmt::Debug for SolrClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SolrClient").field("url", &self.url).finish_non_exhaustive()
    }
}
