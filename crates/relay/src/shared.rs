//! What the connections and requests of a relay share: its limits, its figures, the room for bodies, and the
//! servers of the moment. One of these for a relay, held by each of its connections. The servers alone may be
//! replaced while it runs (`serve.rs`), as a whole, so no request sees half of a change.

use std::sync::{Arc, PoisonError, RwLock};

use crate::config::{RelayLimits, UpstreamConfig};
use crate::metrics::Metrics;
use crate::room::Room;
use crate::upstream::Upstream;

/// What connections and requests share.
pub(crate) struct Shared {
    pub limits: RelayLimits,
    pub room: Room,
    pub metrics: Metrics,
    upstream: RwLock<Arc<Upstream>>,
}

impl Shared {
    pub fn new(limits: RelayLimits, upstream: UpstreamConfig) -> Self {
        Self {
            room: Room::new(limits.bodies_bytes_max),
            metrics: Metrics::new(),
            upstream: RwLock::new(Arc::new(Upstream::new(upstream))),
            limits,
        }
    }

    /// Those of now: a request keeps to what it got.
    pub fn upstream(&self) -> Arc<Upstream> {
        self.upstream.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn replace_upstream(&self, config: UpstreamConfig) {
        let upstream = Arc::new(Upstream::new(config));
        *self.upstream.write().unwrap_or_else(PoisonError::into_inner) = upstream;
    }
}
