//! The documents of a segment in the order of a number or date, in a file beside tantivy's: a range is found
//! by two searches and costs the same whether it holds few documents or most; the first of a sorted list come
//! without looking at all. Made when a segment is written, for indexed fields with one value a document;
//! mapped, not read.
//!
//! Of each field: its documents ascending by (value, document), and after every 1/32 of them the set of all
//! so far as bits, so that the documents of any range are the difference of two sets and a few corrections at
//! its ends.
//!
//! Format, little endian: magic (u32), version (u32), number of fields (u64); for each (field u64, documents
//! u64, offset u64); then for each the documents (u32 each, padded to 8 bytes) and the sets.

use std::ops::Range;

use plan::{Error, Result};
use tantivy::columnar::{Column, MonotonicallyMappableToU64};
use tantivy::directory::OwnedBytes;
use tantivy::schema::Field;
use tantivy::{DocId, SegmentReader};

use crate::layout::{ColumnRef, Layout};
use crate::segment::bits::Bits;
use crate::segment::columns::AnyColumn;

pub(crate) const EXTENSION: &str = "order";

const SETS: u32 = 32;
/// Sets closer together would cost more than they save.
const STEP_LEAST: u32 = if cfg!(test) { 16 } else { 2048 };
const MAGIC: u32 = u32::from_le_bytes(*b"PHVO");
const VERSION: u32 = 1;
const HEADER: usize = 16;
const ENTRY: usize = 24;

/// The file's bytes, `None` when no field wants an order.
pub(crate) fn build(reader: &SegmentReader, layout: &Layout) -> Result<Option<Vec<u8>>> {
    let mut parts = Vec::new();
    for field in layout.fields() {
        let ordered = field.class().is_point() || field.class().is_place();
        let wanted = ordered && field.spec.properties.indexed && !field.spec.properties.multi_valued;
        if let Some(column) = field.column.as_ref().filter(|_| wanted)
            && let Some(docs) = sorted_docs(reader, column)?
        {
            parts.push((column.field, docs));
        }
    }
    if parts.is_empty() {
        return Ok(None);
    }
    let mut file = Vec::new();
    file.extend(MAGIC.to_le_bytes());
    file.extend(VERSION.to_le_bytes());
    file.extend((parts.len() as u64).to_le_bytes());
    let mut offset = HEADER + parts.len() * ENTRY;
    for (field, docs) in &parts {
        for number in [u64::from(field.field_id()), docs.len() as u64, offset as u64] {
            file.extend(number.to_le_bytes());
        }
        offset += Shape::of(docs.len(), reader.max_doc()).bytes();
    }
    for (_, docs) in &parts {
        write_order(docs, Shape::of(docs.len(), reader.max_doc()), &mut file);
    }
    Ok(Some(file))
}

/// Ascending by (value, document); `None` for a column with several values a document.
fn sorted_docs(reader: &SegmentReader, column: &ColumnRef) -> Result<Option<Vec<DocId>>> {
    let docs = match AnyColumn::open(reader, column)? {
        Some(AnyColumn::I64(column)) => sorted(&column, reader.max_doc()),
        Some(AnyColumn::F64(column)) => sorted(&column, reader.max_doc()),
        _ => None,
    };
    Ok(docs.filter(|docs| !docs.is_empty()))
}

fn sorted<T>(column: &Column<T>, max_doc: u32) -> Option<Vec<DocId>>
where
    T: MonotonicallyMappableToU64 + PartialOrd + Copy + std::fmt::Debug + Send + Sync + 'static,
{
    if column.get_cardinality().is_multivalue() {
        return None;
    }
    let value = |doc| Some((column.first(doc)?.to_u64(), doc));
    let mut values: Vec<(u64, DocId)> = (0..max_doc).filter_map(value).collect();
    values.sort_unstable();
    Some(values.into_iter().map(|(_, doc)| doc).collect())
}

