//! A connection's bytes on their way to and from hyper, with the guards that hyper does not have: a client must say what
//! it speaks in time, must take what it asked for in time, and may use characters in a target that `target_escape` knows.
//! hyper's own timers watch over headers and idle connections, `body.rs` over bodies.

use std::future::Future as _;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Sleep;

use crate::target_escape::TargetEscape;

/// How HTTP/2 begins. As long as a client has sent a part of this and no more, hyper waits without a timer.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

pub(crate) struct Guarded<S> {
    stream: S,
    escape: TargetEscape,
    /// Escaped bytes that hyper has not taken yet.
    escaped: Vec<u8>,
    /// How much of [`PREFACE`] has come; `None` once it is known which protocol is spoken.
    preface: Option<usize>,
    greeting: Pin<Box<Sleep>>,
    write_timeout: Duration,
    /// Runs while the client takes nothing.
    stalled: Option<Pin<Box<Sleep>>>,
}

impl<S> Guarded<S> {
    /// The client must show what it speaks within `greeting_timeout`, and take something of what is written within
    /// `write_timeout`; else reads and writes fail with `TimedOut`.
    pub fn new(stream: S, greeting_timeout: Duration, write_timeout: Duration) -> Self {
        Self {
            stream,
            escape: TargetEscape::default(),
            escaped: Vec::new(),
            preface: Some(0),
            greeting: Box::pin(tokio::time::sleep(greeting_timeout)),
            write_timeout,
            stalled: None,
        }
    }

    fn greet(&mut self, bytes: &[u8]) {
        let Some(known) = self.preface else { return };
        let expected = PREFACE.get(known..).unwrap_or_default();
        let part = bytes.len().min(expected.len());
        let goes_on = bytes.get(..part) == expected.get(..part) && part < expected.len();
        self.preface = goes_on.then_some(known + part);
    }

    /// Gives hyper as many of the escaped bytes as it has room for.
    fn hand_out(&mut self, room: &mut ReadBuf<'_>) {
        let count = room.remaining().min(self.escaped.len());
        room.put_slice(self.escaped.get(..count).unwrap_or_default());
        self.escaped.drain(..count);
    }

    /// Passes on what a write came to, and fails when nothing could be written for too long.
    fn watch(&mut self, cx: &mut Context<'_>, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let timeout = self.write_timeout;
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(tokio::time::sleep(timeout)));
        ready!(stalled.as_mut().poll(cx));
        Poll::Ready(Err(late("the client does not read its answer")))
    }
}

fn late(what: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, what)
}

impl<S: AsyncRead + Unpin> AsyncRead for Guarded<S> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, room: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if !this.escaped.is_empty() {
            this.hand_out(room);
            return Poll::Ready(Ok(()));
        }
        let before = room.filled().len();
        loop {
            if Pin::new(&mut this.stream).poll_read(cx, room)?.is_pending() {
                if this.preface.is_some() {
                    ready!(this.greeting.as_mut().poll(cx));
                    return Poll::Ready(Err(late("the client does not say what it wants")));
                }
                return Poll::Pending;
            }
            let fresh = room.filled().get(before..).unwrap_or_default();
            this.greet(fresh);
            if let Some(escaped) = this.escape.escape(fresh) {
                room.set_filled(before);
                this.escaped = escaped;
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

    /// How long until reading ends in an error after the client sent `sent`; `None` when bytes came through and then
    /// nothing happens for an hour.
    async fn read_fails_after(sent: &[u8]) -> Option<Duration> {
        let (mut client, server) = duplex(1024);
        let mut guarded = Guarded::new(server, TIMEOUT, TIMEOUT);
        client.write_all(sent).await.unwrap();
        let started = Instant::now();
        let mut read = async || {
            loop {
                if let Err(error) = guarded.read_u8().await {
                    return error;
                }
            }
        };
        let failed = tokio::time::timeout(Duration::from_secs(3600), read()).await.ok()?;
        assert_eq!(failed.kind(), io::ErrorKind::TimedOut);
        Some(started.elapsed())
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_must_say_what_it_speaks() {
        assert_eq!(read_fails_after(b"").await, Some(TIMEOUT));
        assert_eq!(read_fails_after(b"P").await, Some(TIMEOUT));
        assert_eq!(read_fails_after(&PREFACE[..PREFACE.len() - 1]).await, Some(TIMEOUT));
        assert_eq!(read_fails_after(PREFACE).await, None);
        assert_eq!(read_fails_after(b"PO").await, None);
        assert_eq!(read_fails_after(b"G").await, None);
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_must_take_what_it_asked_for() {
        let (mut client, server) = duplex(1000);
        let mut guarded = Guarded::new(server, TIMEOUT, TIMEOUT);
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
        let mut guarded = Guarded::new(server, TIMEOUT, TIMEOUT);
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
