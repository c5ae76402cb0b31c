//! The listener: takes connections, gives each a task, and lets open requests end when the node shuts down. HTTP/1.1 and
//! HTTP/2 by prior knowledge (SolrJ's cloud client speaks it) on one port.

use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use cluster::Node;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::answers::Answers;
use crate::config::ServeConfig;
use crate::guarded::Guarded;
use crate::service;
use crate::tasks::Tasks;

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
    /// What requests to the collections' and to the cores' administration left to be done beside.
    pub collection_tasks: Tasks,
    pub core_tasks: Tasks,
}

/// Serves until `shutdown` completes, then ends open requests within `drain_timeout`. Does not close the node.
pub async fn serve(
    listener: TcpListener,
    node: Arc<Node>,
    config: ServeConfig,
    shutdown: impl Future<Output = ()>,
) -> io::Result<()> {
    let drain_timeout = config.drain_timeout;
    let room = Arc::new(Semaphore::new(config.connections_max));
    let server = Arc::new(Server {
        node,
        answers: Answers::new(config.answer_bytes_max),
        collection_tasks: Tasks::default(),
        core_tasks: Tasks::default(),
        config,
    });
    let builder = builder(&server.config);
    let graceful = GracefulShutdown::new();
    let mut shutdown = pin!(shutdown);
    loop {
        let accepted = tokio::select! {
            accepted = accept(&listener, &room) => accepted,
            () = &mut shutdown => break,
        };
        match accepted {
            Ok((stream, permit)) => {
                let connection = run(stream, server.clone(), builder.clone(), graceful.watcher());
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
    drop(listener);
    if tokio::time::timeout(drain_timeout, graceful.shutdown()).await.is_err() {
        tracing::warn!("requests were still open when the drain time was over");
    }
    Ok(())
}

async fn accept(
    listener: &TcpListener,
    room: &Arc<Semaphore>,
) -> io::Result<(TcpStream, OwnedSemaphorePermit)> {
    let permit = room.clone().acquire_owned().await.map_err(io::Error::other)?;
    let (stream, _) = listener.accept().await?;
    Ok((stream, permit))
}

fn builder(config: &ServeConfig) -> Builder<TokioExecutor> {
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(config.header_timeout)
        .max_buf_size(config.header_bytes_max);
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

async fn run(stream: TcpStream, server: Arc<Server>, builder: Builder<TokioExecutor>, watcher: Watcher) {
    // Without it the small answers of searches would wait for the client's acknowledgement.
    if let Err(failure) = stream.set_nodelay(true) {
        tracing::debug!(%failure, "cannot set TCP_NODELAY");
    }
    let guarded = Guarded::new(stream, server.config.header_timeout, server.config.write_idle_timeout);
    let service = service_fn(move |request| {
        let server = server.clone();
        async move { Ok::<_, Infallible>(service::respond(&server, request).await.into_response()) }
    });
    let connection = builder.serve_connection(TokioIo::new(guarded), service).into_owned();
    if let Err(failure) = watcher.watch(connection).await {
        tracing::debug!(%failure, "a connection broke off");
    }
}
