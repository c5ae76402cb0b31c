//! What is known of a process: pure data, which serializes, so that a verdict can be had on another machine
//! and in a test. Times are durations in milliseconds before the observation, never points on a clock. Filled
//! by `observe/`, judged by `verdict/`, shown by `render/` and kept by `doctor bundle`. Absent is what the
//! kernel refused or does not have; why it did stands in `unseen`.

mod call;
mod label;
mod resource;
mod thread;
mod usage;

use serde::{Deserialize, Serialize};

pub use call::{Call, CallState, Futex, PolledFile, Wait};
pub use label::ProcessLabel;
pub use resource::{
    Access, Descriptor, FileSystem, Holder, LocalPeer, Resource, Side, SocketState, TcpFacts, UnixFacts,
};
pub use thread::{ThreadFacts, ThreadState};
pub use usage::{IoUse, NetworkUse, Pressure};

/// One process over a sampling period.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProcessFacts {
    pub label: ProcessLabel,
    /// The command line, arguments separated by blanks, made printable.
    pub command: String,
    pub uid: u32,
    pub age_ms: u64,
    pub parent: Option<ProcessLabel>,
    /// The debugger that has it.
    pub tracer: Option<ProcessLabel>,
    pub children: Vec<Child>,
    /// The cgroup's freezer holds it.
    pub frozen: bool,
    pub memory: Memory,
    /// Throttled by the processor bandwidth of its cgroup while it was sampled.
    pub throttled_ms: Option<u64>,
    /// Absent where only its own user may see it.
    pub io: Option<IoUse>,
    pub pressure: Option<Pressure>,
    /// Only where it was looked for, at its beginning and its end.
    #[serde(default)]
    pub network: Option<NetworkUse>,
    pub threads: Vec<ThreadFacts>,
    pub files: Vec<Descriptor>,
    /// Locks that it, or one of its threads, waits for.
    pub lock_waits: Vec<LockWait>,
    /// Mounts that a server or another process answers for.
    pub served_mounts: Vec<FileSystem>,
    /// Signals that it has handlers for, by bit from 0 for signal 1.
    pub signals_caught: u64,
    pub jvm: bool,
    /// How long it was watched.
    pub sampled_ms: u64,
    /// Between the two readings of what is counted of it as a whole (`throttled_ms`, `io`, `pressure`).
    #[serde(default)]
    pub counted_ms: u64,
    pub unseen: Vec<Unseen>,
}

impl ProcessFacts {
    pub fn file(&self, fd: i32) -> Option<&Descriptor> {
        self.files.iter().find(|file| file.fd == fd)
    }

    pub fn thread(&self, tid: i32) -> Option<&ThreadFacts> {
        self.threads.iter().find(|thread| thread.tid == tid)
    }

    /// Processor time of all threads while it was sampled, as a share of one processor.
    pub fn processor_share(&self) -> f64 {
        let used = self.threads.iter().map(|thread| thread.cpu_us).fold(0, u64::saturating_add);
        used as f64 / 1e3 / self.sampled_ms.max(1) as f64
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Child {
    pub label: ProcessLabel,
    pub state: ThreadState,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Memory {
    pub resident_bytes: u64,
    pub swapped_bytes: u64,
    /// Pages read from disk while it was sampled.
    pub major_faults: u64,
}

/// A lock on a file that somebody waits for, as `/proc/locks` tells.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LockWait {
    /// `flock`, `fcntl` or `OFD`.
    pub kind: String,
    pub exclusive: bool,
    /// The file where it could be named, else its device and inode.
    pub file: String,
    pub holders: Vec<ProcessLabel>,
}

/// Something that could not be seen, and how to see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unseen {
    pub what: String,
    pub why: String,
    pub remedy: String,
}
