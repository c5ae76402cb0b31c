//! A function in one segment. Each leaf reads one thing of the segment, each call computes from its
//! arguments; this file says which, and how a value of one kind is read as another, as Lucene's
//! `FunctionValues` convert.

use plan::{Kind, Operator, Result, Value};
use tantivy::{DocId, SegmentReader};

use super::batch::{BatchBuffer, convert};
use super::column::ColumnReader;
use super::currency::Currency;
use super::distance::PointDistance;
use super::leaf::{JoinFrequency, Ordinal, Score, TermFrequency};
use super::lowered::LoweredFunction;
use super::payload::Payload;
use super::values::FunctionValues;
use super::{arithmetic, truth};
use crate::search::nearest::SimilarityReader;

pub(crate) enum FunctionReader {
    Constant { value: Value, shown: String },
    Column(ColumnReader),
    Ordinal(Ordinal),
    Score(Box<Score>),
    TermFrequency(Box<TermFrequency>),
    JoinFrequency(Box<JoinFrequency>),
    PointDistance(PointDistance),
    VectorSimilarity(Box<SimilarityReader>),
    Payload { payload: Box<Payload>, missing: Box<FunctionReader> },
    Currency(Box<Currency>),
    Scaled { of: Box<FunctionReader>, scale: arithmetic::Scale },
    Call { operator: Operator, arguments: Vec<FunctionReader> },
}

impl FunctionReader {
    pub(crate) fn open(lowered: &LoweredFunction, segment: &SegmentReader) -> Result<Self> {
        Ok(match lowered {
            LoweredFunction::Constant { value, shown } => {
                FunctionReader::Constant { value: value.clone(), shown: shown.clone() }
            }
            LoweredFunction::Column(source) => FunctionReader::Column(ColumnReader::open(source, segment)),
            LoweredFunction::Ordinal { column, ordinals, segments, reversed, label } => {
                let place = segments.iter().position(|id| *id == segment.segment_id());
                let ordinals = ordinals.clone();
                FunctionReader::Ordinal(Ordinal::open(column, ordinals, place, *reversed, label, segment)?)
            }
            LoweredFunction::Score { query, missing, label } => {
                FunctionReader::Score(Box::new(Score::open(&**query, *missing, label, segment)?))
            }
            LoweredFunction::TermFrequency { term, counted, label } => {
                let frequency = TermFrequency::open(term.as_ref(), *counted, label, segment)?;
                FunctionReader::TermFrequency(Box::new(frequency))
            }
            LoweredFunction::JoinFrequency { column, among, readers, label } => {
                let column = ColumnReader::open(column, segment);
                FunctionReader::JoinFrequency(Box::new(JoinFrequency::new(
                    column,
                    *among,
                    readers.clone(),
                    label,
                )))
            }
            LoweredFunction::PointDistance { columns, distance, label } => {
                FunctionReader::PointDistance(PointDistance::open(columns.as_ref(), distance, label, segment))
            }
            LoweredFunction::VectorSimilarity { similarity, label } => {
                FunctionReader::VectorSimilarity(Box::new(SimilarityReader::open(similarity, label, segment)))
            }
            LoweredFunction::Currency { currency, label } => {
                FunctionReader::Currency(Box::new(Currency::open(currency, label, segment)?))
            }
            LoweredFunction::Payload { payload, missing, label } => FunctionReader::Payload {
                payload: Box::new(Payload::open(payload, label, segment)?),
                missing: Box::new(FunctionReader::open(missing, segment)?),
            },
            LoweredFunction::Scaled { of, scale } => {
                FunctionReader::Scaled { of: Box::new(FunctionReader::open(of, segment)?), scale: *scale }
            }
            LoweredFunction::Call { operator, arguments } => {
                let arguments = arguments.iter().map(|argument| FunctionReader::open(argument, segment));
                FunctionReader::Call {
                    operator: operator.clone(),
                    arguments: arguments.collect::<Result<_>>()?,
                }
            }
        })
    }
}

