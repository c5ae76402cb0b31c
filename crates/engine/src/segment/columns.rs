//! The columns of a segment, opened once: tantivy looks a column up by its name in a dictionary of the file,
//! which costs more than many a query. A view of a segment keeps what was opened.
//!
//! In: a segment's reader and the column that a layout names; out: the column in its type, or one made from
//! the terms of a field without one (`uninvert`). What the numbers mean for a field's class is decided at the
//! end.

use std::sync::{Arc, PoisonError, RwLock};

use plan::{FieldClass, FieldType, Result, Value};
use tantivy::SegmentReader;
use tantivy::columnar::{Column, ColumnIndex, StrColumn};

use crate::errors::from_tantivy;
use crate::layout::{ColumnKind, ColumnRef, Words};
use crate::segment::uninvert;

/// A column of any kind in one segment; `None` where the segment has none.
#[derive(Clone)]
pub(crate) enum AnyColumn {
    Str(StrColumn),
    I64(Column<i64>),
    F64(Column<f64>),
    Bool(Column<bool>),
}

impl AnyColumn {
    pub(crate) fn open(reader: &SegmentReader, column: &ColumnRef) -> Result<Option<Self>> {
        if let Some(words) = column.words {
            return Ok(uninvert::column(reader, column.field, words)?.map(AnyColumn::Str));
        }
        let fast = reader.fast_fields();
        Ok(match column.kind {
            ColumnKind::Str => fast.str(&column.name).map_err(from_tantivy)?.map(AnyColumn::Str),
            ColumnKind::I64 | ColumnKind::Place | ColumnKind::DateSpans | ColumnKind::Vector => {
                fast.column_opt(&column.name).map_err(from_tantivy)?.map(AnyColumn::I64)
            }
            ColumnKind::F64 => fast.column_opt(&column.name).map_err(from_tantivy)?.map(AnyColumn::F64),
            ColumnKind::Bool => fast.column_opt(&column.name).map_err(from_tantivy)?.map(AnyColumn::Bool),
        })
    }

    pub(crate) fn index(&self) -> &ColumnIndex {
        match self {
            AnyColumn::Str(column) => &column.ords().index,
            AnyColumn::I64(column) => &column.index,
            AnyColumn::F64(column) => &column.index,
            AnyColumn::Bool(column) => &column.index,
        }
    }
}

/// The columns of one segment that searches have asked for, by name.
#[derive(Default)]
pub(crate) struct OpenColumns(RwLock<Vec<(Arc<str>, Option<AnyColumn>)>>);

impl OpenColumns {
    /// `reader` is the segment's, always under the same layout.
    pub(crate) fn get(&self, reader: &SegmentReader, column: &ColumnRef) -> Result<Option<AnyColumn>> {
        if let Some(known) = self.known(column) {
            return Ok(known);
        }
        let opened = AnyColumn::open(reader, column)?;
        // All words of a text would stay in memory with the segment, for what is seldom asked.
        if column.words == Some(Words::All) {
            return Ok(opened);
        }
        let mut columns = self.0.write().unwrap_or_else(PoisonError::into_inner);
        // Two searches may have opened it; one copy is kept.
        if !columns.iter().any(|(name, _)| *name == column.name) {
            columns.push((column.name.clone(), opened.clone()));
        }
        Ok(opened)
    }

    fn known(&self, column: &ColumnRef) -> Option<Option<AnyColumn>> {
        let columns = self.0.read().unwrap_or_else(PoisonError::into_inner);
        columns.iter().find(|(name, _)| *name == column.name).map(|(_, opened)| opened.clone())
    }
}

/// A number of an integer column as its field's class shows it.
pub(crate) fn integer_value(class: FieldClass, number: i64) -> Value {
    match class {
        FieldClass::Date => Value::Date(number),
        FieldClass::Int | FieldClass::Enum => i32::try_from(number).map_or(Value::Long(number), Value::Int),
        _ => Value::Long(number),
    }
}

/// As [`integer_value`]; a place in an enumeration with the name that is there.
pub(crate) fn shown_integer(kind: &FieldType, number: i64) -> Value {
    match (kind.class, i32::try_from(number)) {
        (FieldClass::Enum, Ok(ordinal)) => Value::Enum(kind.enumeration.value(ordinal)),
        (class, _) => integer_value(class, number),
    }
}

/// A number of a column of reals as its field's class shows it.
pub(crate) fn real_value(class: FieldClass, number: f64) -> Value {
    if class == FieldClass::Float { Value::Float(number as f32) } else { Value::Double(number) }
}
