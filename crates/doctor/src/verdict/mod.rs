//! From facts to one sentence. Pure: no reading, no clock, so that every judgement is a row of a table in the
//! tests. A verdict names the cause, whom to look at next, and how sure it is of standing still rather than
//! being at rest.

mod cause;
mod ensemble;
mod locks;
mod process;
mod resource;
mod thread;
pub mod words;

use serde::{Deserialize, Serialize};

use crate::facts::ProcessLabel;

pub use cause::{Cause, Standing};
pub use process::judge;

/// What a thread waits for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ThreadVerdict {
    pub tid: i32,
    pub name: String,
    pub cause: Cause,
    pub standing: Standing,
    /// How long, where it is known.
    pub waits_ms: Option<u64>,
    /// Words that follow "waits for".
    pub object: String,
    /// Words that follow the colon: who owes what.
    pub because: String,
    /// The facts allow for the opposite: never called stuck.
    pub doubtful: bool,
    /// The process to look at next.
    pub blames: Option<ProcessLabel>,
    /// The thread of the same process to look at next.
    pub blames_thread: Option<i32>,
}

/// What a process waits for: the thread that counts, and what follows from all of them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    pub process: ProcessLabel,
    pub cause: Cause,
    pub standing: Standing,
    /// The one sentence, without the process's name.
    pub sentence: String,
    pub next_step: String,
    /// Seen facts that speak for it.
    pub evidence: Vec<String>,
    pub tid: i32,
    pub waits_ms: Option<u64>,
    pub blames: Option<ProcessLabel>,
    pub threads: Vec<ThreadVerdict>,
    /// The verdict on whom this one blames.
    pub reason: Option<Box<Verdict>>,
}

impl Verdict {
    /// Joins the verdict on the process that this one waits for: what stops the other stops this one.
    pub fn because_of(mut self, reason: Verdict) -> Self {
        // A database at rest that owes an answer has not got the request; a child at rest still has not
        // ended.
        let inherits = !matches!(self.cause, Cause::NextMessage | Cause::Idle);
        if inherits && reason.standing == Standing::Stuck {
            self.standing = Standing::Stuck;
        }
        self.sentence = format!("{}; {} {}", self.sentence, reason.process, reason.sentence);
        if reason.standing >= Standing::Waits {
            self.next_step =
                format!("{} ({}): {}", reason.process.name, reason.process.pid, reason.next_step);
        }
        self.reason = Some(Box::new(reason));
        self
    }

    /// The last of the chain: where to begin.
    pub fn root(&self) -> &Verdict {
        self.reason.as_deref().map_or(self, Verdict::root)
    }
}