fn write_order(docs: &[DocId], shape: Shape, file: &mut Vec<u8>) {
    docs.iter().for_each(|doc| file.extend(doc.to_le_bytes()));
    file.resize(file.len() + shape.docs_bytes - docs.len() * 4, 0);
    let mut bits = vec![0u8; shape.set_bytes];
    for part in docs.chunks_exact(shape.step as usize).take(shape.sets) {
        for doc in part {
            if let Some(byte) = bits.get_mut((doc / 8) as usize) {
                *byte |= 1 << (doc % 8);
            }
        }
        file.extend(&bits);
    }
}

/// The sizes of one field's part.
#[derive(Clone, Copy)]
struct Shape {
    /// Documents from set to set.
    step: u32,
    sets: usize,
    docs_bytes: usize,
    set_bytes: usize,
}

impl Shape {
    fn of(docs: usize, max_doc: u32) -> Self {
        let step = (docs as u32).div_ceil(SETS).max(STEP_LEAST);
        Self {
            step,
            sets: docs / step as usize,
            docs_bytes: docs.next_multiple_of(2) * 4,
            set_bytes: max_doc.div_ceil(64) as usize * 8,
        }
    }

    fn bytes(self) -> usize {
        self.docs_bytes + self.sets * self.set_bytes
    }
}

/// The orders of a segment.
pub(crate) struct ValueOrders {
    fields: Vec<(Field, ValueOrder)>,
}

/// The order of one field.
#[derive(Clone)]
pub(crate) struct ValueOrder {
    docs: OwnedBytes,
    sets: OwnedBytes,
    len: u32,
    max_doc: u32,
    shape: Shape,
}

impl ValueOrders {
    pub(crate) fn open(file: &OwnedBytes, max_doc: u32) -> Result<Self> {
        Self::parse(file, max_doc).ok_or_else(|| {
            Error::internal(
                "a segment's file of value orders is damaged or of a newer release; restore the shard",
            )
        })
    }

    fn parse(file: &OwnedBytes, max_doc: u32) -> Option<Self> {
        let number = |at: usize| -> Option<u64> {
            Some(u64::from_le_bytes(file.as_slice().get(at..at + 8)?.try_into().ok()?))
        };
        let magic = u64::from(VERSION) << 32 | u64::from(MAGIC);
        let count = usize::try_from(number(8)?).ok().filter(|_| number(0) == Some(magic))?;
        let mut fields = Vec::new();
        for entry in (0..count).map(|at| HEADER + at * ENTRY) {
            let field = Field::from_field_id(u32::try_from(number(entry)?).ok()?);
            let len = u32::try_from(number(entry + 8)?).ok().filter(|len| *len <= max_doc)?;
            let start = usize::try_from(number(entry + 16)?).ok()?;
            let shape = Shape::of(len as usize, max_doc);
            file.as_slice().get(start..start.checked_add(shape.bytes())?)?;
            let docs = file.slice(start..start + shape.docs_bytes);
            let sets = file.slice(start + shape.docs_bytes..start + shape.bytes());
            fields.push((field, ValueOrder { docs, sets, len, max_doc, shape }));
        }
        Some(Self { fields })
    }

    pub(crate) fn get(&self, field: Field) -> Option<&ValueOrder> {
        self.fields.iter().find(|(own, _)| *own == field).map(|(_, order)| order)
    }
}

impl ValueOrder {
    /// Documents with a value.
    pub(crate) fn len(&self) -> u32 {
        self.len
    }

    /// The document at a rank.
    #[inline]
    pub(crate) fn doc(&self, rank: u32) -> DocId {
        let at = rank as usize * 4;
        let bytes = self.docs.as_slice().get(at..at + 4).and_then(|bytes| bytes.try_into().ok());
        bytes.map_or(0, u32::from_le_bytes)
    }

