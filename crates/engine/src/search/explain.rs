//! How a score came about, in the words and the shape of Lucene's explanations, which users and their tools
//! read. Values are those of `evaluate`. Counts (`n`, `N`) are whole numbers that Lucene prints without a
//! point.

use plan::partial::HitRef;
use plan::{Error, Explanation, FieldSelection, Query, Result, Similarity, Value};
use tantivy::DocId;

use super::bm25::{NO_NORM, length_of};
use super::column_values;
use super::evaluate::Evaluator;
use super::function::FunctionNode;
use super::leaf_nodes::TermWeight;
use super::lower::lower_scored;
use super::node::{BooleanNode, BoostedNode, Constant, DocSource, Node, PresetNode};
use super::node_label::{boosted, label, number};
use super::preset::Reason;
use super::span::SpanNode;
use crate::search::context::{SearchContext, SearchSegment};
use crate::snapshot::read_source;

/// Lengths up to this norm are exact.
const EXACT_NORM_MAX: u8 = 39;

/// Explains the score of a hit. `parts` tells what has moved from the query to the filters.
pub(crate) fn explain(
    context: &SearchContext<'_>,
    node: &Node,
    hit: &HitRef,
    parts: &MovedParts,
) -> Result<Explanation> {
    let segment = context
        .segments
        .get(hit.segment_number())
        .ok_or_else(|| Error::internal("a hit names a segment that the snapshot does not have"))?;
    let place = ExplainedDoc { context, segment, doc: hit.doc };
    let own = place.explain(node)?.unwrap_or_else(|| leaf(0.0, "no matching clause"));
    Ok(parts.around(own))
}

/// Explains how `query` scores these documents (segment, number in it), the ones it does not find as well: by
/// id.
pub(crate) fn others(
    context: &SearchContext<'_>,
    query: &Query,
    found: &[(usize, DocId)],
) -> Result<Vec<(String, Explanation)>> {
    let node = lower_scored(context, query)?;
    let mut explained = Vec::with_capacity(found.len());
    for (segment, doc) in found.iter().take_while(|_| !context.allowance.is_used_up()) {
        let Some(segment) = context.segments.get(*segment) else { continue };
        let place = ExplainedDoc { context, segment, doc: *doc };
        let reason = match place.explain(&node)? {
            Some(reason) => reason,
            None => place.miss(&node)?,
        };
        let source = segment.view.source(*doc)?;
        let (id, _) = read_source(&source, context.layout, &FieldSelection::default())?;
        explained.push((id, reason));
    }
    Ok(explained)
}

/// Clauses of the main query that run as filters but show in its explanation.
#[derive(Default)]
pub(crate) struct MovedParts {
    pub(crate) filters: Vec<String>,
    pub(crate) prohibited: bool,
    /// Whether what is left was a combination within the query.
    pub(crate) nested: bool,
}

impl MovedParts {
    fn around(&self, own: Explanation) -> Explanation {
        if self.filters.is_empty() && !self.prohibited {
            return own;
        }
        let value = own.value.clone();
        let same = own.description == "sum of:" && !self.nested;
        let mut details = if same { own.details } else { vec![own] };
        details.extend(self.filters.iter().map(|label| {
            branch(
                0.0,
                "match on required clause, product of:",
                vec![leaf(0.0, "# clause"), leaf(1.0, label.clone())],
            )
        }));
        Explanation { value, ..branch(0.0, "sum of:", details) }
    }
}

fn leaf(value: f32, description: impl Into<String>) -> Explanation {
    branch(value, description, Vec::new())
}

fn count(count: u64, description: impl Into<String>) -> Explanation {
    Explanation { value: Value::Long(count.cast_signed()), ..leaf(0.0, description) }
}

fn branch(value: f32, description: impl Into<String>, details: Vec<Explanation>) -> Explanation {
    Explanation { matched: true, value: Value::Float(value), description: description.into(), details }
}

fn real(value: &Value) -> f64 {
    column_values::real(value).unwrap_or_default()
}

/// The document being explained.
struct ExplainedDoc<'a> {
    context: &'a SearchContext<'a>,
    segment: &'a SearchSegment<'a>,
    doc: DocId,
}

