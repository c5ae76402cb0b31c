//! Functions of a document: what `{!func}`, `{!frange}`, `{!boost}`, sorts and field lists compute. Every
//! syntax resolves to this tree, the engine lowers it. A value has a kind, by which Lucene chooses its
//! precision, and may be absent; the names in debug output are those of Lucene's value sources, recorded from
//! Solr 9.10.1.

pub(crate) mod expression;
pub(crate) mod kind;

mod describe;
mod operator;

use std::ops::Bound;
use std::sync::Arc;

pub use operator::{Comparison, Operator, StringMeasure};

use crate::function::kind::Kind;
use crate::geo::point::GeoPoint;
use crate::query::dense_vector::VectorSimilarity;
use crate::query::match_scope::MatchScope;
use crate::query::payload::{PayloadDecoder, PayloadFunction};
use crate::query::{Clause, FunctionRange, Occur, Query};
use crate::schema::class::FieldClass;
use crate::value::Value;
use crate::value::currency::CurrencyRates;

#[derive(Clone, Debug, PartialEq)]
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

/// How far the nearest place in a field is from a place.
#[derive(Clone, Debug, PartialEq)]
pub struct PointDistance {
    pub field: Arc<str>,
    pub from: GeoPoint,
    /// What the distance counts in, by how many of it make a metre.
    pub per_metre: f64,
    /// Of a field on a grid: as far as the middle of the cell, a geohash of so many characters, and half
    /// around the earth where there is none.
    pub detail: Option<u8>,
}

/// What was stored with a term in the document.
#[derive(Clone, Debug, PartialEq)]
pub struct PayloadOf {
    pub term: IndexTerm,
    pub decoder: PayloadDecoder,
    /// What several amount to; `None` is the first.
    pub how: Option<PayloadFunction>,
    /// Where nothing was.
    pub missing: Function,
}

/// An amount of money in one currency.
#[derive(Clone, Debug, PartialEq)]
pub struct CurrencyOf {
    pub field: Arc<str>,
    /// Where its amount and its currency are.
    pub amount: Arc<str>,
    pub code: Arc<str>,
    pub rates: Arc<CurrencyRates>,
    /// The currency in whose smallest unit all amounts are first.
    pub target: String,
    /// What those are exchanged into after that, and at which rate: amounts in whole units.
    pub shown: Option<(String, f64)>,
}

impl CurrencyOf {
    /// Documents whose amount lies between two of these; one without a price has none.
    pub fn between(&self, lower: Bound<Value>, upper: Bound<Value>) -> Query {
        let function = Function::Currency(Box::new(self.clone()));
        let range = Query::FunctionRange(Box::new(FunctionRange { function, lower, upper }));
        let clauses = [Query::Exists { field: self.amount.clone() }, range];
        let clauses = clauses.map(|query| Clause { occur: Occur::Filter, query });
        let query = Query::Boolean { clauses: clauses.into(), minimum_should_match: 0 };
        Query::ConstantScore { query: Box::new(query), score: 1.0 }
    }
}

/// Which of several values counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pick {
    Min,
    Max,
}

/// A term as asked for and as indexed; `None` when nothing can be indexed like it.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexTerm {
    pub field: Arc<str>,
    pub text: String,
    pub value: Option<Value>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Statistic {
    /// Documents with the term.
    DocFrequency(IndexTerm),
    /// Occurrences of the term.
    TotalTermFrequency(IndexTerm),
    /// Occurrences of all terms of a field.
    SumTotalTermFrequency { field: Arc<str> },
    /// Documents, the living only.
    Living,
    /// Documents, the dead ones included.
    All,
}

impl Function {
    pub fn call(operator: Operator, arguments: Vec<Function>) -> Self {
        Function::Call { operator, arguments }
    }

    pub fn kind(&self) -> Kind {
        match self {
            Function::Constant(value) => kind_of(value),
            Function::Field { class, .. } => match class {
                FieldClass::Int => Kind::Int,
                FieldClass::Long => Kind::Long,
                FieldClass::Float => Kind::Float,
                FieldClass::Double => Kind::Double,
                FieldClass::Bool => Kind::Bool,
                FieldClass::Date => Kind::Date,
                _ => Kind::Str,
            },
            Function::Score { .. }
            | Function::PointDistance(_)
            | Function::VectorSimilarity(_)
            | Function::Payload(_) => Kind::Float,
            Function::Currency(_) => Kind::Double,
            Function::Statistic(Statistic::TotalTermFrequency(_)) => Kind::Long,
            Function::Statistic(Statistic::SumTotalTermFrequency { .. }) => Kind::Long,
            Function::Ordinal { .. } | Function::TermFrequency(_) => Kind::Int,
            Function::Statistic(_) | Function::JoinFrequency { .. } => Kind::Int,
            Function::Call { operator, .. } => operator.kind(),
        }
    }

    /// Whether its values are numbers, or truths, which count as 0 and 1.
    pub fn is_number(&self) -> bool {
        match (self.kind(), self) {
            (Kind::Str | Kind::Vector, _) => false,
            (_, Function::Call { operator: Operator::If, arguments }) => {
                arguments.iter().skip(1).all(Function::is_number)
            }
            (_, Function::Call { operator: Operator::Default, arguments }) => {
                arguments.iter().all(Function::is_number)
            }
            _ => true,
        }
    }

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

    /// Bytes of text that weigh as much as a function in [`Function::size`].
    pub const TEXT_UNIT: usize = 64;

    /// How many functions it is made of, those inside queries left out; texts count by their length.
    pub fn size(&self) -> usize {
        match self {
            Function::Call { arguments, .. } => 1 + arguments.iter().map(Function::size).sum::<usize>(),
            Function::Payload(payload) => 1 + payload.missing.size(),
            Function::Constant(Value::Str(text)) => 1 + text.len() / Self::TEXT_UNIT,
            Function::Score { label, .. } => 1 + label.len() / Self::TEXT_UNIT,
            _ => 1,
        }
    }
}

fn kind_of(value: &Value) -> Kind {
    match value {
        Value::Int(_) => Kind::Int,
        Value::Long(_) => Kind::Long,
        Value::Float(_) => Kind::Float,
        Value::Double(_) => Kind::Double,
        Value::Bool(_) => Kind::Bool,
        Value::Date(_) => Kind::Date,
        Value::Str(_) | Value::Bytes(_) => Kind::Str,
    }
}