    /// The first rank whose value is not below `bound`, by the field's own column.
    fn rank_of<T>(&self, column: &Column<T>, below: impl Fn(T) -> bool) -> u32
    where
        T: PartialOrd + Copy + std::fmt::Debug + Send + Sync + 'static,
    {
        // Where every document has a value, it need not be asked which are its.
        let everywhere = column.get_cardinality().is_full();
        let value = |doc| if everywhere { Some(column.values.get_val(doc)) } else { column.first(doc) };
        let (mut low, mut high) = (0, self.len);
        while low < high {
            let middle = u32::midpoint(low, high);
            if value(self.doc(middle)).is_some_and(&below) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// The ranks of the values inside `range`.
    pub(crate) fn ranks<T>(&self, column: &Column<T>, range: &std::ops::RangeInclusive<T>) -> Range<u32>
    where
        T: MonotonicallyMappableToU64,
    {
        // In the order that documents are kept in, which holds the two zeros apart.
        let (least, greatest) = (range.start().to_u64(), range.end().to_u64());
        let start = self.rank_of(column, |value| value.to_u64() < least);
        start..self.rank_of(column, |value| value.to_u64() <= greatest).max(start)
    }

    /// How many documents are looked at one by one for the bits of these ranks, and as how many the reading
    /// of sets counts.
    pub(crate) fn effort(&self, ranks: &Range<u32>) -> u32 {
        if ranks.len() < self.shape.step as usize {
            return ranks.len() as u32;
        }
        let off = |rank: u32| (self.nearest(rank) * self.shape.step).abs_diff(rank);
        off(ranks.start) + off(ranks.end) + self.max_doc / 64
    }

    /// The documents at these ranks.
    pub(crate) fn bits(&self, ranks: Range<u32>) -> Bits {
        if ranks.len() < self.shape.step as usize {
            let mut bits = Bits::none(self.max_doc);
            ranks.for_each(|rank| bits.insert(self.doc(rank)));
            return bits;
        }
        let (start, end) = (self.nearest(ranks.start), self.nearest(ranks.end));
        let mut bits = Bits::difference(self.max_doc, self.set(end), self.set(start));
        self.correct(&mut bits, start * self.shape.step, ranks.start, false);
        self.correct(&mut bits, end * self.shape.step, ranks.end, true);
        bits
    }

    /// The set that stands nearest to a rank: of the documents at ranks below its number times the step.
    fn nearest(&self, rank: u32) -> u32 {
        ((rank + self.shape.step / 2) / self.shape.step).min(self.shape.sets as u32)
    }

    /// Moves an end of the range from a set's rank to the wanted one: what lies between joins or leaves.
    fn correct(&self, bits: &mut Bits, from: u32, to: u32, upper: bool) {
        for rank in from.min(to)..from.max(to) {
            if (from < to) == upper {
                bits.insert(self.doc(rank));
            } else {
                bits.remove(self.doc(rank));
            }
        }
    }

    /// The bytes of a set; the one of no document is empty.
    fn set(&self, number: u32) -> &[u8] {
        let size = self.shape.set_bytes;
        let end = number as usize * size;
        end.checked_sub(size).and_then(|start| self.sets.as_slice().get(start..end)).unwrap_or(&[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(docs: &[DocId], max_doc: u32) -> ValueOrder {
        let shape = Shape::of(docs.len(), max_doc);
        let mut file = Vec::new();
        write_order(docs, shape, &mut file);
        let sets = OwnedBytes::new(file.split_off(shape.docs_bytes));
        ValueOrder { docs: OwnedBytes::new(file), sets, len: docs.len() as u32, max_doc, shape }
    }

    #[test]
    fn any_range_of_ranks_is_its_documents() {
        let max_doc = 20_011;
        // A permutation with gaps: every third document has no value.
        let docs: Vec<DocId> =
            (0..max_doc).map(|rank| rank * 7919 % max_doc).filter(|doc| doc % 3 != 0).collect();
        let order = order(&docs, max_doc);
        assert!(order.shape.sets > 3);
        let ends = [0u32, 1, 1023, 1024, 2047, 2048, 2049, 5000, 9999, 13_000, docs.len() as u32];
        for start in ends {
            for end in ends.into_iter().filter(|end| *end >= start) {
                let wanted = docs.get(start as usize..end as usize).unwrap().iter().copied();
                assert_eq!(order.bits(start..end), Bits::from_docs(max_doc, wanted), "{start}..{end}");
            }
        }
    }
}
