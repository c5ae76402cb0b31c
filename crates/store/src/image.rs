//! A shard as files, brought into a home: how one moves from a disk to a bucket and back. Where a crash broke
//! that off, the next attempt finds what is there; the manifest comes last, so a home has all of it or
//! nothing.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::Path;

use crate::contract::{SegmentFile, SegmentStore, ShardHome, ShardImage};
use crate::{Error, Result, SegmentBytes};

/// Bytes written at a time.
const WRITE_BYTES: usize = 1 << 20;

impl ShardImage {
    /// Puts into a home what it does not have yet, then the manifest; returns how many files and bytes that
    /// were.
    ///
    /// Errors: `Corrupt` for a file that is not what the manifest says; what the home says.
    pub fn bring(&self, home: &dyn ShardHome) -> Result<(u64, u64)> {
        let (segments, manifests) = (home.segments(), home.manifests());
        let there: BTreeSet<String> = segments.list()?.into_iter().collect();
        let (mut files, mut bytes) = (0, 0);
        for (file, content) in &self.files {
            if there.contains(&file.name) {
                if segments.verify(file).is_ok() {
                    continue;
                }
                segments.remove(&file.name)?;
            }
            copy(file, content, &*segments)?;
            files += 1;
            bytes += file.size;
        }
        let published = manifests.load()?;
        if published.as_ref().is_none_or(|(_, manifest)| *manifest != self.manifest) {
            manifests.publish(published.map(|(version, _)| version), &self.manifest)?;
        }
        Ok((files, bytes))
    }
}

fn copy(file: &SegmentFile, content: &SegmentBytes, into: &dyn SegmentStore) -> Result<()> {
    let mut writer = into.create(&file.name)?;
    for piece in content.chunks(WRITE_BYTES) {
        writer.write_all(piece).map_err(|source| Error::io("copy", Path::new(&file.name), source))?;
    }
    let written = writer.finish()?.file;
    file.check_measured(written.size, written.crc32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::MemorySite;
    use crate::{LocalSite, ShardId, Site};

    fn image(files: &[(&str, &[u8])], manifest: &[u8]) -> ShardImage {
        let files = files
            .iter()
            .map(|(name, bytes)| (SegmentFile::describe(name, bytes), SegmentBytes::from(bytes.to_vec())));
        ShardImage { manifest: manifest.to_vec(), files: files.collect() }
    }

    fn check(site: &dyn Site) {
        let id = ShardId { path: "films/shard1".to_owned(), stream: [7; 16] };
        let whole = image(&[("a", b"first"), ("b", b"second")], b"both");
        // An attempt that broke off behind the first file, and one whose file is not whole.
        site.home(&id).unwrap().segments().put("a", b"first").unwrap();
        assert_eq!(whole.bring(&*site.home(&id).unwrap()).unwrap(), (1, 6));
        assert_eq!(whole.bring(&*site.home(&id).unwrap()).unwrap(), (0, 0));
        let archive = site.archive(&id).unwrap();
        assert_eq!(archive.newest().unwrap().unwrap().1, b"both");
        for (file, content) in &whole.files {
            assert_eq!(*archive.open(file).unwrap(), **content);
        }
        // What was brought later takes its place.
        let later = image(&[("a", b"first"), ("b", b"2")], b"later");
        assert_eq!(later.bring(&*site.home(&id).unwrap()).unwrap(), (1, 1));
        assert_eq!(archive.newest().unwrap().unwrap().1, b"later");
    }

    #[test]
    fn what_is_there_is_not_brought_again() {
        let folder = tempfile::tempdir().unwrap();
        check(&LocalSite::new(folder.path()));
    }

    #[test]
    fn a_file_that_is_not_what_its_manifest_says_is_not_published() {
        let site = MemorySite::default();
        let home = site.home(&ShardId { path: "films/shard1".to_owned(), stream: [7; 16] }).unwrap();
        let mut wrong = image(&[("a", b"first")], b"one");
        wrong.files[0].0.crc32 ^= 1;
        wrong.bring(&*home).unwrap_err();
        assert_eq!(home.manifests().load().unwrap(), None);
    }
}
