//! Terms that score as one: their frequencies, each times its boost, are added before BM25 sees them (Lucene's
//! `SynonymQuery`).

use tantivy::postings::{Postings, SegmentPostings};
use tantivy::query::Scorer;
use tantivy::schema::IndexRecordOption;
use tantivy::{DocId, DocSet, Score, SegmentReader, TERMINATED};

use super::node::{SynonymNode, TermNode};
use super::norms::Norms;
use super::weight::{no_documents, postings};

pub(super) struct SynonymScorer {
    terms: Vec<(SegmentPostings, f32)>,
    doc: DocId,
    norms: Norms,
    similarity: super::bm25::Similarity,
    factor: Score,
}

impl SynonymScorer {
    /// `None` when the segment has none of the terms.
    pub(super) fn open(node: &SynonymNode, reader: &SegmentReader) -> tantivy::Result<Option<Self>> {
        let mut terms = Vec::with_capacity(node.terms.len());
        for (term, boost) in &node.terms {
            if let Some(found) = postings(reader, term, IndexRecordOption::WithFreqs)? {
                terms.push((found, *boost));
            }
        }
        if terms.is_empty() {
            return Ok(None);
        }
        let norms = Norms::open(reader, node.scoring.norms)?;
        let similarity = node.scoring.similarity.clone();
        let mut scorer = Self { terms, doc: 0, norms, similarity, factor: 1.0 };
        scorer.settle();
        Ok(Some(scorer))
    }

    pub(super) fn boxed(
        node: &SynonymNode,
        reader: &SegmentReader,
        boost: Score,
    ) -> tantivy::Result<Box<dyn Scorer>> {
        let Some(mut scorer) = Self::open(node, reader)? else { return Ok(no_documents()) };
        scorer.factor = boost;
        Ok(Box::new(scorer))
    }

    /// One term, for fields that tantivy's own scorer cannot prune.
    pub(super) fn of_term(
        node: &TermNode,
        reader: &SegmentReader,
        boost: Score,
    ) -> tantivy::Result<Box<dyn Scorer>> {
        let terms = vec![(node.term.clone(), 1.0)];
        let synonym = SynonymNode { terms, label: String::new(), scoring: node.scoring.clone() };
        Self::boxed(&synonym, reader, boost)
    }

    /// The summed frequency in the current document.
    pub(super) fn freq(&self) -> f32 {
        let here = self.terms.iter().filter(|(postings, _)| postings.doc() == self.doc);
        here.map(|(postings, boost)| boost * postings.term_freq() as f32).sum()
    }

    pub(super) fn norm(&self) -> u8 {
        self.norms.of(self.doc)
    }

    fn settle(&mut self) {
        self.doc = self.terms.iter().map(|(postings, _)| postings.doc()).min().unwrap_or(TERMINATED);
    }
}

impl DocSet for SynonymScorer {
    fn advance(&mut self) -> DocId {
        if self.doc == TERMINATED {
            return TERMINATED;
        }
        for (postings, _) in &mut self.terms {
            if postings.doc() == self.doc {
                postings.advance();
            }
        }
        self.settle();
        self.doc
    }

    fn seek(&mut self, target: DocId) -> DocId {
        for (postings, _) in &mut self.terms {
            if postings.doc() < target {
                postings.seek(target);
            }
        }
        self.settle();
        self.doc
    }

    fn doc(&self) -> DocId {
        self.doc
    }

    fn size_hint(&self) -> u32 {
        self.terms.iter().map(|(postings, _)| postings.size_hint()).fold(0, u32::saturating_add)
    }
}

impl Scorer for SynonymScorer {
    fn score(&mut self) -> Score {
        self.similarity.score(self.freq(), self.norm()) * self.factor
    }
}
