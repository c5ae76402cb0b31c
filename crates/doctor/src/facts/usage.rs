//! What a process and its machine used and waited for while it was sampled, beyond what its threads count
//! themselves. Filled by `observe/`, for `doctor slow`, which sets them beside the threads' own times;
//! `doctor stuck` judges by threads alone.

use serde::{Deserialize, Serialize};

/// Reads and writes of a process (proc(5), `io`), between the first sample and the last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IoUse {
    /// Fetched from, and sent to, a storage device.
    pub disk_read_bytes: u64,
    pub disk_written_bytes: u64,
    pub read_calls: u64,
    pub write_calls: u64,
}

/// Time in which work stood still for want of something, as the kernel's pressure accounts tell: of the
/// process's cgroup where there are such, else of the machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pressure {
    /// `cgroup` or `machine`.
    pub scope: String,
    /// Some task waited.
    pub cpu_some_us: u64,
    pub io_some_us: u64,
    pub memory_some_us: u64,
}

/// What the TCP connections of a process carried, by the kernel's account of each. One that came and went in
/// between is in none of the two accounts and is left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NetworkUse {
    pub connections: u64,
    pub sent_bytes: u64,
    pub received_bytes: u64,
    /// Segments that had to be sent again: lost on the way, or not acknowledged in time.
    pub sent_again: u64,
}
