//! What the leader writes at once: neighbouring records of one file. The queue fills it, the growing file
//! begins it, `commit` completes its headers and writes it.

use std::path::PathBuf;
use std::sync::Arc;

use crate::disk::DiskFile;
use crate::log::format::FileId;

/// Neighbouring bytes of one file, headers blank.
pub(crate) struct Chunk {
    pub file: Arc<dyn DiskFile>,
    pub path: PathBuf,
    /// The name that the file still has, where it is new.
    pub temporary: Option<PathBuf>,
    pub id: FileId,
    /// Offset in the file; 0 means that the file's header comes first.
    pub offset: u64,
    pub bytes: Vec<u8>,
    /// Payload length of each record.
    pub lengths: Vec<u32>,
}
