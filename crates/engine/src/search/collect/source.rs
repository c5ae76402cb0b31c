//! The values of one sort key in one segment, document by document: read from a column or computed, and
//! turned into a key, or a key back into the value that hits of several segments compare by.
//!
//! In: a resolved key (`keys`) and a segment; out: keys for `sort` and `grouping`. Where documents without a
//! value go is folded into the key, so that comparing keys is all there is to an order.

use plan::partial::SortValue;
use plan::{Pick, Result, Value};
use tantivy::DocId;
use tantivy::columnar::{Column, MonotonicallyMappableToU64, StrColumn};

use super::below::SegmentBelow;
use super::key::{
    BEFORE, BEHIND, Key, double_of, float_of, is_present, mix, ordered, ordered_double, present,
};
use super::keys::{MissingPlace, SortBasis, SortField};
use crate::errors::from_tantivy;
use crate::layout::{ColumnKind, ColumnRef};
use crate::search::context::{SearchContext, SearchSegment};
use crate::search::evaluate::Evaluator;
use crate::search::function::{DOC_BATCH, FunctionReader, FunctionValues as _};
use crate::search::node::Node;
use crate::segment::columns::AnyColumn;
use crate::segment::columns::{integer_value, real_value};
use crate::segment::id_filter;
use crate::segment::id_texts::IdTexts;

/// Where a key's values come from in one segment.
pub(crate) struct KeySource {
    pub(super) values: KeyValues,
    descending: bool,
    /// Of several values the greatest counts, not the least.
    greatest: bool,
    pub(super) absent: Key,
    /// The documents below, when values are theirs.
    below: Option<SegmentBelow>,
}

pub(super) enum KeyValues {
    Score(Box<Evaluator>),
    I64(Column<i64>),
    F64(Column<f64>),
    Bool(Column<bool>),
    Str(StrColumn),
    Absent,
    IndexOrder(u64),
    Shuffled(Box<Shuffled>),
    Function(Box<FunctionReader>),
}

impl KeySource {
    pub(super) fn open(
        context: &SearchContext<'_>,
        node: &Node,
        segment: &SearchSegment<'_>,
        field: &SortField,
    ) -> Result<Self> {
        let descending = field.descending;
        let (by, below) = match &field.by {
            SortBasis::Below(own, below) => (&**own, below.of(segment)),
            by => (by, None),
        };
        let (values, absent) = match by {
            SortBasis::Below(..) => (KeyValues::Absent, BEHIND),
            SortBasis::Score => (
                KeyValues::Score(Box::new(Evaluator::open(context.layout.tantivy(), node, segment.reader)?)),
                BEHIND,
            ),
            SortBasis::IndexOrder => (KeyValues::IndexOrder(segment.base), BEHIND),
            SortBasis::Random(seed) => {
                (KeyValues::Shuffled(Box::new(Shuffled::open(*seed, segment)?)), BEHIND)
            }
            SortBasis::Nothing => (KeyValues::Absent, BEHIND),
            SortBasis::Unmet { kind, missing, .. } => {
                (KeyValues::Absent, absent_key(*missing, *kind, descending))
            }
            SortBasis::Function(lowered) => {
                (KeyValues::Function(Box::new(FunctionReader::open(lowered, segment.reader)?)), BEHIND)
            }
            SortBasis::Column { column, missing, .. } => {
                let values = match segment.view.column(column)? {
                    Some(AnyColumn::I64(column)) => KeyValues::I64(column),
                    Some(AnyColumn::F64(column)) => KeyValues::F64(column),
                    Some(AnyColumn::Bool(column)) => KeyValues::Bool(column),
                    Some(AnyColumn::Str(column)) => KeyValues::Str(column),
                    None => KeyValues::Absent,
                };
                (values, absent_key(*missing, column.kind, descending))
            }
        };
        let picked = if let SortBasis::Column { pick, .. } = by { *pick } else { None };
        let greatest = picked.map_or(descending, |pick| pick == Pick::Max);
        Ok(Self { values, descending, greatest, absent, below })
    }

    #[inline]
    pub(crate) fn key(&mut self, doc: DocId) -> Key {
        if self.below.is_some() { self.key_below(doc) } else { self.own_key(doc) }
    }

    /// Of the documents below, the key that comes first.
    fn key_below(&mut self, doc: DocId) -> Key {
        let Some(below) = self.below.take() else { return self.absent };
        let keys = below.children(doc).map(|child| self.own_key(child));
        let first = keys.filter(|key| is_present(*key)).min();
        self.below = Some(below);
        first.unwrap_or(self.absent)
    }

    #[inline]
    fn own_key(&mut self, doc: DocId) -> Key {
        let raw = match &mut self.values {
            KeyValues::Score(evaluator) => evaluator.score(doc).map(|score| u64::from(ordered(score))),
            KeyValues::I64(column) => {
                extreme(column, doc, self.greatest).map(MonotonicallyMappableToU64::to_u64)
            }
            KeyValues::F64(column) => {
                extreme(column, doc, self.greatest).map(MonotonicallyMappableToU64::to_u64)
            }
            KeyValues::Bool(column) => extreme(column, doc, self.greatest).map(u64::from),
            KeyValues::Str(column) => extreme(column.ords(), doc, self.greatest),
            KeyValues::Absent => None,
            KeyValues::IndexOrder(base) => Some(*base + u64::from(doc)),
            KeyValues::Function(reader) => {
                let mut value = [0.0];
                reader.doubles(&[doc], &mut value);
                Some(ordered_double(value[0]))
            }
            KeyValues::Shuffled(shuffled) => Some(shuffled.number(doc)),
        };
        raw.map_or(self.absent, |raw| present(raw, self.descending))
    }

