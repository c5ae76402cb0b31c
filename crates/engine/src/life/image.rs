//! What a leader shows, as a follower takes it up: a manifest of the snapshot's segments, the death marks
//! that the follower lacks, and word of those segments whose files are in the leader's memory alone, to be
//! asked of it piece by piece. No commit has to come first: what a refresh shows there can be shown here.
//!
//! In: a snapshot, and what the follower has of it; out: an image, and pieces of files. Taking it up is
//! `follow`'s.

use plan::{Error, Result};
use serde::{Deserialize, Serialize};

use crate::life::manifest::{FileRecord, LayoutRecord, Manifest, SegmentRecord};
use crate::segment::alive::Dead;
use crate::segment::{Segment, filter_name};
use crate::snapshot::{SegmentView, Snapshot, SnapshotOrder};

/// What a message takes well; a file of a segment has as many pieces as it needs.
const PIECE_BYTES: usize = 4 << 20;

/// What a follower has: the newest image that it took up, and what it has of segments.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FollowerHas {
    pub order: SnapshotOrder,
    /// By id, how many of their documents are dead.
    pub segments: Vec<(String, u32)>,
}

/// A snapshot for a follower.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SnapshotImage {
    pub(crate) order: SnapshotOrder,
    /// Names all segments, and the files of those that the follower lacks, also where no store has them yet.
    #[serde(with = "serde_bytes")]
    pub(crate) manifest: Vec<u8>,
    pub(crate) marks: Vec<MarksImage>,
    /// Segments whose files are the leader's alone.
    pub(crate) in_memory: Vec<String>,
}

/// The dead documents of a segment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct MarksImage {
    pub(crate) segment: String,
    #[serde(with = "serde_bytes")]
    bits: Vec<u8>,
}

impl MarksImage {
    pub(crate) fn dead(&self) -> Dead {
        Dead::from_bytes(&self.bits)
    }
}

/// A part of a segment's file, from `offset` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FilePiece<'a> {
    pub segment: &'a str,
    pub file: &'a str,
    pub offset: u64,
}

impl SnapshotImage {
    /// `None` where the follower has it already.
    pub(crate) fn of(snapshot: &Snapshot, has: &FollowerHas) -> Result<Option<Self>> {
        let order = snapshot.order();
        if order == has.order {
            return Ok(None);
        }
        let views = snapshot.segments();
        let known = |view: &SegmentView| {
            let id = view.id().uuid_string();
            has.segments.iter().find(|(known, _)| *known == id).map(|(_, dead)| *dead)
        };
        // Once: a flush may give a segment its place in the store between two looks.
        let (mut segments, mut in_memory) = (Vec::with_capacity(views.len()), Vec::new());
        for view in views {
            let segment = &view.segment;
            let files = match (known(view), segment.persisted()) {
                // Each refresh would send what all segments before it consist of, and read those in memory
                // for their checksums.
                (Some(_), _) => Vec::new(),
                (None, Some(persisted)) => persisted.files.iter().map(FileRecord::from).collect(),
                (None, None) => {
                    in_memory.push(segment.id.uuid_string());
                    files(segment).map(|(name, bytes)| FileRecord::of(name, bytes)).collect()
                }
            };
            segments.push(SegmentRecord {
                id: segment.id,
                max_doc: segment.max_doc,
                files,
                marks: None,
                indexed_by: segment.indexed_by().cloned(),
            });
        }
        let layout = snapshot.layout();
        let schema_version = layout.lineage().version;
        let layout = LayoutRecord { generation: layout.generation(), slots: layout.slots().to_vec() };
        let standing = snapshot.standing();
        let mut manifest = Manifest::new(standing.logged, standing.version_max, layout, segments);
        manifest.modified_ms = standing.modified_ms;
        manifest.schema_version = schema_version;
        // Marks are only ever added, so that one opening's are told apart by their number.
        let is_same = order.opening == has.order.opening;
        let knows = |view: &SegmentView| is_same && known(view) == Some(view.dead.count());
        let marks = views
            .iter()
            .filter(|view| view.dead.count() > 0 && !knows(view))
            .map(|view| MarksImage { segment: view.id().uuid_string(), bits: view.dead.to_bytes() });
        Ok(Some(Self { order, manifest: manifest.to_bytes()?, marks: marks.collect(), in_memory }))
    }
}

/// A piece of a file that a snapshot shows. Errors: `Internal` for one that it does not.
pub(crate) fn piece(snapshot: &Snapshot, piece: FilePiece<'_>) -> Result<Vec<u8>> {
    let FilePiece { segment, file, offset } = piece;
    let view = snapshot.segments().iter().find(|view| view.id().uuid_string() == segment);
    let unknown = || Error::internal(format!("no file `{file}` of a segment `{segment}` is shown"));
    let segment = &view.ok_or_else(unknown)?.segment;
    let (_, bytes) = files(segment).find(|(name, _)| name == file).ok_or_else(unknown)?;
    Ok(piece_of(bytes, offset).ok_or_else(unknown)?.to_vec())
}

/// What a message takes of a file, from `offset` on; `None` behind its end.
pub fn piece_of(bytes: &[u8], offset: u64) -> Option<&[u8]> {
    let rest = bytes.get(usize::try_from(offset).ok()?..)?;
    Some(rest.get(..PIECE_BYTES).unwrap_or(rest))
}

/// The files of a segment by name, as a store would have them.
pub(crate) fn files(segment: &Segment) -> impl Iterator<Item = (String, &[u8])> {
    let of_tantivy = segment.files().iter();
    let of_tantivy = of_tantivy.map(|(path, bytes)| (path.to_string_lossy().into_owned(), bytes.as_slice()));
    of_tantivy.chain([(filter_name(segment.id), segment.filter().as_bytes())])
}
