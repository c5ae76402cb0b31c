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
use crate::indexing::prepare::prepared::Prepared;
use crate::indexing::term_table::TermTable;
use crate::layout::Layout;
use crate::segment::alive::Marks;
use crate::segment::derived;
use crate::segment::directory::Output;
use crate::segment::id_filter::IdFilter;
use crate::segment::{Segment, SegmentParts, settings};

pub(crate) struct Builder {
    segment: TantivySegment,
    output: Output,
    layout: Arc<Layout>,
    postings: PostingsBuilder,
    columns: FastFieldsWriter,
    norms: FieldNormsWriter,
    stored: StoreWriter,
    marks: Arc<Marks>,
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

    /// Ends a group of documents prepared together, whose terms `group` holds.
    pub(crate) fn end_group(&mut self, group: &TermTable) {
        self.postings.end_group(group);
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
            persisted: None,
        };
        Segment::open(parts, &self.layout).map(Some)
    }
}
