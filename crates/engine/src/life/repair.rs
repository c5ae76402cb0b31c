//! The files of a shard that need not be opened, for what is damaged is left out of one that is: read again
//! (`verify`), and mended (`repair`). In this order: a damaged copy from one that is whole, which is the
//! home's (`SegmentStore::verify`); an older manifest whose files are whole, with the log from there on,
//! published as the newest; and, where whoever asks accepts that, the shard without the segments that are
//! lost. Where none of it helps, nothing is changed.
//!
//! In: a home; out: what was found, and what became of it. The log is replayed by the next opening.

use std::collections::{BTreeMap, BTreeSet};

use plan::Result;
use store::{ErrorKind, SegmentFile, SegmentStore, ShardArchive, ShardHome, Verified};

use crate::core::losses::LostSegment;
use crate::errors::from_store;
use crate::life::manifest::{FileRecord, Manifest, SegmentRecord};
use crate::life::scrub::is_damage;

/// What reading the files of a shard's newest manifest found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FilesVerdict {
    pub files: u64,
    pub bytes: u64,
    /// Files that are not what the manifest says, or gone, with what is wrong.
    pub damaged: Vec<(String, String)>,
    /// Files of which nobody knows, with why: the place did not answer.
    pub unread: Vec<(String, String)>,
    /// The segments that have damaged files, with what would be lost if nothing mends these.
    pub lost: Vec<LostSegment>,
}

/// Reads every file again and changes nothing; beside an owner, too. Errors: what the manifest's reading
/// says.
pub fn verify(archive: &dyn ShardArchive) -> Result<FilesVerdict> {
    /// How often an owner may have replaced what was named before it was read.
    const LOOKS_MAX: usize = 4;
    let newest = || archive.newest().map_err(from_store);
    let mut found = newest()?;
    for look in 1.. {
        let Some((version, bytes)) = found else { break };
        let verdict = files_of(archive, &Manifest::from_bytes(&bytes)?);
        found = newest()?;
        let is_newest = found.as_ref().is_some_and(|(newest, _)| *newest == version);
        if verdict.damaged.is_empty() || is_newest || look == LOOKS_MAX {
            return Ok(verdict);
        }
    }
    Ok(FilesVerdict::default())
}

fn files_of(archive: &dyn ShardArchive, manifest: &Manifest) -> FilesVerdict {
    let mut verdict = FilesVerdict::default();
    for segment in &manifest.segments {
        let mut damaged = Vec::new();
        for record in segment.files() {
            verdict.files += 1;
            verdict.bytes += record.size;
            if let Err(error) = archive.verify(&record.to_file()) {
                let of = if is_damage(&error) { &mut damaged } else { &mut verdict.unread };
                of.push((record.name.clone(), error.message().to_owned()));
            }
        }
        verdict.damaged.extend_from_slice(&damaged);
        if let Some((_, why)) = damaged.first().cloned() {
            let (segment, documents) = (segment.id.uuid_string(), segment.living());
            verdict.lost.push(LostSegment { segment, documents, files: damaged, why });
        }
    }
    verdict
}

/// What was found of a shard's files, and what became of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RepairReport {
    pub files: u64,
    /// Files with a copy that was damaged and is mended from another.
    pub mended: Vec<String>,
    /// Files of the newest manifest of which no copy is whole, with what is wrong.
    pub damaged: Vec<(String, String)>,
    pub outcome: RepairOutcome,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RepairOutcome {
    /// Every file is whole, or was mended.
    #[default]
    Whole,
    /// An older manifest took the newest's place, with so many records of the log behind it. Nothing is lost.
    WentBack { records: u64 },
    /// The segments with damaged files were left out, and so many documents with them.
    LeftOut { documents: u64 },
    /// Nothing helps, and nothing was changed: so many documents are in segments with damaged files.
    Damaged { documents: u64 },
}

