//! On which thread blocking work runs. Each kind of work has one function, the only place to tune it.

use meter::{Phase, Trace};
use plan::{Error, Result};
use tokio::runtime::{Handle, RuntimeFlavor};

/// Reading runs where its request arrived when it takes less time than waking another thread, and else on a
/// thread that nobody waits for: a slow search must not keep other requests from being read. `phase` is what
/// the trace calls it.
pub(crate) async fn read<T: Send + 'static>(
    light: bool,
    (trace, phase): (&Trace, Phase),
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T> {
    if light {
        let _working = trace.enter(phase);
        return Ok(work());
    }
    let (trace, queued) = (trace.clone(), trace.wait(Phase::Thread));
    let work = move || {
        drop(queued);
        let _working = trace.enter(phase);
        work()
    };
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|failure| Error::internal("the search's thread panicked; see the log").with_source(failure))
}

/// Work that keeps a processor busy for long, such as reading a large body. The runtime is told, so that it
/// moves its other tasks away from this thread.
pub fn compute<T>(work: impl FnOnce() -> T) -> T {
    match Handle::try_current().map(|handle| handle.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(work),
        _ => work(),
    }
}

/// An update waits for locks, for room in the log, and for the disk where no other does, so it takes a thread
/// made for waiting.
pub(crate) async fn update<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|failure| Error::internal("the update's thread panicked; see the log").with_source(failure))
}
