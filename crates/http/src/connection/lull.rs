//! Whether a connection of HTTP/1.1 is idle, known without a timer for each request. hyper asks its timer for
//! time when it begins to wait for a request's head, and drops what it got once the head is there: this is
//! that timer. `guarded.rs`, by which the bytes pass, says what else hyper has in hand. Everything here
//! belongs to one task, so that no order is needed.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::rt::{Sleep, Timer};
use tokio::time::Instant;

/// What is known of one connection.
#[derive(Debug, Default)]
pub(crate) struct Lull {
    /// How often hyper has begun to wait for a head.
    waits: AtomicU64,
    /// How many of these waits are not over: one, or none.
    waiting: AtomicU64,
    /// Bytes have come since it waits: a part of a head.
    begun: AtomicBool,
    /// A part of an answer is on its way.
    unwritten: AtomicBool,
}

impl Lull {
    /// Bytes were given to hyper.
    pub fn given(&self) {
        self.begun.store(true, Relaxed);
    }

    /// Whether what hyper wrote last has to be written again.
    pub fn written(&self, whole: bool) {
        self.unwritten.store(!whole, Relaxed);
    }

    /// Between two requests, with nothing of either in hand: which wait this is, so that whoever sees the
    /// same one twice knows that nothing came between.
    pub fn idle(&self) -> Option<u64> {
        let idle =
            self.waiting.load(Relaxed) > 0 && !self.begun.load(Relaxed) && !self.unwritten.load(Relaxed);
        idle.then(|| self.waits.load(Relaxed))
    }
}

/// What hyper takes for its timer. It wakes nobody: the connection is polled from time to time, and then a
/// wait that took too long is over.
pub(crate) struct LullTimer(pub Arc<Lull>);

impl Timer for LullTimer {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Sleep>> {
        self.sleep_until(self.now() + duration)
    }

    fn sleep_until(&self, deadline: std::time::Instant) -> Pin<Box<dyn Sleep>> {
        self.0.waits.fetch_add(1, Relaxed);
        self.0.waiting.fetch_add(1, Relaxed);
        self.0.begun.store(false, Relaxed);
        Box::pin(Wait { lull: Arc::clone(&self.0), deadline: deadline.into() })
    }

    fn now(&self) -> std::time::Instant {
        Instant::now().into()
    }
}

struct Wait {
    lull: Arc<Lull>,
    deadline: Instant,
}

impl Sleep for Wait {}

impl Future for Wait {
    type Output = ();

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        if Instant::now() < self.deadline { Poll::Pending } else { Poll::Ready(()) }
    }
}

impl Drop for Wait {
    fn drop(&mut self) {
        self.lull.waiting.fetch_sub(1, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn idle_is_a_wait_with_nothing_in_hand() {
        let lull = Arc::new(Lull::default());
        let timer = LullTimer(Arc::clone(&lull));
        assert_eq!(lull.idle(), None);
        lull.given();
        let wait = timer.sleep(Duration::ZERO);
        assert_eq!(lull.idle(), Some(1));
        lull.given();
        assert_eq!(lull.idle(), None, "a part of a head");
        drop(wait);
        assert_eq!(lull.idle(), None, "a request");
        lull.written(false);
        let mut wait = timer.sleep(Duration::ZERO);
        assert_eq!(lull.idle(), None, "a part of an answer");
        lull.written(true);
        assert_eq!(lull.idle(), Some(2));
        timer.reset(&mut wait, timer.now());
        assert_eq!(lull.idle(), Some(3));
        wait.await;
        assert_eq!(lull.idle(), None);
    }
}
