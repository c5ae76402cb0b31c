//! Terms that score as one: their frequencies, each times its boost, are added before BM25 sees them
//! (Lucene's `SynonymQuery`). In: a node with its terms; out: a frequency and a norm for a document, from
//! which the caller makes a score. Which terms belong together was decided by the analyzer.

use plan::Result;
use tantivy::{DocId, SegmentReader};

use super::leaf_nodes::SynonymNode;
use super::norms::Norms;
use crate::errors::from_tantivy;
use crate::segment::postings::TermBlocks;

/// A synonym in one segment.
pub(super) struct SynonymAt {
    terms: Vec<(TermBlocks, f32)>,
    norms: Norms,
}

impl SynonymAt {
    /// `None` when the segment has none of the terms.
    pub(super) fn open(node: &SynonymNode, reader: &SegmentReader) -> Result<Option<Self>> {
        let Some((_, view)) = node.scoring.views.of(reader) else { return Ok(None) };
        let mut terms = Vec::with_capacity(node.terms.len());
        for (term, boost) in &node.terms {
            terms.extend(view.term_blocks(term)?.map(|blocks| (blocks, *boost)));
        }
        let norms = Norms::open(reader, node.scoring.norms).map_err(from_tantivy)?;
        Ok((!terms.is_empty()).then_some(Self { terms, norms }))
    }

    /// (summed frequency, norm) in `doc`, if it has any of the terms. Never to be asked for an earlier
    /// document than before.
    pub(super) fn counts(&mut self, doc: DocId) -> Option<(f32, u8)> {
        let (mut sum, mut any) = (0.0, false);
        for (blocks, boost) in &mut self.terms {
            if let Some(freq) = blocks.freq_in(doc) {
                (sum, any) = (sum + *boost * freq as f32, true);
            }
        }
        any.then(|| (sum, self.norms.of(doc)))
    }
}
