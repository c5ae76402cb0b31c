//! One connection, from its first byte to its last. It is asleep or awake: awake hyper serves it, in HTTP/1.1
//! or HTTP/2; asleep it is a socket and a time-out, some hundred bytes, and waits for what comes. New
//! connections sleep, and those of HTTP/1.1 that have asked nothing for a while do again. A busy one never
//! sleeps.

pub(crate) mod guarded;
pub(crate) mod listener;
pub(crate) mod lull;
pub(crate) mod serve;
pub(crate) mod target_escape;
pub(crate) mod tls;
pub(crate) mod upgrade;

use std::convert::Infallible;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout};

use crate::config::ServeConfig;
use crate::connection::guarded::{Guarded, Spoken};
use crate::connection::listener::{Accepted, Peer, Stream};
use crate::connection::lull::LullTimer;
use crate::connection::upgrade::{Continued, UpgradeFeed};
use crate::request::service;
use crate::server::Server;

/// An awake connection is looked at this often at first; one that is idle at two looks, and asked nothing in
/// between, goes to sleep. Whenever it was busy, or woke again, it has twice as long: many that come to ask
/// once take little room, and one that asks now and then is not forever put to sleep.
const LOOK_FIRST: Duration = Duration::from_millis(25);
const LOOK_LAST: Duration = Duration::from_millis(200);
/// Room for uploads in flight on HTTP/2, for a stream and for its connection.
const H2_STREAM_WINDOW: u32 = 1 << 20;
const H2_CONNECTION_WINDOW: u32 = 4 << 20;

/// How the protocols are spoken.
pub(crate) struct Protocols {
    http1: http1::Builder,
    http2: http2::Builder<TokioExecutor>,
}

impl Protocols {
    pub fn new(config: &ServeConfig) -> Self {
        let mut http1 = http1::Builder::new();
        http1
            .header_read_timeout(config.header_timeout)
            .max_buf_size(config.header_bytes_max)
            // Who has said all there is to say may still wait for the answer, as with Jetty.
            .half_close(true);
        let mut http2 = http2::Builder::new(TokioExecutor::new());
        http2
            .timer(TokioTimer::new())
            .keep_alive_interval(config.ping_interval)
            .keep_alive_timeout(config.ping_interval)
            .max_header_list_size(u32::try_from(config.header_bytes_max).unwrap_or(u32::MAX))
            .initial_stream_window_size(H2_STREAM_WINDOW)
            .initial_connection_window_size(H2_CONNECTION_WINDOW);
        Self { http1, http2 }
    }
}

/// Says when the server stops. As long as one of its kind lives, a connection is open.
#[derive(Clone)]
pub(crate) struct Stop(watch::Receiver<bool>);

impl Stop {
    pub fn new(stop: watch::Receiver<bool>) -> Self {
        Self(stop)
    }

    async fn told(&mut self) {
        // An error means that nobody is left to say so.
        let _ = self.0.wait_for(|stop| *stop).await;
    }
}

/// A connection, as its requests see it.
struct Connection {
    server: Arc<Server>,
    protocols: Arc<Protocols>,
    peer: Peer,
    /// What the last request asked to go on with.
    upgrade: Mutex<Option<UpgradeFeed>>,
}

/// Serves a connection to its end.
pub(crate) async fn run(
    accepted: Accepted,
    (server, protocols): (Arc<Server>, Arc<Protocols>),
    mut stop: Stop,
) {
    let ServeConfig { header_timeout, write_idle_timeout, .. } = server.config;
    let peer = accepted.peer;
    let mut wire = match Box::pin(accepted.greet()).await {
        Ok(stream) => Guarded::new(stream, write_idle_timeout),
        Err(failure) => return tracing::debug!(%failure, "a connection failed before its first request"),
    };
    let connection = Arc::new(Connection { server, protocols, peer, upgrade: Mutex::new(None) });
    let (mut spoken, mut pace) = (None, LOOK_FIRST);
    while stirs(wire.stream(), header_timeout, &mut stop).await {
        // In a box, which goes when the connection falls asleep: asleep it should not carry the room for it.
        let served = Box::pin(serve(&connection, wire, (spoken, &mut pace), stop.clone())).await;
        let Some(asleep) = served else { return };
        (wire, spoken) = (asleep, Some(Spoken::Http1));
        pace = slower(pace);
    }
    // Who speaks TLS is told that this is the end.
    let _ = poll_fn(|cx| Pin::new(&mut wire).poll_shutdown(cx)).await;
}

