//! Shards that another member serves, behind the same seam as those that are open here: what is asked of one
//! goes to its member as a message and comes back as the answer's parts, which merge with those of other
//! shards like any. So nothing above knows where a shard lies (ADR 21).
//!
//! In: the calls of the seam's roles; out: bytes, which a [`Carrier`] takes to the other member. There
//! [`Answering`] turns them into calls of the same seam. Which member serves what is `node`'s, who may send
//! messages `http`'s.

mod answering;
mod copies;
mod kept_pins;
mod leader;
mod link;
#[cfg(any(test, feature = "memory"))]
pub(crate) mod looped;
mod member;
mod message;
mod pin;
mod replica;
mod shard;

use plan::Result;

use crate::owners::Member;

pub use answering::{AnsweredFigures, Answering, Hosted};
pub(crate) use copies::MemberCopies;
pub(crate) use leader::RemoteLeader;
pub(crate) use link::Exchange;
pub(crate) use member::RemoteMember;
pub use message::ShardAddress;
pub(crate) use replica::{ShardReplicas, pin_chosen};
pub(crate) use shard::RemoteShard;

/// Takes a message to another member and brings its answer.
pub trait Carrier: Send + Sync {
    /// Blocks. Errors: `Unavailable` where the member was not reached, `Unknown` where it may have done what
    /// was asked.
    fn carry(&self, to: &Member, letter: Letter) -> Result<Vec<u8>>;

    /// Whether it said nothing a moment ago, so that others are asked first. Who asks this may be the one
    /// that tries it again.
    fn is_silent(&self, _: &Member) -> bool {
        false
    }
}

/// A message on its way.
pub struct Letter {
    pub message: Vec<u8>,
    /// How long its request may take yet; without an end where nobody said.
    pub time_ms: Option<u64>,
    /// It changes nothing, so that it may be sent again.
    pub is_safe: bool,
    /// Another may be asked instead: one that says nothing at all, to whatever it is asked, is not waited
    /// for.
    pub may_leave: bool,
}

#[cfg(test)]
mod tests;
