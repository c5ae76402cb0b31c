//! Where applications connect: addresses of this machine and sockets in the file system. Whatever was
//! accepted is one kind of stream, which gives up an application that takes nothing of its answer for too
//! long.

use std::future::{Future as _, poll_fn};
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
#[cfg(unix)]
use tokio::net::{UnixListener, UnixStream};
use tokio::time::{Sleep, sleep};

/// Something that listens.
#[derive(Debug)]
pub struct Listener(Door);

#[derive(Debug)]
enum Door {
    Tcp(TcpListener),
    #[cfg(unix)]
    Unix(UnixListener),
}

impl Listener {
    /// Errors: other machines could reach it, though the relay may log in for whoever asks.
    pub fn tcp(listener: TcpListener) -> io::Result<Self> {
        let address = listener.local_addr()?;
        if !address.ip().is_loopback() {
            let message = format!("a relay serves its own machine, and `{address}` is not loopback");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        Ok(Self(Door::Tcp(listener)))
    }

    /// Who may connect is up to its permissions.
    #[cfg(unix)]
    pub fn unix(listener: UnixListener) -> Self {
        Self(Door::Unix(listener))
    }

    fn poll_accept(&self, cx: &mut Context<'_>) -> Poll<io::Result<Socket>> {
        match &self.0 {
            Door::Tcp(listener) => listener.poll_accept(cx).map(|accepted| {
                let (stream, _) = accepted?;
                stream.set_nodelay(true)?;
                Ok(Socket::Tcp(stream))
            }),
            #[cfg(unix)]
            Door::Unix(listener) => {
                listener.poll_accept(cx).map(|accepted| accepted.map(|(stream, _)| Socket::Unix(stream)))
            }
        }
    }
}

/// The next connection of any of them.
pub(crate) async fn accept(listeners: &[Listener], stall_max: Duration) -> io::Result<AppStream> {
    let next = |cx: &mut Context<'_>| {
        let accepted = listeners.iter().map(|listener| listener.poll_accept(cx));
        accepted.into_iter().find(Poll::is_ready).unwrap_or(Poll::Pending)
    };
    Ok(AppStream { socket: poll_fn(next).await?, stall_max, stalled: None })
}

/// The connection of an application.
pub(crate) struct AppStream {
    socket: Socket,
    stall_max: Duration,
    /// Runs while a write waits.
    stalled: Option<Pin<Box<Sleep>>>,
}

enum Socket {
    Tcp(TcpStream),
    #[cfg(unix)]
    Unix(UnixStream),
}

/// Calls a method of the socket within.
macro_rules! within {
    ($this:expr, $stream:ident => $call:expr) => {
        match &mut $this.socket {
            Socket::Tcp(stream) => {
                let $stream = Pin::new(stream);
                $call
            }
            #[cfg(unix)]
            Socket::Unix(stream) => {
                let $stream = Pin::new(stream);
                $call
            }
        }
    };
}

impl AppStream {
    /// What a write came to; an error where nothing was taken for too long.
    fn watched<T>(&mut self, cx: &mut Context<'_>, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let patience = self.stalled.get_or_insert_with(|| Box::pin(sleep(self.stall_max)));
        match patience.as_mut().poll(cx) {
            Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl AsyncRead for AppStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        room: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        within!(self, stream => stream.poll_read(cx, room))
    }
}

impl AsyncWrite for AppStream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = within!(self, stream => stream.poll_write(cx, bytes));
        self.watched(cx, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = within!(self, stream => stream.poll_write_vectored(cx, parts));
        self.watched(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = within!(self, stream => stream.poll_flush(cx));
        self.watched(cx, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        within!(self, stream => stream.poll_shutdown(cx))
    }
}
