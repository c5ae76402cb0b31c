//! The two directories that tantivy sees: one that takes the files of a segment being written, one that shows
//! the files of a finished segment. Neither is shared between segments and neither knows deletes.
//!
//! `Output` keeps files in memory or streams them into the shard's segment store; `View` is read-only and
//! answers with a `meta.json` of our own writing, which is how a segment opens under a schema that has grown
//! since. Facts about what tantivy asks of a directory: docs/adr/0001.

use std::collections::HashMap;
use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use store::{SegmentFile, SegmentStore, SegmentWriter, WrittenFile};
use tantivy::Directory;
use tantivy::directory::error::{DeleteError, LockError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    AntiCallToken, DirectoryLock, FileHandle, Lock, OwnedBytes, TerminatingWrite, WatchCallback, WatchHandle,
    WritePtr,
};
use tantivy::index::SegmentId;

/// The files of one segment by name; clones share the bytes.
pub(crate) type Files = HashMap<PathBuf, OwnedBytes>;

/// The name of a segment's file of one kind, ours or tantivy's.
pub(crate) fn file_name(id: SegmentId, extension: &str) -> String {
    format!("{}.{extension}", id.uuid_string())
}

const META: &str = "meta.json";

/// Where a segment is written to.
#[derive(Clone)]
pub(crate) struct Output {
    inner: Arc<OutputInner>,
    /// Grows with each write, for whoever asks whether the work gets anywhere.
    writes: Arc<AtomicU64>,
}

struct OutputInner {
    /// `None` keeps the files in memory.
    store: Option<Arc<dyn SegmentStore>>,
    /// Once it is set, writes fail.
    given_up: Arc<AtomicBool>,
    state: Mutex<OutputState>,
}

#[derive(Default)]
struct OutputState {
    files: Files,
    written: Vec<SegmentFile>,
    atomic: HashMap<PathBuf, Vec<u8>>,
}

impl Output {
    pub(crate) fn memory() -> Self {
        Self::new(None, Arc::default())
    }

    /// Files go straight to the store and are durable when tantivy has closed them. Once `given_up` is set,
    /// writes fail.
    pub(crate) fn store(store: Arc<dyn SegmentStore>, given_up: Arc<AtomicBool>) -> Self {
        Self::new(Some(store), given_up)
    }

    fn new(store: Option<Arc<dyn SegmentStore>>, given_up: Arc<AtomicBool>) -> Self {
        let inner = OutputInner { store, given_up, state: Mutex::default() };
        Self { inner: Arc::new(inner), writes: Arc::default() }
    }

    /// Its writes are counted there too.
    #[must_use]
    pub(crate) fn counting(self, writes: Arc<AtomicU64>) -> Self {
        Self { writes, ..self }
    }

    /// The finished files, and how the store names them.
    pub(crate) fn take_files(&self) -> (Files, Vec<SegmentFile>) {
        let mut state = self.state();
        (std::mem::take(&mut state.files), std::mem::take(&mut state.written))
    }

    fn state(&self) -> std::sync::MutexGuard<'_, OutputState> {
        self.inner.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn keep(&self, path: &Path, bytes: Vec<u8>) {
        self.state().files.insert(path.to_owned(), OwnedBytes::new(bytes));
    }

    fn finish(&self, path: &Path, writer: Box<dyn SegmentWriter>) -> io::Result<()> {
        let WrittenFile { file, bytes } = writer.finish().map_err(io::Error::other)?;
        let mut state = self.state();
        state.files.insert(path.to_owned(), OwnedBytes::new(bytes));
        state.written.push(file);
        Ok(())
    }
}

impl fmt::Debug for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Output")
    }
}

/// One file on its way.
struct OutputFile {
    output: Output,
    path: PathBuf,
    sink: Sink,
}

enum Sink {
    Memory(Pieces),
    /// In a mutex because tantivy asks for `Sync`; never contended.
    Store(Mutex<Option<Box<dyn SegmentWriter>>>),
}

/// A file that grows without being copied, and is joined once.
#[derive(Default)]
struct Pieces {
    full: Vec<Vec<u8>>,
    last: Vec<u8>,
}

/// What a piece takes, but for a longer single write.
const PIECE_BYTES: usize = 256 << 10;

impl Pieces {
    fn push(&mut self, bytes: &[u8]) {
        if self.last.len() + bytes.len() > PIECE_BYTES && !self.last.is_empty() {
            let room = Vec::with_capacity(PIECE_BYTES.max(bytes.len()));
            self.full.push(std::mem::replace(&mut self.last, room));
        }
        self.last.extend_from_slice(bytes);
    }

