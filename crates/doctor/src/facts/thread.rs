//! One thread: what it did at each sample and how its counters moved between the first and the last. Filled
//! by `observe/samples.rs`. One sample would call a thread stuck that is merely between two calls: only what
//! all of them found alike, and counters that did not move, let a verdict say that it stands still.

use serde::{Deserialize, Serialize};

use super::{Call, CallState};

/// The scheduler's letter, in words (proc(5), `stat`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ThreadState {
    /// On a processor, or ready for one.
    Running,
    #[default]
    Sleeping,
    /// Asleep where no signal wakes it: `D`.
    Uninterruptible,
    Stopped,
    Traced,
    Zombie,
    /// A kernel thread with nothing to do.
    Idle,
    Unknown,
}

impl ThreadState {
    pub fn from_letter(letter: char) -> Self {
        match letter {
            'R' => Self::Running,
            'S' => Self::Sleeping,
            'D' => Self::Uninterruptible,
            'T' => Self::Stopped,
            't' => Self::Traced,
            'Z' | 'X' | 'x' => Self::Zombie,
            'I' => Self::Idle,
            _ => Self::Unknown,
        }
    }

    pub fn in_words(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Sleeping => "sleeping",
            Self::Uninterruptible => "uninterruptible (D)",
            Self::Stopped => "stopped",
            Self::Traced => "traced",
            Self::Zombie => "dead",
            Self::Idle => "idle",
            Self::Unknown => "unknown",
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ThreadFacts {
    pub tid: i32,
    pub name: String,
    /// At the last sample.
    pub state: ThreadState,
    /// At each sample, the first first.
    pub states: Vec<ThreadState>,
    pub call: CallState,
    /// Every sample found it in the same system call with the same arguments.
    pub same_call: bool,
    /// How long it has not been on a processor, by the scheduler's clock.
    pub waited_ms: Option<u64>,
    /// Between the first sample and the last.
    pub cpu_us: u64,
    pub run_queue_us: u64,
    pub voluntary_switches: u64,
    pub involuntary_switches: u64,
    pub major_faults: u64,
    pub minor_faults: u64,
    /// System calls that it was found in, and in how many samples, the most frequent first.
    pub calls_seen: Vec<(String, u32)>,
    /// The kernel's function that it waits in.
    pub wchan: Option<String>,
    /// The kernel's stack, innermost first, where readable.
    pub stack: Vec<String>,
    /// The program's own functions, innermost first, where its stacks were asked for.
    #[serde(default)]
    pub frames: Vec<String>,
}

impl ThreadFacts {
    pub fn in_call(&self) -> Option<&Call> {
        match &self.call {
            CallState::In(call) => Some(call),
            _ => None,
        }
    }

    /// It has not been on a processor between the first sample and the last.
    pub fn stood_still(&self) -> bool {
        self.voluntary_switches == 0 && self.involuntary_switches == 0 && self.cpu_us == 0
    }

    pub fn runs(&self) -> bool {
        self.state == ThreadState::Running
    }
}
