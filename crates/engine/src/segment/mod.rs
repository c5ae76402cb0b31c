//! A sealed segment: its files in memory or mapped, its death marks, its id filter. The files never change;
//! the marks do.
//!
//! Segments come out of `builder.rs`, `merge.rs` and `recovery.rs`. What readers see of one is a
//! `SegmentView` of `snapshot`; here are the writer's look-ups: which document has this id, what is its
//! version and its source.

pub(crate) mod alive;
pub(crate) mod bits;
pub(crate) mod columns;
pub(crate) mod dense_terms;
pub(crate) mod dense_vectors;
pub(crate) mod derived;
pub(crate) mod directory;
pub(crate) mod id_filter;
pub(crate) mod id_texts;
pub(crate) mod nesting;
pub(crate) mod norm_file;
pub(crate) mod payloads;
pub(crate) mod postings;
pub(crate) mod source_codec;
pub(crate) mod spatial_values;
pub(crate) mod stored_source;
pub(crate) mod term_bits;
pub(crate) mod uninvert;
pub(crate) mod value_order;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use plan::{Error, Result};
use store::SegmentFile;
use tantivy::directory::OwnedBytes;
use tantivy::index::SegmentId;
use tantivy::schema::{Field, IndexRecordOption, Schema};
use tantivy::store::StoreReader;
use tantivy::{DocId, DocSet, Index, IndexSettings, SegmentReader, TERMINATED, Term};

use crate::errors::from_tantivy;
use crate::layout::indexed_by::IndexedBy;
use crate::layout::{ID_FIELD, Layout, VERSION_COLUMN};
use crate::segment::alive::Marks;
use crate::segment::bits::Bits;
use crate::segment::derived::Derived;
use crate::segment::directory::{Files, View, file_name};
use crate::segment::id_filter::IdFilter;
use crate::segment::id_texts::IdTexts;

/// Half of tantivy's default: a single document costs 10 µs instead of 15 (2026-11), for some per cent of
/// space.
const STORE_BLOCK_BYTES: usize = 8_192;
/// Decompressed blocks of the document store that a segment keeps.
const STORE_BLOCKS_CACHED: usize = 8;

/// What must be known to make a [`Segment`].
pub(crate) struct SegmentParts {
    pub(crate) id: SegmentId,
    pub(crate) max_doc: u32,
    pub(crate) files: Files,
    pub(crate) marks: Arc<Marks>,
    pub(crate) filter: IdFilter,
    /// What its documents were indexed by, if all by the same, and it was noted.
    pub(crate) indexed_by: Option<Arc<IndexedBy>>,
    /// How the store names the files, if it has them.
    pub(crate) persisted: Option<Persisted>,
}

/// A segment's files as the manifest names them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Persisted {
    pub(crate) files: Vec<SegmentFile>,
    /// The file of death marks, if any, and how many it holds.
    pub(crate) marks: Option<(SegmentFile, u32)>,
}

pub(crate) struct Segment {
    pub(crate) id: SegmentId,
    pub(crate) max_doc: u32,
    pub(crate) marks: Arc<Marks>,
    files: Arc<Files>,
    filter: IdFilter,
    indexed_by: Option<Arc<IndexedBy>>,
    persisted: Mutex<Option<Persisted>>,
    /// For look-ups; opened under the layout of its making, which has all they need.
    reader: SegmentReader,
    store: StoreReader,
    derived: Derived,
    source_bytes_mean: u64,
    /// Where the roots of blocks are named.
    root_field: Option<Field>,
    blocks: OnceLock<Option<Blocks>>,
    /// Read from their terms, where there is no file of them and they were asked for.
    read_ids: OnceLock<Option<IdTexts>>,
}

/// The documents of a segment that are in blocks.
struct Blocks {
    /// Has the root's id of each.
    field: Field,
    docs: Bits,
}

impl Blocks {
    /// `None` when no document is in a block.
    fn read(reader: &SegmentReader, field: Field) -> Result<Option<Self>> {
        let inverted = reader.inverted_index(field).map_err(from_tantivy)?;
        if inverted.terms().num_terms() == 0 {
            return Ok(None);
        }
        let mut docs = Bits::none(reader.max_doc());
        let mut roots = inverted.terms().stream().map_err(from_tantivy)?;
        while roots.advance() {
            let postings =
                inverted.read_block_postings_from_terminfo(roots.value(), IndexRecordOption::Basic);
            let mut postings = postings.map_err(from_tantivy)?;
            while !postings.docs().is_empty() {
                postings.docs().iter().for_each(|doc| docs.insert(*doc));
                postings.advance();
            }
        }
        Ok(Some(Self { field, docs }))
    }
}