impl FunctionValues for FunctionReader {
    fn kind(&self) -> Kind {
        match self {
            FunctionReader::Constant { value, .. } => match value {
                Value::Int(_) | Value::Enum(_) => Kind::Int,
                Value::Long(_) | Value::Date(_) => Kind::Long,
                Value::Float(_) => Kind::Float,
                Value::Double(_) => Kind::Double,
                Value::Bool(_) => Kind::Bool,
                Value::Str(_) | Value::Bytes(_) => Kind::Str,
            },
            FunctionReader::Column(column) => column.kind(),
            FunctionReader::Currency(_) => Kind::Double,
            FunctionReader::Ordinal(_)
            | FunctionReader::TermFrequency(_)
            | FunctionReader::JoinFrequency(_) => Kind::Int,
            FunctionReader::Score(_)
            | FunctionReader::PointDistance(_)
            | FunctionReader::VectorSimilarity(_)
            | FunctionReader::Payload { .. }
            | FunctionReader::Scaled { .. } => Kind::Float,
            FunctionReader::Call { operator, .. } => operator.kind(),
        }
    }

    fn floats(&mut self, docs: &[DocId], out: &mut [f32]) {
        match self {
            FunctionReader::Constant { value, .. } => out.fill(constant_float(value)),
            FunctionReader::Score(score) => score.floats(docs, out),
            FunctionReader::PointDistance(distance) => distance.floats(docs, out),
            FunctionReader::VectorSimilarity(similarity) => similarity.floats(docs, out),
            FunctionReader::Payload { payload, missing } => {
                missing.floats(docs, out);
                payload.replace(docs, out);
            }
            FunctionReader::Scaled { of, scale } => arithmetic::scaled(&mut **of, *scale, docs, out),
            FunctionReader::Call { operator, arguments } => match operator.kind() {
                Kind::Float => arithmetic::floats(operator, arguments, docs, out),
                Kind::Mixed => truth::choose(operator, arguments, docs, out, Self::floats),
                _ => self.narrow(docs, out),
            },
            FunctionReader::Column(column) => column.floats(docs, out),
            _ => self.narrow(docs, out),
        }
    }

    fn doubles(&mut self, docs: &[DocId], out: &mut [f64]) {
        match self {
            FunctionReader::Constant { value, .. } => out.fill(constant_double(value)),
            FunctionReader::Column(column) => column.doubles(docs, out),
            FunctionReader::Currency(currency) => currency.doubles(docs, out),
            FunctionReader::Call { operator, arguments } => match operator.kind() {
                Kind::Double => arithmetic::doubles(operator, arguments, docs, out),
                Kind::Mixed => truth::choose(operator, arguments, docs, out, Self::doubles),
                Kind::Bool => {
                    let mut flags = BatchBuffer::of(docs);
                    truth::flags(operator, arguments, docs, flags.all_mut());
                    convert(flags.all(), out, |flag| f64::from(u8::from(flag)));
                }
                _ => self.widen(docs, out),
            },
            _ if self.kind() == Kind::Int => {
                let mut whole = BatchBuffer::of(docs);
                self.integers(docs, whole.all_mut());
                convert(whole.all(), out, |number: i64| number as f64);
            }
            _ => self.widen(docs, out),
        }
    }

    fn integers(&mut self, docs: &[DocId], out: &mut [i64]) {
        match self {
            FunctionReader::Constant { value, .. } => out.fill(constant_integer(value)),
            FunctionReader::Column(column) => column.integers(docs, out),
            FunctionReader::Ordinal(ordinal) => ordinal.integers(docs, out),
            FunctionReader::TermFrequency(frequency) => frequency.integers(docs, out),
            FunctionReader::JoinFrequency(frequency) => frequency.integers(docs, out),
            FunctionReader::Call { operator, arguments } if operator.kind() == Kind::Mixed => {
                truth::choose(operator, arguments, docs, out, Self::integers);
            }
            _ => {
                let mut wide = BatchBuffer::of(docs);
                self.doubles(docs, wide.all_mut());
                convert(wide.all(), out, |number: f64| number as i64);
            }
        }
    }

