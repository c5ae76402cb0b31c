//! A system call that a thread is in: its name, its arguments in words, and what it waits for. Filled by
//! `observe/call` from `/proc/PID/task/TID/syscall` and the process's memory; read by the verdicts, which
//! decide by `wait` and show `text`. A call whose arguments are not known has its name alone.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallState {
    In(Call),
    /// On a processor, or ready for one: the kernel tells no call.
    Running,
    /// Asleep, but not in a call: a page fault, for the most part.
    Outside,
    #[default]
    Unreadable,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Call {
    pub number: i64,
    pub name: String,
    pub arguments: [u64; 6],
    /// As `strace` would show it, as far as the arguments could be read.
    pub text: String,
    pub wait: Wait,
    /// The bound that the caller gave; absent where it waits for ever, or where it is not known.
    pub timeout_ms: Option<u64>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wait {
    Read(i32),
    Write(i32),
    Accept(i32),
    Connect(i32),
    /// `poll`, `select`, `epoll_wait`: any of these.
    Events(Vec<PolledFile>),
    FileLock(i32),
    Futex(Futex),
    /// A child, or any where none is named.
    Child(Option<i32>),
    /// A time.
    Timer,
    Signal,
    /// The disk, for this file or for all.
    Sync(Option<i32>),
    /// A look-up of a name in a file system.
    Path(String),
    #[default]
    Other,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PolledFile {
    pub fd: i32,
    pub read: bool,
    pub write: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Futex {
    pub address: u64,
    /// The thread that owns the lock at this address, where the lock says so (priority inheritance, glibc's
    /// mutexes).
    pub owner: Option<i32>,
    /// It is the end of the owner that is waited for, not a lock of it.
    pub join: bool,
    /// Only threads of the same process can wake it.
    pub private: bool,
    /// The wait ends by itself.
    pub bounded: bool,
}