impl Segment {
    pub(crate) fn open(parts: SegmentParts, layout: &Layout) -> Result<Arc<Self>> {
        let SegmentParts { id, max_doc, files, marks, filter, indexed_by, persisted } = parts;
        let files = Arc::new(files);
        let reader = open_reader(&files, id, max_doc, layout.tantivy())?;
        let store = reader.get_store_reader(STORE_BLOCKS_CACHED).map_err(from_tantivy)?;
        let persisted = Mutex::new(persisted);
        let derived = Derived::open(&files, id, max_doc)?;
        let stored = files.get(&PathBuf::from(file_name(id, "store"))).map_or(0, |bytes| bytes.len() as u64);
        let source_bytes_mean = stored / u64::from(max_doc.max(1));
        Ok(Arc::new(Self {
            id,
            max_doc,
            marks,
            files,
            filter,
            indexed_by,
            persisted,
            reader,
            store,
            derived,
            source_bytes_mean,
            root_field: layout.root_field(),
            blocks: OnceLock::new(),
            read_ids: OnceLock::new(),
        }))
    }

    pub(crate) fn derived(&self) -> &Derived {
        &self.derived
    }

    /// The ids of all documents, dead or not; `None` where they take four gigabytes or more. A small segment
    /// has no file of them: they are read once, and kept for as long as it is.
    pub(crate) fn all_ids(&self) -> Result<Option<&IdTexts>> {
        if let Some(ids) = self.derived.ids.as_ref() {
            return Ok(Some(ids));
        }
        if let Some(known) = self.read_ids.get() {
            return Ok(known.as_ref());
        }
        // Two that ask at once may both read; what they read is the same.
        let read = IdTexts::read(&self.reader)?;
        Ok(self.read_ids.get_or_init(|| read).as_ref())
    }

    /// A reader of all documents, dead or not, under another layout.
    pub(crate) fn tantivy_segment(&self, layout: &Layout) -> Result<tantivy::Segment> {
        tantivy_segment(&self.files, self.id, self.max_doc, layout.tantivy())
    }

    /// As [`Segment::tantivy_segment`], with a field-norm file that knows every field of the layout: what a
    /// merge needs.
    pub(crate) fn mergeable(&self, layout: &Layout) -> Result<tantivy::Segment> {
        let wanted: Vec<_> = layout
            .tantivy()
            .fields()
            .filter(|(_, entry)| entry.is_indexed() && entry.has_fieldnorms())
            .map(|(field, _)| field)
            .collect();
        let path = PathBuf::from(file_name(self.id, "fieldnorm"));
        let file = self.files.get(&path).map(|bytes| bytes.as_slice()).unwrap_or_default();
        let padded = norm_file::pad(file, &wanted, self.max_doc).map_err(from_tantivy)?;
        let Some(padded) = padded else { return self.tantivy_segment(layout) };
        let mut files = (*self.files).clone();
        files.insert(path, tantivy::directory::OwnedBytes::new(padded));
        tantivy_segment(&Arc::new(files), self.id, self.max_doc, layout.tantivy())
    }

    /// The live documents with this id: one, or more after an add with `overwrite=false`, or in several
    /// blocks.
    pub(crate) fn find(&self, id: &str, hash: u64) -> Result<Vec<DocId>> {
        debug_assert_eq!(hash, id_filter::hash(id));
        if !self.filter.may_hold(hash) {
            return Ok(Vec::new());
        }
        self.living(ID_FIELD, id)
    }

    /// The last live document with this id that stands below no other.
    pub(crate) fn find_root(&self, id: &str, hash: u64) -> Result<Option<DocId>> {
        let found = self.find(id, hash)?;
        let Some(blocks) = self.blocks()?.filter(|_| !found.is_empty()) else {
            return Ok(found.last().copied());
        };
        let members = self.living(blocks.field, id)?;
        let is_root = |doc: &DocId| !blocks.docs.contains(*doc) || members.binary_search(doc).is_ok();
        Ok(found.into_iter().rfind(is_root))
    }

    /// The live documents that an update of this id replaces, ascending: those that stand below no other, and
    /// what is left of their blocks.
    pub(crate) fn find_block(&self, root: &str, hash: u64) -> Result<Vec<DocId>> {
        let found = self.find(root, hash)?;
        let Some(blocks) = self.blocks()? else { return Ok(found) };
        if !self.filter.may_hold(hash) {
            return Ok(Vec::new());
        }
        let mut members = self.living(blocks.field, root)?;
        members.extend(found.into_iter().filter(|doc| !blocks.docs.contains(*doc)));
        members.sort_unstable();
        Ok(members)
    }

