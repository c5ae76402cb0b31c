//! From `plan::Query` to [`Node`]: which field, which terms, which statistics. One file per kind of query.
//! A field that no document has named yet matches nothing. What the user asked for and cannot have is a bad request.

mod blocks;
mod boolean;
mod expression_size;
mod function;
mod fuzzy;
mod join;
mod moves;
mod multi_term;
mod nearest;
mod pattern;
mod pattern_terms;
mod phrase;
mod range;
mod rank;
mod root;
mod span;
mod spatial;
mod term;
mod values;

use std::sync::Arc;

pub(crate) use join::joined;
pub(crate) use moves::moved;
pub(crate) use multi_term::{compile, regex_automaton, wildcard_automaton};
pub(crate) use range::{exists_docs, integer, real};
pub(crate) use term::term_of;
pub(crate) use values::Tallies;

use meter::Allowance;
use plan::{Query, Related, Result};
use tantivy::schema::Field;

use super::bits::Bits;
use super::bm25::{INVERSE_OF_ONE, Similarity, idf};
use super::node::{DocSource, Node, Scoring};
use super::stats::FieldStats;
use super::{SearchContext, more_like};
use crate::layout::FieldLayout;
use crate::snapshot::SegmentView;

/// One query on its way down.
pub(crate) struct Lowering<'a> {
    context: &'a SearchContext<'a>,
    /// Statistics are taken only where scores are wanted.
    scored: bool,
}

/// A query that will be scored.
pub(crate) fn lower_scored(context: &SearchContext<'_>, query: &Query) -> Result<Node> {
    Lowering { context, scored: true }.lower(query, 1.0)
}

/// A query that only tells which documents match.
pub(crate) fn lower_unscored(context: &SearchContext<'_>, query: &Query) -> Result<Node> {
    Lowering { context, scored: false }.lower(query, 1.0)
}

impl<'a> Lowering<'a> {
    /// `boost` is the product of the boosts above.
    fn lower(&mut self, query: &Query, boost: f32) -> Result<Node> {
        self.rooted(query, boost)?.map_or_else(|| self.lower_one(query, boost), Ok)
    }

    fn lower_one(&mut self, query: &Query, boost: f32) -> Result<Node> {
        match query {
            Query::All => Ok(Node::constant(DocSource::All, boost, "*:*")),
            Query::Nothing => Ok(Node::Nothing),
            Query::Term { field, value } => self.term(field, value, boost),
            Query::Synonym { field, terms } => self.synonym(field, terms, boost),
            Query::Spatial(query) => Ok(self.spatial(query, boost)),
            Query::Nearest(query) => self.nearest_vectors(query, boost),
            Query::TermSet { field, values } => self.term_set(field, values, boost),
            Query::Phrase(phrase) => self.phrase(phrase, boost),
            Query::Span(span) => self.span(span, boost),
            Query::Rank(query) => self.rank(query, boost),
            Query::Range(range) => self.range(range, boost),
            Query::Prefix { field, prefix } => self.prefix(field, prefix, boost),
            Query::Wildcard { field, pattern } => self.wildcard(field, pattern, boost),
            Query::Regex { field, pattern } => self.regex(field, pattern, boost),
            Query::Fuzzy(fuzzy) => self.fuzzy(fuzzy, boost),
            Query::Exists { field } => Ok(self.exists(field, boost)),
            Query::Boolean { clauses, minimum_should_match } => {
                self.boolean(clauses, *minimum_should_match, boost)
            }
            Query::DisjunctionMax { queries, tie_breaker } => {
                self.disjunction_max(queries, *tie_breaker, boost)
            }
            Query::Boost { query, boost: own } => self.lower(query, boost * own),
            Query::Function(function) => self.function(function, boost),
            Query::FunctionRange(range) => self.function_range(range, boost),
            Query::FunctionBoost { query, function } => self.boosted(query, function, boost),
            Query::Related(relation) => match &**relation {
                Related::ToParent { parents, children, score } => {
                    self.parents_above(parents, children, *score, boost)
                }
                Related::ToChildren { parents, query } => self.children_below(parents, query, boost),
                Related::Join(join) => self.join(join, boost),
                Related::Graph { query, graph } => self.graph(query, graph, boost),
            },
            Query::MoreLike(like) => {
                let terms = more_like::terms(self.context, like)?;
                self.lower(&like.query(&terms, self.context.layout.unique_key()), boost)
            }
            Query::ConstantScore { query, score } => {
                let inner = Lowering { context: self.context, scored: false }.lower(query, 1.0)?;
                Ok(with_constant_score(inner, boost * score))
            }
        }
    }

    fn field(&self, name: &str) -> Option<&'a Arc<FieldLayout>> {
        self.context.layout.field(name)
    }

    /// What BM25 needs to score these terms as one.
    fn scoring(
        &mut self,
        layout: &FieldLayout,
        field: Field,
        terms: Vec<(String, u64)>,
        boost: f32,
    ) -> Result<Scoring> {
        let (stats, inverse) = match self.scored {
            true => self.context.field_stats(layout, field)?,
            false => (FieldStats::default(), INVERSE_OF_ONE.clone()),
        };
        let sum: f64 = terms.iter().map(|(_, df)| f64::from(idf(*df, stats.doc_count))).sum();
        let idf = sum as f32;
        let norms = layout.has_norms().then_some(field);
        let average_length = stats.average_length();
        let similarity = Similarity::new(boost, idf, average_length, inverse);
        let views = self.context.views.clone();
        Ok(Scoring { boost, stats, terms, idf, similarity, norms, views })
    }

    /// Documents found by reading postings.
    fn by_postings(
        &self,
        boost: f32,
        label: String,
        compute: impl Fn(&SegmentView, &Allowance) -> Result<Bits> + Send + Sync + 'static,
    ) -> Node {
        let (views, allowance) = (self.context.views.clone(), self.context.allowance.clone());
        Node::computed(boost, label, move |reader| match views.of(reader) {
            Some((_, view)) => compute(view, &allowance),
            None => Ok(Bits::none(reader.max_doc())),
        })
    }

    fn doc_freq(&self, term: &tantivy::Term) -> Result<u64> {
        if !self.scored {
            return Ok(0);
        }
        Ok(super::stats::doc_freq(&super::stats::term_infos(self.context, term)?))
    }
}

fn with_constant_score(inner: Node, score: f32) -> Node {
    let label = format!("ConstantScore({})", super::explain::label(&inner));
    match inner {
        Node::Nothing => Node::Nothing,
        Node::Constant(constant) => Node::constant(constant.source, score, label),
        Node::Term(term) => Node::constant(DocSource::Term(term.term.clone()), score, label),
        other => Node::constant(DocSource::Node(Box::new(other)), score, label),
    }
}
