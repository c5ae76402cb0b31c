//! A home of which others may have copies of its segment files. What it cannot mend by itself is asked of
//! them: whoever reads such a file again, or opens one that is damaged, has it mended by the same call as
//! from one of the home's own copies. Who the others are, and how they are asked, is [`FileCopies`]' to know.
//!
//! In: a home, and who else may have its files; out: the home, which mends more.

use std::sync::Arc;

use crate::contract::{
    FencedLog, ManifestStore, SegmentFile, SegmentStore, SegmentWriter, ShardHome, Verified,
};
use crate::{ErrorKind, Result, SegmentBytes};

/// Who else may have copies of a shard's files.
pub trait FileCopies: Send + Sync {
    /// The bytes of the file, if any of them has it whole: one whose bytes [`SegmentFile::check`] refuses is
    /// passed over for the next. Blocks.
    fn find(&self, file: &SegmentFile) -> Option<Vec<u8>>;
}

/// See the file's head.
pub struct HomeWithCopies {
    home: Arc<dyn ShardHome>,
    segments: Arc<SegmentsWithCopies>,
}

struct SegmentsWithCopies {
    inner: Arc<dyn SegmentStore>,
    copies: Arc<dyn FileCopies>,
}

impl HomeWithCopies {
    pub fn new(home: Arc<dyn ShardHome>, copies: Arc<dyn FileCopies>) -> Self {
        let segments = Arc::new(SegmentsWithCopies { inner: home.segments(), copies });
        Self { home, segments }
    }
}

impl ShardHome for HomeWithCopies {
    fn epoch(&self) -> u64 {
        self.home.epoch()
    }

    fn log(&self) -> Arc<dyn FencedLog> {
        self.home.log()
    }

    fn manifests(&self) -> Arc<dyn ManifestStore> {
        self.home.manifests()
    }

    fn segments(&self) -> Arc<dyn SegmentStore> {
        Arc::clone(&self.segments) as _
    }
}

impl SegmentStore for SegmentsWithCopies {
    fn create(&self, name: &str) -> Result<Box<dyn SegmentWriter>> {
        self.inner.create(name)
    }

    fn put_all(&self, files: &[(&str, &[u8])]) -> Result<Vec<SegmentFile>> {
        self.inner.put_all(files)
    }

    fn put(&self, name: &str, bytes: &[u8]) -> Result<SegmentFile> {
        self.inner.put(name, bytes)
    }

    fn open(&self, file: &SegmentFile) -> Result<SegmentBytes> {
        self.inner.open(file)
    }

    fn fetch(&self, files: &[SegmentFile]) -> Result<()> {
        self.inner.fetch(files)
    }

    /// The home's own copies first: they are nearer, and cost the others nothing.
    fn verify(&self, file: &SegmentFile) -> Result<Verified> {
        let error = match self.inner.verify(file) {
            Err(error) if matches!(error.kind(), ErrorKind::Corrupt { .. } | ErrorKind::NotFound) => error,
            verified => return verified,
        };
        let Some(bytes) = self.copies.find(file) else { return Err(error) };
        self.inner.mend(file, bytes)?;
        Ok(Verified::Mended)
    }

    fn mend(&self, file: &SegmentFile, bytes: Vec<u8>) -> Result<()> {
        self.inner.mend(file, bytes)
    }

    fn remove(&self, name: &str) -> Result<()> {
        self.inner.remove(name)
    }

    fn remove_all(&self, names: &[String]) -> Result<()> {
        self.inner.remove_all(names)
    }

    fn list(&self) -> Result<Vec<String>> {
        self.inner.list()
    }
}
