//! The values of a field's column, of several the least or the greatest. A segment without the column has
//! none.
//!
//! In: the column of a segment as it was opened for the snapshot; out: batches in the precision that is asked
//! for, converted as Lucene converts them, and single values for what shows them. A document without a value
//! reads as the number 0; that there is none is asked apart.

use plan::{FieldClass, Kind, Pick, Value};
use tantivy::columnar::{Column, ColumnIndex, StrColumn};
use tantivy::{DocId, SegmentReader};

use super::batch::{BatchBuffer, convert};
use crate::search::columns::SegmentColumns;
use crate::segment::columns::AnyColumn;

/// A field's column; `None` when no document has the field.
#[derive(Clone)]
pub(crate) struct ColumnSource {
    pub(super) columns: Option<SegmentColumns>,
    pub(super) class: FieldClass,
    pub(super) pick: Option<Pick>,
    pub(super) label: String,
}

/// The same in one segment.
pub(crate) struct ColumnReader {
    column: Option<AnyColumn>,
    class: FieldClass,
    pick: Option<Pick>,
    label: String,
}

impl ColumnReader {
    pub(super) fn open(source: &ColumnSource, segment: &SegmentReader) -> Self {
        let column =
            source.columns.as_ref().and_then(|columns| columns.values(segment.segment_id())).cloned();
        Self { column, class: source.class, pick: source.pick, label: source.label.clone() }
    }

    pub(super) fn kind(&self) -> Kind {
        match self.class {
            FieldClass::Int | FieldClass::Enum => Kind::Int,
            FieldClass::Long => Kind::Long,
            FieldClass::Date => Kind::Date,
            FieldClass::Float => Kind::Float,
            FieldClass::Double => Kind::Double,
            FieldClass::Bool => Kind::Bool,
            _ => Kind::Str,
        }
    }

    pub(super) fn label(&self) -> &str {
        &self.label
    }

    pub(super) fn floats(&self, docs: &[DocId], out: &mut [f32]) {
        if let Some(AnyColumn::I64(column)) = &self.column {
            let mut whole = BatchBuffer::of(docs);
            read(column, self.pick, docs, whole.all_mut());
            return convert(whole.all(), out, |number: i64| number as f32);
        }
        let mut wide = BatchBuffer::of(docs);
        self.doubles(docs, wide.all_mut());
        convert(wide.all(), out, |number: f64| number as f32);
    }

    pub(super) fn doubles(&self, docs: &[DocId], out: &mut [f64]) {
        match &self.column {
            Some(AnyColumn::F64(column)) => read(column, self.pick, docs, out),
            Some(AnyColumn::I64(_) | AnyColumn::Bool(_)) => {
                let mut whole = BatchBuffer::of(docs);
                self.integers(docs, whole.all_mut());
                convert(whole.all(), out, |number: i64| number as f64);
            }
            Some(AnyColumn::Str(_)) | None => out.fill(0.0),
        }
    }

    pub(super) fn integers(&self, docs: &[DocId], out: &mut [i64]) {
        match &self.column {
            Some(AnyColumn::I64(column)) => read(column, self.pick, docs, out),
            Some(AnyColumn::F64(column)) => {
                let mut wide = BatchBuffer::of(docs);
                read(column, self.pick, docs, wide.all_mut());
                convert(wide.all(), out, |number: f64| number as i64);
            }
            Some(AnyColumn::Bool(column)) => {
                let mut flags = BatchBuffer::of(docs);
                read(column, self.pick, docs, flags.all_mut());
                convert(flags.all(), out, i64::from);
            }
            Some(AnyColumn::Str(_)) | None => out.fill(0),
        }
    }

    pub(super) fn present(&self, docs: &[DocId], out: &mut [bool]) {
        match self.column.as_ref().map(AnyColumn::index) {
            None | Some(ColumnIndex::Empty { .. }) => out.fill(false),
            Some(ColumnIndex::Full) => out.fill(true),
            Some(index) => out.iter_mut().zip(docs).for_each(|(out, doc)| *out = index.has_value(*doc)),
        }
    }

    /// The value of one document.
    pub(super) fn value(&self, doc: DocId) -> Option<Value> {
        Some(match self.column.as_ref()? {
            AnyColumn::I64(column) => {
                let number = one(column, self.pick, doc)?;
                match self.class {
                    FieldClass::Int | FieldClass::Enum => Value::Int(number as i32),
                    FieldClass::Date => Value::Date(number),
                    _ => Value::Long(number),
                }
            }
            AnyColumn::F64(column) => {
                let number = one(column, self.pick, doc)?;
                match self.class {
                    FieldClass::Float => Value::Float(number as f32),
                    _ => Value::Double(number),
                }
            }
            AnyColumn::Bool(column) => Value::Bool(one(column, self.pick, doc)?),
            AnyColumn::Str(column) => Value::Str(text_of(column, one(column.ords(), self.pick, doc)?)?),
        })
    }
}

fn text_of(column: &StrColumn, ord: u64) -> Option<String> {
    let mut text = String::new();
    column.ord_to_str(ord, &mut text).ok()?;
    Some(text)
}

/// The value of one document; of several the first, or the one that `pick` says.
pub(super) fn one<T>(column: &Column<T>, pick: Option<Pick>, doc: DocId) -> Option<T>
where
    T: PartialOrd + Copy + std::fmt::Debug + Send + Sync + 'static,
{
    match pick {
        None => column.first(doc),
        Some(Pick::Min) => {
            column.values_for_doc(doc).reduce(|one, other| if other < one { other } else { one })
        }
        Some(Pick::Max) => {
            column.values_for_doc(doc).reduce(|one, other| if other > one { other } else { one })
        }
    }
}

/// The values of a batch; the default where there is none.
fn read<T>(column: &Column<T>, pick: Option<Pick>, docs: &[DocId], out: &mut [T])
where
    T: PartialOrd + Copy + Default + std::fmt::Debug + Send + Sync + 'static,
{
    match &column.index {
        ColumnIndex::Full => column.values.get_vals(docs, out),
        ColumnIndex::Empty { .. } => out.fill(T::default()),
        ColumnIndex::Optional(_) | ColumnIndex::Multivalued(_) => {
            let each = out.iter_mut().zip(docs);
            each.for_each(|(out, doc)| *out = one(column, pick, *doc).unwrap_or_default());
        }
    }
}
