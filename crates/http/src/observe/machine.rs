//! What the process and its machine say of themselves. The binary reads it where the system tells it; a test
//! hands in what it likes. What nobody tells is `None`, and is left out of answers.

/// Sizes in bytes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MachineFacts {
    /// Memory of this process that is in use.
    pub memory_used: Option<u64>,
    /// Address space of this process.
    pub memory_reserved: Option<u64>,
    pub threads: Option<u64>,
    pub files_open: Option<u64>,
    pub files_max: Option<u64>,
    /// Processor time of all its threads, in nanoseconds.
    pub cpu_ns: Option<u64>,
    pub machine_memory: Option<u64>,
    pub machine_memory_free: Option<u64>,
    pub swap: Option<u64>,
    pub swap_free: Option<u64>,
    /// Over the last minute.
    pub load_average: Option<f64>,
    /// The kernel's release.
    pub os_version: Option<String>,
    /// Of the disk that the data is on.
    pub disk: Option<u64>,
    pub disk_free: Option<u64>,
}
