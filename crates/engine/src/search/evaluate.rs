//! The exact score of one document after another, in ascending order: Lucene's formulas in Lucene's precision
//! and order of addition, so that equal documents score equal and ties fall to index order as in Solr. Which
//! documents match is decided by `matches`.

use std::sync::Arc;

use plan::Result;
use tantivy::postings::SegmentPostings;
use tantivy::schema::{IndexRecordOption, Schema};
use tantivy::{DocId, DocSet, SegmentReader};

use super::bm25::Similarity;
use super::function::FunctionScore;
use super::leaf_nodes::{PhraseNode, TermNode};
use super::node::{BooleanNode, DocSource, Node};
use super::phrase::PhraseAt;
use super::preset::PresetAt;
use super::sets::postings;
use super::span::SpanAt;
use super::synonym::SynonymAt;
use super::terms::{ExactPhrase, ExactPlaces, ScoredTerm};
use crate::segment::bits::Bits;

/// A node in one segment.
pub(crate) enum Evaluator {
    Nothing,
    Constant { docs: ConstantDocs, score: f32 },
    Term(Box<ScoredTerm>),
    Synonym(Box<SynonymAt>, Similarity),
    Phrase(Box<ExactPlaces>, Similarity),
    SloppyPhrase(Box<PhraseAt>, Similarity),
    Span(Box<SpanAt>),
    Boolean(BooleanAt),
    Function(Box<FunctionScore>),
    Boosted { inner: Box<Evaluator>, by: Box<FunctionScore> },
    DisjunctionMax { parts: Vec<Evaluator>, tie_breaker: f32 },
    Preset(PresetAt),
}

pub(crate) struct BooleanAt {
    required: Vec<Evaluator>,
    optional: Vec<Evaluator>,
    prohibited: Vec<Evaluator>,
    filters: Vec<Evaluator>,
    minimum: usize,
    /// There are some, and none reads positions.
    required_are_cheap: bool,
}

/// Documents whose scores do not matter.
pub(crate) enum ConstantDocs {
    All,
    Bits(Arc<Bits>),
    Postings(Option<Box<SegmentPostings>>),
    Matches(Box<Evaluator>),
}

impl ConstantDocs {
    fn open(schema: &Schema, source: &DocSource, reader: &SegmentReader) -> Result<Self> {
        Ok(match source {
            DocSource::All => ConstantDocs::All,
            DocSource::Term(term) => {
                let found = postings(reader, term, IndexRecordOption::Basic)?;
                ConstantDocs::Postings(found.map(Box::new))
            }
            DocSource::Computed(computed) => ConstantDocs::Bits(computed.bits(reader)?),
            DocSource::FunctionRange(range) => ConstantDocs::Bits(range.computed().bits(reader)?),
            DocSource::Node(inner) => {
                ConstantDocs::Matches(Box::new(Evaluator::open(schema, inner, reader)?))
            }
        })
    }

    fn contain(&mut self, doc: DocId) -> bool {
        match self {
            ConstantDocs::All => true,
            ConstantDocs::Bits(bits) => bits.contains(doc),
            ConstantDocs::Postings(None) => false,
            ConstantDocs::Postings(Some(postings)) => {
                if postings.doc() < doc {
                    postings.seek(doc);
                }
                postings.doc() == doc
            }
            ConstantDocs::Matches(inner) => inner.score(doc).is_some(),
        }
    }
}

impl Evaluator {
    pub(crate) fn open(schema: &Schema, node: &Node, reader: &SegmentReader) -> Result<Self> {
        Ok(match node {
            Node::Nothing => Evaluator::Nothing,
            Node::Constant(constant) => {
                let docs = ConstantDocs::open(schema, &constant.source, reader)?;
                Evaluator::Constant { docs, score: constant.score }
            }
            Node::Term(term) => open_term(term, reader)?,
            Node::Synonym(synonym) => match SynonymAt::open(synonym, reader)? {
                Some(at) => Evaluator::Synonym(Box::new(at), synonym.scoring.similarity.clone()),
                None => Evaluator::Nothing,
            },
            Node::Phrase(phrase) => open_phrase(phrase, reader)?,
            Node::Span(span) => {
                SpanAt::open(span, reader)?.map_or(Evaluator::Nothing, |at| Evaluator::Span(Box::new(at)))
            }
            Node::Function(node) => Evaluator::Function(Box::new(FunctionScore::open(node, reader)?)),
            Node::Boosted(boosted) => Evaluator::Boosted {
                inner: Box::new(Evaluator::open(schema, &boosted.node, reader)?),
                by: Box::new(FunctionScore::open(&boosted.by, reader)?),
            },
            Node::Preset(preset) => Evaluator::Preset(preset.preset.at(reader)),
            Node::Boolean(boolean) => Evaluator::Boolean(BooleanAt::open(schema, boolean, reader)?),
            Node::DisjunctionMax { nodes, tie_breaker } => Evaluator::DisjunctionMax {
                parts: open_all(schema, nodes, reader)?,
                tie_breaker: *tie_breaker,
            },
        })
    }