    fn flags(&mut self, docs: &[DocId], out: &mut [bool]) {
        match self {
            FunctionReader::Call { operator, arguments } if operator.kind() == Kind::Bool => {
                truth::flags(operator, arguments, docs, out);
            }
            FunctionReader::Call { operator, arguments } if operator.kind() == Kind::Mixed => {
                truth::choose(operator, arguments, docs, out, Self::flags);
            }
            _ if self.kind() == Kind::Str => self.present(docs, out),
            _ => {
                let mut wide = BatchBuffer::of(docs);
                self.doubles(docs, wide.all_mut());
                convert(wide.all(), out, |number: f64| number != 0.0);
            }
        }
    }

    fn present(&mut self, docs: &[DocId], out: &mut [bool]) {
        match self {
            FunctionReader::Column(column) => column.present(docs, out),
            FunctionReader::Ordinal(ordinal) => ordinal.present(docs, out),
            FunctionReader::Score(score) => score.present(docs, out),
            FunctionReader::Currency(currency) => currency.present(docs, out),
            FunctionReader::Scaled { of, .. } => of.present(docs, out),
            FunctionReader::Call { operator, arguments } => truth::present(operator, arguments, docs, out),
            FunctionReader::Constant { .. }
            | FunctionReader::TermFrequency(_)
            | FunctionReader::JoinFrequency(_)
            | FunctionReader::PointDistance(_)
            | FunctionReader::VectorSimilarity(_)
            | FunctionReader::Payload { .. } => out.fill(true),
        }
    }

    fn remember(&mut self, docs: &[DocId]) {
        match self {
            FunctionReader::Score(score) => score.remember(docs),
            FunctionReader::TermFrequency(frequency) => frequency.remember(docs),
            FunctionReader::Payload { payload, missing } => {
                missing.remember(docs);
                payload.remember(docs);
            }
            FunctionReader::Scaled { of, .. } => of.remember(docs),
            FunctionReader::Call { arguments, .. } => {
                arguments.iter_mut().for_each(|argument| argument.remember(docs));
            }
            _ => {}
        }
    }

    fn parts(&mut self) -> &mut [Self] {
        match self {
            FunctionReader::Call { operator: Operator::Vector, arguments } => arguments,
            other => std::slice::from_mut(other),
        }
    }
}

impl FunctionReader {
    fn narrow(&mut self, docs: &[DocId], out: &mut [f32]) {
        let mut wide = BatchBuffer::of(docs);
        self.doubles(docs, wide.all_mut());
        convert(wide.all(), out, |number: f64| number as f32);
    }

    fn widen(&mut self, docs: &[DocId], out: &mut [f64]) {
        if matches!(self.kind(), Kind::Str | Kind::Vector) {
            return out.fill(0.0);
        }
        let mut narrow = BatchBuffer::of(docs);
        self.floats(docs, narrow.all_mut());
        convert(narrow.all(), out, f64::from);
    }
}

fn constant_float(value: &Value) -> f32 {
    match value {
        Value::Long(number) | Value::Date(number) => *number as f32,
        other => constant_double(other) as f32,
    }
}

fn constant_double(value: &Value) -> f64 {
    match value {
        Value::Int(number) => f64::from(*number),
        Value::Long(number) | Value::Date(number) => *number as f64,
        Value::Float(number) => f64::from(*number),
        Value::Double(number) => *number,
        Value::Bool(flag) => f64::from(u8::from(*flag)),
        Value::Enum(value) => f64::from(value.ordinal),
        Value::Str(_) | Value::Bytes(_) => 0.0,
    }
}

fn constant_integer(value: &Value) -> i64 {
    match value {
        Value::Int(number) => i64::from(*number),
        Value::Long(number) | Value::Date(number) => *number,
        other => constant_double(other) as i64,
    }
}
