//! Reading again what lies still: one segment file after another, so that a byte which a disk or a store has
//! lost is found while another copy can mend it, and not when the only one left is needed.
//!
//! And comparing documents with their index (`sampling`), so that one is found that is wrong though its bytes
//! are those that were written.
//!
//! Comes in the merges' turns, which have the low priority and the thread for it. Every file once within a
//! time (`ShardConfig::scrub_within_ms`), and so many documents an hour (`samples_per_hour`), spread over it
//! evenly; what is found out of order is told to whoever watches the shard. Mending is the home's
//! (`SegmentStore::verify`); an index that is wrong is made anew by a rebuild. Files that were lost when the
//! shard was opened are looked at again, too: whoever has them may have been out of reach.

use store::{SegmentFile, Verified};

use crate::core::Core;
use crate::lock::lock;
use crate::sampling::{self, IndexDifference};

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

    /// Looks again at the files for which segments were left out, where that is due. A shard that lacks none
    /// of them any more is to be opened anew ([`are_losses_mended`](Self::are_losses_mended)).
    pub(crate) fn look_for_lost(&self) {
        if self.config.scrub_within_ms.is_none() {
            return;
        }
        let mut files = lock(&self.scrub).lost.due(self.clock.now_ms());
        if files.is_empty() {
            return;
        }
        // All of them, though the first is not back: what is found is mended for good.
        files.retain(|file| self.store.verify(file).is_err());
        if files.is_empty() {
            tracing::warn!(
                "the files are whole again for which segments were left out: opened anew, the shard has all of it"
            );
        }
        lock(&self.scrub).lost.note_missing(files);
    }

    pub(crate) fn are_losses_mended(&self) -> bool {
        lock(&self.scrub).lost.are_back()
    }

    /// Compares the next document, where one is due.
    pub(crate) fn sample_due(&self) {
        const HOUR_MS: i64 = 3_600_000;
        let pause_ms = match self.config.samples_per_hour {
            0 => return,
            samples => HOUR_MS / i64::from(samples),
        };
        let now_ms = self.clock.now_ms();
        let turn = {
            let mut scrub = lock(&self.scrub);
            let is_due = scrub.sample_due_ms.is_some_and(|at| at <= now_ms);
            if is_due || scrub.sample_due_ms.is_none() {
                scrub.sample_due_ms = Some(now_ms.saturating_add(pause_ms));
            }
            if !is_due {
                return;
            }
            scrub.samples = scrub.samples.wrapping_add(1);
            scrub.samples
        };
        let snapshot = self.snapshot.load_full();
        let persisted = snapshot.segments().iter().filter(|view| view.segment.is_persisted());
        let seed = sampling::mixed(self.epoch, turn);
        // Each document is as likely as any other.
        let all: u64 = persisted.clone().map(|view| u64::from(view.segment.max_doc)).sum();
        let Some(mut at) = sampling::mixed(seed, turn).checked_rem(all) else { return };
        for view in persisted {
            let documents = u64::from(view.segment.max_doc);
            if at < documents {
                let found = sampling::sample_one(&snapshot, view, seed);
                found.differences.into_iter().for_each(|difference| self.note_difference(difference));
                return;
            }
            at -= documents;
        }
    }

    /// An index that says otherwise than a document. Told once for each segment.
    pub(crate) fn note_difference(&self, difference: IndexDifference) {
        let mut scrub = lock(&self.scrub);
        if !scrub.wrong.contains_key(&difference.segment) {
            tracing::error!(
                "the index is wrong: {difference}; `parhelion store rebuild` makes it anew of the documents"
            );
            scrub.wrong.insert(difference.segment.clone(), difference);
        }
    }

    /// Of each segment that is there and was found wrong, what was found first.
    pub(crate) fn wrong_segments(&self) -> Vec<IndexDifference> {
        let snapshot = self.snapshot.load();
        let is_there = |id: &str| snapshot.segments().iter().any(|view| view.id().uuid_string() == id);
        let scrub = lock(&self.scrub);
        scrub.wrong.values().filter(|difference| is_there(&difference.segment)).cloned().collect()
    }

    /// What a merge makes of wrong segments is as wrong as they are.
    pub(crate) fn inherit_differences(&self, inputs: &[String], merged: &str) {
        let mut scrub = lock(&self.scrub);
        let inherited: Vec<_> = inputs.iter().filter_map(|input| scrub.wrong.remove(input)).collect();
        if let Some(difference) = inherited.into_iter().next() {
            let difference = IndexDifference { segment: merged.to_owned(), ..difference };
            scrub.wrong.insert(merged.to_owned(), difference);
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
