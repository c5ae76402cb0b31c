//! What has to stay the same for a query's matches to stay the same: by it answers are kept. Owns the scopes
//! and which one each kind of query, function, span and relation has. Below it is the tree; the caches of
//! filters and of whole answers ask it.

use crate::function::operator::Operator;
use crate::query::tree::{Function, Query, Related, Span};

/// What the documents that a query matches in a segment depend on, from the least to the most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MatchScope {
    /// The segment alone, which never changes.
    Segment,
    /// Other segments too, their statistics or which documents live: all of it the same in one snapshot.
    Snapshot,
    /// Documents that are not the shard's: of another collection, or of other shards of its own.
    Collections,
}

/// The widest of several scopes.
fn widest<'a>(queries: impl IntoIterator<Item = &'a Query>) -> MatchScope {
    queries.into_iter().map(Query::scope).max().unwrap_or(MatchScope::Segment)
}

impl Query {
    /// What has to stay the same for its matches to stay the same. No arm is left to chance: a query of a new
    /// kind that is taken for one of a segment would be answered from what is kept of another moment. With
    /// default arms that happened to functions of statistics, `{!mlt}`, `{!fuzzy}` and patterns in spans
    /// (`crates/http/tests/kept.rs`).
    pub fn scope(&self) -> MatchScope {
        match self {
            Query::All
            | Query::Nothing
            | Query::Term { .. }
            | Query::Synonym { .. }
            | Query::Spatial(_)
            | Query::DateRange(_)
            | Query::TermSet { .. }
            | Query::Phrase(_)
            | Query::Rank(_)
            | Query::Range(_)
            | Query::Prefix { .. }
            | Query::Wildcard { .. }
            | Query::Regex { .. }
            | Query::Exists { .. } => MatchScope::Segment,
            // The nearest terms of all segments, this many; the words of a document that another segment may
            // have.
            Query::MoreLike(like) if !like.collections.is_empty() => MatchScope::Collections,
            Query::Fuzzy(_) | Query::MoreLike(_) => MatchScope::Snapshot,
            Query::Nearest(nearest) => MatchScope::Snapshot.max(widest(&nearest.among)),
            Query::Span(span) => span.span.scope(),
            Query::Boolean { clauses, .. } => widest(clauses.iter().map(|clause| &clause.query)),
            Query::DisjunctionMax { queries, .. } => widest(queries),
            Query::Boost { query, .. } | Query::ConstantScore { query, .. } => query.scope(),
            Query::Function(function) => function.scope(),
            Query::FunctionRange(range) => range.function.scope(),
            Query::FunctionBoost { query, function } => query.scope().max(function.scope()),
            Query::Related(relation) => relation.scope(),
        }
    }
}

impl Function {
    /// As [`Query::scope`], of its values.
    pub(crate) fn scope(&self) -> MatchScope {
        match self {
            Function::Constant(_)
            | Function::Field { .. }
            | Function::TermFrequency(_)
            | Function::PointDistance(_)
            | Function::VectorSimilarity(_)
            | Function::Currency(_) => MatchScope::Segment,
            Function::Ordinal { .. } | Function::Statistic(_) | Function::JoinFrequency { .. } => {
                MatchScope::Snapshot
            }
            // A score is made of statistics over all segments.
            Function::Score { query, .. } => MatchScope::Snapshot.max(query.scope()),
            Function::Payload(payload) => payload.missing.scope(),
            Function::Call { operator, arguments } => {
                let own = match operator {
                    Operator::Scale { .. } => MatchScope::Snapshot,
                    _ => MatchScope::Segment,
                };
                arguments.iter().map(Function::scope).fold(own, Ord::max)
            }
        }
    }
}

impl Span {
    /// As [`Query::scope`].
    pub(crate) fn scope(&self) -> MatchScope {
        let of_all = |spans: &[Span]| spans.iter().map(Span::scope).max().unwrap_or(MatchScope::Segment);
        match self {
            Span::Word(_) => MatchScope::Segment,
            // This many words of the whole index, at most.
            Span::Pattern(_) => MatchScope::Snapshot,
            Span::Any(spans) | Span::Near { spans, .. } => of_all(spans),
            Span::Without(both) => of_all(&**both),
        }
    }
}

impl Related {
    /// As [`Query::scope`]: which documents live decides who leads to whom.
    pub(crate) fn scope(&self) -> MatchScope {
        let inner = match self {
            Related::ToParent { parents, children, .. } => parents.scope().max(children.scope()),
            Related::ToChildren { parents, query } => parents.scope().max(query.scope()),
            Related::Join(join) if join.collection.is_some() => MatchScope::Collections,
            Related::Join(join) => join.query.scope(),
            Related::Graph { graph, .. } if graph.collection.is_some() => MatchScope::Collections,
            Related::Graph { query, graph } => query.scope().max(widest(&graph.filter)),
        };
        inner.max(MatchScope::Snapshot)
    }
}
