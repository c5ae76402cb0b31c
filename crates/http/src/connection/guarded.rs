//! A connection's bytes on their way to and from hyper, with the guards that hyper does not have: a client
//! must take what it asked for in time, and may use characters in a target that `target_escape` knows. What a
//! client speaks is found out here, from its first bytes, and noted here is what `lull.rs` must know.

use std::future::Future as _;
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Sleep;

use crate::connection::lull::Lull;
use crate::connection::target_escape::TargetEscape;

/// How HTTP/2 begins.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// Read at once until it is known what is spoken: mostly a whole request.
const FIRST_BYTES: usize = 4 << 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spoken {
    Http1,
    /// By prior knowledge.
    Http2,
}

pub(crate) struct Guarded<S> {
    stream: S,
    escape: TargetEscape,
    /// Bytes that were read, and escaped, and that hyper has not taken.
    ahead: Vec<u8>,
    lull: Arc<Lull>,
    write_timeout: Duration,
    /// Runs while the client takes nothing.
    stalled: Option<Pin<Box<Sleep>>>,
}

impl<S> Guarded<S> {
    /// The client must take something of what is written within `write_timeout`; else writes fail with
    /// `TimedOut`.
    pub fn new(stream: S, write_timeout: Duration) -> Self {
        Self {
            stream,
            escape: TargetEscape::default(),
            ahead: Vec::new(),
            lull: Arc::default(),
            write_timeout,
            stalled: None,
        }
    }

    pub fn stream(&self) -> &S {
        &self.stream
    }

    pub fn lull(&self) -> &Arc<Lull> {
        &self.lull
    }

    /// Is read next: what hyper had read and not used when it gave the connection back.
    pub fn put_back(&mut self, unused: &[u8]) {
        self.ahead.splice(..0, unused.iter().copied());
    }

    /// Gives hyper as many of the bytes that were read ahead as it has room for.
    fn hand_out(&mut self, room: &mut ReadBuf<'_>) {
        let count = room.remaining().min(self.ahead.len());
        room.put_slice(self.ahead.get(..count).unwrap_or_default());
        self.ahead.drain(..count);
        if self.ahead.is_empty() {
            // Gives the memory back too: a connection that sleeps should keep none.
            self.ahead = Vec::new();
        }
    }

    /// Passes on what a write came to, and fails when nothing could be written for too long.
    fn watch(&mut self, cx: &mut Context<'_>, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        self.lull.written(written.is_ready());
        if written.is_ready() {
            // Something was taken, and the time begins anew: an answer may take as long as it is being read.
            self.stalled = None;
            return written;
        }
        let timeout = self.write_timeout;
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(tokio::time::sleep(timeout)));
        ready!(stalled.as_mut().poll(cx));
        Poll::Ready(Err(late("the client does not read its answer")))
    }
}

impl<S: AsyncRead + Unpin> Guarded<S> {
    /// What the client speaks, as soon as it can be told; what it said is read again. Errors: those of
    /// reading.
    pub async fn spoken(&mut self) -> io::Result<Spoken> {
        let (mut said, mut part) = (Vec::new(), vec![0; FIRST_BYTES]);
        while said.len() < PREFACE.len() && PREFACE.starts_with(&said) {
            let mut room = ReadBuf::new(&mut part);
            poll_fn(|cx| Pin::new(&mut self.stream).poll_read(cx, &mut room)).await?;
            if room.filled().is_empty() {
                break;
            }
            said.extend_from_slice(room.filled());
        }
        let spoken = if said.starts_with(PREFACE) { Spoken::Http2 } else { Spoken::Http1 };
        self.ahead = self.escape.escape(&said).unwrap_or(said);
        Ok(spoken)
    }
}

fn late(what: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, what)
}

impl<S: AsyncRead + Unpin> AsyncRead for Guarded<S> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, room: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if !this.ahead.is_empty() {
            this.lull.given();
            this.hand_out(room);
            return Poll::Ready(Ok(()));
        }
        let before = room.filled().len();
        loop {
            ready!(Pin::new(&mut this.stream).poll_read(cx, room))?;
            this.lull.given();
            let fresh = room.filled().get(before..).unwrap_or_default();
            if let Some(escaped) = this.escape.escape(fresh) {
                room.set_filled(before);
                this.ahead = escaped;
                this.hand_out(room);
                // All of it was left out, which is no end.
                if room.filled().len() == before {
                    continue;
                }
            }
            return Poll::Ready(Ok(()));
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Guarded<S> {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.stream).poll_write(cx, bytes);
        this.watch(cx, written)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.stream).poll_write_vectored(cx, parts);
        this.watch(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};
    use tokio::time::Instant;

    use super::*;

    const TIMEOUT: Duration = Duration::from_secs(5);

    #[tokio::test]
    async fn the_first_bytes_say_what_is_spoken() {
        let check = async |sent: &[u8], expected: Spoken| {
            for part in [1, 1000] {
                let (mut client, server) = duplex(part);
                let whole = sent.to_vec();
                let sending = tokio::spawn(async move { client.write_all(&whole).await });
                let mut guarded = Guarded::new(server, TIMEOUT);
                let spoken = guarded.spoken().await.unwrap();
                let mut read = Vec::new();
                guarded.read_to_end(&mut read).await.unwrap();
                sending.await.unwrap().unwrap();
                assert_eq!((spoken, read.as_slice()), (expected, sent));
            }
        };
        check(b"", Spoken::Http1).await;
        check(b"P", Spoken::Http1).await;
        check(b"POST / HTTP/1.1\r\n\r\n", Spoken::Http1).await;
        check(&PREFACE[..PREFACE.len() - 1], Spoken::Http1).await;
        check(PREFACE, Spoken::Http2).await;
        check(&[PREFACE, b"settings"].concat(), Spoken::Http2).await;
    }

    #[tokio::test]
    async fn what_is_put_back_is_read_again() {
        let (mut client, server) = duplex(1000);
        let mut guarded = Guarded::new(server, TIMEOUT);
        client.write_all(b"three").await.unwrap();
        drop(client);
        guarded.spoken().await.unwrap();
        guarded.put_back(b"one, two, ");
        let mut read = String::new();
        guarded.read_to_string(&mut read).await.unwrap();
        assert_eq!(read, "one, two, three");
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_must_take_what_it_asked_for() {
        let (mut client, server) = duplex(1000);
        let mut guarded = Guarded::new(server, TIMEOUT);
        let started = Instant::now();
        let slow_reader = tokio::spawn(async move {
            for _ in 0..3 {
                tokio::time::sleep(TIMEOUT / 2).await;
                client.read_exact(&mut [0; 100]).await.unwrap();
            }
            client
        });
        let failed = guarded.write_all(&[0; 5000]).await.unwrap_err();
        assert_eq!(failed.kind(), io::ErrorKind::TimedOut);
        assert_eq!(started.elapsed(), TIMEOUT * 3 / 2 + TIMEOUT);
        drop(slow_reader.await);
    }

    #[tokio::test]
    async fn escapes_that_do_not_fit_come_next() {
        let (mut client, server) = duplex(1024);
        let mut guarded = Guarded::new(server, TIMEOUT);
        client.write_all(b"GET /\"\"\" HTTP/1.1\r\n\r\n").await.unwrap();
        drop(client);
        let (mut whole, mut room) = (Vec::new(), [0; 7]);
        loop {
            match guarded.read(&mut room).await.unwrap() {
                0 => break,
                count => whole.extend_from_slice(&room[..count]),
            }
        }
        assert_eq!(whole, b"GET /%22%22%22 HTTP/1.1\r\n\r\n");
    }
}
