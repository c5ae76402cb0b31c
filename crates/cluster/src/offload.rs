//! On which thread blocking work runs. Each kind of work has one function, the only place to tune it.

use plan::{Error, Result};
use tokio::runtime::{Handle, RuntimeFlavor};

/// A search runs where its request arrived: most take less time than handing them over would. The runtime is told, so
/// that it moves its other tasks away from this thread.
pub(crate) fn search<T>(work: impl FnOnce() -> T) -> T {
    match Handle::try_current().map(|handle| handle.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(work),
        _ => work(),
    }
}

/// Work that keeps a processor busy for long, such as reading a large body: as a search.
pub fn compute<T>(work: impl FnOnce() -> T) -> T {
    search(work)
}

/// An update waits for the disk, so it takes a thread made for waiting.
pub(crate) async fn update<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|failure| Error::internal("the update's thread panicked; see the log").with_source(failure))
}
