//! From `/proc` and netlink to [`facts`](crate::facts). Owns all reading; knows of no verdicts. Processes are looked at several
//! times over a short while and never stopped.

mod call;
mod descriptors;
mod holders;
mod locks;
mod machine;
mod memory;
mod proc_dir;
mod process;
mod samples;
mod socket_tables;
mod sockets;

use std::time::Duration;

use thiserror::Error;

pub use machine::Machine;

#[derive(Debug, Error)]
pub enum Error {
    #[error("cannot read `/proc`: {source}; the doctor needs Linux with /proc mounted")]
    NoProc { source: std::io::Error },
    #[error("there is no process `{0}`; list them with `ps -e`")]
    NoProcess(String),
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
