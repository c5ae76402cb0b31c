//! The query tree: every syntax resolves to it, the engine lowers it. Values are typed and text is analysed; no schema
//! is needed to read it but for how a field is indexed. Shapes follow Lucene's query classes of the same names.

use std::ops::Bound;
use std::sync::Arc;

use crate::dense_vector::Nearest;
use crate::function::Function;
use crate::more_like::MoreLike;
use crate::rank::RankQuery;
use crate::relation::Related;
use crate::span::SpanQuery;
use crate::spatial::Spatial;
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

impl Query {
    /// Whether what it finds in one segment hangs on other segments and on which documents live.
    pub fn is_related(&self) -> bool {
        self.any_relation(&|_| true)
    }

    /// Whether it asks another collection.
    pub fn reads_others(&self) -> bool {
        self.any_relation(&Related::reads_others)
    }

    pub(crate) fn any_relation(&self, is: &dyn Fn(&Related) -> bool) -> bool {
        match self {
            Query::Related(relation) => is(relation),
            Query::Boolean { clauses, .. } => clauses.iter().any(|clause| clause.query.any_relation(is)),
            Query::DisjunctionMax { queries, .. } => queries.iter().any(|query| query.any_relation(is)),
            Query::Boost { query, .. } | Query::ConstantScore { query, .. } => query.any_relation(is),
            Query::FunctionBoost { query, function } => query.any_relation(is) || function.any_relation(is),
            Query::FunctionRange(range) => range.function.any_relation(is),
            Query::Function(function) => function.any_relation(is),
            _ => false,
        }
    }

    /// Whether which documents of a segment match hangs on other segments: then none may be kept for a segment alone.
    pub fn spans_segments(&self) -> bool {
        match self {
            Query::Nearest(_) => true,
            Query::Boolean { clauses, .. } => clauses.iter().any(|clause| clause.query.spans_segments()),
            Query::DisjunctionMax { queries, .. } => queries.iter().any(Query::spans_segments),
            Query::Boost { query, .. } | Query::ConstantScore { query, .. } => query.spans_segments(),
            Query::FunctionBoost { query, .. } => query.spans_segments(),
            _ => false,
        }
    }

    /// Whether it reads few postings or whole words of them: terms, ranges of one column, and combinations of those.
    /// What reads positions, many terms or a whole column is not.
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

/// Documents for which a function has a value within bounds, which are of the function's kind: `Int`, `Long`, `Date`,
/// `Double`, `Str`, and `Float` for every other.
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionRange {
    pub function: Function,
    pub lower: Bound<Value>,
    pub upper: Bound<Value>,
}
