//! The HTTP client that the command line, the ingest service and the lab share: pooled keep-alive connections to one Solr
//! URL, errors that say what to do. It speaks Solr's paths and knows nothing of Parhelion's inside.

mod error;
mod login;
mod response;
mod url;

use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::{Method, Request};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};

pub use error::Error;
pub use login::Login;
pub use response::Response;
pub use url::SolrUrl;

/// Idle connections are closed well before a server's own idle time-out, so that a request never meets a closing one.
const IDLE: Duration = Duration::from_secs(15);

/// A client of one Solr URL. Cheap to clone; clones share the pool.
#[derive(Clone, Debug)]
pub struct SolrClient {
    url: SolrUrl,
    http: Client<HttpConnector, Full<Bytes>>,
    timeout: Duration,
}

/// Parameters of a request; names may repeat.
pub type Pairs<'a> = &'a [(&'a str, &'a str)];

impl SolrClient {
    /// A client of `url`; a request that takes longer than `timeout` fails.
    pub fn new(url: SolrUrl, timeout: Duration) -> Self {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        connector.set_connect_timeout(Some(Duration::from_secs(5)));
        let http = Client::builder(TokioExecutor::new())
            .pool_idle_timeout(IDLE)
            .pool_timer(TokioTimer::new())
            .build(connector);
        Self { url, http, timeout }
    }

    pub fn url(&self) -> &SolrUrl {
        &self.url
    }

    /// GET of a path below the URL, such as `films/select`.
    pub async fn get(&self, path: &str, params: Pairs<'_>) -> Result<Response, Error> {
        self.send(Method::GET, path, params, None).await
    }

    /// POST of `body` with its content type.
    pub async fn post(
        &self,
        path: &str,
        params: Pairs<'_>,
        content_type: &str,
        body: Bytes,
    ) -> Result<Response, Error> {
        self.send(Method::POST, path, params, Some((content_type, body))).await
    }

    async fn send(
        &self,
        method: Method,
        path: &str,
        params: Pairs<'_>,
        content: Option<(&str, Bytes)>,
    ) -> Result<Response, Error> {
        let mut request = Request::builder().method(method).uri(self.url.with(path, params));
        if let Some(login) = self.url.login() {
            request = request.header("authorization", login.header());
        }
        let body = match content {
            Some((content_type, body)) => {
                request = request.header("content-type", content_type);
                body
            }
            None => Bytes::new(),
        };
        let request = request.body(Full::new(body)).map_err(|error| Error::Request(error.to_string()))?;
        tokio::time::timeout(self.timeout, self.exchange(request))
            .await
            .map_err(|_| Error::Timeout { url: self.url.to_string(), seconds: self.timeout.as_secs() })?
    }

    async fn exchange(&self, request: Request<Full<Bytes>>) -> Result<Response, Error> {
        let response = self.http.request(request).await.map_err(|error| Error::connect(&self.url, &error))?;
        let (head, body) = response.into_parts();
        let body = body.collect().await.map_err(|error| Error::broken(&self.url, &error))?.to_bytes();
        let content_type = head.headers.get("content-type").and_then(|value| value.to_str().ok());
        Ok(Response {
            status: head.status.as_u16(),
            content_type: content_type.unwrap_or_default().to_owned(),
            body,
        })
    }
}
