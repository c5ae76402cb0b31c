//! The segment in memory that documents are added to, until it is sealed. One thread owns a builder while it
//! adds; the numbers of its documents are given out in advance, under the shard's lock, so that the id map
//! can name them.
//!
//! Columns, lengths and stored documents go to tantivy's writers, postings to ours (`postings_builder`); the
//! files are the same as tantivy's own.

use std::sync::Arc;

use plan::Result;
use tantivy::directory::{OwnedBytes, TerminatingWrite};
use tantivy::fastfield::FastFieldsWriter;
use tantivy::fieldnorm::{FieldNormsSerializer, FieldNormsWriter};
use tantivy::index::SegmentComponent;
use tantivy::store::StoreWriter;
use tantivy::tokenizer::TokenizerManager;
use tantivy::{Index, Segment as TantivySegment};

use crate::errors::from_tantivy;
use crate::indexing::postings_builder::PostingsBuilder;
use crate::indexing::prepare::Preparer;
use crate::indexing::prepare::prepared::Prepared;
use crate::layout::Layout;
use crate::layout::indexed_by::IndexedBy;
use crate::segment::alive::Marks;
use crate::segment::derived;
use crate::segment::directory::Output;
use crate::segment::id_filter::IdFilter;
use crate::segment::{Segment, SegmentParts, settings};

/// Under which layout a builder's documents were prepared. Its own says less: an edit that changes how texts
/// become terms, and no more, leaves a builder in use.
enum PreparedBy {
    None,
    /// Under this one, or under others that index alike.
    Layout(Arc<Layout>),
    Several,
}

impl PreparedBy {
    fn and(self, layout: &Arc<Layout>) -> Self {
        let known = match self {
            Self::None => return Self::Layout(layout.clone()),
            Self::Several => return Self::Several,
            Self::Layout(known) => known,
        };
        if Arc::ptr_eq(&known, layout) || known.indexes_alike(layout.indexed_by()) {
            Self::Layout(known)
        } else if layout.indexes_alike(known.indexed_by()) {
            Self::Layout(layout.clone())
        } else {
            Self::Several
        }
    }

    fn indexed_by(&self) -> Option<Arc<IndexedBy>> {
        match self {
            Self::Layout(layout) => Some(Arc::new(layout.indexed_by().clone())),
            Self::None | Self::Several => None,
        }
    }
}

pub(crate) struct Builder {
    segment: TantivySegment,
    output: Output,
    layout: Arc<Layout>,
    postings: PostingsBuilder,
    columns: FastFieldsWriter,
    norms: FieldNormsWriter,
    stored: StoreWriter,
    marks: Arc<Marks>,
    prepared_by: PreparedBy,
    hashes: Vec<u64>,
    /// Documents added.
    added: u32,
    /// Bytes of sources, which tantivy's count leaves out.
    source_bytes: usize,
}

impl Builder {
    pub(crate) fn new(layout: Arc<Layout>) -> Result<Self> {
        Self::open(layout).map_err(from_tantivy)
    }

    fn open(layout: Arc<Layout>) -> tantivy::Result<Self> {
        let output = Output::memory();
        let (schema, settings) = (layout.tantivy(), settings());
        let segment = Index::create(output.clone(), schema.clone(), settings.clone())?.new_segment();
        let store_file = segment.open_write(SegmentComponent::Store)?;
        let (compressor, block_bytes) = (settings.docstore_compression, settings.docstore_blocksize);
        Ok(Self {
            postings: PostingsBuilder::new(schema),
            columns: FastFieldsWriter::from_schema_and_tokenizer_manager(
                schema,
                TokenizerManager::default(),
            )?,
            norms: FieldNormsWriter::for_schema(schema),
            stored: StoreWriter::new(store_file, compressor, block_bytes, false)?,
            segment,
            output,
            layout,
            marks: Arc::default(),
            prepared_by: PreparedBy::None,
            hashes: Vec::new(),
            added: 0,
            source_bytes: 0,
        })
    }

    pub(crate) fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    pub(crate) fn marks(&self) -> &Arc<Marks> {
        &self.marks
    }

    /// The number the next document gets.
    pub(crate) fn next_doc(&self) -> u32 {
        self.added
    }

    /// Adds a document whose version is set, as number [`Builder::next_doc`]. [`Builder::end_group`] must
    /// follow before the table that its terms are of changes.
    pub(crate) fn add(&mut self, prepared: &Prepared, id_hash: u64) -> Result<()> {
        let Prepared { document, tokens, lengths } = prepared;
        let doc = self.added;
        self.added += 1;
        lengths.iter().for_each(|(field, length)| self.norms.record(doc, *field, *length));
        self.hashes.push(id_hash);
        self.source_bytes += document.source.len();
        self.postings.add(doc, tokens);
        self.columns.add_document(document).map_err(from_tantivy)?;
        self.stored.store(document, self.layout.tantivy()).map_err(from_tantivy)
    }

    /// Ends a group of documents prepared together, whose terms the preparer's table holds.
    pub(crate) fn end_group(&mut self, preparer: &Preparer) {
        self.postings.end_group(preparer.terms());
        let before = std::mem::replace(&mut self.prepared_by, PreparedBy::None);
        self.prepared_by = before.and(preparer.layout());
    }

    /// Memory held: the writers' own counts with a third for what tantivy's leave out (measured), the sources
    /// twice, as the id map keeps them until the next refresh.
    pub(crate) fn bytes(&self) -> usize {
        let tantivy = self.columns.mem_usage() + self.norms.mem_usage() + self.stored.mem_usage();
        tantivy / 3 * 4 + self.postings.memory() + self.source_bytes * 2 + self.hashes.len() * 8
    }

    /// Closes the segment. `None` when nothing was added.
    pub(crate) fn seal(mut self) -> Result<Option<Arc<Segment>>> {
        if self.added == 0 {
            return Ok(None);
        }
        let max_doc = self.added;
        self.norms.fill_up_to_max_doc(max_doc);
        let norms_file = self.segment.open_write(SegmentComponent::FieldNorms).map_err(from_tantivy)?;
        let norms_file = FieldNormsSerializer::from_write(norms_file).map_err(from_tantivy)?;
        self.norms.serialize(norms_file, None).map_err(from_tantivy)?;
        self.postings.serialize(&self.segment).map_err(from_tantivy)?;
        let mut columns_file = self.segment.open_write(SegmentComponent::FastFields).map_err(from_tantivy)?;
        self.columns.serialize(&mut columns_file, None).map_err(from_tantivy)?;
        columns_file.terminate().map_err(from_tantivy)?;
        self.stored.close().map_err(from_tantivy)?;
        let segment = self.segment.with_max_doc(max_doc);
        let derived = derived::files(&segment, &self.layout)?;
        let mut files = self.output.take_files().0;
        files.extend(derived.into_iter().map(|(name, bytes)| (name.into(), OwnedBytes::new(bytes))));
        let parts = SegmentParts {
            id: segment.id(),
            max_doc,
            files,
            marks: self.marks,
            filter: IdFilter::build(&self.hashes),
            indexed_by: self.prepared_by.indexed_by(),
            persisted: None,
        };
        Segment::open(parts, &self.layout).map(Some)
    }
}
