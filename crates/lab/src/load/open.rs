//! Open-loop load: requests leave by schedule. Whichever connection is free takes the next arrival and waits
//! for its moment; when none is free the arrival waits, and its latency says so because it counts from the
//! intended send.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use super::schedule::Schedule;
use super::worker::Worker;

/// Hands the arrivals of a schedule to the workers, each once.
pub(super) struct Clerk {
    schedule: Schedule,
    next: AtomicUsize,
}

impl Clerk {
    pub(super) fn new(schedule: Schedule) -> Self {
        Self { schedule, next: AtomicUsize::new(0) }
    }

    /// Takes arrivals until there are none; `started` is when the schedule began.
    pub(super) fn work(&self, worker: &mut Worker<'_>, started: Instant) {
        while let Some(offset) = self.schedule.get(self.next.fetch_add(1, Ordering::Relaxed)) {
            let intended = started + offset;
            if let Some(wait) = intended.checked_duration_since(Instant::now()) {
                thread::sleep(wait);
                // Only here was the generator itself due: an arrival that found no free connection was held
                // up by the server.
                worker.lag_ns.saturating_record(intended.elapsed().as_nanos() as u64);
            }
            worker.send(intended);
            if worker.gave_up() {
                return;
            }
        }
    }
}
