//! The documents for which a function has a value within bounds, of its own kind: whole numbers, dates, texts
//! as such, those in double precision as such, all others in single.
//!
//! In: a lowered function and typed bounds (`{!frange}`); out: bits of a segment, computed for all of its
//! documents or only for those that other clauses have left.

use std::ops::Bound;
use std::sync::Arc;

use meter::Allowance;
use plan::{FunctionRange, Kind, Result, Value};
use tantivy::{DocId, SegmentReader};

use super::batch::{BatchBuffer, each_doc_batch};
use super::lowered::LoweredFunction;
use super::reader::FunctionReader;
use super::values::{FunctionValues as _, SingleValues as _};
use crate::search::column_values;
use crate::search::computed_docs::ComputedDocs;
use crate::segment::bits::Bits;

/// A range ready to run in any segment.
pub(crate) struct FunctionRangeNode {
    function: Arc<LoweredFunction>,
    computed: ComputedDocs,
}

impl FunctionRangeNode {
    pub(crate) fn new(function: LoweredFunction, range: FunctionRange, allowance: &Allowance) -> Self {
        let (function, range) = (Arc::new(function), Arc::new(range));
        let (inner, bounds, until) = (function.clone(), range.clone(), allowance.clone());
        let all = move |segment: &SegmentReader| {
            bits((&*inner, &*bounds), segment, &Bits::all(segment.max_doc()), &until)
        };
        let (inner, until) = (function.clone(), allowance.clone());
        let some = move |segment: &SegmentReader, among: &Bits| {
            bits((&*inner, &*range), segment, among, &until).map(Some)
        };
        Self { function, computed: ComputedDocs::new(all).or_among(some) }
    }

    /// The documents of each segment, dead or alive; asked about some, it computes no others.
    pub(crate) fn computed(&self) -> &ComputedDocs {
        &self.computed
    }

    /// The value for a document, and the function in words with what it read.
    pub(crate) fn value_at(&self, segment: &SegmentReader, doc: DocId) -> Result<(f64, String)> {
        let mut reader = FunctionReader::open(&self.function, segment)?;
        Ok((reader.double(doc), reader.describe(doc)))
    }
}

fn bits(
    (function, range): (&LoweredFunction, &FunctionRange),
    segment: &SegmentReader,
    among: &Bits,
    allowance: &Allowance,
) -> Result<Bits> {
    let mut reader = FunctionReader::open(function, segment)?;
    let bounds = Bounds::of(range);
    let mut bits = Bits::none(segment.max_doc());
    each_doc_batch(among, allowance, |docs| {
        let (mut inside, mut present) = (BatchBuffer::<bool>::of(docs), BatchBuffer::<bool>::of(docs));
        bounds.inside(&mut reader, docs, inside.all_mut());
        reader.present(docs, present.all_mut());
        for (doc, (inside, present)) in docs.iter().zip(inside.all().iter().zip(present.all())) {
            if *inside && *present {
                bits.insert(*doc);
            }
        }
    });
    Ok(bits)
}

/// As Lucene names it in explanations.
pub(crate) fn range_label(range: &FunctionRange) -> String {
    let end = |bound: &Bound<Value>| match bound {
        Bound::Included(value) | Bound::Excluded(value) => value.to_text(),
        Bound::Unbounded => "*".to_owned(),
    };
    let open = if matches!(range.lower, Bound::Excluded(_)) { '{' } else { '[' };
    let close = if matches!(range.upper, Bound::Excluded(_)) { '}' } else { ']' };
    format!("frange({}):{open}{} TO {}{close}", range.function, end(&range.lower), end(&range.upper))
}

enum Bounds {
    Integers(Bound<i64>, Bound<i64>),
    Floats(Bound<f32>, Bound<f32>),
    Doubles(Bound<f64>, Bound<f64>),
    Texts(Bound<String>, Bound<String>),
}

impl Bounds {
    fn of(range: &FunctionRange) -> Self {
        let kind = range.function.kind();
        let (lower, upper) = (range.lower.as_ref(), range.upper.as_ref());
        match kind {
            Kind::Int | Kind::Long | Kind::Date => Bounds::Integers(lower.map(integer), upper.map(integer)),
            Kind::Double => Bounds::Doubles(lower.map(double), upper.map(double)),
            Kind::Str => Bounds::Texts(lower.map(Value::to_text), upper.map(Value::to_text)),
            _ => Bounds::Floats(lower.map(float), upper.map(float)),
        }
    }

    fn inside(&self, reader: &mut FunctionReader, docs: &[DocId], out: &mut [bool]) {
        match self {
            Bounds::Integers(lower, upper) => {
                within(docs, out, (lower, upper), |values| reader.integers(docs, values));
            }
            Bounds::Floats(lower, upper) => {
                within(docs, out, (lower, upper), |values| reader.floats(docs, values));
            }
            Bounds::Doubles(lower, upper) => {
                within(docs, out, (lower, upper), |values| reader.doubles(docs, values));
            }
            Bounds::Texts(lower, upper) => {
                for (out, doc) in out.iter_mut().zip(docs) {
                    *out = reader.text(*doc).is_some_and(|text| contains(&text, (lower, upper)));
                }
            }
        }
    }
}

fn within<T: Copy + Default + PartialOrd>(
    docs: &[DocId],
    out: &mut [bool],
    bounds: (&Bound<T>, &Bound<T>),
    read: impl FnOnce(&mut [T]),
) {
    let mut values = BatchBuffer::<T>::of(docs);
    read(values.all_mut());
    out.iter_mut().zip(values.all()).for_each(|(out, value)| *out = contains(value, bounds));
}

/// What is no number lies nowhere, not even between open ends: Lucene fills those with infinities.
fn contains<T: PartialOrd>(value: &T, (lower, upper): (&Bound<T>, &Bound<T>)) -> bool {
    let above = match lower {
        Bound::Included(bound) => value >= bound,
        Bound::Excluded(bound) => value > bound,
        Bound::Unbounded => value.partial_cmp(value).is_some(),
    };
    let below = match upper {
        Bound::Included(bound) => value <= bound,
        Bound::Excluded(bound) => value < bound,
        Bound::Unbounded => value.partial_cmp(value).is_some(),
    };
    above && below
}

fn integer(value: &Value) -> i64 {
    column_values::integer(value).unwrap_or_default()
}

fn double(value: &Value) -> f64 {
    column_values::real(value).unwrap_or_default()
}

fn float(value: &Value) -> f32 {
    double(value) as f32
}
