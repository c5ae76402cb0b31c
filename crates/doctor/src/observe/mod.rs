//! From `/proc` and netlink to [`facts`](crate::facts). Owns all reading; knows of no verdicts. Processes are
//! looked at several times over a short while and never stopped. What each needs rights for, and how it was
//! refused, goes into the facts as `unseen`, so that no verdict rests on what could not be seen.

mod call;
mod cgroup;
mod descriptors;
pub mod fuzzing;
mod hidden;
mod holders;
mod locks;
mod machine;
mod memory;
mod patience;
mod proc_dir;
mod process;
mod samples;
mod socket_tables;
mod sockets;
mod stacks;

use std::time::Duration;

use thiserror::Error;

pub use hidden::hidden_processes;
pub use machine::Machine;
pub use stacks::add_stacks;

/// The arguments that a process was started with, made printable; none where it has ended.
pub(crate) fn command_words(pid: i32) -> Vec<String> {
    let bytes = proc_dir::ProcDir::open(pid)
        .and_then(|process| process.bytes_patiently("cmdline"))
        .unwrap_or_default();
    bytes.split(|byte| *byte == 0).filter(|word| !word.is_empty()).map(proc_dir::printable).collect()
}

/// How many mappings of memory a process has; none where it has ended, or does not let itself be read.
pub(crate) fn mapping_count(pid: i32) -> Option<u64> {
    let maps = proc_dir::ProcDir::open(pid).ok()?.bytes_patiently("maps").ok()?;
    Some(maps.iter().filter(|byte| **byte == b'\n').count() as u64)
}

/// How much memory the control group of a process may have; absent where there is no limit.
pub(crate) fn memory_limit(pid: i32) -> Option<u64> {
    let process = proc_dir::ProcDir::open(pid).ok()?;
    cgroup::memory_limit(&cgroup::folders(&process, "memory"))
}

/// How many threads the control group of a process has, and may have; absent where there is no limit.
pub(crate) fn thread_limit(pid: i32) -> Option<(u64, u64)> {
    let process = proc_dir::ProcDir::open(pid).ok()?;
    cgroup::thread_limit(&cgroup::folders(&process, "pids"))
}

#[derive(Debug, Error)]
pub enum Error {
    #[error("cannot read `/proc`: {source}; the doctor needs Linux with /proc mounted")]
    NoProc { source: std::io::Error },
    #[error("there is no process `{0}`; list them with `ps -e`")]
    NoProcess(String),
    #[error("cannot use `{path}`: {source}; name a folder or file that this user may use")]
    Unusable { path: String, source: std::io::Error },
    #[error("process {pid} ended while it was looked at")]
    Ended { pid: i32 },
}

/// How to look.
#[derive(Clone, Copy, Debug)]
pub struct ObserveOptions {
    /// From the first sample to the last.
    pub period: Duration,
    /// Two at least.
    pub samples: u32,
    /// Milliseconds since 1970, for the age of files.
    pub now_ms: i64,
}
