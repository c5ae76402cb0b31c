//! Reading again what lies still: one segment file after another, so that a byte which a disk or a store has
//! lost is found while another copy can mend it, and not when the only one left is needed.
//!
//! Comes in the merges' turns, which have the low priority and the thread for it. Every file once within a
//! time (`ShardConfig::scrub_within_ms`), spread over it evenly; what is found out of order is told to
//! whoever watches the shard. Mending is the home's (`SegmentStore::verify`).

use store::{SegmentFile, Verified};

use crate::core::Core;
use crate::lock::lock;

impl Core {
    /// Verifies the next file, where one is due.
    pub(crate) fn scrub_due(&self) {
        let Some(within_ms) = self.config.scrub_within_ms else { return };
        let now_ms = self.clock.now_ms();
        let files = self.persisted_files();
        let pause_ms = within_ms / i64::try_from(files.len()).unwrap_or(i64::MAX).max(1);
        let due = {
            let mut scrub = lock(&self.scrub);
            scrub.damaged.retain(|name| files.iter().any(|file| file.name == *name));
            let is_due = scrub.due_ms.is_some_and(|at| at <= now_ms);
            if is_due || scrub.due_ms.is_none() {
                scrub.due_ms = Some(now_ms.saturating_add(pause_ms));
            }
            // A shard is not read whole because it was opened.
            if !is_due {
                return;
            }
            scrub.next(&files)
        };
        if let Some(file) = due {
            self.scrub_file(&file);
        }
    }

    fn scrub_file(&self, file: &SegmentFile) {
        let SegmentFile { name, .. } = file;
        let verified = self.store.verify(file);
        // A merge may have taken its place meanwhile.
        if !self.persisted_files().contains(file) {
            return;
        }
        let mut scrub = lock(&self.scrub);
        match verified {
            Ok(found) => {
                scrub.damaged.remove(name);
                if found == Verified::Mended {
                    tracing::warn!("a copy of `{name}` was damaged; it was mended from another");
                }
            }
            Err(error) if is_damage(&error) => {
                if scrub.damaged.insert(name.clone()) {
                    tracing::error!(%error, "`{name}` is damaged, and no other copy is whole");
                }
            }
            // Nobody knows: its turn comes again.
            Err(error) => tracing::warn!(%error, "`{name}` could not be read again"),
        }
    }

    /// How many files are known to be damaged or gone, those of lost segments among them.
    pub(crate) fn damaged_files(&self) -> u64 {
        lock(&self.scrub).damaged.len() as u64 + self.losses.load().files()
    }

    /// By name.
    fn persisted_files(&self) -> Vec<SegmentFile> {
        let segments = self.state().segments.clone();
        let persisted = segments.iter().filter_map(|segment| segment.persisted());
        let mut files: Vec<SegmentFile> =
            persisted.flat_map(|it| it.files.into_iter().chain(it.marks.map(|(file, _)| file))).collect();
        files.sort_by(|one, other| one.name.cmp(&other.name));
        files
    }
}

pub(crate) fn is_damage(error: &store::Error) -> bool {
    matches!(error.kind(), store::ErrorKind::Corrupt { .. } | store::ErrorKind::NotFound)
}
