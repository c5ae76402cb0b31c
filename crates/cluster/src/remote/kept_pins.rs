//! Moments of shards that are kept for other members between the steps of their requests. Whoever asked lets
//! go of one with a later message; one of whom nothing more is heard is let go of after a while, since the
//! memory and files of its moment stay as long.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use meter::Clock;
use plan::{Error, ErrorKind, Result};

use super::message::PinId;
use crate::shard::ShardSnapshot;

/// From one step of a request to its next.
const KEPT_MS: i64 = 60_000;
/// Requests of other members that are under way at once.
const KEPT_MAX: usize = 4096;

pub(super) struct KeptPins {
    clock: Arc<dyn Clock>,
    kept: Mutex<Kept>,
}

struct Kept {
    /// Above those of earlier processes, whose pins nobody must find here.
    next: PinId,
    pins: HashMap<PinId, (Arc<dyn ShardSnapshot>, i64)>,
}

impl KeptPins {
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        let begun = u64::try_from(clock.now_ms()).unwrap_or_default();
        Self { clock, kept: Mutex::new(Kept { next: begun << 20, pins: HashMap::new() }) }
    }

    /// Errors: `Busy` where too many are kept.
    pub fn keep(&self, pin: Arc<dyn ShardSnapshot>) -> Result<PinId> {
        self.sweep();
        let (mut kept, now_ms) = (self.lock(), self.clock.now_ms());
        if kept.pins.len() >= KEPT_MAX {
            let message = format!("`{KEPT_MAX}` searches of other members are under way here; try again");
            return Err(Error::new(ErrorKind::Busy, message));
        }
        kept.next += 1;
        let id = kept.next;
        kept.pins.insert(id, (pin, now_ms));
        Ok(id)
    }

    /// Errors: `Unavailable` where it was let go of.
    pub fn find(&self, id: PinId) -> Result<Arc<dyn ShardSnapshot>> {
        let (mut kept, now_ms) = (self.lock(), self.clock.now_ms());
        let found = kept.pins.get_mut(&id);
        let (pin, used_ms) = found.ok_or_else(|| {
            let message = "a shard no longer has the moment that the request began with; try again";
            Error::new(ErrorKind::Unavailable, message)
        })?;
        *used_ms = now_ms;
        Ok(pin.clone())
    }

    pub fn release(&self, ids: &[PinId]) {
        let mut kept = self.lock();
        ids.iter().for_each(|id| drop(kept.pins.remove(id)));
    }

    /// Lets go of those of which nothing was heard for a while.
    pub fn sweep(&self) {
        let (mut kept, now_ms) = (self.lock(), self.clock.now_ms());
        kept.pins.retain(|_, (pin, used_ms)| {
            // One that is asked at the moment is in use, however long that takes.
            Arc::strong_count(pin) > 1 || now_ms.saturating_sub(*used_ms) < KEPT_MS
        });
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
