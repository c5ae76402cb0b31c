//! The query tree: every syntax resolves to it, the engine lowers it. Values are typed and text is analysed;
//! no schema is needed to read it but for how a field is indexed. Shapes follow Lucene's query classes of the
//! same names.
//!
//! Owns the types that contain each other and nothing else: a function may score by a query, a query may
//! filter by a function, a join, a span or a nearest vector holds queries. One recursive type cannot be taken
//! apart, so it is one file. What holds no query stands below (`shape`, `payload`, `function/operand`); what
//! a tree can be asked stands above (`match_scope`, `span`, `like_query`, `function`).

use std::ops::Bound;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::function::operand::{CurrencyOf, IndexTerm, Pick, PointDistance, Statistic};
use crate::function::operator::Operator;
use crate::geo::spatial::Spatial;
use crate::query::date_range::DateRangeQuery;
use crate::query::dense_vector::VectorSimilarity;
use crate::query::more_like::MoreLike;
use crate::query::payload::{PayloadDecoder, PayloadFunction, PayloadUse};
use crate::query::rank::RankQuery;
use crate::query::shape::{Fuzzy, Occur, Phrase, Range, RelatedScore};
use crate::schema::class::FieldClass;
use crate::value::Value;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
    DateRange(DateRangeQuery),
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

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Clause {
    pub occur: Occur,
    pub query: Query,
}

/// Documents for which a function has a value within bounds, which are of the function's kind: `Int`, `Long`,
/// `Date`, `Double`, `Str`, and `Float` for every other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FunctionRange {
    pub function: Function,
    pub lower: Bound<Value>,
    pub upper: Bound<Value>,
}

/// The documents whose vectors are nearest to a target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Nearest {
    pub field: Arc<str>,
    pub target: Arc<[f32]>,
    /// How many, at least 1.
    pub count: usize,
    /// How many more are looked at than are wanted, as a factor; 1 is the least.
    pub effort: f32,
    /// Only among documents that match all of these.
    pub among: Vec<Query>,
}

/// A span query, of one field.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpanQuery {
    pub field: Arc<str>,
    pub span: Span,
    pub payload: Option<PayloadUse>,
    /// As written, where debug output shows that.
    pub text: Option<String>,
}

/// A stretch of words.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Span {
    Word(String),
    /// Any of the words that a prefix, wildcard, regular expression, fuzzy term or range finds in the index.
    Pattern(Box<Query>),
    Any(Vec<Span>),
    Near {
        spans: Vec<Span>,
        /// Words between, at most.
        slop: u32,
        in_order: bool,
    },
    /// Where the first stands and the second does not overlap it.
    Without(Box<[Span; 2]>),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Related {
    /// The parents of blocks in which documents before them match (`{!parent}`).
    ToParent {
        parents: Query,
        children: Query,
        score: RelatedScore,
    },
    /// The documents before the parents that match, up to the parent before (`{!child}`). They score as their
    /// parents.
    ToChildren {
        parents: Query,
        query: Query,
    },
    Join(Join),
    Graph {
        query: Query,
        graph: Graph,
    },
}

/// Documents that have in `to` what others have in `from` (`{!join}`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Join {
    /// The collection that `query` and `from` are of; `None` is the one that is searched.
    pub collection: Option<Arc<str>>,
    /// Of that collection's schema.
    pub schema_version: Option<u64>,
    pub query: Query,
    pub from: Arc<str>,
    pub to: Arc<str>,
    /// `None` scores a constant.
    pub score: Option<RelatedScore>,
}

/// Documents reached from others: each step leads from what a document has in `edges` to those that have it
/// in `node` (`{!graph}`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Graph {
    /// The collection, where it has shards besides the one that is asked: a way may lead through any of them.
    pub collection: Option<Arc<str>>,
    pub node: Arc<str>,
    pub edges: Arc<str>,
    /// Only over these does a way lead.
    pub filter: Option<Query>,
    /// `None` goes as far as there is a way.
    pub steps_max: Option<u32>,
    /// Whether those it starts from are found too.
    pub with_roots: bool,
    /// Only documents without edges are found.
    pub only_leaves: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Function {
    /// The same for every document: `Long`, `Float`, `Double`, `Bool` or `Str`.
    Constant(Value),
    /// The value of a field; of several the one that `pick` says.
    Field {
        field: Arc<str>,
        class: FieldClass,
        pick: Option<Pick>,
    },
    /// The place of a field's value among all its values, from 0, or from the last on when `reversed`.
    Ordinal {
        field: Arc<str>,
        reversed: bool,
    },
    /// The score of a query, `missing` where it does not match. `label` is the query in debug output.
    Score {
        query: Box<Query>,
        missing: f32,
        label: String,
    },
    /// How often a term stands in the document.
    TermFrequency(IndexTerm),
    /// What the index says of a term or a field, the same for every document.
    Statistic(Statistic),
    /// How many documents have in `among` what the document has in `field`.
    JoinFrequency {
        field: Arc<str>,
        among: Arc<str>,
    },
    PointDistance(PointDistance),
    VectorSimilarity(Box<VectorSimilarity>),
    Payload(Box<PayloadOf>),
    Currency(Box<CurrencyOf>),
    Call {
        operator: Operator,
        arguments: Vec<Function>,
    },
}

/// What was stored with a term in the document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PayloadOf {
    pub term: IndexTerm,
    pub decoder: PayloadDecoder,
    /// What several amount to; `None` is the first.
    pub how: Option<PayloadFunction>,
    /// Where nothing was.
    pub missing: Function,
}

impl Query {
    /// Whether the postings of its terms are all that it reads, each of which a search counts.
    pub(crate) fn reads_terms_alone(&self) -> bool {
        match self {
            Query::Nothing | Query::Term { .. } | Query::Synonym { .. } => true,
            Query::Boolean { clauses, .. } => clauses.iter().all(|clause| clause.query.reads_terms_alone()),
            Query::DisjunctionMax { queries, .. } => queries.iter().all(Self::reads_terms_alone),
            Query::Boost { query, .. } => query.reads_terms_alone(),
            _ => false,
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