/// Mends what can be. `accepts_loss` leaves out segments that nothing mends.
///
/// Errors: what the home does not answer; nothing is decided about files that could not be read.
pub fn repair(home: &dyn ShardHome, accepts_loss: bool) -> Result<RepairReport> {
    let manifests = home.manifests();
    let Some((version, bytes)) = manifests.load().map_err(from_store)? else {
        return Ok(RepairReport::default());
    };
    let newest = Manifest::from_bytes(&bytes)?;
    let mut files = LookedAt { store: &*home.segments(), found: BTreeMap::new(), mended: Vec::new() };
    let mut damaged = Vec::new();
    for record in newest.files() {
        damaged.extend(files.damage(record)?.map(|what| (record.name.clone(), what)));
    }
    let mut report =
        RepairReport { files: newest.files().count() as u64, damaged, ..RepairReport::default() };
    if !report.damaged.is_empty() {
        let lost: BTreeSet<&str> = report.damaged.iter().map(|(name, _)| &**name).collect();
        let is_lost = |segment: &SegmentRecord| segment.files().any(|file| lost.contains(&*file.name));
        let documents = newest.segments.iter().filter(|it| is_lost(it)).map(SegmentRecord::living).sum();
        let publish = |bytes: &[u8]| manifests.publish(Some(version), bytes).map_err(from_store);
        let is_wrong = &mut |file: &FileRecord| Ok(files.damage(file)?.is_some());
        report.outcome = if let Some((older, records)) = older_and_whole(home, is_wrong)? {
            publish(&older)?;
            RepairOutcome::WentBack { records }
        } else if accepts_loss {
            let mut rest = newest.clone();
            rest.segments.retain(|segment| !is_lost(segment));
            publish(&rest.to_bytes()?)?;
            RepairOutcome::LeftOut { documents }
        } else {
            RepairOutcome::Damaged { documents }
        };
    }
    report.mended = files.mended;
    Ok(report)
}

/// The newest of the older manifests of which all files are whole and the log goes back far enough, and how
/// many records of the log come behind it. `is_wrong` looks at a file.
pub(crate) fn older_and_whole(
    home: &dyn ShardHome,
    is_wrong: &mut dyn FnMut(&FileRecord) -> Result<bool>,
) -> Result<Option<(Vec<u8>, u64)>> {
    for bytes in home.manifests().older().map_err(from_store)? {
        // One that this version cannot read is none to go back to.
        let Ok(manifest) = Manifest::from_bytes(&bytes) else { continue };
        let mut is_whole = true;
        for record in manifest.files() {
            is_whole = is_whole && !is_wrong(record)?;
        }
        if !is_whole {
            continue;
        }
        match home.log().replay(Some(manifest.watermark()), &mut |_, _| Ok(())) {
            Ok(end) => return Ok(Some((bytes, end.records))),
            Err(error) if matches!(error.kind(), ErrorKind::Corrupt { .. }) => {}
            Err(error) => return Err(from_store(error)),
        }
    }
    Ok(None)
}

/// Files that were read, each once.
struct LookedAt<'a> {
    store: &'a dyn SegmentStore,
    /// What is wrong with each, by its name.
    found: BTreeMap<String, Option<String>>,
    mended: Vec<String>,
}

impl LookedAt<'_> {
    /// What is wrong with a file; `None` where it is whole by now.
    fn damage(&mut self, record: &FileRecord) -> Result<Option<String>> {
        if let Some(known) = self.found.get(&record.name) {
            return Ok(known.clone());
        }
        let file: SegmentFile = record.to_file();
        let damage = match self.store.verify(&file) {
            Ok(Verified::Sound) => None,
            Ok(Verified::Mended) => {
                self.mended.push(file.name.clone());
                None
            }
            Err(error) if is_damage(&error) => Some(error.message().to_owned()),
            Err(error) => return Err(from_store(error)),
        };
        self.found.insert(file.name, damage.clone());
        Ok(damage)
    }
}
