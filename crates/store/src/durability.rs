//! Waiting for a log without a thread: a future over the callback that every log calls once
//! ([`DurabilityWaiter`](crate::DurabilityWaiter)). Knows the contract alone, so that it serves any home. In:
//! a log and a place in it; out: a future, which requests await while their thread does other work. A log
//! calls from its own thread, so nothing is done in the call but to wake.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

use crate::{FencedLog, Result, Watermark};

/// Resolves once a record is durable, or cannot become so here. It waits; it does not make the log write: see
/// [`FencedLog::when_durable`].
pub struct Durability(Arc<Mutex<Outcome>>);

#[derive(Default)]
struct Outcome {
    result: Option<Result<()>>,
    waker: Option<Waker>,
}

impl Durability {
    pub fn of(log: &dyn FencedLog, at: Watermark) -> Self {
        let outcome = Arc::new(Mutex::new(Outcome::default()));
        let told = Arc::clone(&outcome);
        log.when_durable(
            at,
            Box::new(move |result| {
                let mut outcome = told.lock().unwrap_or_else(PoisonError::into_inner);
                outcome.result = Some(result);
                if let Some(waker) = outcome.waker.take() {
                    waker.wake();
                }
            }),
        );
        Self(outcome)
    }
}

impl Future for Durability {
    type Output = Result<()>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        let mut outcome = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match outcome.result.take() {
            Some(result) => Poll::Ready(result),
            None => {
                outcome.waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }
}
