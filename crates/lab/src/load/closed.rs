//! Closed-loop load: each connection sends its next request when the last is answered. Good for peak
//! throughput only; it hides queueing, which the report says.

use std::time::Instant;

use super::worker::Worker;

/// Sends until `ended`, one request at least.
pub(super) fn work(worker: &mut Worker<'_>, ended: Instant) {
    let mut sent = Instant::now();
    loop {
        sent = worker.send(sent);
        if sent >= ended || worker.gave_up() {
            return;
        }
    }
}