/// Waits for something to read; false when nothing came in time or the server stops.
async fn stirs(stream: &Stream, patience: Duration, stop: &mut Stop) -> bool {
    tokio::select! {
        came = timeout(patience, poll_fn(|cx| stream.poll_read_ready(cx))) => came.is_ok(),
        () = stop.told() => false,
    }
}

/// Serves a connection that has something to say, until it is over or goes to sleep.
async fn serve(
    connection: &Arc<Connection>,
    mut wire: Guarded<Stream>,
    (spoken, pace): (Option<Spoken>, &mut Duration),
    mut stop: Stop,
) -> Option<Guarded<Stream>> {
    let spoken = match spoken {
        Some(known) => known,
        None => connection.listen(&mut wire, &mut stop).await?,
    };
    match spoken {
        Spoken::Http1 => http1(connection, wire, pace, stop).await,
        Spoken::Http2 => {
            http2(connection.clone(), wire, stop).await;
            None
        }
    }
}

/// HTTP/1.1, until the connection is over or goes to sleep; where the client asks for it, the rest of it in
/// HTTP/2.
async fn http1(
    connection: &Arc<Connection>,
    wire: Guarded<Stream>,
    pace: &mut Duration,
    mut stop: Stop,
) -> Option<Guarded<Stream>> {
    let lull = Arc::clone(wire.lull());
    let mut builder = connection.protocols.http1.clone();
    builder.timer(LullTimer(Arc::clone(&lull)));
    let service = service_fn(|request| connection.clone().respond(request));
    let mut talk = builder.serve_connection(TokioIo::new(wire), service);
    let ended = {
        let mut told = pin!(stop.told());
        let mut look = pin!(sleep(*pace));
        let (mut stopping, mut seen) = (false, None);
        poll_fn(|cx| {
            if !stopping && told.as_mut().poll(cx).is_ready() {
                stopping = true;
                Pin::new(&mut talk).graceful_shutdown();
            }
            if let Poll::Ready(ended) = Pin::new(&mut talk).poll(cx) {
                return Poll::Ready(Some(ended));
            }
            while look.as_mut().poll(cx).is_ready() {
                let idle = lull.idle();
                // The wait of the look before: nothing was asked in between.
                if idle.is_some() && idle == seen && !stopping {
                    return Poll::Ready(None);
                }
                if idle.is_none() || seen.is_some() {
                    *pace = slower(*pace);
                }
                seen = idle;
                look.as_mut().reset(Instant::now() + *pace);
            }
            Poll::Pending
        })
        .await
    };
    let parts = talk.into_parts();
    let mut wire = parts.io.into_inner();
    // What hyper has read and not used: behind an upgrade that is the beginning of HTTP/2.
    wire.put_back(&parts.read_buf);
    let Some(ended) = ended else { return Some(wire) };
    note(ended);
    let told = connection.upgrade.lock().unwrap_or_else(PoisonError::into_inner).take()?;
    let mut rest = Guarded::new(Continued::new(wire, told), connection.server.config.write_idle_timeout);
    connection.listen(&mut rest, &mut stop).await?;
    http2(connection.clone(), rest, stop).await;
    None
}

fn slower(pace: Duration) -> Duration {
    (pace * 2).min(LOOK_LAST)
}

async fn http2<S>(connection: Arc<Connection>, wire: Guarded<S>, mut stop: Stop)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let protocol = connection.protocols.http2.clone();
    let service = service_fn(move |request| connection.clone().respond(request));
    let mut talk = pin!(protocol.serve_connection(TokioIo::new(wire), service));
    tokio::select! {
        ended = talk.as_mut() => return note(ended),
        () = stop.told() => talk.as_mut().graceful_shutdown(),
    }
    note(talk.await);
}

impl Connection {
    /// What the client speaks; `None` when it does not say so in time, or the server stops.
    async fn listen<S: AsyncRead + Unpin>(&self, wire: &mut Guarded<S>, stop: &mut Stop) -> Option<Spoken> {
        tokio::select! {
            spoken = timeout(self.server.config.header_timeout, wire.spoken()) => spoken.ok()?.ok(),
            () = stop.told() => None,
        }
    }

    async fn respond(
        self: Arc<Self>,
        request: Request<Incoming>,
    ) -> Result<Response<Full<Bytes>>, Infallible> {
        if let Some(told) = upgrade::asked(&request) {
            *self.upgrade.lock().unwrap_or_else(PoisonError::into_inner) = Some(told);
            return Ok(upgrade::switching());
        }
        Ok(service::respond(&self.server, self.peer, request).await)
    }
}

fn note(ended: hyper::Result<()>) {
    if let Err(failure) = ended {
        tracing::debug!(%failure, "a connection broke off");
    }
}