    /// The score of `doc`, `None` when it does not match. Never to be asked for an earlier document than
    /// before.
    pub(crate) fn score(&mut self, doc: DocId) -> Option<f32> {
        match self {
            Evaluator::Nothing => None,
            Evaluator::Constant { docs, score } => docs.contain(doc).then_some(*score),
            Evaluator::Term(term) => term.score_of(doc),
            Evaluator::Synonym(synonym, similarity) => {
                synonym.counts(doc).map(|(freq, norm)| similarity.score(freq, norm))
            }
            Evaluator::Phrase(phrase, similarity) => {
                phrase.counts(doc).map(|(freq, norm)| similarity.score(freq, norm))
            }
            Evaluator::SloppyPhrase(phrase, similarity) => {
                phrase.counts(doc).map(|(freq, norm)| similarity.score(freq, norm))
            }
            Evaluator::Span(span) => span.score(doc),
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
    /// The score of `doc`, which matches, unless that is not over `bar`: what costs least is looked at first.
    /// For nodes that have bounds.
    pub(crate) fn score_over(&mut self, doc: DocId, bar: f32) -> Option<f32> {
        match self {
            Evaluator::Boolean(boolean) if boolean.required_are_cheap => boolean.score_over(doc, bar),
            other => {
                if other.bound_of(doc) > bar {
                    other.score(doc)
                } else {
                    None
                }
            }
        }
    }

    /// The scores of documents, at most [`DOC_BATCH`](super::function::DOC_BATCH) of them, all of which
    /// match.
    pub(crate) fn scores(&mut self, docs: &[DocId], scores: &mut [f32]) {
        match self {
            Evaluator::Function(function) => function.scores(docs, scores),
            Evaluator::Boosted { inner, by } => {
                inner.scores(docs, scores);
                by.boost_all(docs, scores);
            }
            Evaluator::Boolean(boolean) => boolean.scores(docs, scores),
            Evaluator::Term(term) => term.scores(docs, scores),
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

    /// (frequency, norm) behind the score just given for `doc`; only terms, synonyms, phrases and spans have
    /// them.
    pub(crate) fn counts(&mut self, doc: DocId) -> Option<(f32, u8)> {
        match self {
            Evaluator::Term(term) => Some(term.counts(doc)),
            Evaluator::Synonym(synonym, _) => synonym.counts(doc),
            Evaluator::Phrase(phrase, _) => phrase.counts(doc),
            Evaluator::SloppyPhrase(phrase, _) => phrase.counts(doc),
            Evaluator::Span(span) => span.counts(doc),
            _ => None,
        }
    }
}

impl Evaluator {
    /// What the payloads of `doc` amount to, where its score comes from those.
    pub(crate) fn payload_amount(&mut self, doc: DocId) -> Option<f32> {
        if let Evaluator::Span(span) = self { span.payload_amount(doc) } else { None }
    }
}

/// By so much a bound is above what it is made of, which was rounded: a combination rounds some four times,
/// by half a unit in the last place of a single each; this is eight units, and every combination adds it
/// anew. Too much only costs a document that is scored for nothing, too little loses a hit.
const ROUNDING: f32 = 1.000_001;

/// Bounds, for nodes that have some (see `Node::is_unbounded`). They round as scores do, a little upwards.
impl Evaluator {
    /// No document from `from` up to and without `to` scores more. Later calls must not go back.
    pub(crate) fn bound_in(&mut self, from: DocId, to: DocId) -> f32 {
        self.bound(&mut |leaf| match leaf {
            Evaluator::Term(term) => term.bound_in(from, to),
            other => other.most(),
        })
    }

    /// `doc` scores no more, by what costs little to know.
    pub(crate) fn bound_of(&mut self, doc: DocId) -> f32 {
        self.bound(&mut |leaf| match leaf {
            Evaluator::Term(term) => term.block_bound(doc),
            Evaluator::Phrase(phrase, _) => phrase.bound_of(doc),
            other => other.most(),
        })
    }

    fn bound(&mut self, of_leaf: &mut dyn FnMut(&mut Evaluator) -> f32) -> f32 {
        match self {
            Evaluator::Boolean(boolean) => {
                let required = sum_of(&mut boolean.required, |part| part.bound(of_leaf));
                (required + sum_of(&mut boolean.optional, |part| part.bound(of_leaf))) * ROUNDING
            }
            Evaluator::DisjunctionMax { parts, tie_breaker } => {
                let bounds = parts.iter_mut().map(|part| part.bound(of_leaf));
                best_and_rest(bounds, *tie_breaker).unwrap_or(0.0) * ROUNDING
            }
            leaf => of_leaf(leaf),
        }
    }

    /// No document at all scores more.
    fn most(&self) -> f32 {
        match self {
            Evaluator::Nothing => 0.0,
            Evaluator::Constant { score, .. } => *score,
            Evaluator::Term(term) => term.most(),
            Evaluator::Synonym(_, similarity)
            | Evaluator::Phrase(_, similarity)
            | Evaluator::SloppyPhrase(_, similarity) => similarity.most(),
            Evaluator::Span(span) => span.most(),
            _ => f32::INFINITY,
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
    // In double and rounded once, as Lucene's `DisjunctionMaxScorer`.
    any.then_some((best + rest * f64::from(tie_breaker)) as f32)
}

/// Added up in double, rounded once, as Lucene does.
fn sum_of(parts: &mut [Evaluator], each: impl FnMut(&mut Evaluator) -> f32) -> f32 {
    parts.iter_mut().map(each).map(f64::from).sum::<f64>() as f32
}

fn add(sums: &mut [f64], scores: &[f32]) {
    sums.iter_mut().zip(scores).for_each(|(sum, score)| *sum += f64::from(*score));
}

fn open_term(node: &TermNode, reader: &SegmentReader) -> Result<Evaluator> {
    let Some((segment, view)) = node.scoring.views.of(reader) else { return Ok(Evaluator::Nothing) };
    let opened = ScoredTerm::open(node, segment, view)?;
    Ok(opened.map_or(Evaluator::Nothing, |term| Evaluator::Term(Box::new(term))))
}

fn open_phrase(node: &PhraseNode, reader: &SegmentReader) -> Result<Evaluator> {
    let similarity = node.scoring.similarity.clone();
    if let (Some(phrase), Some((_, view))) = (ExactPhrase::of_phrase(node), node.scoring.views.of(reader)) {
        let opened = phrase.open(view)?;
        return Ok(opened.map_or(Evaluator::Nothing, |it| Evaluator::Phrase(Box::new(it), similarity)));
    }
    let opened = PhraseAt::open(node, reader)?;
    Ok(opened.map_or(Evaluator::Nothing, |it| Evaluator::SloppyPhrase(Box::new(it), similarity)))
}

impl BooleanAt {
    fn open(schema: &Schema, node: &BooleanNode, reader: &SegmentReader) -> Result<Self> {
        Ok(Self {
            required: open_all(schema, &node.required, reader)?,
            optional: open_all(schema, &node.optional, reader)?,
            prohibited: open_all(schema, &node.prohibited, reader)?,
            filters: open_all(schema, &node.filters, reader)?,
            minimum: node.minimum,
            required_are_cheap: !node.required.is_empty() && !node.required.iter().any(Node::is_costly),
        })
    }

    /// Of a document that matches. What is optional is mostly phrases: they are read where all of them could
    /// get the document over the bar.
    fn score_over(&mut self, doc: DocId, bar: f32) -> Option<f32> {
        let required = sum_of(&mut self.required, |part| part.score(doc).unwrap_or(0.0));
        let more = sum_of(&mut self.optional, |part| part.bound_of(doc));
        if (required + more) * ROUNDING <= bar {
            return None;
        }
        Some(required + sum_of(&mut self.optional, |part| part.score(doc).unwrap_or(0.0)))
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
        // Two sums, each rounded before they are added: Lucene has a scorer for what is required, one for
        // what is optional, and a third that adds floats of both (`ReqOptSumScorer`).
        (matched >= self.minimum).then_some(required as f32 + optional as f32)
    }
}
