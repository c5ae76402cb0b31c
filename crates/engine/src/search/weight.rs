//! From [`Node`] to tantivy weights, which find candidates: with scores close enough to prune by (`scored`), or without
//! (`unscored`). Exact scores are `evaluate`'s. Shapes that tantivy prunes (a term, a union of terms, an intersection of
//! terms) are kept pure: one scorer of another kind among them, and all documents are scored.

use std::sync::Arc;

use plan::Result;
use tantivy::postings::SegmentPostings;
use tantivy::query::{
    AllWeight, Bm25StatisticsProvider, BooleanWeight, ConstScorer, DisjunctionMaxCombiner, EmptyScorer,
    EmptyWeight, EnableScoring, Explanation, Occur, Query, Scorer, SumCombiner, TermQuery, Weight,
};
use tantivy::schema::{Field, IndexRecordOption, Schema};
use tantivy::{DocId, DocSet, Score, SegmentReader, TantivyError, Term};

use super::SearchContext;
use super::bits::BitsDocs;
use super::bm25::K1;
use super::error::{engine_error, library_error};
use super::node::{BooleanNode, Computed, Constant, DocSource, Node, PhraseNode, Scoring, TermNode};
use super::phrase::PhraseScorer;
use super::scaled::Scaled;
use super::synonym::SynonymScorer;

pub(crate) fn scored(context: &SearchContext<'_>, node: &Node) -> Result<Box<dyn Weight>> {
    Ok(match node {
        Node::Nothing => Box::new(EmptyWeight),
        Node::Constant(constant) => constant_weight(context.layout.tantivy(), constant)?,
        Node::Term(term) if term.varies => term_weight(context, term)?,
        Node::Term(term) => {
            let score = term.scoring.similarity.score(1.0, super::bm25::NO_NORM);
            Box::new(ConstantWeight { inner: postings_weight(context.layout.tantivy(), &term.term)?, score })
        }
        Node::Synonym(synonym) => {
            let synonym = synonym.clone();
            Box::new(Made(move |reader: &SegmentReader, boost| SynonymScorer::boxed(&synonym, reader, boost)))
        }
        Node::Phrase(phrase) => phrase_weight(phrase),
        Node::Boolean(boolean) => boolean_weight(context, boolean)?,
        // No bound is known: whatever the others score, each match is worth a look.
        Node::Function(_) | Node::Boosted(_) | Node::Preset(_) => {
            Box::new(ConstantWeight { inner: unscored(context.layout.tantivy(), node)?, score: Score::MAX })
        }
        Node::DisjunctionMax { nodes, tie_breaker } => {
            let tie_breaker = *tie_breaker;
            let parts = parts(context, nodes, Occur::Should)?;
            let combiner = move || DisjunctionMaxCombiner::with_tie_breaker(tie_breaker);
            Box::new(BooleanWeight::with_minimum_number_should_match(parts, 1, true, Box::new(combiner)))
        }
    })
}

pub(crate) fn unscored(schema: &Schema, node: &Node) -> Result<Box<dyn Weight>> {
    Ok(match node {
        Node::Nothing => Box::new(EmptyWeight),
        Node::Constant(constant) => source_weight(schema, &constant.source)?,
        Node::Function(_) => Box::new(AllWeight),
        Node::Boosted(boosted) => unscored(schema, &boosted.node)?,
        Node::Preset(preset) => {
            let preset = preset.clone();
            Box::new(Made(move |reader: &SegmentReader, _| {
                let docs = BitsDocs::new(preset.bits(reader));
                Ok(Box::new(ConstScorer::new(docs, 1.0)) as Box<dyn Scorer>)
            }))
        }
        Node::Term(term) => postings_weight(schema, &term.term)?,
        Node::Synonym(synonym) => {
            let parts = synonym
                .terms
                .iter()
                .map(|(term, _)| Ok((Occur::Should, postings_weight(schema, term)?)))
                .collect::<Result<Vec<_>>>()?;
            sum(parts, 1, false)
        }
        Node::Phrase(phrase) => phrase_weight(phrase),
        Node::Boolean(boolean) => {
            let mut all = unscored_parts(schema, &boolean.required, Occur::Must)?;
            all.extend(unscored_parts(schema, &boolean.filters, Occur::Must)?);
            if boolean.minimum > 0 {
                all.extend(unscored_parts(schema, &boolean.optional, Occur::Should)?);
            }
            all.extend(unscored_parts(schema, &boolean.prohibited, Occur::MustNot)?);
            sum(all, boolean.minimum, false)
        }
        Node::DisjunctionMax { nodes, .. } => sum(unscored_parts(schema, nodes, Occur::Should)?, 1, false),
    })
}

