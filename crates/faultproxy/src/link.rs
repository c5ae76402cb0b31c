//! One direction of all connections: its faults, which may change at any time, and when bytes that came now
//! are due at the other end. Bandwidth is one reservation shared by all, as on a link; delay and jitter are
//! each connection's own.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

use crate::faults::Faults;

pub(crate) struct Link {
    faults: watch::Sender<Faults>,
    /// Until when the bandwidth is spoken for.
    busy_until: Mutex<Instant>,
    bytes: AtomicU64,
}

impl Link {
    pub fn new() -> Self {
        Self {
            faults: watch::Sender::new(Faults::default()),
            busy_until: Mutex::new(Instant::now()),
            bytes: AtomicU64::new(0),
        }
    }

    pub fn set(&self, faults: Faults) {
        self.faults.send_replace(faults);
    }

    pub fn faults(&self) -> Faults {
        *self.faults.borrow()
    }

    /// Bytes that have arrived at the other end.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    pub fn count(&self, bytes: usize) {
        self.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// Waits while nothing may pass on a connection of which `passed` bytes have.
    pub async fn passable(&self, passed: u64) {
        let open = |faults: &Faults| !faults.cut && faults.cut_after.is_none_or(|limit| passed < limit);
        // The sender lives as long as `self`, so the wait cannot fail.
        let _ = self.faults.subscribe().wait_for(open).await;
    }

    /// When `bytes` that came now are due.
    pub fn due(&self, bytes: usize, dice: &mut fastrand::Rng) -> Instant {
        let (faults, now) = (self.faults(), Instant::now());
        let sent = faults.rate.map_or(now, |rate| self.reserve(now, bytes, rate));
        sent + faults.delay + faults.jitter.mul_f64(dice.f64())
    }

    fn reserve(&self, now: Instant, bytes: usize, rate: u64) -> Instant {
        let mut busy_until = self.busy_until.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        *busy_until = (*busy_until).max(now) + Duration::from_secs_f64(bytes as f64 / rate as f64);
        *busy_until
    }
}