    /// All of it, in no more memory than it needs.
    fn joined(&mut self) -> Vec<u8> {
        let Self { mut full, last } = std::mem::take(self);
        full.push(last);
        full.concat()
    }
}

fn open(writer: &mut Mutex<Option<Box<dyn SegmentWriter>>>) -> &mut Option<Box<dyn SegmentWriter>> {
    writer.get_mut().unwrap_or_else(PoisonError::into_inner)
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.output.writes.fetch_add(1, Ordering::Relaxed);
        match &mut self.sink {
            Sink::Memory(held) => {
                held.push(bytes);
                Ok(bytes.len())
            }
            // Relaxed: it only ends a merge sooner, and what misses it here meets it at the next write.
            Sink::Store(_) if self.output.inner.given_up.load(Ordering::Relaxed) => {
                Err(io::Error::other("the shard is closed"))
            }
            Sink::Store(writer) => match open(writer) {
                Some(writer) => writer.write(bytes),
                None => Err(io::Error::other("the file is finished")),
            },
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl TerminatingWrite for OutputFile {
    fn terminate_ref(&mut self, _: AntiCallToken) -> io::Result<()> {
        match &mut self.sink {
            Sink::Memory(held) => {
                self.output.keep(&self.path, held.joined());
                Ok(())
            }
            Sink::Store(writer) => match open(writer).take() {
                Some(writer) => self.output.finish(&self.path, writer),
                None => Ok(()),
            },
        }
    }
}

impl Directory for Output {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        handle(&self.state().files, path)
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        self.state().files.remove(path);
        Ok(())
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        let state = self.state();
        Ok(state.files.contains_key(path) || state.atomic.contains_key(path))
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        let sink = match &self.inner.store {
            None => Sink::Memory(Pieces::default()),
            Some(store) => {
                let writer = store.create(&path.to_string_lossy()).map_err(|error| {
                    OpenWriteError::wrap_io_error(io::Error::other(error), path.to_owned())
                })?;
                Sink::Store(Mutex::new(Some(writer)))
            }
        };
        let file = OutputFile { output: self.clone(), path: path.to_owned(), sink };
        Ok(io::BufWriter::new(Box::new(file)))
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        let missing = || OpenReadError::FileDoesNotExist(path.to_owned());
        self.state().atomic.get(path).cloned().ok_or_else(missing)
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        self.state().atomic.insert(path.to_owned(), data.to_vec());
        Ok(())
    }

    fn sync_directory(&self) -> io::Result<()> {
        Ok(())
    }

    fn acquire_lock(&self, _: &Lock) -> Result<DirectoryLock, LockError> {
        Ok(DirectoryLock::from(Box::new(())))
    }

    fn watch(&self, _: WatchCallback) -> tantivy::Result<WatchHandle> {
        Ok(WatchHandle::empty())
    }
}

/// A finished segment, or none, as tantivy opens it. Immutable.
#[derive(Clone)]
pub(crate) struct View {
    files: Arc<Files>,
    meta: Arc<str>,
}

impl View {
    pub(crate) fn new(files: Arc<Files>, meta: String) -> Self {
        Self { files, meta: meta.into() }
    }
}

impl fmt::Debug for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("View")
    }
}

impl Directory for View {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        handle(&self.files, path)
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        Err(DeleteError::FileDoesNotExist(path.to_owned()))
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        Ok(path == Path::new(META) || self.files.contains_key(path))
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        Err(OpenWriteError::FileAlreadyExists(path.to_owned()))
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        if path == Path::new(META) {
            return Ok(self.meta.as_bytes().to_vec());
        }
        Err(OpenReadError::FileDoesNotExist(path.to_owned()))
    }

    fn atomic_write(&self, _: &Path, _: &[u8]) -> io::Result<()> {
        Err(io::Error::other("a finished segment does not change"))
    }

    fn sync_directory(&self) -> io::Result<()> {
        Ok(())
    }

    fn acquire_lock(&self, _: &Lock) -> Result<DirectoryLock, LockError> {
        Ok(DirectoryLock::from(Box::new(())))
    }

    fn watch(&self, _: WatchCallback) -> tantivy::Result<WatchHandle> {
        Ok(WatchHandle::empty())
    }
}

fn handle(files: &Files, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
    match files.get(path) {
        Some(bytes) => Ok(Arc::new(bytes.clone())),
        None => Err(OpenReadError::FileDoesNotExist(path.to_owned())),
    }
}
