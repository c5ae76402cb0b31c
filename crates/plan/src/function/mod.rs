//! Functions of a document: what `{!func}`, `{!frange}`, `{!boost}`, sorts and field lists compute. Owns what
//! a function can be asked; the type is part of the query tree, since the two contain each other. A value has
//! a kind, by which Lucene chooses its precision, and may be absent; the names in debug output are those of
//! Lucene's value sources, recorded from Solr 9.10.1.

pub(crate) mod expression;
pub(crate) mod kind;
pub(crate) mod operand;
pub(crate) mod operator;

mod describe;

use std::ops::Bound;

use crate::function::kind::Kind;
use crate::function::operand::{CurrencyOf, Statistic};
use crate::function::operator::Operator;
use crate::query::shape::Occur;
use crate::query::tree::{Clause, Function, FunctionRange, Query};
use crate::schema::class::FieldClass;
use crate::value::Value;

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

impl Function {
    pub fn call(operator: Operator, arguments: Vec<Function>) -> Self {
        Function::Call { operator, arguments }
    }

    pub fn kind(&self) -> Kind {
        match self {
            Function::Constant(value) => kind_of(value),
            Function::Field { class, .. } => match class {
                FieldClass::Int | FieldClass::Enum => Kind::Int,
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
        Value::Int(_) | Value::Enum(_) => Kind::Int,
        Value::Long(_) => Kind::Long,
        Value::Float(_) => Kind::Float,
        Value::Double(_) => Kind::Double,
        Value::Bool(_) => Kind::Bool,
        Value::Date(_) => Kind::Date,
        Value::Str(_) | Value::Bytes(_) => Kind::Str,
    }
}