impl ExplainedDoc<'_> {
    /// `None` when the document does not match.
    fn explain(&self, node: &Node) -> Result<Option<Explanation>> {
        let mut evaluator = Evaluator::open(self.context.layout.tantivy(), node, self.segment.reader)?;
        let Some(score) = evaluator.score(self.doc) else { return Ok(None) };
        Ok(Some(match node {
            Node::Nothing => return Ok(None),
            Node::Constant(Constant { source: DocSource::FunctionRange(range), label, .. }) => {
                let (value, shown) = range.value_at(self.segment.reader, self.doc)?;
                branch(value as f32, label.clone(), vec![leaf(value as f32, shown)])
            }
            Node::Constant(constant) => leaf(score, boosted(&constant.label, constant.score)),
            Node::Term(term) => {
                let what = |_| "freq, occurrences of term within document".to_owned();
                self.weight(&term.label, &term.scoring, &mut evaluator, score, what)
            }
            Node::Synonym(synonym) => {
                let what = |freq| format!("termFreq={}", number(freq));
                self.weight(&synonym.label, &synonym.scoring, &mut evaluator, score, what)
            }
            Node::Phrase(phrase) => {
                let what = |freq| format!("phraseFreq={}", number(freq));
                self.weight(&phrase.label, &phrase.scoring, &mut evaluator, score, what)
            }
            Node::Span(span) => self.span(span, &mut evaluator, score),
            Node::Preset(preset) => self.preset(preset, score)?,
            Node::Function(node) => self.function(node, score)?,
            Node::Boosted(node) => self.boosted(node, score)?,
            Node::Boolean(boolean) => self.sum(boolean, score)?,
            Node::DisjunctionMax { nodes, tie_breaker } => {
                let what = match *tie_breaker {
                    0.0 => "max of:".to_owned(),
                    tie => format!("max plus {} times others of:", number(tie)),
                };
                branch(score, what, self.all(nodes)?)
            }
        }))
    }

    /// Why the document does not match.
    fn miss(&self, node: &Node) -> Result<Explanation> {
        let reason = match node {
            Node::Nothing | Node::Term(_) | Node::Synonym(_) => "no matching term".to_owned(),
            Node::Phrase(_) | Node::Span(_) => "no matching terms".to_owned(),
            Node::Constant(constant) => format!("{} doesn't match id {}", constant.label, self.doc),
            Node::Function(_) => "no matching term".to_owned(),
            Node::Preset(_) => "Not a match".to_owned(),
            Node::Boosted(boosted) => return self.miss(&boosted.node),
            Node::DisjunctionMax { .. } => "No matching clause".to_owned(),
            Node::Boolean(boolean) => return self.miss_of_clauses(boolean),
        };
        Ok(Explanation { matched: false, ..leaf(0.0, reason) })
    }

    fn miss_of_clauses(&self, boolean: &BooleanNode) -> Result<Explanation> {
        let mut details = Vec::new();
        for required in boolean.required.iter().chain(&boolean.filters) {
            if self.explain(required)?.is_none() {
                let what = format!("no match on required clause ({})", label(required));
                details.push(branch(0.0, what, vec![self.miss(required)?]));
            }
        }
        for prohibited in &boolean.prohibited {
            if let Some(match_) = self.explain(prohibited)? {
                let what = format!("match on prohibited clause ({})", label(prohibited));
                details.push(branch(0.0, what, vec![match_]));
            }
        }
        let reason = match details.is_empty() {
            true => "No matching clauses",
            false => "Failure to meet condition(s) of required/prohibited clause(s)",
        };
        Ok(Explanation { matched: false, ..branch(0.0, reason, details) })
    }

    fn all(&self, nodes: &[Node]) -> Result<Vec<Explanation>> {
        nodes.iter().filter_map(|node| self.explain(node).transpose()).collect()
    }

    fn preset(&self, node: &PresetNode, score: f32) -> Result<Explanation> {
        let Reason { text, by } = node.preset.reason(self.segment.reader, self.doc);
        let by = by.map(|doc| ExplainedDoc { context: self.context, segment: self.segment, doc });
        let details = by.zip(node.inner.as_ref()).map(|(place, inner)| place.explain(inner)).transpose()?;
        Ok(branch(score, text, details.flatten().into_iter().collect()))
    }

    fn span(&self, node: &SpanNode, evaluator: &mut Evaluator, score: f32) -> Explanation {
        let what = |freq| format!("phraseFreq={}", number(freq));
        let Some((how, times_score)) = node.scores_payloads() else {
            return self.weight(&node.label, &node.scoring, evaluator, score, what);
        };
        let amount = evaluator.payload_amount(self.doc).unwrap_or(1.0);
        let mut by_payloads = leaf(amount, format!("{}.docScore()", how.class()));
        if amount < 0.0 {
            let details = vec![leaf(0.0, "minimum score"), by_payloads];
            by_payloads = Explanation { details, ..count(0, "truncated score, max of:") };
        }
        if !times_score {
            return by_payloads;
        }
        let counts = evaluator.counts(self.doc).unwrap_or((1.0, NO_NORM));
        let own = node.scoring.similarity.score(counts.0, counts.1);
        let own = self.weight(&node.label, &node.scoring, evaluator, own, what);
        branch(score, "PayloadSpanQuery, product of:", vec![own, by_payloads])
    }

    fn function(&self, node: &FunctionNode, score: f32) -> Result<Explanation> {
        let (value, shown) = node.value_at(self.segment.reader, self.doc)?;
        let details = vec![leaf(value as f32, shown), leaf(node.boost, "boost")];
        Ok(branch(score, format!("FunctionQuery({}), product of:", node.label), details))
    }

    /// Multiplied in double precision, and shown so but for a boost on the whole.
    ///
    /// Solr differs: it names the query as it was written (`compat/select/debug_sections.yaml`).
    fn boosted(&self, node: &BoostedNode, score: f32) -> Result<Explanation> {
        let (factor, shown) = node.by.value_at(self.segment.reader, self.doc)?;
        let mut details: Vec<_> = self.explain(&node.node)?.into_iter().collect();
        let inner = details.first().map_or(0.0, |inner| real(&inner.value));
        details.push(leaf(factor as f32, shown));
        let product = Value::Double(inner * factor);
        let product = Explanation { value: product, ..branch(0.0, "product of:", details) };
        let label = &node.by.label;
        if node.by.boost == 1.0 {
            let value = product.value.clone();
            let whole = branch(0.0, format!("weight({label}), result of:"), vec![product]);
            return Ok(Explanation { value, ..whole });
        }
        let details = vec![leaf(node.by.boost, "boost"), product];
        Ok(branch(score, format!("weight({label}), product of:"), details))
    }

    fn sum(&self, node: &BooleanNode, score: f32) -> Result<Explanation> {
        let mut details = self.all(&node.required)?;
        details.extend(self.all(&node.optional)?);
        Ok(branch(score, "sum of:", details))
    }

    fn weight(
        &self,
        label: &str,
        scoring: &TermWeight,
        evaluator: &mut Evaluator,
        score: f32,
        what: impl Fn(f32) -> String,
    ) -> Explanation {
        let (freq, norm) = evaluator.counts(self.doc).unwrap_or((1.0, NO_NORM));
        let mut product = Vec::new();
        // Lucene shows no boost of 1.
        if scoring.boost != 1.0 {
            product.push(leaf(scoring.boost, "boost"));
        }
        let weight = format!("weight({label} in {}) [{}], result of:", self.doc, scoring.scored_by.class());
        let how = match scoring.scored_by.similarity {
            Similarity::Bm25 { k1, b } => {
                product.push(idf(scoring));
                product.push(tf(scoring, freq, norm, (k1, b), what(freq)));
                format!("score(freq={}), computed as boost * idf * tf from:", number(freq))
            }
            Similarity::Classic => {
                product.push(classic_idf(scoring));
                product.extend(classic_parts(scoring, freq, norm, what(freq)));
                format!("score(freq={}), product of:", number(freq))
            }
            Similarity::Boolean => {
                product = vec![leaf(scoring.boost, "boost, query boost")];
                "score(BooleanWeight), computed from:".to_owned()
            }
        };
        branch(score, weight, vec![branch(score, how, product)])
    }
}