    /// The keys of documents, at most [`DOC_BATCH`] of them.
    pub(crate) fn keys(&mut self, docs: &[DocId], keys: &mut [Key]) {
        let descending = self.descending;
        match &mut self.values {
            KeyValues::Function(reader) => {
                let mut values = [0.0f64; DOC_BATCH];
                let values = values.get_mut(..docs.len()).unwrap_or_default();
                reader.doubles(docs, values);
                let present = values.iter().map(|value| present(ordered_double(*value), descending));
                keys.iter_mut().zip(present).for_each(|(key, value)| *key = value);
            }
            KeyValues::Score(evaluator) => {
                let mut scores = [0.0f32; DOC_BATCH];
                let scores = scores.get_mut(..docs.len()).unwrap_or_default();
                evaluator.scores(docs, scores);
                let present = scores.iter().map(|score| present(u64::from(ordered(*score)), descending));
                keys.iter_mut().zip(present).for_each(|(key, value)| *key = value);
            }
            _ => keys.iter_mut().zip(docs).for_each(|(key, doc)| *key = self.key(*doc)),
        }
    }

    /// What a key of this source stands for.
    pub(super) fn sort_value(&self, field: &SortField, key: Key) -> Result<SortValue> {
        let Some(raw) = field.raw(key) else {
            return Ok(if key == BEFORE { SortValue::First } else { SortValue::Last });
        };
        let value = match field.by.own() {
            SortBasis::Score => Value::Float(float_of(raw as u32)),
            SortBasis::Function(_) => Value::Double(double_of(raw)),
            SortBasis::IndexOrder | SortBasis::Nothing | SortBasis::Below(..) => Value::Long(raw as i64),
            // All bits count, so that the order of signed numbers is the one of the bits.
            SortBasis::Random(_) => Value::Long(i64::from_u64(raw)),
            SortBasis::Column { column: ColumnRef { kind, .. }, class, .. }
            | SortBasis::Unmet { kind, class, .. } => match kind {
                ColumnKind::I64 | ColumnKind::Place | ColumnKind::DateSpans | ColumnKind::Vector => {
                    integer_value(*class, i64::from_u64(raw))
                }
                ColumnKind::F64 => real_value(*class, f64::from_u64(raw)),
                ColumnKind::Bool => Value::Bool(raw != 0),
                ColumnKind::Str => Value::Str(self.text(raw)?),
            },
        };
        Ok(if self.descending { SortValue::Descending(value) } else { SortValue::Ascending(value) })
    }

    /// The text with this number in the segment.
    fn text(&self, ord: u64) -> Result<String> {
        let mut text = String::new();
        if let KeyValues::Str(column) = &self.values {
            column.ord_to_str(ord, &mut text).map_err(from_tantivy)?;
        }
        Ok(text)
    }
}

fn absent_key(missing: MissingPlace, kind: ColumnKind, descending: bool) -> Key {
    match missing {
        MissingPlace::First => BEFORE,
        MissingPlace::Last => BEHIND,
        MissingPlace::Lowest => {
            if descending {
                BEHIND
            } else {
                BEFORE
            }
        }
        MissingPlace::Zero => {
            let zero = match kind {
                ColumnKind::F64 => 0.0f64.to_u64(),
                _ => 0i64.to_u64(),
            };
            present(zero, descending)
        }
    }
}

/// A shuffle by seed and id: a document's number is the same in whichever segment and shard it is, so that a
/// collection has one order however it is split (ADR 15).
pub(super) struct Shuffled {
    seed: u64,
    ids: Option<IdTexts>,
    /// For documents without an id.
    base: u64,
}

impl Shuffled {
    fn open(seed: u64, segment: &SearchSegment<'_>) -> Result<Self> {
        Ok(Self { seed, ids: segment.view.all_ids()?.cloned(), base: segment.base })
    }

    fn number(&self, doc: DocId) -> u64 {
        let id = self.ids.as_ref().and_then(|ids| ids.bytes(doc)).filter(|id| !id.is_empty());
        let own = id.map_or_else(|| mix(self.base + u64::from(doc)), id_filter::hash_bytes);
        mix(self.seed ^ own)
    }
}

/// Of several values the least or the greatest; where no order says which, the greatest when they come in
/// descending order, as in Solr.
#[inline]
fn extreme<T>(column: &Column<T>, doc: DocId, greatest: bool) -> Option<T>
where
    T: PartialOrd + Copy + std::fmt::Debug + Send + Sync + 'static,
{
    if !column.get_cardinality().is_multivalue() {
        return column.first(doc);
    }
    column.values_for_doc(doc).reduce(|one, other| if (other < one) != greatest { other } else { one })
}
