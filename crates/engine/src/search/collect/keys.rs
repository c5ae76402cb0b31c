//! The keys that hits are ordered by. Within a segment each is one number whose natural order is the sort's; across segments
//! strings compare by their text. `cursor.rs` reads keys back as values.

use std::cmp::Ordering;

use plan::{BelowKey, Error, FieldClass, Result, SortBy, SortKey, SortMissing};
use tantivy::DocId;
use tantivy::columnar::{Column, MonotonicallyMappableToU64, StrColumn};

use super::Found;
use super::below::{Below, SegmentBelow};
use crate::layout::{ColumnRef, FieldLayout};
use crate::search::columns::AnyColumn;
use crate::search::error::engine_error;
use crate::search::evaluate::Evaluator;
use crate::search::function::{BLOCK, Lowered, Reader, lower};
use crate::search::node::Node;
use crate::search::{SearchContext, SearchSegment};

/// What hits are ordered by: one key after another, then their places in the index.
pub(crate) struct Order(Vec<Field>);

impl Order {
    pub(crate) fn resolve(context: &SearchContext<'_>, keys: &[SortKey]) -> Result<Self> {
        keys.iter().map(|key| Field::resolve(context, key)).collect::<Result<_>>().map(Self)
    }

    /// Whether the score alone decides, the greatest first.
    pub(crate) fn is_by_score(&self) -> bool {
        matches!(&self.0[..], [Field { by: By::Score, descending: true }])
    }

    pub(super) fn first(&self) -> Option<&Field> {
        self.0.first()
    }

    pub(super) fn fields(&self) -> &[Field] {
        &self.0
    }

    /// Where the keys of a segment's documents come from.
    pub(crate) fn open(
        &self,
        context: &SearchContext<'_>,
        node: &Node,
        segment: &SearchSegment<'_>,
    ) -> Result<Vec<Source>> {
        self.0.iter().map(|field| Source::open(context, node, segment, field)).collect()
    }

