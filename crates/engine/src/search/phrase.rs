//! Documents that hold a phrase: those with a term for every place, then a look at the positions (`sloppy`).

use tantivy::postings::{Postings, SegmentPostings};
use tantivy::query::Scorer;
use tantivy::schema::IndexRecordOption;
use tantivy::{DocId, DocSet, Score, SegmentReader, TERMINATED};

use super::bm25::Similarity;
use super::node::PhraseNode;
use super::norms::Norms;
use super::sloppy::{self, Place};
use super::weight::{no_documents, postings};

pub(super) struct PhraseScorer {
    places: Vec<PlaceDocs>,
    slop: u32,
    doc: DocId,
    /// Of the current document.
    freq: f32,
    norms: Norms,
    similarity: Similarity,
    factor: Score,
}

/// The terms that may stand at one place.
struct PlaceDocs {
    offset: u32,
    group: Option<usize>,
    terms: Vec<SegmentPostings>,
    /// In the document last looked at.
    positions: Vec<u32>,
}

impl PhraseScorer {
    /// `None` when the segment lacks a place.
    pub(super) fn open(node: &PhraseNode, reader: &SegmentReader) -> tantivy::Result<Option<Self>> {
        let groups = groups(node);
        let mut places = Vec::with_capacity(node.positions.len());
        for ((offset, terms), group) in node.positions.iter().zip(groups) {
            let mut found = Vec::with_capacity(terms.len());
            for term in terms {
                found.extend(postings(reader, term, IndexRecordOption::WithFreqsAndPositions)?);
            }
            if found.is_empty() {
                return Ok(None);
            }
            places.push(PlaceDocs { offset: *offset, group, terms: found, positions: Vec::new() });
        }
        let norms = Norms::open(reader, node.scoring.norms)?;
        let similarity = node.scoring.similarity.clone();
        let mut scorer = Self { places, slop: node.slop, doc: 0, freq: 0.0, norms, similarity, factor: 1.0 };
        scorer.find(0);
        Ok(Some(scorer))
    }

    pub(super) fn boxed(
        node: &PhraseNode,
        reader: &SegmentReader,
        boost: Score,
    ) -> tantivy::Result<Box<dyn Scorer>> {
        let Some(mut scorer) = Self::open(node, reader)? else { return Ok(no_documents()) };
        scorer.factor = boost;
        Ok(Box::new(scorer))
    }

    pub(super) fn freq(&self) -> f32 {
        self.freq
    }

    pub(super) fn norm(&self) -> u8 {
        self.norms.of(self.doc)
    }

    /// Settles on the first match at or after `target`.
    fn find(&mut self, target: DocId) -> DocId {
        let mut candidate = target;
        loop {
            candidate = self.next_common(candidate);
            self.doc = candidate;
            if candidate == TERMINATED {
                return TERMINATED;
            }
            self.freq = self.frequency();
            if self.freq > 0.0 {
                return candidate;
            }
            candidate += 1;
        }
    }

    /// The first document at or after `target` with a term for every place.
    fn next_common(&mut self, target: DocId) -> DocId {
        let mut candidate = target;
        let mut agreed = 0;
        while agreed < self.places.len() && candidate < TERMINATED {
            agreed = 0;
            for place in &mut self.places {
                let doc = place.seek(candidate);
                if doc > candidate {
                    candidate = doc;
                    break;
                }
                agreed += 1;
            }
        }
        candidate.min(TERMINATED)
    }

    fn frequency(&mut self) -> f32 {
        let doc = self.doc;
        self.places.iter_mut().for_each(|place| place.load(doc));
        let places: Vec<Place<'_>> = self
            .places
            .iter()
            .map(|place| Place { offset: place.offset, positions: &place.positions, group: place.group })
            .collect();
        if self.slop == 0 {
            sloppy::exact_count(&places) as f32
        } else {
            sloppy::frequency(&places, self.slop)
        }
    }
}

/// Places that share a term, directly or through others, by the number of the first of them.
fn groups(node: &PhraseNode) -> Vec<Option<usize>> {
    let places = &node.positions;
    let mut group: Vec<usize> = (0..places.len()).collect();
    for later in 0..places.len() {
        for earlier in 0..later {
            if places[later].1.iter().any(|term| places[earlier].1.contains(term)) {
                let (from, to) = (group[later].max(group[earlier]), group[later].min(group[earlier]));
                group.iter_mut().filter(|number| **number == from).for_each(|number| *number = to);
            }
        }
    }
    let shared = |number: usize| group.iter().filter(|other| **other == number).count() > 1;
    group.iter().map(|number| shared(*number).then_some(*number)).collect()
}

impl PlaceDocs {
    fn seek(&mut self, target: DocId) -> DocId {
        for term in &mut self.terms {
            if term.doc() < target {
                term.seek(target);
            }
        }
        self.terms.iter().map(DocSet::doc).min().unwrap_or(TERMINATED)
    }

    fn load(&mut self, doc: DocId) {
        self.positions.clear();
        let mut here = 0;
        for term in self.terms.iter_mut().filter(|term| term.doc() == doc) {
            term.append_positions_with_offset(0, &mut self.positions);
            here += 1;
        }
        if here > 1 {
            self.positions.sort_unstable();
            self.positions.dedup();
        }
    }
}

impl DocSet for PhraseScorer {
    fn advance(&mut self) -> DocId {
        if self.doc == TERMINATED { TERMINATED } else { self.find(self.doc + 1) }
    }

    fn seek(&mut self, target: DocId) -> DocId {
        if self.doc < target { self.find(target.min(TERMINATED)) } else { self.doc }
    }

    fn doc(&self) -> DocId {
        self.doc
    }

    fn size_hint(&self) -> u32 {
        let hints = self
            .places
            .iter()
            .map(|place| place.terms.iter().map(DocSet::size_hint).fold(0, u32::saturating_add));
        hints.min().unwrap_or(0)
    }

    fn cost(&self) -> u64 {
        u64::from(self.size_hint()) * 10
    }
}

impl Scorer for PhraseScorer {
    fn score(&mut self) -> Score {
        self.similarity.score(self.freq, self.norm()) * self.factor
    }
}
