//! Who of a cluster's members lives, as this one was told last, and the way to be told anew. Each node has
//! one such list: what is judged by it and what is sent by it go by the same.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use plan::Result;

use crate::owners::Member;

/// Reads who lives, and tells [`Node::set_living`](crate::Node::set_living) before it returns. Blocks.
pub type Census = Box<dyn Fn() -> Result<()> + Send + Sync>;

/// Nobody before it was told.
#[derive(Default)]
pub(crate) struct Living {
    members: Mutex<Vec<Member>>,
    census: OnceLock<Census>,
}

impl Living {
    pub fn set(&self, members: Vec<Member>) {
        *self.members() = members;
    }

    pub fn list(&self) -> Vec<Member> {
        self.members().clone()
    }

    pub fn has(&self, member: &Member) -> bool {
        self.members().iter().any(|living| living.id == member.id)
    }

    /// Once; another is passed over.
    pub fn set_census(&self, census: Census) {
        let _ = self.census.set(census);
    }

    /// Has the list read again. Without a census it stays as it was told. Errors: why nobody knows.
    pub fn read_again(&self) -> Result<()> {
        self.census.get().map_or(Ok(()), |census| census())
    }

    fn members(&self) -> MutexGuard<'_, Vec<Member>> {
        self.members.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
