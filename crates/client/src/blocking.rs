//! The clients for programs without a runtime of their own. One thread in the background drives the
//! connections, also between calls: else nobody would notice that a server closes an idle one.
//!
//! The same transport as the asynchronous clients, with the calling thread waiting. Called from asynchronous
//! code it refuses, as that thread must not wait.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::runtime::{Builder, Handle, Runtime};

use crate::balance::EndpointSource;
use crate::error::Error;
use crate::metrics::MetricsSnapshot;
use crate::options::ClientOptions;
use crate::request::Request;
use crate::response::Response;
use crate::roles::Pairs;
use crate::transport::Transport;
use crate::url::SolrUrl;

/// A client of one URL or of several servers; the calling thread waits. Cheap to clone; clones share the
/// connections.
///
/// ```no_run
/// # fn main() -> Result<(), client::Error> {
/// use std::time::Duration;
///
/// let client = client::blocking::Client::new("127.0.0.1:8983".parse()?, Duration::from_secs(10))?;
/// let found = client.get("films/select", &[("q", "solaris")])?.ok()?.json()?;
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Client {
    transport: Transport,
    driver: Arc<Driver>,
}

impl Client {
    /// Of one URL; a request that takes longer than `timeout` fails. Errors: the system has no thread left.
    pub fn new(url: SolrUrl, timeout: Duration) -> Result<Self, Error> {
        let options = ClientOptions { timeout, ..ClientOptions::default() };
        Self::balanced(&crate::balance::StaticEndpoints::new([url]), options)
    }

    /// Of several servers, as [`BalancedClient`](crate::BalancedClient).
    pub fn balanced(servers: &dyn EndpointSource, options: ClientOptions) -> Result<Self, Error> {
        let mut builder = Builder::new_multi_thread();
        builder.worker_threads(1).thread_name("solr-client").enable_all();
        let runtime = builder.build().map_err(|error| Error::Request(error.to_string()))?;
        Ok(Self { transport: Transport::new(servers, options), driver: Arc::new(Driver(Some(runtime))) })
    }

    /// GET of a path below the URL, such as `films/select`.
    pub fn get(&self, path: &str, params: Pairs<'_>) -> Result<Response, Error> {
        self.send(&Request::get(path, params))
    }

    /// POST of `body` with its content type.
    pub fn post(
        &self,
        path: &str,
        params: Pairs<'_>,
        content_type: &str,
        body: Bytes,
    ) -> Result<Response, Error> {
        self.send(&Request::post(path, params, content_type, body))
    }

    /// An answer of any status: see [`Response::ok`]. Errors: also where the caller runs on a runtime, whose
    /// thread must not wait.
    pub fn send(&self, request: &Request) -> Result<Response, Error> {
        if Handle::try_current().is_ok() {
            let reason = "this is called from asynchronous code; use the asynchronous client there";
            return Err(Error::Request(reason.to_owned()));
        }
        let runtime = self.driver.0.as_ref().expect("it is taken when it is dropped");
        runtime.block_on(self.transport.send(request))
    }

    pub fn metrics(&self) -> MetricsSnapshot {
        self.transport.metrics()
    }
}

/// Ends its thread without waiting for it, so that it may be dropped anywhere.
struct Driver(Option<Runtime>);

impl Drop for Driver {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpListener;

    use super::*;

    /// A server that ends the connection after its answer, and returns once the client has ended it too.
    #[test]
    fn idle_connections_are_looked_after_between_calls() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = listener.local_addr().unwrap().to_string().parse().unwrap();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                let (mut stream, _) = listener.accept().unwrap();
                assert!(stream.read(&mut [0; 4096]).unwrap() > 0);
                stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}").unwrap();
                stream.shutdown(std::net::Shutdown::Write).unwrap();
                assert_eq!(stream.read(&mut [0]).unwrap(), 0);
            });
            let client = Client::new(url, Duration::from_secs(20)).unwrap();
            assert_eq!(client.get("c/select", &[]).unwrap().body, "{}");
        });
    }

    #[tokio::test]
    async fn asynchronous_callers_are_told() {
        let client = Client::new("127.0.0.1:1".parse().unwrap(), Duration::from_secs(1)).unwrap();
        let error = client.get("c/select", &[]).unwrap_err();
        assert!(error.to_string().contains("asynchronous client"), "{error}");
    }
}
