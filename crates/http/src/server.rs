//! Takes connections from all listeners, gives each a task (`connection.rs`), and lets open requests end when the node shuts
//! down.

use std::future::Future;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use cluster::Node;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use crate::admission::Admission;
use crate::answers::Answers;
use crate::config::ServeConfig;
use crate::connection::{self, Protocols, Stop};
use crate::listener::{self, Accepted, Listener};
use crate::security::Guard;
use crate::slow::SlowLog;
use crate::tally::Tallies;
use crate::tasks::Tasks;

/// What a thread that serves must have: queries of queries nest 100 levels deep, as in Solr, and each level calls through the
/// parsers and then through the engine. Only what is used of it takes memory.
pub const STACK_BYTES: usize = 32 << 20;
/// Pause after a failed accept (out of file descriptors, say): trying again at once would only spin.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// What every request sees.
pub(crate) struct Server {
    pub node: Arc<Node>,
    pub config: ServeConfig,
    pub answers: Answers,
    pub admission: Admission,
    pub protocols: Protocols,
    /// Who may do what; `None` lets everybody do everything.
    pub guard: Option<Guard>,
    /// What requests to the collections' and to the cores' administration left to be done beside.
    pub collection_tasks: Tasks,
    pub core_tasks: Tasks,
    pub slow: SlowLog,
    /// What is counted of the node's own handlers.
    pub tallies: Tallies,
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
        protocols: Protocols::new(&config),
        guard: config.security.clone().map(|security| Guard::new(security, config.log_in_failures_max)),
        collection_tasks: Tasks::default(),
        core_tasks: Tasks::default(),
        slow: SlowLog::default(),
        tallies: Tallies::default(),
        config,
    });
    let (stop, stopped) = watch::channel(false);
    let mut shutdown = pin!(shutdown);
    loop {
        let accepted = tokio::select! {
            accepted = accept(&listeners, &room) => accepted,
            () = &mut shutdown => break,
        };
        match accepted {
            Ok((accepted, permit)) => {
                let connection = connection::run(accepted, server.clone(), Stop::new(stopped.clone()));
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
