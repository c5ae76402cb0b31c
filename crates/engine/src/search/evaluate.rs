//! The exact score of one document after another, in ascending order: Lucene's formulas in Lucene's precision and order of
//! addition, so that equal documents score equal and ties fall to index order as in Solr. Candidates come from `weight`.

use std::sync::Arc;

use plan::Result;
use tantivy::postings::{Postings, SegmentPostings};
use tantivy::query::{EmptyScorer, Scorer};
use tantivy::schema::IndexRecordOption;
use tantivy::{DocId, DocSet};

use super::bm25::{NO_NORM, Similarity};
use super::error::engine_error;
use super::node::{BooleanNode, Node, TermNode};
use super::norms::Norms;
use super::phrase::PhraseScorer;
use super::synonym::SynonymScorer;
use super::weight::{postings, unscored};
use super::{SearchContext, SearchSegment};

/// A node in one segment.
pub(crate) enum Evaluator {
    Nothing,
    Constant { docs: Box<dyn Scorer>, score: f32 },
    Term(Box<TermAt>),
    Synonym(Box<SynonymScorer>, Similarity),
    Phrase(Box<PhraseScorer>, Similarity),
    Boolean(BooleanAt),
    DisjunctionMax { parts: Vec<Evaluator>, tie_breaker: f32 },
}

pub(crate) struct TermAt {
    postings: SegmentPostings,
    norms: Norms,
    similarity: Similarity,
    varies: bool,
}

pub(crate) struct BooleanAt {
    required: Vec<Evaluator>,
    optional: Vec<Evaluator>,
    prohibited: Vec<Evaluator>,
    filters: Vec<Evaluator>,
    minimum: usize,
}

/// Moves `docs` to `doc` and says whether it stands there.
fn at<D: DocSet + ?Sized>(docs: &mut D, doc: DocId) -> bool {
    if docs.doc() < doc {
        docs.seek(doc);
    }
    docs.doc() == doc
}

impl Evaluator {
    pub(crate) fn open(
        context: &SearchContext<'_>,
        node: &Node,
        segment: &SearchSegment<'_>,
    ) -> Result<Self> {
        let reader = segment.reader;
        Ok(match node {
            Node::Nothing => Evaluator::Nothing,
            Node::Constant(constant) => {
                let docs = unscored(context, node)?.scorer(reader, 1.0).map_err(engine_error)?;
                if docs.is::<EmptyScorer>() {
                    return Ok(Evaluator::Nothing);
                }
                Evaluator::Constant { docs, score: constant.score }
            }
            Node::Term(term) => TermAt::open(term, segment)?,
            Node::Synonym(synonym) => match SynonymScorer::open(synonym, reader).map_err(engine_error)? {
                Some(scorer) => Evaluator::Synonym(Box::new(scorer), synonym.scoring.similarity.clone()),
                None => Evaluator::Nothing,
            },
            Node::Phrase(phrase) => match PhraseScorer::open(phrase, reader).map_err(engine_error)? {
                Some(scorer) => Evaluator::Phrase(Box::new(scorer), phrase.scoring.similarity.clone()),
                None => Evaluator::Nothing,
            },
            Node::Boolean(boolean) => Evaluator::Boolean(BooleanAt::open(context, boolean, segment)?),
            Node::DisjunctionMax { nodes, tie_breaker } => Evaluator::DisjunctionMax {
                parts: open_all(context, nodes, segment)?,
                tie_breaker: *tie_breaker,
            },
        })
    }

    /// The score of `doc`, `None` when it does not match. Never to be asked for an earlier document than before.
    pub(crate) fn score(&mut self, doc: DocId) -> Option<f32> {
        match self {
            Evaluator::Nothing => None,
            Evaluator::Constant { docs, score } => at(docs, doc).then_some(*score),
            Evaluator::Term(term) => term.score(doc),
            Evaluator::Synonym(scorer, similarity) => {
                at(&mut **scorer, doc).then(|| similarity.score(scorer.freq(), scorer.norm()))
            }
            Evaluator::Phrase(scorer, similarity) => {
                at(&mut **scorer, doc).then(|| similarity.score(scorer.freq(), scorer.norm()))
            }
            Evaluator::Boolean(boolean) => boolean.score(doc),
            Evaluator::DisjunctionMax { parts, tie_breaker } => {
                best_and_rest(parts.iter_mut().filter_map(|part| part.score(doc)), *tie_breaker)
            }
        }
    }
}

