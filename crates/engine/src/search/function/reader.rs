//! A function in one segment. Each leaf reads one thing of the segment, each call computes from its
//! arguments; this file says which, and how a value of one kind is read as another, as Lucene's
//! `FunctionValues` convert.

use plan::{Kind, Operator, Result, Value};
use tantivy::{DocId, SegmentReader};

use super::block::Room;
use super::column::ColumnReader;
use super::currency::Currency;
use super::distance::PlaceDistance;
use super::leaf::{JoinFrequency, Ordinal, Score, TermFrequency};
use super::lower::{Lowered, Scale};
use super::payload::Payload;
use super::{arithmetic, truth};
use crate::search::nearest::SimilarityReader;

pub(crate) enum Reader {
    Constant { value: Value, shown: String },
    Column(ColumnReader),
    Ordinal(Ordinal),
    Score(Box<Score>),
    TermFrequency(Box<TermFrequency>),
    JoinFrequency(Box<JoinFrequency>),
    PlaceDistance(PlaceDistance),
    VectorSimilarity(Box<SimilarityReader>),
    Payload(Box<Payload>),
    Currency(Box<Currency>),
    Scaled { of: Box<Reader>, scale: Scale },
    Call { operator: Operator, arguments: Vec<Reader> },
}

impl Reader {
    pub(crate) fn open(lowered: &Lowered, segment: &SegmentReader) -> Result<Self> {
        Ok(match lowered {
            Lowered::Constant { value, shown } => {
                Reader::Constant { value: value.clone(), shown: shown.clone() }
            }
            Lowered::Column(source) => Reader::Column(ColumnReader::open(source, segment)),
            Lowered::Ordinal { column, ordinals, segments, reversed, label } => {
                let place = segments.iter().position(|id| *id == segment.segment_id());
                let ordinals = ordinals.clone();
                Reader::Ordinal(Ordinal::open(column, ordinals, place, *reversed, label, segment)?)
            }
            Lowered::Score { node, schema, missing, label } => {
                Reader::Score(Box::new(Score::open(node, schema, *missing, label, segment)?))
            }
            Lowered::TermFrequency { term, counted, label } => {
                let frequency = TermFrequency::open(term.as_ref(), *counted, label, segment)?;
                Reader::TermFrequency(Box::new(frequency))
            }
            Lowered::JoinFrequency { column, among, readers, label } => {
                let column = ColumnReader::open(column, segment);
                Reader::JoinFrequency(Box::new(JoinFrequency::new(column, *among, readers.clone(), label)))
            }
            Lowered::PlaceDistance { columns, distance, label } => {
                Reader::PlaceDistance(PlaceDistance::open(columns.as_ref(), distance, label, segment))
            }
            Lowered::VectorSimilarity { similarity, label } => {
                Reader::VectorSimilarity(Box::new(SimilarityReader::open(similarity, label, segment)))
            }
            Lowered::Currency { currency, label } => {
                Reader::Currency(Box::new(Currency::open(currency, label, segment)?))
            }
            Lowered::Payload { payload, label } => {
                Reader::Payload(Box::new(Payload::open(payload, label, segment)?))
            }
            Lowered::Scaled { of, scale } => {
                Reader::Scaled { of: Box::new(Reader::open(of, segment)?), scale: *scale }
            }
            Lowered::Call { operator, arguments } => {
                let arguments = arguments.iter().map(|argument| Reader::open(argument, segment));
                Reader::Call { operator: operator.clone(), arguments: arguments.collect::<Result<_>>()? }
            }
        })
    }

    pub(super) fn kind(&self) -> Kind {
        match self {
            Reader::Constant { value, .. } => match value {
                Value::Int(_) => Kind::Int,
                Value::Long(_) | Value::Date(_) => Kind::Long,
                Value::Float(_) => Kind::Float,
                Value::Double(_) => Kind::Double,
                Value::Bool(_) => Kind::Bool,
                Value::Str(_) | Value::Bytes(_) => Kind::Str,
            },
            Reader::Column(column) => column.kind(),
            Reader::Currency(_) => Kind::Double,
            Reader::Ordinal(_) | Reader::TermFrequency(_) | Reader::JoinFrequency(_) => Kind::Int,
            Reader::Score(_)
            | Reader::PlaceDistance(_)
            | Reader::VectorSimilarity(_)
            | Reader::Payload(_)
            | Reader::Scaled { .. } => Kind::Float,
            Reader::Call { operator, .. } => operator.kind(),
        }
    }

    /// In single precision; 0 where there is no value.
    pub(crate) fn floats(&mut self, docs: &[DocId], out: &mut [f32]) {
        match self {
            Reader::Constant { value, .. } => out.fill(constant_float(value)),
            Reader::Score(score) => score.floats(docs, out),
            Reader::PlaceDistance(distance) => distance.floats(docs, out),
            Reader::VectorSimilarity(similarity) => similarity.floats(docs, out),
            Reader::Payload(payload) => payload.floats(docs, out),
            Reader::Scaled { of, scale } => arithmetic::scaled(of, *scale, docs, out),
            Reader::Call { operator, arguments } => match operator.kind() {
                Kind::Float => arithmetic::floats(operator, arguments, docs, out),
                Kind::Mixed => truth::choose(operator, arguments, docs, out, Reader::floats),
                _ => self.narrow(docs, out),
            },
            Reader::Column(column) => column.floats(docs, out),
            _ => self.narrow(docs, out),
        }
    }