    /// Whether any document stands below another.
    pub(crate) fn has_blocks(&self) -> Result<bool> {
        self.blocks().map(|blocks| blocks.is_some())
    }

    /// The documents in blocks, where there are any.
    fn blocks(&self) -> Result<Option<&Blocks>> {
        if let Some(known) = self.blocks.get() {
            return Ok(known.as_ref());
        }
        let blocks = self.root_field.map(|field| Blocks::read(&self.reader, field)).transpose()?.flatten();
        Ok(self.blocks.get_or_init(|| blocks).as_ref())
    }

    fn living(&self, field: Field, text: &str) -> Result<Vec<DocId>> {
        let term = Term::from_field_text(field, text);
        let index = self.reader.inverted_index(field).map_err(from_tantivy)?;
        let postings = index.read_postings(&term, IndexRecordOption::Basic).map_err(from_tantivy)?;
        let Some(mut postings) = postings else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        while postings.doc() != TERMINATED {
            if !self.marks.is_dead(postings.doc()) {
                found.push(postings.doc());
            }
            postings.advance();
        }
        Ok(found)
    }

    pub(crate) fn version(&self, doc: DocId) -> Result<i64> {
        let column = self.reader.fast_fields().i64(VERSION_COLUMN).map_err(from_tantivy)?;
        column.first(doc).ok_or_else(|| Error::internal("a document has no version; rebuild the shard"))
    }

    /// The stored source of a document.
    pub(crate) fn source(&self, doc: DocId) -> Result<OwnedBytes> {
        stored_source::read(&self.store, doc)
    }

    /// Compressed bytes of a document's source, on average.
    pub(crate) fn source_bytes_mean(&self) -> u64 {
        self.source_bytes_mean
    }

    pub(crate) fn files(&self) -> &Arc<Files> {
        &self.files
    }

    pub(crate) fn filter(&self) -> &IdFilter {
        &self.filter
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.files.values().map(|bytes| bytes.len() as u64).sum()
    }

    /// What its documents were indexed by; `None` where nobody knows.
    pub(crate) fn indexed_by(&self) -> Option<&Arc<IndexedBy>> {
        self.indexed_by.as_ref()
    }

    pub(crate) fn is_persisted(&self) -> bool {
        self.persisted.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    pub(crate) fn persisted(&self) -> Option<Persisted> {
        self.persisted.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn set_persisted(&self, persisted: Persisted) {
        *self.persisted.lock().unwrap_or_else(PoisonError::into_inner) = Some(persisted);
    }
}

fn open_reader(files: &Arc<Files>, id: SegmentId, max_doc: u32, schema: &Schema) -> Result<SegmentReader> {
    SegmentReader::open(&tantivy_segment(files, id, max_doc, schema)?).map_err(from_tantivy)
}

fn tantivy_segment(
    files: &Arc<Files>,
    id: SegmentId,
    max_doc: u32,
    schema: &Schema,
) -> Result<tantivy::Segment> {
    let index = open_index(files.clone(), &[(id, max_doc)], schema)?;
    let mut segments = index.searchable_segments().map_err(from_tantivy)?;
    segments.pop().ok_or_else(|| Error::internal("a segment's own description names no segment"))
}

/// An index of the given segments under `schema`.
pub(crate) fn open_index(files: Arc<Files>, segments: &[(SegmentId, u32)], schema: &Schema) -> Result<Index> {
    let segments: Vec<_> = segments
        .iter()
        .map(|(id, max_doc)| serde_json::json!({ "segment_id": dashed(*id), "max_doc": max_doc, "deletes": null }))
        .collect();
    let meta = serde_json::json!({
        "index_settings": settings(), "segments": segments, "schema": schema, "opstamp": 0
    });
    Index::open(View::new(files, meta.to_string())).map_err(from_tantivy)
}

/// Settings of every segment: the document store is compressed by the thread that writes.
pub(crate) fn settings() -> IndexSettings {
    IndexSettings {
        docstore_compress_dedicated_thread: false,
        docstore_blocksize: STORE_BLOCK_BYTES,
        ..IndexSettings::default()
    }
}

/// The id filter's file, beside tantivy's.
pub(crate) const FILTER_EXTENSION: &str = "ids";

/// Of the file that holds a segment's [`IdFilter`].
pub(crate) fn filter_name(id: SegmentId) -> String {
    file_name(id, FILTER_EXTENSION)
}

/// A segment id as tantivy's meta file spells it.
fn dashed(id: SegmentId) -> String {
    let text = id.uuid_string();
    let part = |range: std::ops::Range<usize>| text.get(range).unwrap_or_default().to_owned();
    [part(0..8), part(8..12), part(12..16), part(16..20), part(20..32)].join("-")
}