impl Evaluator {
    /// (frequency, norm) behind the score just given for `doc`; only terms, synonyms and phrases have them.
    pub(crate) fn counts(&self, doc: DocId) -> Option<(f32, u8)> {
        match self {
            Evaluator::Term(term) => Some(term.counts(doc)),
            Evaluator::Synonym(scorer, _) => Some((scorer.freq(), scorer.norm())),
            Evaluator::Phrase(scorer, _) => Some((scorer.freq(), scorer.norm())),
            _ => None,
        }
    }
}

fn open_all(
    context: &SearchContext<'_>,
    nodes: &[Node],
    segment: &SearchSegment<'_>,
) -> Result<Vec<Evaluator>> {
    nodes.iter().map(|node| Evaluator::open(context, node, segment)).collect()
}

/// The greatest score, plus the tie breaker's share of the others.
fn best_and_rest(scores: impl Iterator<Item = f32>, tie_breaker: f32) -> Option<f32> {
    let (mut best, mut rest, mut any) = (0.0f64, 0.0f64, false);
    for score in scores {
        let score = f64::from(score);
        any = true;
        if score >= best {
            rest += best;
            best = score;
        } else {
            rest += score;
        }
    }
    any.then_some((best + rest * f64::from(tie_breaker)) as f32)
}

impl TermAt {
    fn open(node: &Arc<TermNode>, segment: &SearchSegment<'_>) -> Result<Evaluator> {
        let option = if node.varies { IndexRecordOption::WithFreqs } else { IndexRecordOption::Basic };
        let Some(postings) = postings(segment.reader, &node.term, option).map_err(engine_error)? else {
            return Ok(Evaluator::Nothing);
        };
        let norms = Norms::open(segment.reader, node.scoring.norms).map_err(engine_error)?;
        let similarity = node.scoring.similarity.clone();
        Ok(Evaluator::Term(Box::new(TermAt { postings, norms, similarity, varies: node.varies })))
    }

    /// (frequency, norm) in `doc`, on which the postings stand.
    fn counts(&self, doc: DocId) -> (f32, u8) {
        if self.varies { (self.postings.term_freq() as f32, self.norms.of(doc)) } else { (1.0, NO_NORM) }
    }

    fn score(&mut self, doc: DocId) -> Option<f32> {
        if !at(&mut self.postings, doc) {
            return None;
        }
        let (freq, norm) = self.counts(doc);
        Some(self.similarity.score(freq, norm))
    }
}

impl BooleanAt {
    fn open(context: &SearchContext<'_>, node: &BooleanNode, segment: &SearchSegment<'_>) -> Result<Self> {
        Ok(Self {
            required: open_all(context, &node.required, segment)?,
            optional: open_all(context, &node.optional, segment)?,
            prohibited: open_all(context, &node.prohibited, segment)?,
            filters: open_all(context, &node.filters, segment)?,
            minimum: node.minimum,
        })
    }

    fn score(&mut self, doc: DocId) -> Option<f32> {
        let mut required = 0.0f64;
        for part in &mut self.required {
            required += f64::from(part.score(doc)?);
        }
        if !self.filters.iter_mut().all(|part| part.score(doc).is_some())
            || self.prohibited.iter_mut().any(|part| part.score(doc).is_some())
        {
            return None;
        }
        let (mut optional, mut matched) = (0.0f64, 0);
        for score in self.optional.iter_mut().filter_map(|part| part.score(doc)) {
            optional += f64::from(score);
            matched += 1;
        }
        (matched >= self.minimum).then_some(required as f32 + optional as f32)
    }
}