type Parts = Vec<(Occur, Box<dyn Weight>)>;

fn parts(context: &SearchContext<'_>, nodes: &[Node], occur: Occur) -> Result<Parts> {
    nodes.iter().map(|node| Ok((occur, scored(context, node)?))).collect()
}

fn unscored_parts(schema: &Schema, nodes: &[Node], occur: Occur) -> Result<Parts> {
    nodes.iter().map(|node| Ok((occur, unscored(schema, node)?))).collect()
}

fn sum(parts: Parts, minimum: usize, with_scores: bool) -> Box<dyn Weight> {
    let combiner = Box::new(SumCombiner::default);
    Box::new(BooleanWeight::with_minimum_number_should_match(parts, minimum, with_scores, combiner))
}

fn boolean_weight(context: &SearchContext<'_>, node: &BooleanNode) -> Result<Box<dyn Weight>> {
    let schema = context.layout.tantivy();
    let mut all = parts(context, &node.required, Occur::Must)?;
    for filter in &node.filters {
        let inner = unscored(schema, filter)?;
        all.push((Occur::Must, Box::new(ConstantWeight { inner, score: 0.0 })));
    }
    all.extend(parts(context, &node.optional, Occur::Should)?);
    all.extend(unscored_parts(schema, &node.prohibited, Occur::MustNot)?);
    Ok(sum(all, node.minimum, true))
}

fn phrase_weight(phrase: &Arc<PhraseNode>) -> Box<dyn Weight> {
    let phrase = phrase.clone();
    Box::new(Made(move |reader: &SegmentReader, boost| PhraseScorer::boxed(&phrase, reader, boost)))
}

fn constant_weight(schema: &Schema, constant: &Constant) -> Result<Box<dyn Weight>> {
    Ok(Box::new(ConstantWeight { inner: source_weight(schema, &constant.source)?, score: constant.score }))
}

fn source_weight(schema: &Schema, source: &DocSource) -> Result<Box<dyn Weight>> {
    Ok(match source {
        DocSource::All => Box::new(AllWeight),
        DocSource::Term(term) => postings_weight(schema, term)?,
        DocSource::Node(node) => unscored(schema, node)?,
        DocSource::Computed(computed) => computed_weight(computed),
        DocSource::FunctionRange(range) => computed_weight(range.computed()),
    })
}

fn computed_weight(computed: &Arc<Computed>) -> Box<dyn Weight> {
    let computed = computed.clone();
    Box::new(Made(move |reader: &SegmentReader, _| {
        let bits = computed.bits(reader).map_err(|error| library_error(&error))?;
        Ok(Box::new(ConstScorer::new(BitsDocs::new(bits), 1.0)) as Box<dyn Scorer>)
    }))
}

fn postings_weight(schema: &Schema, term: &Term) -> Result<Box<dyn Weight>> {
    let query = TermQuery::new(term.clone(), IndexRecordOption::Basic);
    let scoring = EnableScoring::disabled_from_schema(schema);
    query.weight(scoring).map_err(engine_error)
}

/// The statistics of one term, whatever is asked.
struct OneTerm {
    doc_count: u64,
    total_term_freq: u64,
    doc_freq: u64,
}

impl Bm25StatisticsProvider for OneTerm {
    fn total_num_tokens(&self, _: Field) -> tantivy::Result<u64> {
        Ok(self.total_term_freq)
    }

    fn total_num_docs(&self) -> tantivy::Result<u64> {
        Ok(self.doc_count)
    }

    fn doc_freq(&self, _: &Term) -> tantivy::Result<u64> {
        Ok(self.doc_freq)
    }
}

