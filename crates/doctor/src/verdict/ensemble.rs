//! Connections on which nobody asks: the servers of a ZooKeeper ensemble tell one another votes and proposals
//! when there are any. That the last word was ours says nothing there. In: a thread, and the verdict on its
//! wait; out: the verdict without the answer that nobody owes. Pure.
//!
//! The kernel sees no difference between these and a client that waits for an answer; the JVM names its
//! threads to the kernel, and ZooKeeper names its own by what they are for (3.4 to 3.9).

use super::{Cause, ThreadVerdict};
use crate::facts::{ProcessFacts, ThreadFacts};

/// Beginnings of names: a reader of votes for each peer, the learner that reads what its leader proposes, and
/// the leader's reader for each learner. The kernel keeps 15 bytes of a name.
const READERS: [&str; 3] = ["RecvWorker:", "QuorumPeer[", "LearnerHandler-"];

pub fn hears_peers(process: &ProcessFacts, thread: &ThreadFacts) -> bool {
    process.jvm && READERS.iter().any(|name| thread.name.starts_with(name))
}

/// What is not acknowledged, and a connection that is not made, stay what they are.
pub fn unasked(verdict: ThreadVerdict) -> ThreadVerdict {
    if verdict.cause != Cause::AnswerOwed {
        return verdict;
    }
    ThreadVerdict {
        cause: Cause::NextMessage,
        because: "ZooKeeper's servers speak when they have something to say, and nothing was asked"
            .to_owned(),
        // By the scheduler: no request was sent that could be as old.
        waits_ms: None,
        doubtful: false,
        ..verdict
    }
}
