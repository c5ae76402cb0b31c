//! How this crate takes a lock, and how it looks whether somebody has one. In which order locks are taken is
//! told in `core/mod.rs`, which has nearly all of them.

use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

/// A poisoned lock belongs to a thread that panicked on a broken invariant. What it guards is still whole:
/// each update of it is a single step.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Where nobody has it at this moment.
pub(crate) fn try_lock<T>(mutex: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    match mutex.try_lock() {
        Ok(guard) => Some(guard),
        Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

/// Whether somebody has it at this moment, without a wait for him.
pub(crate) fn is_held<T>(mutex: &Mutex<T>) -> bool {
    matches!(mutex.try_lock(), Err(TryLockError::WouldBlock))
}
