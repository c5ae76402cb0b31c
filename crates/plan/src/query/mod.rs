//! The query tree: every syntax resolves to it, the engine lowers it. Values are typed and text is analysed;
//! no schema is needed to read it but for how a field is indexed. Shapes follow Lucene's query classes of the
//! same names.

pub(crate) mod dense_vector;
pub(crate) mod match_scope;
pub(crate) mod more_like;
pub(crate) mod payload;
pub(crate) mod rank;
pub(crate) mod relation;
pub(crate) mod span;

use std::ops::Bound;
use std::sync::Arc;

use crate::function::Function;
use crate::geo::spatial::Spatial;
use crate::query::dense_vector::Nearest;
use crate::query::match_scope::MatchScope;
use crate::query::more_like::MoreLike;
use crate::query::rank::RankQuery;
use crate::query::relation::Related;
use crate::query::span::SpanQuery;
use crate::value::Value;

#[derive(Clone, Debug, PartialEq)]
pub enum Query {
    All,
    Nothing,
    /// Documents whose field holds this exact term: an analysed word (`Str`) or a typed value.
    Term {
        field: Arc<str>,
        value: Value,
    },
    /// Terms at one position that score as one (Lucene's `SynonymQuery`): (term, boost).
    Synonym {
        field: Arc<str>,
        terms: Vec<(String, f32)>,
    },
    Spatial(Box<Spatial>),
    Nearest(Box<Nearest>),
    /// Any of many values, unscored (Solr's `{!terms}`).
    TermSet {
        field: Arc<str>,
        values: Vec<Value>,
    },
    Phrase(Phrase),
    Span(Box<SpanQuery>),
    Rank(Box<RankQuery>),
    Range(Range),
    Prefix {
        field: Arc<str>,
        prefix: String,
    },
    /// `*` any run, `?` one character, `\` takes the next literally.
    Wildcard {
        field: Arc<str>,
        pattern: String,
    },
    /// Lucene's regular-expression syntax, over the whole term.
    Regex {
        field: Arc<str>,
        pattern: String,
    },
    Fuzzy(Fuzzy),
    /// Documents that have any value in the field.
    Exists {
        field: Arc<str>,
    },
    Boolean {
        clauses: Vec<Clause>,
        minimum_should_match: usize,
    },
    DisjunctionMax {
        queries: Vec<Query>,
        tie_breaker: f32,
    },
    Boost {
        query: Box<Query>,
        boost: f32,
    },
    ConstantScore {
        query: Box<Query>,
        score: f32,
    },
    /// Every document, scored by a function's value; by 0 where that is negative or no number.
    Function(Box<Function>),
    FunctionRange(Box<FunctionRange>),
    /// A query's matches, their scores multiplied by a function's value.
    FunctionBoost {
        query: Box<Query>,
        function: Box<Function>,
    },
    /// Documents like another. One that does not exist is a bad request.
    MoreLike(Box<MoreLike>),
    /// Found by way of other documents.
    Related(Box<Related>),
}

/// The widest of several scopes.
pub(crate) fn widest<'a>(queries: impl IntoIterator<Item = &'a Query>) -> MatchScope {
    queries.into_iter().map(Query::scope).max().unwrap_or(MatchScope::Segment)
}

impl Query {
    /// What has to stay the same for its matches to stay the same. No arm is left to chance: a query of a new
    /// kind that is taken for one of a segment would be answered from what is kept of another moment.
    pub fn scope(&self) -> MatchScope {
        match self {
            Query::All
            | Query::Nothing
            | Query::Term { .. }
            | Query::Synonym { .. }
            | Query::Spatial(_)
            | Query::TermSet { .. }
            | Query::Phrase(_)
            | Query::Rank(_)
            | Query::Range(_)
            | Query::Prefix { .. }
            | Query::Wildcard { .. }
            | Query::Regex { .. }
            | Query::Exists { .. } => MatchScope::Segment,
            // The nearest terms of all segments, so many; the words of a document that another segment may
            // have.
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

    /// Whether it reads few postings or whole words of them: terms, ranges of one column, and combinations of
    /// those. What reads positions, many terms or a whole column is not.
    pub fn is_light(&self) -> bool {
        match self {
            Query::All | Query::Nothing | Query::Term { .. } | Query::Synonym { .. } | Query::Range(_) => {
                true
            }
            Query::TermSet { values, .. } => values.len() <= 16,
            Query::Boolean { clauses, .. } => clauses.iter().all(|clause| clause.query.is_light()),
            Query::DisjunctionMax { queries, .. } => queries.iter().all(Query::is_light),
            Query::Boost { query, .. } | Query::ConstantScore { query, .. } => query.is_light(),
            _ => false,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Clause {
    pub occur: Occur,
    pub query: Query,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Occur {
    Must,
    Should,
    MustNot,
    /// Must match, adds nothing to the score.
    Filter,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Phrase {
    pub field: Arc<str>,
    /// In ascending order of position.
    pub positions: Vec<PhrasePosition>,
    pub slop: u32,
}

/// The terms that may stand at one position of a phrase.
#[derive(Clone, Debug, PartialEq)]
pub struct PhrasePosition {
    pub position: u32,
    pub terms: Vec<String>,
}

/// Bounds are of the field's type; `Unbounded` on both sides is [`Query::Exists`].
#[derive(Clone, Debug, PartialEq)]
pub struct Range {
    pub field: Arc<str>,
    pub lower: Bound<Value>,
    pub upper: Bound<Value>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Fuzzy {
    pub field: Arc<str>,
    pub term: String,
    /// 0, 1 or 2, a transposition counting as one.
    pub edits_max: u8,
    /// Leading characters that must match exactly.
    pub prefix_length: usize,
    /// Whether two letters in each other's place count as one edit, not two.
    pub transpositions: bool,
    /// Terms that it may stand for, the nearest.
    pub terms_max: usize,
}

impl Fuzzy {
    /// Lucene's `FuzzyQuery.defaultMaxExpansions`.
    pub const TERMS_MAX: usize = 50;

    /// With everything else as Lucene has it by default.
    pub fn new(field: Arc<str>, term: String, edits_max: u8) -> Self {
        Self { field, term, edits_max, prefix_length: 0, transpositions: true, terms_max: Self::TERMS_MAX }
    }
}

/// Documents for which a function has a value within bounds, which are of the function's kind: `Int`, `Long`,
/// `Date`, `Double`, `Str`, and `Float` for every other.
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionRange {
    pub function: Function,
    pub lower: Bound<Value>,
    pub upper: Bound<Value>,
}