fn idf(scoring: &TermWeight) -> Explanation {
    let of_term = |doc_freq: u64| {
        let counts = vec![
            count(doc_freq, "n, number of documents containing term"),
            count(scoring.stats.doc_count, "N, total number of documents with field"),
        ];
        let value = super::bm25::idf(doc_freq, scoring.stats.doc_count);
        branch(value, "idf, computed as log(1 + (N - n + 0.5) / (n + 0.5)) from:", counts)
    };
    match scoring.terms.as_slice() {
        [(_, doc_freq)] => of_term(*doc_freq),
        several => {
            let each = several.iter().map(|(_, doc_freq)| of_term(*doc_freq)).collect();
            branch(scoring.idf, "idf, sum of:", each)
        }
    }
}

fn classic_idf(scoring: &TermWeight) -> Explanation {
    let of_term = |doc_freq: u64| {
        let counts = vec![
            count(doc_freq, "docFreq, number of documents containing term"),
            count(scoring.stats.doc_count, "docCount, total number of documents with field"),
        ];
        let value = super::bm25::classic_idf(doc_freq, scoring.stats.doc_count);
        branch(value, "idf, computed as log((docCount+1)/(docFreq+1)) + 1 from:", counts)
    };
    match scoring.terms.as_slice() {
        [(_, doc_freq)] => of_term(*doc_freq),
        several => {
            let each = several.iter().map(|(_, doc_freq)| of_term(*doc_freq)).collect();
            branch(scoring.idf, "idf(), sum of:", each)
        }
    }
}

fn classic_parts(scoring: &TermWeight, freq: f32, norm: u8, what: String) -> [Explanation; 2] {
    let (of_frequency, of_length) = scoring.similarity.classic_parts(freq, norm);
    let how = format!("tf(freq={}), with freq of:", number(freq));
    [branch(of_frequency, how, vec![leaf(freq, what)]), leaf(of_length, "fieldNorm")]
}

fn tf(scoring: &TermWeight, freq: f32, norm: u8, (k1, b): (f32, f32), what: String) -> Explanation {
    let length =
        if norm > EXACT_NORM_MAX { "dl, length of field (approximate)" } else { "dl, length of field" };
    let details = vec![
        leaf(freq, what),
        leaf(k1, "k1, term saturation parameter"),
        leaf(b, "b, length normalization parameter"),
        leaf(length_of(norm), length),
        leaf(scoring.similarity.average_length, "avgdl, average length of field"),
    ];
    let value = scoring.similarity.tf(freq, norm);
    branch(value, "tf, computed as freq / (freq + k1 * (1 - b + b * dl / avgdl)) from:", details)
}
