//! Hits in the order of columns, scores or neither. Within a segment every key is one number whose natural order is the
//! sort's; only the best of each segment are compared across segments, strings then by their text.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::sync::Arc;

use plan::{Error, FieldClass, Result, SortBy, SortKey, SortMissing};
use tantivy::DocId;
use tantivy::columnar::{Column, MonotonicallyMappableToU64, StrColumn};

use super::Found;
use crate::layout::{ColumnRef, FieldLayout};
use crate::search::bits::Bits;
use crate::search::error::engine_error;
use crate::search::evaluate::Evaluator;
use crate::search::function::{BLOCK, Lowered, Reader, each_block, lower};
use crate::search::node::Node;
use crate::search::sets::AnyColumn;
use crate::search::{SearchContext, SearchSegment};

/// The first `limit` of `hits` in the order of `keys`, ties in index order. Scores are filled in when `with_scores`.
pub(crate) fn sorted(
    context: &SearchContext<'_>,
    node: &Node,
    hits: &[Arc<Bits>],
    keys: &[SortKey],
    limit: usize,
) -> Result<Vec<Found>> {
    let fields = keys.iter().map(|key| Field::resolve(context, key)).collect::<Result<Vec<_>>>()?;
    let mut all: Vec<Merged> = Vec::new();
    for (segment, hits) in context.segments.iter().zip(hits) {
        let mut sources = fields
            .iter()
            .map(|field| Source::open(context, node, segment, field))
            .collect::<Result<Vec<_>>>()?;
        let first = walk(&fields, &mut sources, segment, hits, limit);
        let best = best_of_segment(&fields, &mut sources, first.as_ref().unwrap_or(hits), limit);
        for (values, doc) in best {
            let keys = sources.iter().zip(&values).map(|(source, value)| source.resolve(*value));
            all.push(Merged { keys: keys.collect::<Result<_>>()?, segment: segment.number, doc });
        }
    }
    all.sort_by(|left, right| compare(&fields, left, right));
    all.truncate(limit);
    Ok(all.into_iter().map(|hit| Found { segment: hit.segment, doc: hit.doc, score: None }).collect())
}

/// A sort key with its field.
struct Field {
    by: By,
    descending: bool,
}

enum By {
    Score,
    Column {
        column: ColumnRef,
        missing: Missing,
    },
    /// The field has no value anywhere.
    Nothing,
    IndexOrder,
    Random(u64),
    Function(Lowered),
}

/// Where documents without a value go. `First` and `Last` hold whatever the direction.
#[derive(Clone, Copy)]
enum Missing {
    First,
    Last,
    Lowest,
    /// As the number 0, Solr's default for numbers and dates.
    Zero,
}

impl Field {
    fn resolve(context: &SearchContext<'_>, key: &SortKey) -> Result<Self> {
        let by = match &key.by {
            SortBy::Score => By::Score,
            SortBy::IndexOrder => By::IndexOrder,
            SortBy::Random { seed } => By::Random(*seed),
            SortBy::Function(function) => By::Function(lower(context, function)?),
            SortBy::Field(name) => match context.layout.field(name) {
                None => By::Nothing,
                Some(layout) => By::Column { column: column_of(layout)?, missing: missing(layout) },
            },
        };
        Ok(Self { by, descending: key.descending })
    }
}

fn column_of(layout: &FieldLayout) -> Result<ColumnRef> {
    layout.column.clone().ok_or_else(|| {
        Error::bad_request(format!(
            "can not sort on a field w/o docValues unless it is indexed and supports Uninversion.: {}",
            layout.name
        ))
    })
}

fn missing(layout: &FieldLayout) -> Missing {
    let numeric = layout.class().is_point();
    match layout.spec.properties.sort_missing() {
        SortMissing::First => Missing::First,
        SortMissing::Last => Missing::Last,
        SortMissing::AsLowest if numeric || layout.class() == FieldClass::Rank => Missing::Zero,
        SortMissing::AsLowest => Missing::Lowest,
    }
}

/// A key of one document: smaller comes first. The upper half places missing values.
type Value = u128;

const PRESENT: u128 = 1 << 64;
const BEFORE: u128 = 0;
const BEHIND: u128 = 2 << 64;

/// Where a key's values come from in one segment.
struct Source {
    values: Values,
    descending: bool,
    absent: Value,
}

enum Values {
    Score(Box<Evaluator>),
    I64(Column<i64>),
    F64(Column<f64>),
    Bool(Column<bool>),
    Str(StrColumn),
    Absent,
    Place(u64),
    Shuffled { seed: u64, base: u64 },
    Function(Box<Reader>),
}

