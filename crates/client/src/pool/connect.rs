//! From a URL to a connection that speaks HTTP: look the name up, connect, shake hands, learn which HTTP it
//! is. Names are looked up for every connection, so that a change of DNS is followed as connections grow old.
//!
//! Out: a connection with its driving task, or an error before any byte of a request was sent. How long
//! connections are kept, and how many there are, is the pool's.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::client::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;

use crate::error::Error;
use crate::options::{ClientOptions, Protocol};
use crate::url::SolrUrl;

/// A head that is longer is no answer; Jetty's own bound is 8 KB.
const HEAD_BYTES_MAX: u32 = 256 << 10;
/// So often an HTTP/2 connection under load is asked whether it is there, and this long it may take to say
/// so.
const PING_EVERY: Duration = Duration::from_secs(10);

pub(super) type Content = Full<Bytes>;

pub(super) enum Sender {
    Http1(http1::SendRequest<Content>),
    Http2(http2::SendRequest<Content>),
}

impl Sender {
    /// One load: the task that drives the connection has noticed if the server closed it.
    pub fn is_open(&self) -> bool {
        match self {
            Sender::Http1(sender) => !sender.is_closed(),
            Sender::Http2(sender) => !sender.is_closed(),
        }
    }
}

pub(super) struct Opened {
    pub sender: Sender,
    pub at: Instant,
    pub is_loopback: bool,
}

pub(super) struct Connector {
    url: SolrUrl,
    options: Arc<ClientOptions>,
    tls: OnceLock<Result<TlsConnector, Error>>,
    /// What the last agreement by ALPN came to.
    is_http1: AtomicBool,
}

impl Connector {
    pub fn new(url: SolrUrl, options: Arc<ClientOptions>) -> Self {
        Self { url, options, tls: OnceLock::new(), is_http1: AtomicBool::new(false) }
    }

    /// Host and port, as the URL has them.
    pub fn authority(&self) -> &str {
        self.url.authority()
    }

    /// Whether connections may turn out to be HTTP/2, which one suffices of.
    pub fn may_be_http2(&self) -> bool {
        match self.options.protocol {
            Protocol::Http1 => false,
            Protocol::Http2 => true,
            Protocol::Auto => self.url.is_tls() && !self.is_http1.load(Ordering::Relaxed),
        }
    }

    /// Errors: [`Error::Connect`], [`Error::Tls`]; no byte of a request has been sent.
    pub async fn connect(&self) -> Result<Opened, Error> {
        let deadline = Instant::now() + self.options.pool.connect_max;
        let late = |_| io::Error::new(io::ErrorKind::TimedOut, "it takes too long to connect");
        let opened = timeout_at(deadline, self.open()).await;
        opened.map_err(|elapsed| self.failed(&late(elapsed)))?
    }

    async fn open(&self) -> Result<Opened, Error> {
        let (stream, is_loopback) = self.dial().await.map_err(|error| self.failed(&error))?;
        let sender = if self.url.is_tls() {
            let stream = self.greet(stream).await?;
            let is_http2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
            if self.options.protocol == Protocol::Http2 && !is_http2 {
                return Err(Error::Tls(format!("{} does not speak HTTP/2", self.url)));
            }
            self.is_http1.store(!is_http2, Ordering::Relaxed);
            shake_hands(stream, is_http2).await
        } else {
            shake_hands(stream, self.options.protocol == Protocol::Http2).await
        };
        let sender = sender.map_err(|error| Error::connect(&self.url, &error))?;
        Ok(Opened { sender, at: Instant::now(), is_loopback })
    }

    /// Tries each address in turn, with a fair share of the time.
    async fn dial(&self) -> io::Result<(TcpStream, bool)> {
        let (host, port) = self.url.host_and_port();
        let addresses = self.options.resolver.resolve(host, port).await?;
        let share = self.options.pool.connect_max / u32::try_from(addresses.len().max(1)).unwrap_or(u32::MAX);
        let mut failed = io::Error::new(io::ErrorKind::NotFound, "the name has no address");
        for address in addresses {
            match timeout(share, TcpStream::connect(address)).await {
                Ok(Ok(stream)) => {
                    stream.set_nodelay(true)?;
                    return Ok((stream, address.ip().is_loopback()));
                }
                Ok(Err(error)) => failed = error,
                Err(_) => failed = io::Error::new(io::ErrorKind::TimedOut, "it takes too long to connect"),
            }
        }
        Err(failed)
    }

    async fn greet(&self, stream: TcpStream) -> Result<tokio_rustls::client::TlsStream<TcpStream>, Error> {
        let connector = self
            .tls
            .get_or_init(|| self.options.tls.connector(self.options.protocol.alpn_names()))
            .clone()?;
        let (host, _) = self.url.host_and_port();
        let name = ServerName::try_from(host.to_owned()).map_err(|_| Error::Url(self.url.to_string()))?;
        connector.connect(name, stream).await.map_err(|error| {
            // What is wrong with a certificate is not mended by starting a server.
            Error::Tls(format!("cannot agree on TLS with {}: {error}", self.url))
        })
    }

    fn failed(&self, error: &io::Error) -> Error {
        Error::connect(&self.url, error)
    }
}

/// The connection is driven by a task of its own, also while nobody uses it: so a close by the server is
/// noticed when it happens, and the socket is closed on this side too.
async fn shake_hands<S>(stream: S, is_http2: bool) -> hyper::Result<Sender>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let stream = TokioIo::new(stream);
    if is_http2 {
        let mut builder = http2::Builder::new(TokioExecutor::new());
        builder
            .timer(TokioTimer::new())
            .adaptive_window(true)
            .keep_alive_interval(PING_EVERY)
            .keep_alive_timeout(PING_EVERY)
            .max_header_list_size(HEAD_BYTES_MAX);
        let (sender, connection) = builder.handshake(stream).await?;
        tokio::spawn(connection);
        return Ok(Sender::Http2(sender));
    }
    let mut builder = http1::Builder::new();
    let (sender, connection) = builder.max_header_size(HEAD_BYTES_MAX as usize).handshake(stream).await?;
    tokio::spawn(connection);
    Ok(Sender::Http1(sender))
}
