//! From `plan::Query` to [`Node`]: which field, which terms, which statistics. One file per kind of query.
//! A field that no document has named yet matches nothing. What the user asked for and cannot have is a bad
//! request.

mod blocks;
mod boolean;
mod date_range;
mod expression_size;
mod function;
mod fuzzy;
mod graph;
mod join;
pub(crate) mod lowering;
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

pub(crate) use join::joined;
pub(crate) use moves::moved;
pub(crate) use multi_term::{compile, regex_automaton, wildcard_automaton};
pub(crate) use range::exists_docs;

use plan::{Query, Related, Result};

use super::more_like;
use super::node::{DocSource, Node};
use super::node_label;
use crate::search::context::SearchContext;
use lowering::Lowering;

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
    pub(super) fn lower(&mut self, query: &Query, boost: f32) -> Result<Node> {
        self.rooted(query, boost)?.map_or_else(|| self.lower_one(query, boost), Ok)
    }

    fn lower_one(&mut self, query: &Query, boost: f32) -> Result<Node> {
        match query {
            Query::All => Ok(Node::constant(DocSource::All, boost, "*:*")),
            Query::Nothing => Ok(Node::Nothing),
            Query::Term { field, value } => self.term(field, value, boost),
            Query::Synonym { field, terms } => self.synonym(field, terms, boost),
            Query::Spatial(query) => Ok(self.spatial(query, boost)),
            Query::DateRange(query) => self.date_range(query, boost),
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
                let terms = match like.collections.first() {
                    Some(first) => self.context.peers(first)?.like_terms(like)?,
                    None => more_like::terms(self.context, like)?,
                };
                self.lower(&like.query(&terms, self.context.layout.unique_key()), boost)
            }
            Query::ConstantScore { query, score } => {
                let inner = Lowering { context: self.context, scored: false }.lower(query, 1.0)?;
                Ok(with_constant_score(inner, boost * score))
            }
        }
    }
}

fn with_constant_score(inner: Node, score: f32) -> Node {
    let label = format!("ConstantScore({})", node_label::label(&inner));
    match inner {
        Node::Nothing => Node::Nothing,
        Node::Constant(constant) => Node::constant(constant.source, score, label),
        Node::Term(term) => Node::constant(DocSource::Term(term.term.clone()), score, label),
        other => Node::constant(DocSource::Node(Box::new(other)), score, label),
    }
}
