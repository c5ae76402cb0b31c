//! How this crate takes a lock.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// A poisoned lock belongs to a thread that panicked on a broken invariant. What it guards is still whole:
/// each update of it is a single step.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
