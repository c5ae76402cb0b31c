//! On which thread blocking work runs. Each kind of work has one function, the only place to tune it: reads,
//! computations, updates, and what is done side by side for several shards. Callers are the collection's;
//! nobody below `cluster` chooses a thread.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

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
        // Two fifths of what a cheap search took were wake-ups: 83 µs of processor time a request with the
        // hand over, 48 without, at 16 connections (docs/adr/0004-queries-read-postings-directly.md).
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

/// Jobs that wait for a thread, each with its place among the results.
type Jobs<T, J> = Mutex<VecDeque<(usize, J, Sender<(usize, T)>)>>;

/// Threads that may help with the jobs of others.
struct Helpers {
    free: AtomicUsize,
}

/// Of all requests together: one processor is left to those who ask, so that no request can take all.
static HELPERS: LazyLock<Arc<Helpers>> = LazyLock::new(|| {
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    Helpers::of(processors.saturating_sub(1))
});

/// Does the jobs, on this thread and on as many others as are free; results in the order of the jobs. Blocks.
/// Where no other thread is free, or none can be had, this one does them all, one after the other: nobody
/// waits for a thread that might never come. Errors: a job panicked.
pub(crate) fn side_by_side<T: Send + 'static, J: FnOnce() -> T + Send + 'static>(
    jobs: Vec<J>,
) -> Result<Vec<T>> {
    HELPERS.side_by_side(jobs)
}

impl Helpers {
    fn of(count: usize) -> Arc<Self> {
        Arc::new(Self { free: AtomicUsize::new(count) })
    }

    fn side_by_side<T: Send + 'static, J: FnOnce() -> T + Send + 'static>(
        self: &Arc<Self>,
        jobs: Vec<J>,
    ) -> Result<Vec<T>> {
        let count = jobs.len();
        if count <= 1 {
            return Ok(jobs.into_iter().map(|job| job()).collect());
        }
        let (done, results) = mpsc::channel();
        let waiting = jobs.into_iter().enumerate().map(|(at, job)| (at, job, done.clone()));
        let jobs: Arc<Jobs<T, J>> = Arc::new(Mutex::new(waiting.collect()));
        drop(done);
        if let Ok(runtime) = Handle::try_current() {
            for _ in 1..count {
                let Some(helper) = Helper::take(self) else { break };
                let jobs = jobs.clone();
                // Nobody waits for the helper but for the jobs that it took.
                drop(runtime.spawn_blocking(move || {
                    let _helper = helper;
                    work_off(&jobs);
                }));
            }
        }
        work_off(&jobs);
        let mut found: Vec<Option<T>> = (0..count).map(|_| None).collect();
        // Ends when each job is done or was dropped by a panic, with its sender.
        for (at, result) in results {
            if let Some(place) = found.get_mut(at) {
                *place = Some(result);
            }
        }
        let found: Option<Vec<T>> = found.into_iter().collect();
        found.ok_or_else(|| Error::internal("a thread of the request panicked; see the log"))
    }
}

fn work_off<T, J: FnOnce() -> T>(jobs: &Jobs<T, J>) {
    loop {
        // A statement of its own: the lock is let go before the job begins.
        let next = jobs.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        let Some((at, job, done)) = next else { return };
        // Who asks waits for it, or has panicked.
        let _ = done.send((at, job()));
    }
}

/// One of the threads that may help; given back when it is dropped.
struct Helper(Arc<Helpers>);

impl Helper {
    fn take(from: &Arc<Helpers>) -> Option<Self> {
        let less_one = |free: usize| free.checked_sub(1);
        // A count and nothing else: what jobs read and write is ordered by the channel and the lock.
        let taken = from.free.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less_one);
        taken.ok().map(|_| Self(from.clone()))
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        self.0.free.fetch_add(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_jobs_with_and_without_other_threads() {
        let jobs = || (0..20).map(|number| move || number * 2).collect::<Vec<_>>();
        let expected: Vec<i32> = (0..20).map(|number| number * 2).collect();
        assert_eq!(side_by_side(jobs()).unwrap(), expected);
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
        let found = runtime.block_on(async { compute(|| side_by_side(jobs())) });
        assert_eq!(found.unwrap(), expected);
        assert_eq!(side_by_side(Vec::<fn() -> i32>::new()).unwrap(), Vec::<i32>::new());
    }

    /// Each of two jobs waits for the other: one thread alone would wait for ever.
    #[test]
    fn two_jobs_run_at_once_where_a_thread_is_free() {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().unwrap();
        let _entered = runtime.handle().enter();
        let (helpers, met) = (Helpers::of(1), Arc::new(std::sync::Barrier::new(2)));
        for _ in 0..3 {
            let jobs = (0..2).map(|_| {
                let met = met.clone();
                move || met.wait().is_leader()
            });
            assert_eq!(helpers.side_by_side(jobs.collect()).unwrap().len(), 2);
            // The helper gives itself back behind its last job.
            while helpers.free.load(Ordering::Relaxed) == 0 {
                std::thread::yield_now();
            }
        }
    }

    #[test]
    fn a_panic_of_a_helper_is_an_error() {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().unwrap();
        let _entered = runtime.handle().enter();
        let met = Arc::new(std::sync::Barrier::new(2));
        let here = std::thread::current().id();
        let jobs = (0..2).map(|_| {
            let met = met.clone();
            move || {
                met.wait();
                assert_eq!(std::thread::current().id(), here, "as the test wants it");
            }
        });
        assert!(Helpers::of(1).side_by_side(jobs.collect()).is_err());
    }
}