impl Source {
    fn open(
        context: &SearchContext<'_>,
        node: &Node,
        segment: &SearchSegment<'_>,
        field: &Field,
    ) -> Result<Self> {
        let descending = field.descending;
        let (values, absent) = match &field.by {
            By::Score => (
                Values::Score(Box::new(Evaluator::open(context.layout.tantivy(), node, segment.reader)?)),
                BEHIND,
            ),
            By::IndexOrder => (Values::Place(segment.base), BEHIND),
            By::Random(seed) => (Values::Shuffled { seed: *seed, base: segment.base }, BEHIND),
            By::Nothing => (Values::Absent, BEHIND),
            By::Function(lowered) => {
                (Values::Function(Box::new(Reader::open(lowered, segment.reader)?)), BEHIND)
            }
            By::Column { column, missing } => {
                let values = match AnyColumn::open(segment.reader, column)? {
                    Some(AnyColumn::I64(column)) => Values::I64(column),
                    Some(AnyColumn::F64(column)) => Values::F64(column),
                    Some(AnyColumn::Bool(column)) => Values::Bool(column),
                    Some(AnyColumn::Str(column)) => Values::Str(column),
                    None => Values::Absent,
                };
                (values, absent_key(*missing, column, descending))
            }
        };
        Ok(Self { values, descending, absent })
    }

    #[inline]
    fn key(&mut self, doc: DocId) -> Value {
        let raw = match &mut self.values {
            Values::Score(evaluator) => evaluator.score(doc).map(|score| u64::from(ordered(score))),
            Values::I64(column) => {
                extreme(column, doc, self.descending).map(MonotonicallyMappableToU64::to_u64)
            }
            Values::F64(column) => {
                extreme(column, doc, self.descending).map(MonotonicallyMappableToU64::to_u64)
            }
            Values::Bool(column) => extreme(column, doc, self.descending).map(u64::from),
            Values::Str(column) => extreme(column.ords(), doc, self.descending),
            Values::Absent => None,
            Values::Place(base) => Some(*base + u64::from(doc)),
            Values::Function(reader) => {
                let mut value = [0.0];
                reader.doubles(&[doc], &mut value);
                Some(ordered_double(value[0]))
            }
            Values::Shuffled { seed, base } => Some(mix(*seed ^ mix(*base + u64::from(doc)))),
        };
        raw.map_or(self.absent, |raw| present(raw, self.descending))
    }

    /// The keys of documents, at most [`BLOCK`] of them.
    fn keys(&mut self, docs: &[DocId], keys: &mut [Value]) {
        if let Values::Function(reader) = &mut self.values {
            let mut values = [0.0f64; BLOCK];
            let values = values.get_mut(..docs.len()).unwrap_or_default();
            reader.doubles(docs, values);
            let present = values.iter().map(|value| present(ordered_double(*value), self.descending));
            keys.iter_mut().zip(present).for_each(|(key, value)| *key = value);
        } else {
            keys.iter_mut().zip(docs).for_each(|(key, doc)| *key = self.key(*doc));
        }
    }

    /// The key as it compares across segments.
    fn resolve(&self, key: Value) -> Result<Resolved> {
        match &self.values {
            Values::Str(column) if key & !u128::from(u64::MAX) == PRESENT => {
                let ord = if self.descending { !(key as u64) } else { key as u64 };
                let mut text = String::new();
                column.ord_to_str(ord, &mut text).map_err(engine_error)?;
                Ok(Resolved::Text(text))
            }
            _ => Ok(Resolved::Key(key)),
        }
    }
}

fn present(raw: u64, descending: bool) -> Value {
    PRESENT | u128::from(if descending { !raw } else { raw })
}

fn absent_key(missing: Missing, column: &ColumnRef, descending: bool) -> Value {
    match missing {
        Missing::First => BEFORE,
        Missing::Last => BEHIND,
        Missing::Lowest => {
            if descending {
                BEHIND
            } else {
                BEFORE
            }
        }
        Missing::Zero => {
            let zero = match column.kind {
                crate::layout::ColumnKind::F64 => 0.0f64.to_u64(),
                _ => 0i64.to_u64(),
            };
            present(zero, descending)
        }
    }
}

/// The bits of a float in an order that is the float's.
fn ordered(score: f32) -> u32 {
    let bits = score.to_bits();
    if bits >> 31 == 0 { bits | 1 << 31 } else { !bits }
}

/// The same of a double, as Java compares them: what is no number is above all others, and -0 below 0.
fn ordered_double(value: f64) -> u64 {
    let bits = if value.is_nan() { f64::NAN.to_bits() } else { value.to_bits() };
    if bits >> 63 == 0 { bits | 1 << 63 } else { !bits }
}

