//! What a shard promises its clients. A history ends with the first promise that is broken; anything else
//! that goes wrong (a panic of the engine, say) is a defect as well, but no promise's, and finds no seeded
//! bug.

use std::fmt;

/// What clients may rely on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Promise {
    /// What was acknowledged is there at every later opening.
    AcknowledgedStays,
    /// What a get, a search or a refusal has told anybody is there at every later opening.
    ToldStays,
    /// A batch's operations are applied once, however often it comes.
    AppliedOnce,
    /// A batch that comes again is told of its operations what it was told before.
    AnsweredAlike,
    /// The version of an operation is above all that are in the log: one that anybody was told of is never
    /// given again, whatever a later opening's clock says.
    VersionsRise,
    /// The documents are those that the operations make that are in the log, one record after another: none
    /// half, none more.
    AsLogged,
    /// What was applied is shown in the time that was set for it, where the medium lets it.
    ShownInTime,
    /// Who waits for an update without a thread is told at once when the medium has answered, not when a task
    /// comes by.
    AnsweredInTime,
    /// Who knows that another owns the shard neither acknowledges nor answers gets.
    DeposedIsSilent,
    /// A medium without faults lets updates, commits and gets succeed.
    Serves,
}

/// A promise that was not kept.
#[derive(Debug)]
pub struct Broken {
    pub promise: Promise,
    what: String,
}

pub type Kept<T = ()> = Result<T, Broken>;

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.promise, self.what)
    }
}

impl Promise {
    pub fn demand(self, holds: bool, what: impl FnOnce() -> String) -> Kept {
        if holds { Ok(()) } else { Err(self.broken(what())) }
    }

    pub fn broken(self, what: impl Into<String>) -> Broken {
        Broken { promise: self, what: what.into() }
    }
}
