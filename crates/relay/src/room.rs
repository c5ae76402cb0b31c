//! How much of the memory the bodies of all requests may take together: who brings one takes room for it, and
//! gives it back when the request is over. Without it some large updates at once, each within its own limit,
//! would end the process, and with it the requests of all others. It refuses and never waits: a body that
//! waits for room holds what it has, and two of them could wait for each other.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Room is counted in units of this, as a semaphore's count is small.
const UNIT_BYTES: usize = 1 << 10;

#[derive(Clone, Debug)]
pub(crate) struct Room(Arc<Semaphore>);

/// Given back when dropped.
#[derive(Debug, Default)]
pub(crate) struct Taken {
    permit: Option<OwnedSemaphorePermit>,
    units: usize,
}

impl Room {
    pub fn new(bytes: usize) -> Self {
        Self(Arc::new(Semaphore::new((bytes / UNIT_BYTES).clamp(1, Semaphore::MAX_PERMITS))))
    }

    /// Room for this many bytes in all, beside what is taken already. False where there is none.
    pub fn grow(&self, taken: &mut Taken, bytes: usize) -> bool {
        let units = bytes.div_ceil(UNIT_BYTES);
        let Some(more) = units.checked_sub(taken.units).filter(|more| *more > 0) else { return true };
        let Ok(more) = u32::try_from(more) else { return false };
        let Ok(permit) = self.0.clone().try_acquire_many_owned(more) else { return false };
        taken.units = units;
        match &mut taken.permit {
            Some(held) => held.merge(permit),
            none => *none = Some(permit),
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_taken_and_given_back() {
        let room = Room::new(10 * UNIT_BYTES);
        let mut first = Taken::default();
        assert!(
            room.grow(&mut first, 1) && room.grow(&mut first, 5 * UNIT_BYTES) && room.grow(&mut first, 9)
        );
        let mut second = Taken::default();
        assert!(!room.grow(&mut second, 6 * UNIT_BYTES) && room.grow(&mut second, 5 * UNIT_BYTES));
        drop(first);
        assert!(room.grow(&mut second, 10 * UNIT_BYTES) && !room.grow(&mut second, usize::MAX));
    }
}