/// A bijection that spreads its input over all bits (the finaliser of SplitMix64).
fn mix(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ number >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ number >> 31
}

#[derive(PartialEq)]
enum Resolved {
    Key(Value),
    Text(String),
}

struct Merged {
    keys: Vec<Resolved>,
    segment: usize,
    doc: DocId,
}

fn compare(fields: &[Field], left: &Merged, right: &Merged) -> Ordering {
    for ((field, left), right) in fields.iter().zip(&left.keys).zip(&right.keys) {
        let order = match (left, right) {
            (Resolved::Text(left), Resolved::Text(right)) if field.descending => right.cmp(left),
            (Resolved::Text(left), Resolved::Text(right)) => left.cmp(right),
            (Resolved::Key(left), Resolved::Key(right)) => left.cmp(right),
            (Resolved::Key(key), Resolved::Text(_)) => key.cmp(&PRESENT),
            (Resolved::Text(_), Resolved::Key(key)) => PRESENT.cmp(key),
        };
        if order != Ordering::Equal {
            return order;
        }
    }
    (left.segment, left.doc).cmp(&(right.segment, right.doc))
}

/// Hits that hold the first `limit` of a segment: those met when walking the order of the first key's values. `None` where
/// there is no such order, or where hits are so rare that looking at each is cheaper.
fn walk(
    fields: &[Field],
    sources: &mut [Source],
    segment: &SearchSegment<'_>,
    hits: &Bits,
    limit: usize,
) -> Option<Bits> {
    /// A step of a walk costs as much as looking at so many hits.
    const STEP: u64 = 2;
    let Field { by: By::Column { column, .. }, descending } = fields.first()? else { return None };
    let order = segment.view.value_order(column).filter(|order| order.len() == segment.max_doc())?;
    let source = sources.first_mut()?;
    let count = u64::from(hits.count());
    if count == 0 || limit as u64 * u64::from(order.len()) / count * STEP >= count {
        return None;
    }
    let mut first = Bits::none(segment.max_doc());
    let (mut found, mut last) = (0, None);
    for step in 0..order.len() {
        let doc = order.doc(if *descending { order.len() - 1 - step } else { step });
        if hits.contains(doc) {
            let key = Some(source.key(doc));
            // Equal ones all count: the other keys, or the index order, decide among them.
            if found >= limit && key != last {
                break;
            }
            first.insert(doc);
            found += 1;
            last = key;
        }
    }
    Some(first)
}

/// The first `limit` documents of a segment with their keys, in no order.
fn best_of_segment(
    fields: &[Field],
    sources: &mut [Source],
    hits: &Bits,
    limit: usize,
) -> Vec<(Vec<Value>, DocId)> {
    let mut heap: BinaryHeap<(Vec<Value>, DocId)> = BinaryHeap::new();
    if limit == 0 {
        return Vec::new();
    }
    let Some((first, others)) = sources.split_first_mut() else { return Vec::new() };
    let mut block = [0; BLOCK];
    each_block(hits, |docs| {
        let block = block.get_mut(..docs.len()).unwrap_or_default();
        first.keys(docs, block);
        for (doc, key) in docs.iter().zip(block.iter()) {
            let bar = if heap.len() < limit { None } else { heap.peek().and_then(|(keys, _)| keys.first()) };
            // Equal ones stand in index order, where no other key decides.
            if bar.is_some_and(|bar| key > bar || (key == bar && others.is_empty())) {
                continue;
            }
            let mut keys = Vec::with_capacity(fields.len());
            keys.push(*key);
            keys.extend(others.iter_mut().map(|source| source.key(*doc)));
            offer(&mut heap, (keys, *doc), limit);
        }
    });
    heap.into_vec()
}

fn offer(heap: &mut BinaryHeap<(Vec<Value>, DocId)>, entry: (Vec<Value>, DocId), limit: usize) {
    if heap.len() < limit {
        heap.push(entry);
    } else if let Some(mut worst) = heap.peek_mut()
        && entry < *worst
    {
        *worst = entry;
    }
}

/// Of several values the least, or the greatest when they come in descending order, as in Solr.
#[inline]
fn extreme<T>(column: &Column<T>, doc: DocId, descending: bool) -> Option<T>
where
    T: PartialOrd + Copy + std::fmt::Debug + Send + Sync + 'static,
{
    if !column.get_cardinality().is_multivalue() {
        return column.first(doc);
    }
    column.values_for_doc(doc).reduce(|one, other| if (other < one) != descending { other } else { one })
}
