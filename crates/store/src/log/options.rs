//! How large a log's files grow, and how far it runs ahead of the disk: what a home is opened with. Below the
//! queue and the growing file, which go by it.

/// Sizes of a log on a disk, in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogOptions {
    /// A file that has reached this size is followed by a new one; trimming deletes whole files.
    pub file_bytes: u64,
    /// Space is taken this much at a time, ahead of the records.
    pub reserve_bytes: u64,
    /// With this much not yet durable, whoever asks for room syncs first.
    pub pending_bytes_max: usize,
}

impl Default for LogOptions {
    fn default() -> Self {
        Self { file_bytes: 64 << 20, reserve_bytes: 8 << 20, pending_bytes_max: 16 << 20 }
    }
}