    /// In double precision; 0 where there is no value.
    pub(crate) fn doubles(&mut self, docs: &[DocId], out: &mut [f64]) {
        match self {
            Reader::Constant { value, .. } => out.fill(constant_double(value)),
            Reader::Column(column) => column.doubles(docs, out),
            Reader::Currency(currency) => currency.doubles(docs, out),
            Reader::Call { operator, arguments } => match operator.kind() {
                Kind::Double => arithmetic::doubles(operator, arguments, docs, out),
                Kind::Mixed => truth::choose(operator, arguments, docs, out, Reader::doubles),
                Kind::Bool => {
                    let mut flags = Room::of(docs);
                    truth::flags(operator, arguments, docs, flags.all_mut());
                    convert(flags.all(), out, |flag| f64::from(u8::from(flag)));
                }
                _ => self.widen(docs, out),
            },
            _ if self.kind() == Kind::Int => {
                let mut whole = Room::of(docs);
                self.integers(docs, whole.all_mut());
                convert(whole.all(), out, |number: i64| number as f64);
            }
            _ => self.widen(docs, out),
        }
    }

    /// As whole numbers, cut at the point.
    pub(crate) fn integers(&mut self, docs: &[DocId], out: &mut [i64]) {
        match self {
            Reader::Constant { value, .. } => out.fill(constant_integer(value)),
            Reader::Column(column) => column.integers(docs, out),
            Reader::Ordinal(ordinal) => ordinal.integers(docs, out),
            Reader::TermFrequency(frequency) => frequency.integers(docs, out),
            Reader::JoinFrequency(frequency) => frequency.integers(docs, out),
            Reader::Call { operator, arguments } if operator.kind() == Kind::Mixed => {
                truth::choose(operator, arguments, docs, out, Reader::integers);
            }
            _ => {
                let mut wide = Room::of(docs);
                self.doubles(docs, wide.all_mut());
                convert(wide.all(), out, |number: f64| number as i64);
            }
        }
    }

    /// Whether it is true: not 0, or a text that is there.
    pub(crate) fn flags(&mut self, docs: &[DocId], out: &mut [bool]) {
        match self {
            Reader::Call { operator, arguments } if operator.kind() == Kind::Bool => {
                truth::flags(operator, arguments, docs, out);
            }
            Reader::Call { operator, arguments } if operator.kind() == Kind::Mixed => {
                truth::choose(operator, arguments, docs, out, Reader::flags);
            }
            _ if self.kind() == Kind::Str => self.present(docs, out),
            _ => {
                let mut wide = Room::of(docs);
                self.doubles(docs, wide.all_mut());
                convert(wide.all(), out, |number: f64| number != 0.0);
            }
        }
    }

    /// Whether there is a value.
    pub(crate) fn present(&mut self, docs: &[DocId], out: &mut [bool]) {
        match self {
            Reader::Column(column) => column.present(docs, out),
            Reader::Ordinal(ordinal) => ordinal.present(docs, out),
            Reader::Score(score) => score.present(docs, out),
            Reader::Currency(currency) => currency.present(docs, out),
            Reader::Scaled { of, .. } => of.present(docs, out),
            Reader::Call { operator, arguments } => truth::present(operator, arguments, docs, out),
            Reader::Constant { .. }
            | Reader::TermFrequency(_)
            | Reader::JoinFrequency(_)
            | Reader::PlaceDistance(_)
            | Reader::VectorSimilarity(_)
            | Reader::Payload(_) => out.fill(true),
        }
    }

    /// To be called before the documents of a block are asked one by one: what walks forward only computes
    /// them all, and can tell them again.
    pub(super) fn remember(&mut self, docs: &[DocId]) {
        match self {
            Reader::Score(score) => score.remember(docs),
            Reader::TermFrequency(frequency) => frequency.remember(docs),
            Reader::Payload(payload) => payload.remember(docs),
            Reader::Scaled { of, .. } => of.remember(docs),
            Reader::Call { arguments, .. } => {
                arguments.iter_mut().for_each(|argument| argument.remember(docs));
            }
            _ => {}
        }
    }

    fn narrow(&mut self, docs: &[DocId], out: &mut [f32]) {
        let mut wide = Room::of(docs);
        self.doubles(docs, wide.all_mut());
        convert(wide.all(), out, |number: f64| number as f32);
    }

    fn widen(&mut self, docs: &[DocId], out: &mut [f64]) {
        if matches!(self.kind(), Kind::Str | Kind::Vector) {
            return out.fill(0.0);
        }
        let mut narrow = Room::of(docs);
        self.floats(docs, narrow.all_mut());
        convert(narrow.all(), out, f64::from);
    }
}

pub(super) fn convert<A: Copy, B>(from: &[A], to: &mut [B], how: impl Fn(A) -> B) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to = how(*from));
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
