//! A running relay: takes connections, follows changes of its servers, and lets what is under way end when it
//! stops. What a connection does is `connection.rs`'s, and how servers are chosen `upstream.rs`'s. A reload
//! replaces the servers as a whole; requests under way keep those they began with.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Semaphore, watch};
use tokio::time::{sleep, timeout};

use crate::config::{RelayLimits, UpstreamConfig};
use crate::connection;
use crate::listener::{self, Listener};
use crate::metrics::Metrics;
use crate::shared::Shared;

/// After a failed accept (out of file descriptors, say): trying again at once would only spin.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Cheap to clone; clones are the same relay.
#[derive(Clone)]
pub struct Relay(Arc<Shared>);

impl Relay {
    pub fn new(limits: RelayLimits, upstream: UpstreamConfig) -> Self {
        Self(Arc::new(Shared::new(limits, upstream)))
    }

    /// From the next request on these servers are asked; requests under way end where they are.
    pub fn reload(&self, upstream: UpstreamConfig) {
        self.0.replace_upstream(upstream);
        self.0.metrics.reloads.add(1);
    }

    /// Serves until `shutdown` completes, then takes no more connections and waits for what is under way.
    /// Whether all of it ended in time.
    pub async fn serve(&self, listeners: Vec<Listener>, shutdown: impl Future<Output = ()>) -> bool {
        let shared = &self.0;
        let seats = shared.limits.connections_max.clamp(1, Semaphore::MAX_PERMITS);
        let seats = Arc::new(Semaphore::new(seats));
        let (stop, stopped) = watch::channel(false);
        let mut shutdown = pin!(shutdown);
        loop {
            let accepted = async {
                let seat = seats.clone().acquire_owned().await.map_err(std::io::Error::other)?;
                Ok((listener::accept(&listeners, shared.limits.stall_max).await?, seat))
            };
            let accepted: std::io::Result<_> = tokio::select! {
                accepted = accepted => accepted,
                () = &mut shutdown => break,
            };
            match accepted {
                Ok((stream, seat)) => {
                    let (shared, stopped) = (shared.clone(), stopped.clone());
                    tokio::spawn(async move {
                        let _open = Open::count(&shared.metrics);
                        connection::serve(stream, shared.clone(), stopped).await;
                        drop(seat);
                    });
                }
                Err(error) => {
                    tracing::warn!(%error, "cannot accept a connection");
                    sleep(ACCEPT_PAUSE).await;
                }
            }
        }
        drop((listeners, stopped));
        let _ = stop.send(true);
        timeout(shared.limits.drain_max, stop.closed()).await.is_ok()
    }
}

/// A connection, as long as it is open.
struct Open<'a>(&'a Metrics);

impl<'a> Open<'a> {
    fn count(metrics: &'a Metrics) -> Self {
        metrics.connections.add(1);
        metrics.connections_open.add(1);
        Self(metrics)
    }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.0.connections_open.sub(1);
    }
}
