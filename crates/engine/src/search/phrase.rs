//! How often a phrase with slop, or with several terms at a place, stands in a document, by the positions of
//! its terms (`sloppy`). Phrases of one term a place without slop have a quicker way (`terms::phrase`).
//!
//! In: a phrase node and a segment; out: frequency and norm of a document, from which the score is made
//! (`bm25`). Goes forward only: documents are asked for in ascending order.

use plan::Result;
use tantivy::{DocId, SegmentReader, Term};

use super::leaf_nodes::PhraseNode;
use super::norms::Norms;
use super::sloppy::{self, PhraseSlot};
use crate::errors::from_tantivy;
use crate::segment::postings::TermBlocks;
use crate::segment::postings::positions::TermPositions;
use crate::snapshot::SegmentView;

/// A phrase in one segment.
pub(super) struct PhraseAt {
    places: Vec<PlaceAt>,
    slop: u32,
    norms: Norms,
}

/// The terms that may stand at one place.
struct PlaceAt {
    offset: u32,
    group: Option<usize>,
    terms: Vec<(TermBlocks, TermPositions)>,
    /// In the document last looked at.
    positions: Vec<u32>,
}

impl PhraseAt {
    /// `None` when the segment lacks a place.
    pub(super) fn open(node: &PhraseNode, reader: &SegmentReader) -> Result<Option<Self>> {
        let Some((_, view)) = node.scoring.views.of(reader) else { return Ok(None) };
        let mut places = Vec::with_capacity(node.positions.len());
        for (at, (offset, terms)) in node.positions.iter().enumerate() {
            let mut found = Vec::with_capacity(terms.len());
            for term in terms {
                found.extend(with_positions(view, term)?);
            }
            if found.is_empty() {
                return Ok(None);
            }
            let group = node.groups.get(at).copied().flatten();
            places.push(PlaceAt { offset: *offset, group, terms: found, positions: Vec::new() });
        }
        let norms = Norms::open(reader, node.scoring.norms).map_err(from_tantivy)?;
        Ok(Some(Self { places, slop: node.slop, norms }))
    }

    /// (frequency, norm) in `doc`, if the phrase stands there. Never to be asked for an earlier document than
    /// before.
    pub(super) fn counts(&mut self, doc: DocId) -> Option<(f32, u8)> {
        if !self.places.iter_mut().all(|place| place.load(doc)) {
            return None;
        }
        let places: Vec<PhraseSlot<'_>> = self.places.iter().map(PlaceAt::loaded).collect();
        let freq = match self.slop {
            0 => sloppy::exact_count(&places) as f32,
            slop => sloppy::frequency(&places, slop),
        };
        (freq > 0.0).then(|| (freq, self.norms.of(doc)))
    }
}

/// Where a term's documents and positions are, if the segment has it.
pub(crate) fn with_positions(view: &SegmentView, term: &Term) -> Result<Option<(TermBlocks, TermPositions)>> {
    let Some(info) = view.term_info(term)? else { return Ok(None) };
    let Some(positions) = view.postings().positions(term.field(), &info)? else { return Ok(None) };
    Ok(Some((view.postings().blocks(view.reader(), term.field(), &info)?, positions)))
}

impl PlaceAt {
    fn loaded(&self) -> PhraseSlot<'_> {
        PhraseSlot { offset: self.offset, positions: &self.positions, group: self.group }
    }

    /// Reads the positions of `doc`; false when it has none of the terms.
    fn load(&mut self, doc: DocId) -> bool {
        self.positions.clear();
        let mut here = 0;
        for (blocks, positions) in &mut self.terms {
            let Some((start, count)) = blocks.positions_of(doc) else { continue };
            let mut position = 0u32;
            positions.read(start, count, |delta| {
                position = position.wrapping_add(delta);
                self.positions.push(position);
            });
            here += 1;
        }
        if here > 1 {
            self.positions.sort_unstable();
            self.positions.dedup();
        }
        here > 0
    }
}
