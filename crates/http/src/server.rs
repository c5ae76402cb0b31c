//! Takes connections from all listeners, gives each a task, and lets open requests end when the node shuts down. HTTP/1.1
//! and HTTP/2, by prior knowledge (SolrJ's cloud client) or by upgrade (the JDK's), at each of them.

use std::convert::Infallible;
use std::error::Error;
use std::future::Future;
use std::io;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use cluster::Node;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::admission::Admission;
use crate::answers::Answers;
use crate::config::ServeConfig;
use crate::guarded::Guarded;
use crate::listener::{self, Accepted, Listener};
use crate::security::Guard;
use crate::service;
use crate::tasks::Tasks;
use crate::upgrade::{self, Continued, Upgrade};

/// Pause after a failed accept (out of file descriptors, say): trying again at once would only spin.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// Room for uploads in flight on HTTP/2, for a stream and for its connection.
const H2_STREAM_WINDOW: u32 = 1 << 20;
const H2_CONNECTION_WINDOW: u32 = 4 << 20;

/// What every request sees.
pub(crate) struct Server {
    pub node: Arc<Node>,
    pub config: ServeConfig,
    pub answers: Answers,
    pub admission: Admission,
    /// Who may do what; `None` lets everybody do everything.
    pub guard: Option<Guard>,
    /// What requests to the collections' and to the cores' administration left to be done beside.
    pub collection_tasks: Tasks,
    pub core_tasks: Tasks,
}

/// Serves until `shutdown` completes, then ends open requests within `drain_timeout`. Does not close the node.
pub async fn serve(
    listeners: Vec<Listener>,
    node: Arc<Node>,
    config: ServeConfig,
    shutdown: impl Future<Output = ()>,
) -> io::Result<()> {
    let drain_timeout = config.drain_timeout;
    let room = Arc::new(Semaphore::new(config.connections_max.clamp(1, Semaphore::MAX_PERMITS)));
    let server = Arc::new(Server {
        node,
        answers: Answers::new(config.answer_bytes_max),
        admission: Admission::new(&config),
        guard: config.security.clone().map(Guard::new),
        collection_tasks: Tasks::default(),
        core_tasks: Tasks::default(),
        config,
    });
    let builder = builder(&server.config);
    let graceful = GracefulShutdown::new();
    let mut shutdown = pin!(shutdown);
    loop {
        let accepted = tokio::select! {
            accepted = accept(&listeners, &room) => accepted,
            () = &mut shutdown => break,
        };
        match accepted {
            Ok((accepted, permit)) => {
                let connection =
                    run(accepted, server.clone(), builder.clone(), [graceful.watcher(), graceful.watcher()]);
                tokio::spawn(async move {
                    connection.await;
                    drop(permit);
                });
            }
            Err(failure) => {
                tracing::warn!(%failure, "cannot accept a connection");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
    drop(listeners);
    if tokio::time::timeout(drain_timeout, graceful.shutdown()).await.is_err() {
        tracing::warn!("requests were still open when the drain time was over");
    }
    Ok(())
}

async fn accept(
    listeners: &[Listener],
    room: &Arc<Semaphore>,
) -> io::Result<(Accepted, OwnedSemaphorePermit)> {
    let permit = room.clone().acquire_owned().await.map_err(io::Error::other)?;
    Ok((listener::accept(listeners).await?, permit))
}

fn builder(config: &ServeConfig) -> Builder<TokioExecutor> {
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(config.header_timeout)
        .max_buf_size(config.header_bytes_max)
        // Who has said all there is to say may still wait for the answer, as with Jetty.
        .half_close(true);
    builder
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(config.ping_interval)
        .keep_alive_timeout(config.ping_interval)
        .max_header_list_size(u32::try_from(config.header_bytes_max).unwrap_or(u32::MAX))
        .initial_stream_window_size(H2_STREAM_WINDOW)
        .initial_connection_window_size(H2_CONNECTION_WINDOW);
    builder
}

/// One connection, as its requests see it.
struct Connection {
    server: Arc<Server>,
    /// Whether the client is on this machine.
    near: bool,
    /// What the last request asked to go on with.
    upgrade: Mutex<Option<Upgrade>>,
}

impl Connection {
    fn guarded<S>(&self, stream: S) -> Guarded<S> {
        let ServeConfig { header_timeout, write_idle_timeout, .. } = self.server.config;
        Guarded::new(stream, header_timeout, write_idle_timeout)
    }

    async fn respond(
        self: Arc<Self>,
        mut request: Request<Incoming>,
    ) -> Result<Response<Full<Bytes>>, Infallible> {
        if let Some(upgrade) = upgrade::asked(&mut request) {
            *self.upgrade.lock().unwrap_or_else(PoisonError::into_inner) = Some(upgrade);
            return Ok(upgrade::switching());
        }
        Ok(service::respond(&self.server, self.near, request).await)
    }
}

/// Serves a connection to its end; where the client asks for it, the rest of it in HTTP/2.
async fn run(
    accepted: Accepted,
    server: Arc<Server>,
    builder: Builder<TokioExecutor>,
    [watcher, watcher_after]: [Watcher; 2],
) {
    let near = accepted.near;
    let stream = match accepted.greet().await {
        Ok(stream) => stream,
        Err(failure) => return tracing::debug!(%failure, "a connection failed before its first request"),
    };
    let connection = Arc::new(Connection { server, near, upgrade: Mutex::new(None) });
    let first = TokioIo::new(connection.guarded(stream));
    let service = service_fn(|request| connection.clone().respond(request));
    note(watcher.watch(builder.serve_connection_with_upgrades(first, service).into_owned()).await);
    let upgrade = connection.upgrade.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(upgrade) = upgrade {
        // Few connections come here: the others should not carry the room for it.
        Box::pin(go_on(connection, upgrade, builder.http2_only(), watcher_after)).await;
    }
}

/// The rest of a connection, in HTTP/2.
async fn go_on(
    connection: Arc<Connection>,
    upgrade: Upgrade,
    builder: Builder<TokioExecutor>,
    watcher: Watcher,
) {
    let Ok(stream) = upgrade.connection.await else { return };
    let rest = Continued::new(TokioIo::new(stream), upgrade.told);
    let rest = TokioIo::new(connection.guarded(rest));
    let service = service_fn(move |request| connection.clone().respond(request));
    note(watcher.watch(builder.serve_connection(rest, service).into_owned()).await);
}

fn note(ended: Result<(), Box<dyn Error + Send + Sync>>) {
    if let Err(failure) = ended {
        tracing::debug!(%failure, "a connection broke off");
    }
}
