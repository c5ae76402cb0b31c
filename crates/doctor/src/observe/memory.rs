//! What a system call's pointers point at, read from the process's memory file without stopping it: sets of
//! polled files, times, names, the words of locks. The process may change it all at any moment and may have
//! put anything there.

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::sync::Arc;

use super::patience::PatientReader;

/// Memory of a process; `None` where it may not be read, or is not there.
pub trait TargetMemory {
    fn read(&self, address: u64, length: usize) -> Option<Vec<u8>>;

    fn word(&self, address: u64) -> Option<u32> {
        Some(u32::from_ne_bytes(self.read(address, 4)?.try_into().ok()?))
    }

    fn long(&self, address: u64) -> Option<u64> {
        Some(u64::from_ne_bytes(self.read(address, 8)?.try_into().ok()?))
    }

    /// A `struct timespec`, in milliseconds.
    fn timespec_ms(&self, address: u64) -> Option<u64> {
        let (seconds, nanos) = (self.long(address)?, self.long(address.checked_add(8)?)?);
        seconds.checked_mul(1000)?.checked_add(nanos / 1_000_000)
    }

    /// A name that ends with a zero byte, at most 256 bytes of it.
    fn name(&self, address: u64) -> Option<String> {
        // In two steps, as the page behind a short name may not be there.
        let bytes = self.read(address, 256).or_else(|| self.read(address, 16))?;
        let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
        Some(super::proc_dir::printable(bytes.get(..end)?))
    }
}

/// `/proc/PID/mem`, opened once. A page of it may be a file's whose server does not answer.
pub struct MemoryFile {
    file: Option<Arc<File>>,
    reader: PatientReader,
}

impl MemoryFile {
    /// Of nothing where it may not be read.
    pub fn new(file: Option<File>) -> Self {
        Self { file: file.map(Arc::new), reader: PatientReader::default() }
    }

    pub fn has_given_up(&self) -> bool {
        self.reader.has_given_up()
    }
}

impl TargetMemory for MemoryFile {
    fn read(&self, address: u64, length: usize) -> Option<Vec<u8>> {
        // The kernel takes the offset as signed; nothing of a program lies above.
        if address == 0 || address > i64::MAX.cast_unsigned() {
            return None;
        }
        let file = self.file.clone()?;
        let read = move || {
            let mut bytes = vec![0; length];
            file.read_exact_at(&mut bytes, address)?;
            Ok(bytes)
        };
        self.reader.read(read).ok()
    }
}
