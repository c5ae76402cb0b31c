//! Takes connections from all listeners, gives each a task, and lets open requests end when the node shuts
//! down. What a connection does between two requests is `connection/mod.rs`; what is served is
//! `request/service.rs`. The threads are the binary's runtime's, each with `STACK_BYTES` of stack.

use std::future::Future;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use cluster::Node;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use super::listener::{self, Accepted, Listener};
use super::{Protocols, Stop};
use crate::config::ServeConfig;
use crate::connection;
use crate::server::Server;

/// What a thread that serves must have: queries of queries nest 100 levels deep, as in Solr, and each level
/// calls through the parsers and then through the engine. Only what is used of it takes memory.
pub const STACK_BYTES: usize = 32 << 20;
/// Pause after a failed accept (out of file descriptors, say): trying again at once would only spin.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Serves until `shutdown` completes, then ends open requests within `drain_timeout`. Does not close the
/// node.
pub async fn serve(
    listeners: Vec<Listener>,
    node: Arc<Node>,
    config: ServeConfig,
    shutdown: impl Future<Output = ()>,
) -> io::Result<()> {
    let drain_timeout = config.drain_timeout;
    let room = Arc::new(Semaphore::new(config.connections_max.clamp(1, Semaphore::MAX_PERMITS)));
    let protocols = Arc::new(Protocols::new(&config));
    let server = Arc::new(Server::new(node, config));
    let (stop, stopped) = watch::channel(false);
    let mut shutdown = pin!(shutdown);
    loop {
        let accepted = tokio::select! {
            accepted = accept(&listeners, &room) => accepted,
            () = &mut shutdown => break,
        };
        match accepted {
            Ok((accepted, permit)) => {
                let shared = (server.clone(), protocols.clone());
                let connection = connection::run(accepted, shared, Stop::new(stopped.clone()));
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
    drop((listeners, stopped));
    let _ = stop.send(true);
    if tokio::time::timeout(drain_timeout, stop.closed()).await.is_err() {
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
