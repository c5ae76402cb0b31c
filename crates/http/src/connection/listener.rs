//! Where connections come from: addresses, with TLS or without, and sockets in the file system. Whatever was
//! accepted becomes one kind of stream, so that there is one way to serve it.
//!
//! Here are sockets, their options and the TLS handshake with its time-out. How many connections there may be
//! is `serve`'s; what is spoken on one, and when it sleeps, is the folder's `mod.rs`'s.

use std::fmt;
use std::future::poll_fn;
use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use socket2::{SockRef, TcpKeepalive};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
#[cfg(unix)]
use tokio::net::{UnixListener, UnixStream};
use tokio_rustls::server::TlsStream;

use crate::connection::tls::Tls;

/// The kernel asks after a silent client from this time on, this often, this many times: one that is gone
/// without a word is known to be within two minutes.
const PROBE_AFTER: Duration = Duration::from_secs(60);
const PROBE_EVERY: Duration = Duration::from_secs(15);
const PROBES: u32 = 4;
/// For the whole TLS handshake.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);

/// Something that listens.
#[derive(Debug)]
pub struct Listener(Door);

#[derive(Debug)]
enum Door {
    Tcp(TcpListener, Option<Tls>),
    #[cfg(unix)]
    Unix(UnixListener),
}

impl Listener {
    pub fn tcp(listener: TcpListener) -> Self {
        Self(Door::Tcp(listener, None))
    }

    /// Whoever connects must speak TLS; HTTP/2 is offered by ALPN.
    pub fn tls(listener: TcpListener, tls: Tls) -> Self {
        Self(Door::Tcp(listener, Some(tls)))
    }

    /// A socket in the file system; who may connect is up to its permissions.
    #[cfg(unix)]
    pub fn unix(listener: UnixListener) -> Self {
        Self(Door::Unix(listener))
    }

    fn poll_accept(&self, cx: &mut Context<'_>) -> Poll<io::Result<Accepted>> {
        match &self.0 {
            Door::Tcp(listener, tls) => listener.poll_accept(cx).map_ok(|(stream, peer)| Accepted {
                peer: Peer(Some(peer.ip().to_canonical())),
                socket: Socket::Tcp(stream, tls.clone()),
            }),
            #[cfg(unix)]
            Door::Unix(listener) => listener
                .poll_accept(cx)
                .map_ok(|(stream, _)| Accepted { peer: Peer(None), socket: Socket::Unix(stream) }),
        }
    }
}

/// The next connection of any of them.
pub(crate) async fn accept(listeners: &[Listener]) -> io::Result<Accepted> {
    let ready = |cx: &mut Context<'_>| {
        listeners
            .iter()
            .map(|listener| listener.poll_accept(cx))
            .find(Poll::is_ready)
            .unwrap_or(Poll::Pending)
    };
    poll_fn(ready).await
}

/// Who is at the other end: an address, or a process that came by a socket in the file system. An address of
/// IPv4 within one of IPv6 counts as what it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer(Option<IpAddr>);

impl Peer {
    /// Whether the client is on this machine.
    pub fn is_near(self) -> bool {
        self.0.is_none_or(|address| address.is_loopback())
    }

    pub fn address(self) -> Option<IpAddr> {
        self.0
    }
}

impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(address) => address.fmt(f),
            None => f.write_str("socket"),
        }
    }
}

/// A connection that has said nothing yet.
pub(crate) struct Accepted {
    socket: Socket,
    pub peer: Peer,
}

enum Socket {
    Tcp(TcpStream, Option<Tls>),
    #[cfg(unix)]
    Unix(UnixStream),
}

impl Accepted {
    /// The stream that HTTP is spoken on. Errors: a handshake that fails or takes too long.
    pub async fn greet(self) -> io::Result<Stream> {
        match self.socket {
            Socket::Tcp(stream, tls) => {
                tune(&stream)?;
                let Some(tls) = tls else { return Ok(Stream::Tcp(stream)) };
                let greeted = tokio::time::timeout(HANDSHAKE_TIMEOUT, tls.greet(stream)).await;
                Ok(Stream::Tls(Box::new(greeted.map_err(|_| io::ErrorKind::TimedOut)??)))
            }
            #[cfg(unix)]
            Socket::Unix(stream) => Ok(Stream::Unix(stream)),
        }
    }
}

fn tune(stream: &TcpStream) -> io::Result<()> {
    // Without it the small answers of searches would wait for the client's acknowledgement.
    stream.set_nodelay(true)?;
    let probes = TcpKeepalive::new().with_time(PROBE_AFTER).with_interval(PROBE_EVERY).with_retries(PROBES);
    SockRef::from(stream).set_tcp_keepalive(&probes)
}

/// A connection's bytes, wherever it came from.
pub(crate) enum Stream {
    Tcp(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
    #[cfg(unix)]
    Unix(UnixStream),
}

impl Stream {
    /// Until there is something to read, or the end; it may be said too early, and of TLS it may turn out to
    /// be nothing.
    pub fn poll_read_ready(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self {
            Stream::Tcp(stream) => stream.poll_read_ready(cx),
            Stream::Tls(stream) => stream.get_ref().0.poll_read_ready(cx),
            #[cfg(unix)]
            Stream::Unix(stream) => stream.poll_read_ready(cx),
        }
    }
}

/// Calls a method of the stream within.
macro_rules! within {
    ($this:expr, $stream:ident => $call:expr) => {
        match $this.get_mut() {
            Stream::Tcp(stream) => {
                let $stream = Pin::new(stream);
                $call
            }
            Stream::Tls(stream) => {
                let $stream = Pin::new(stream);
                $call
            }
            #[cfg(unix)]
            Stream::Unix(stream) => {
                let $stream = Pin::new(stream);
                $call
            }
        }
    };
}

impl AsyncRead for Stream {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, room: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        within!(self, stream => stream.poll_read(cx, room))
    }
}

impl AsyncWrite for Stream {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        within!(self, stream => stream.poll_write(cx, bytes))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        within!(self, stream => stream.poll_write_vectored(cx, parts))
    }

    fn is_write_vectored(&self) -> bool {
        match self {
            Stream::Tcp(stream) => stream.is_write_vectored(),
            Stream::Tls(stream) => stream.is_write_vectored(),
            #[cfg(unix)]
            Stream::Unix(stream) => stream.is_write_vectored(),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        within!(self, stream => stream.poll_flush(cx))
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        within!(self, stream => stream.poll_shutdown(cx))
    }
}
