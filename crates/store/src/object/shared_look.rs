//! One look at the store for all who ask while it is under way or before it begins. A look counts for those
//! alone who came before it began: what it saw is no older than their question. So a hundred gets at once
//! cost one request to the store and still none is answered from before it was asked (`owned.rs` so looks
//! whether the shard has another owner by now).

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::Result;

#[derive(Default)]
pub(crate) struct SharedLook {
    state: Mutex<Looks>,
    ended: Condvar,
}

#[derive(Default)]
struct Looks {
    begun: u64,
    /// The last that ended, and what it found.
    ended: u64,
    found: Option<crate::Error>,
    is_under_way: bool,
}

impl SharedLook {
    /// What a look finds that begins after this call.
    pub(crate) fn share(&self, look: impl FnOnce() -> Result<()>) -> Result<()> {
        let mut state = self.state();
        let wanted = state.begun + 1;
        while state.is_under_way {
            state = self.ended.wait(state).unwrap_or_else(PoisonError::into_inner);
            if state.ended >= wanted {
                return state.found.as_ref().map_or(Ok(()), |error| Err(error.repeat()));
            }
        }
        state.begun += 1;
        state.is_under_way = true;
        let number = state.begun;
        drop(state);
        let found = look();
        let mut state = self.state();
        state.is_under_way = false;
        state.ended = number;
        state.found = found.as_ref().err().map(crate::Error::repeat);
        self.ended.notify_all();
        found
    }

    /// No code that holds this lock panics half-way through a change.
    fn state(&self) -> MutexGuard<'_, Looks> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn who_asks_during_a_look_waits_for_the_next_and_shares_it() {
        let (shared, looks) = (Arc::new(SharedLook::default()), Arc::new(AtomicUsize::new(0)));
        let (first_began, began) = channel();
        let (go_on, may_end) = channel::<()>();
        std::thread::scope(|scope| {
            let (of_first, shared_by_first) = (Arc::clone(&looks), Arc::clone(&shared));
            scope.spawn(move || {
                shared_by_first.share(|| {
                    first_began.send(()).unwrap();
                    may_end.recv().unwrap();
                    of_first.fetch_add(1, Ordering::SeqCst);
                    Ok(())
                })
            });
            began.recv().unwrap();
            let asking: Vec<_> = (0..8)
                .map(|_| {
                    let (looks, shared) = (Arc::clone(&looks), Arc::clone(&shared));
                    scope.spawn(move || {
                        shared.share(|| {
                            looks.fetch_add(1, Ordering::SeqCst);
                            Ok(())
                        })
                    })
                })
                .collect();
            go_on.send(()).unwrap();
            asking.into_iter().for_each(|it| it.join().unwrap().unwrap());
        });
        // At least one behind the first; who came late may have looked for itself.
        assert!((2..=9).contains(&looks.load(Ordering::SeqCst)));
    }
}