    /// Across segments.
    pub(crate) fn compare(&self, left: &Merged, right: &Merged) -> Ordering {
        for ((field, left), right) in self.0.iter().zip(&left.keys).zip(&right.keys) {
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
}

/// A hit with keys that compare across segments.
pub(crate) struct Merged {
    keys: Vec<Resolved>,
    segment: usize,
    doc: DocId,
}

impl Merged {
    pub(crate) fn resolve(sources: &[Source], keys: &[Key], segment: usize, doc: DocId) -> Result<Self> {
        let keys = sources.iter().zip(keys).map(|(source, key)| source.resolve(*key));
        Ok(Self { keys: keys.collect::<Result<_>>()?, segment, doc })
    }

    pub(crate) fn found(&self) -> Found {
        Found { segment: self.segment, doc: self.doc, score: None }
    }
}

/// A sort key with its field.
pub(super) struct Field {
    pub(super) by: By,
    pub(super) descending: bool,
}

pub(super) enum By {
    Score,
    Column {
        column: ColumnRef,
        class: FieldClass,
        missing: Missing,
    },
    /// The field has no value anywhere.
    Nothing,
    IndexOrder,
    Random(u64),
    Function(Lowered),
    /// A column of the documents below.
    Below(Box<By>, Below),
}

/// Where documents without a value go. `First` and `Last` hold whatever the direction.
#[derive(Clone, Copy)]
pub(super) enum Missing {
    First,
    Last,
    Lowest,
    /// As the number 0, Solr's default for numbers and dates.
    Zero,
}

impl Field {
    fn resolve(context: &SearchContext<'_>, key: &SortKey) -> Result<Self> {
        Ok(Self { by: By::resolve(context, &key.by)?, descending: key.descending })
    }

    /// What a key was made of, `None` for that of a missing value.
    pub(super) fn raw(&self, key: Key) -> Option<u64> {
        let raw = key as u64;
        (key & !u128::from(u64::MAX) == PRESENT).then_some(if self.descending { !raw } else { raw })
    }
}

impl By {
    /// What the values are of, whichever documents have them.
    pub(super) fn own(&self) -> &By {
        if let By::Below(own, _) = self { own } else { self }
    }

    fn resolve(context: &SearchContext<'_>, by: &SortBy) -> Result<Self> {
        Ok(match by {
            SortBy::Score => By::Score,
            SortBy::IndexOrder => By::IndexOrder,
            SortBy::Random { seed } => By::Random(*seed),
            SortBy::Function(function) => By::Function(lower(context, function)?),
            SortBy::Field(name) => match context.layout.field(name) {
                None => By::Nothing,
                Some(layout) => {
                    By::Column { column: column_of(layout)?, class: layout.class(), missing: missing(layout) }
                }
            },
            SortBy::Below(below) => {
                let BelowKey { field, parents, children } = &**below;
                let mut own = By::resolve(context, &SortBy::Field(field.clone()))?;
                if let By::Column { missing, class, .. } = &mut own {
                    // Whatever the field says of itself.
                    *missing = if class.is_point() { Missing::Zero } else { Missing::Lowest };
                }
                By::Below(Box::new(own), Below::open(context, parents, children)?)
            }
        })
    }
}

fn column_of(layout: &FieldLayout) -> Result<ColumnRef> {
    layout.single().ok_or_else(|| {
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
pub(crate) type Key = u128;

const PRESENT: u128 = 1 << 64;
const BEFORE: u128 = 0;
pub(super) const BEHIND: u128 = 2 << 64;

/// Where a key's values come from in one segment.
pub(crate) struct Source {
    pub(super) values: Values,
    descending: bool,
    pub(super) absent: Key,
    /// The documents below, when values are theirs.
    below: Option<SegmentBelow>,
}

pub(super) enum Values {
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
        let (by, below) = match &field.by {
            By::Below(own, below) => (&**own, below.of(segment)),
            by => (by, None),
        };
        let (values, absent) = match by {
            By::Below(..) => (Values::Absent, BEHIND),
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
            By::Column { column, missing, .. } => {
                let values = match segment.view.column(column)? {
                    Some(AnyColumn::I64(column)) => Values::I64(column),
                    Some(AnyColumn::F64(column)) => Values::F64(column),
                    Some(AnyColumn::Bool(column)) => Values::Bool(column),
                    Some(AnyColumn::Str(column)) => Values::Str(column),
                    None => Values::Absent,
                };
                (values, absent_key(*missing, column, descending))
            }
        };
        Ok(Self { values, descending, absent, below })
    }

    #[inline]
    pub(crate) fn key(&mut self, doc: DocId) -> Key {
        if self.below.is_some() { self.key_below(doc) } else { self.own_key(doc) }
    }

    /// Of the documents below, the key that comes first.
    fn key_below(&mut self, doc: DocId) -> Key {
        let Some(below) = self.below.take() else { return self.absent };
        let keys = below.children(doc).map(|child| self.own_key(child));
        let first = keys.filter(|key| key & !u128::from(u64::MAX) == PRESENT).min();
        self.below = Some(below);
        first.unwrap_or(self.absent)
    }

    #[inline]
    fn own_key(&mut self, doc: DocId) -> Key {
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
    pub(crate) fn keys(&mut self, docs: &[DocId], keys: &mut [Key]) {
        let descending = self.descending;
        match &mut self.values {
            Values::Function(reader) => {
                let mut values = [0.0f64; BLOCK];
                let values = values.get_mut(..docs.len()).unwrap_or_default();
                reader.doubles(docs, values);
                let present = values.iter().map(|value| present(ordered_double(*value), descending));
                keys.iter_mut().zip(present).for_each(|(key, value)| *key = value);
            }
            Values::Score(evaluator) => {
                let mut scores = [0.0f32; BLOCK];
                let scores = scores.get_mut(..docs.len()).unwrap_or_default();
                evaluator.scores(docs, scores);
                let present = scores.iter().map(|score| present(u64::from(ordered(*score)), descending));
                keys.iter_mut().zip(present).for_each(|(key, value)| *key = value);
            }
            _ => keys.iter_mut().zip(docs).for_each(|(key, doc)| *key = self.key(*doc)),
        }
    }

    /// The key as it compares across segments.
    fn resolve(&self, key: Key) -> Result<Resolved> {
        match &self.values {
            Values::Str(_) if key & !u128::from(u64::MAX) == PRESENT => {
                Ok(Resolved::Text(self.text(if self.descending { !(key as u64) } else { key as u64 })?))
            }
            _ => Ok(Resolved::Key(key)),
        }
    }

    /// The text with this number in the segment.
    pub(super) fn text(&self, ord: u64) -> Result<String> {
        let mut text = String::new();
        if let Values::Str(column) = &self.values {
            column.ord_to_str(ord, &mut text).map_err(engine_error)?;
        }
        Ok(text)
    }
}

pub(super) fn present(raw: u64, descending: bool) -> Key {
    PRESENT | u128::from(if descending { !raw } else { raw })
}

fn absent_key(missing: Missing, column: &ColumnRef, descending: bool) -> Key {
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
pub(super) fn ordered(score: f32) -> u32 {
    let bits = score.to_bits();
    if bits >> 31 == 0 { bits | 1 << 31 } else { !bits }
}

/// The same of a double, as Java compares them: what is no number is above all others, and -0 below 0.
pub(super) fn ordered_double(value: f64) -> u64 {
    let bits = if value.is_nan() { f64::NAN.to_bits() } else { value.to_bits() };
    if bits >> 63 == 0 { bits | 1 << 63 } else { !bits }
}

/// The float that [`ordered`] made these bits of.
pub(super) fn float_of(bits: u32) -> f32 {
    f32::from_bits(if bits >> 31 == 1 { bits & !(1 << 31) } else { !bits })
}

/// The double that [`ordered_double`] made these bits of.
pub(super) fn double_of(bits: u64) -> f64 {
    f64::from_bits(if bits >> 63 == 1 { bits & !(1 << 63) } else { !bits })
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
    Key(Key),
    Text(String),
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
