//! The exact score of one document after another, in ascending order: Lucene's formulas in Lucene's precision and order of
//! addition, so that equal documents score equal and ties fall to index order as in Solr. Candidates come from `weight`.

use std::sync::Arc;

use plan::Result;
use tantivy::postings::{Postings, SegmentPostings};
use tantivy::query::{EmptyScorer, Scorer};
use tantivy::schema::{IndexRecordOption, Schema};
use tantivy::{DocId, DocSet, SegmentReader};

use super::bm25::{NO_NORM, Similarity};
use super::error::engine_error;
use super::function::FunctionScore;
use super::node::{BooleanNode, Node, TermNode};
use super::norms::Norms;
use super::phrase::PhraseScorer;
use super::preset::PresetAt;
use super::synonym::SynonymScorer;
use super::weight::{postings, unscored};

/// A node in one segment.
pub(crate) enum Evaluator {
    Nothing,
    Constant { docs: Box<dyn Scorer>, score: f32 },
    Term(Box<TermAt>),
    Synonym(Box<SynonymScorer>, Similarity),
    Phrase(Box<PhraseScorer>, Similarity),
    Boolean(BooleanAt),
    Function(Box<FunctionScore>),
    Boosted { inner: Box<Evaluator>, by: Box<FunctionScore> },
    DisjunctionMax { parts: Vec<Evaluator>, tie_breaker: f32 },
    Preset(PresetAt),
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
    pub(crate) fn open(schema: &Schema, node: &Node, reader: &SegmentReader) -> Result<Self> {
        Ok(match node {
            Node::Nothing => Evaluator::Nothing,
            Node::Constant(constant) => {
                let docs = unscored(schema, node)?.scorer(reader, 1.0).map_err(engine_error)?;
                if docs.is::<EmptyScorer>() {
                    return Ok(Evaluator::Nothing);
                }
                Evaluator::Constant { docs, score: constant.score }
            }
            Node::Term(term) => TermAt::open(term, reader)?,
            Node::Synonym(synonym) => match SynonymScorer::open(synonym, reader).map_err(engine_error)? {
                Some(scorer) => Evaluator::Synonym(Box::new(scorer), synonym.scoring.similarity.clone()),
                None => Evaluator::Nothing,
            },
            Node::Phrase(phrase) => match PhraseScorer::open(phrase, reader).map_err(engine_error)? {
                Some(scorer) => Evaluator::Phrase(Box::new(scorer), phrase.scoring.similarity.clone()),
                None => Evaluator::Nothing,
            },
            Node::Function(node) => Evaluator::Function(Box::new(FunctionScore::open(node, reader)?)),
            Node::Boosted(boosted) => Evaluator::Boosted {
                inner: Box::new(Evaluator::open(schema, &boosted.node, reader)?),
                by: Box::new(FunctionScore::open(&boosted.by, reader)?),
            },
            Node::Preset(preset) => Evaluator::Preset(preset.at(reader)),
            Node::Boolean(boolean) => Evaluator::Boolean(BooleanAt::open(schema, boolean, reader)?),
            Node::DisjunctionMax { nodes, tie_breaker } => Evaluator::DisjunctionMax {
                parts: open_all(schema, nodes, reader)?,
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
            Evaluator::Preset(preset) => preset.score(doc),
            Evaluator::Function(function) => Some(function.score(doc)),
            Evaluator::Boosted { inner, by } => inner.score(doc).map(|score| by.boosted(doc, score)),
            Evaluator::DisjunctionMax { parts, tie_breaker } => {
                best_and_rest(parts.iter_mut().filter_map(|part| part.score(doc)), *tie_breaker)
            }
        }
    }
}

impl Evaluator {
    /// The scores of documents, at most [`BLOCK`](super::function::BLOCK) of them, all of which match.
    pub(crate) fn scores(&mut self, docs: &[DocId], scores: &mut [f32]) {
        match self {
            Evaluator::Function(function) => function.scores(docs, scores),
            Evaluator::Boosted { inner, by } => {
                inner.scores(docs, scores);
                by.boost_all(docs, scores);
            }
            Evaluator::Boolean(boolean) => boolean.scores(docs, scores),
            other => other.scores_any(docs, scores),
        }
    }

    /// The same of documents that need not match: 0 for those that do not.
    fn scores_any(&mut self, docs: &[DocId], scores: &mut [f32]) {
        if let Evaluator::Function(function) = self {
            return function.scores(docs, scores);
        }
        let each = docs.iter().zip(scores);
        each.for_each(|(doc, score)| *score = self.score(*doc).unwrap_or(0.0));
    }

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

fn open_all(schema: &Schema, nodes: &[Node], reader: &SegmentReader) -> Result<Vec<Evaluator>> {
    nodes.iter().map(|node| Evaluator::open(schema, node, reader)).collect()
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

fn add(sums: &mut [f64], scores: &[f32]) {
    sums.iter_mut().zip(scores).for_each(|(sum, score)| *sum += f64::from(*score));
}

impl TermAt {
    fn open(node: &Arc<TermNode>, reader: &SegmentReader) -> Result<Evaluator> {
        let option = if node.varies { IndexRecordOption::WithFreqs } else { IndexRecordOption::Basic };
        let Some(postings) = postings(reader, &node.term, option).map_err(engine_error)? else {
            return Ok(Evaluator::Nothing);
        };
        let norms = Norms::open(reader, node.scoring.norms).map_err(engine_error)?;
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
    fn open(schema: &Schema, node: &BooleanNode, reader: &SegmentReader) -> Result<Self> {
        Ok(Self {
            required: open_all(schema, &node.required, reader)?,
            optional: open_all(schema, &node.optional, reader)?,
            prohibited: open_all(schema, &node.prohibited, reader)?,
            filters: open_all(schema, &node.filters, reader)?,
            minimum: node.minimum,
        })
    }

    /// Of documents that match, so that what only restricts need not be asked again.
    fn scores(&mut self, docs: &[DocId], scores: &mut [f32]) {
        let mut required = vec![0.0f64; docs.len()];
        for part in &mut self.required {
            part.scores(docs, scores);
            add(&mut required, scores);
        }
        let mut optional = vec![0.0f64; docs.len()];
        for part in &mut self.optional {
            part.scores_any(docs, scores);
            add(&mut optional, scores);
        }
        let sums = required.iter().zip(&optional);
        scores.iter_mut().zip(sums).for_each(|(score, (sum, more))| *score = *sum as f32 + *more as f32);
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