/// Tantivy's own term weight, scaled from its BM25 to Lucene's.
fn term_weight(context: &SearchContext<'_>, node: &Arc<TermNode>) -> Result<Box<dyn Weight>> {
    let Scoring { stats, similarity, terms, norms, .. } = &node.scoring;
    let doc_freq = terms.first().map_or(1, |(_, doc_freq)| *doc_freq).max(1);
    let doc_count = stats.doc_count.max(doc_freq);
    let theirs = library_idf(doc_freq, doc_count) * (1.0 + K1);
    // Block maxima are written only for fields with norms: without them a term must not be pruned by.
    if norms.is_none() || theirs < IDF_LEAST {
        let node = node.clone();
        return Ok(Box::new(Made(move |reader: &SegmentReader, boost| {
            SynonymScorer::of_term(&node, reader, boost)
        })));
    }
    // Fields without a document average 1, as `FieldStats::average_length` says.
    let total_term_freq = if stats.doc_count == 0 { doc_count } else { stats.total_term_freq.max(1) };
    let provider = OneTerm { doc_count, total_term_freq, doc_freq };
    let scoring = EnableScoring::Enabled { searcher: context.searcher, statistics_provider: &provider };
    let query = TermQuery::new(node.term.clone(), IndexRecordOption::WithFreqs);
    let inner = query.weight(scoring).map_err(engine_error)?;
    Ok(Box::new(Scaled::new(inner, similarity.weight / theirs)))
}

/// Below this the library's idf has lost its digits: the term is in nearly every document.
const IDF_LEAST: f32 = 1e-6;

/// The inverse document frequency as tantivy computes it, in single precision, so that dividing by it leaves none of it.
fn library_idf(doc_freq: u64, doc_count: u64) -> f32 {
    let x = ((doc_count - doc_freq) as f32 + 0.5) / (doc_freq as f32 + 0.5);
    (1.0 + x).ln()
}

/// A weight made of a function that makes scorers.
struct Made<F>(F);

impl<F> Weight for Made<F>
where
    F: Fn(&SegmentReader, Score) -> tantivy::Result<Box<dyn Scorer>> + Send + Sync + 'static,
{
    fn scorer(&self, reader: &SegmentReader, boost: Score) -> tantivy::Result<Box<dyn Scorer>> {
        (self.0)(reader, boost)
    }

    fn explain(&self, _: &SegmentReader, _: DocId) -> tantivy::Result<Explanation> {
        Err(no_explanation())
    }
}

/// Explanations come from the nodes, never from weights.
pub(super) fn no_explanation() -> TantivyError {
    TantivyError::InternalError("weights do not explain".to_owned())
}

/// Gives all documents of another weight one score, and stops as soon as that score is not wanted any more.
struct ConstantWeight {
    inner: Box<dyn Weight>,
    score: Score,
}

impl Weight for ConstantWeight {
    fn scorer(&self, reader: &SegmentReader, boost: Score) -> tantivy::Result<Box<dyn Scorer>> {
        let inner = self.inner.scorer(reader, 1.0)?;
        if inner.is::<EmptyScorer>() {
            return Ok(inner);
        }
        Ok(Box::new(ConstScorer::new(inner, self.score * boost)))
    }

    fn explain(&self, _: &SegmentReader, _: DocId) -> tantivy::Result<Explanation> {
        Err(no_explanation())
    }

    fn count(&self, reader: &SegmentReader) -> tantivy::Result<u32> {
        self.inner.count(reader)
    }

    fn for_each_no_score(
        &self,
        reader: &SegmentReader,
        callback: &mut dyn FnMut(&[DocId]),
    ) -> tantivy::Result<()> {
        self.inner.for_each_no_score(reader, callback)
    }

    fn for_each_pruning(
        &self,
        mut threshold: Score,
        reader: &SegmentReader,
        callback: &mut dyn FnMut(DocId, Score) -> Score,
    ) -> tantivy::Result<()> {
        let mut docs = self.inner.scorer(reader, 1.0)?;
        while docs.doc() != tantivy::TERMINATED && self.score > threshold {
            threshold = callback(docs.doc(), self.score);
            docs.advance();
        }
        Ok(())
    }
}

/// The postings of a term with frequencies, or nothing.
pub(super) fn postings(
    reader: &SegmentReader,
    term: &Term,
    option: IndexRecordOption,
) -> tantivy::Result<Option<SegmentPostings>> {
    Ok(reader.inverted_index(term.field())?.read_postings(term, option)?)
}

/// A scorer of no documents.
pub(super) fn no_documents() -> Box<dyn Scorer> {
    Box::new(EmptyScorer)
}
