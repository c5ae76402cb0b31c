//! The segment in memory that documents are added to, until it is sealed. One thread owns a builder while it adds; the
//! numbers of its documents are given out in advance, under the shard's lock, so that the id map can name them.

use std::sync::Arc;

use plan::Result;
use tantivy::directory::OwnedBytes;
use tantivy::tokenizer::{TextAnalyzer, TokenizerManager};
use tantivy::{IndexBuilder, SingleSegmentIndexWriter};

use crate::alive::Marks;
use crate::derived;
use crate::directory::Output;
use crate::errors::from_tantivy;
use crate::id_filter::IdFilter;
use crate::index_document::IndexDocument;
use crate::layout::Layout;
use crate::norm_file::Length;
use crate::prepare::Prepared;
use crate::replay::{REPLAY_TOKENIZER, ReplayTokenizer};
use crate::segment::{Segment, SegmentParts, settings};

/// Tantivy sizes its first hash table by this and flushes nothing by it; a larger one costs 1 ms a builder to zero.
const TABLE_BUDGET_BYTES: usize = 3_000_000;

pub(crate) struct Builder {
    writer: SingleSegmentIndexWriter<IndexDocument>,
    output: Output,
    layout: Arc<Layout>,
    marks: Arc<Marks>,
    hashes: Vec<u64>,
    lengths: Vec<Length>,
    /// Documents added.
    added: u32,
    /// Bytes of sources, which tantivy's count leaves out.
    source_bytes: usize,
}

impl Builder {
    pub(crate) fn new(layout: Arc<Layout>) -> Result<Self> {
        let output = Output::memory();
        let writer = IndexBuilder::new()
            .schema(layout.tantivy().clone())
            .settings(settings())
            .tokenizers(tokenizers())
            .single_segment_index_writer(output.clone(), TABLE_BUDGET_BYTES)
            .map_err(from_tantivy)?;
        Ok(Self {
            writer,
            output,
            layout,
            marks: Arc::default(),
            hashes: Vec::new(),
            lengths: Vec::new(),
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

    /// Adds a document whose version is set, as number [`Builder::next_doc`].
    pub(crate) fn add(&mut self, prepared: Prepared, id_hash: u64) -> Result<()> {
        let Prepared { document, lengths } = prepared;
        let doc = self.added;
        self.added += 1;
        self.lengths.extend(lengths.into_iter().map(|(field, length)| Length { field, doc, length }));
        self.hashes.push(id_hash);
        self.source_bytes += document.source.len();
        self.writer.add_document(document).map_err(from_tantivy)
    }

    /// Memory held: tantivy's own count with a third for what it leaves out (measured), the sources twice, as the id map
    /// keeps them until the next refresh.
    pub(crate) fn bytes(&self) -> usize {
        self.writer.mem_usage() / 3 * 4 + self.source_bytes * 2 + self.hashes.len() * 8
    }

    /// Closes the segment. `None` when nothing was added.
    pub(crate) fn seal(self) -> Result<Option<Arc<Segment>>> {
        if self.added == 0 {
            return Ok(None);
        }
        self.output.correct_lengths(self.lengths);
        let index = self.writer.finalize().map_err(from_tantivy)?;
        let meta = index.searchable_segment_metas().map_err(from_tantivy)?.pop();
        let Some(meta) = meta else { return Ok(None) };
        let derived = derived::files(&index, &self.layout)?;
        let mut files = self.output.take().0;
        files.extend(derived.into_iter().map(|(name, bytes)| (name.into(), OwnedBytes::new(bytes))));
        let parts = SegmentParts {
            id: meta.id(),
            max_doc: meta.max_doc(),
            files,
            marks: self.marks,
            filter: IdFilter::build(&self.hashes),
            persisted: None,
        };
        Segment::open(parts, &self.layout).map(Some)
    }
}

fn tokenizers() -> TokenizerManager {
    let manager = TokenizerManager::default();
    manager.register(REPLAY_TOKENIZER, TextAnalyzer::from(ReplayTokenizer::default()));
    manager
}
