//! The columns of segments, opened once: tantivy looks a column up by its name in a dictionary of the file, which costs more
//! than many a query. A view of a segment keeps what was opened; closures that meet only tantivy's reader of a segment bring
//! the columns of all segments along.

use std::sync::{Arc, PoisonError, RwLock};

use plan::Result;
use tantivy::SegmentReader;
use tantivy::columnar::{Column, ColumnIndex, StrColumn};
use tantivy::index::SegmentId;

use super::error::engine_error;
use super::{SearchContext, uninvert};
use crate::layout::{ColumnKind, ColumnRef, Words};
use crate::value_order::ValueOrder;

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
            return uninvert::column(reader, column.field, words);
        }
        let fast = reader.fast_fields();
        Ok(match column.kind {
            ColumnKind::Str => fast.str(&column.name).map_err(engine_error)?.map(AnyColumn::Str),
            ColumnKind::I64 | ColumnKind::Place | ColumnKind::Vector => {
                fast.column_opt(&column.name).map_err(engine_error)?.map(AnyColumn::I64)
            }
            ColumnKind::F64 => fast.column_opt(&column.name).map_err(engine_error)?.map(AnyColumn::F64),
            ColumnKind::Bool => fast.column_opt(&column.name).map_err(engine_error)?.map(AnyColumn::Bool),
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

/// A column in every segment of a search.
#[derive(Clone)]
pub(crate) struct SegmentColumns(Vec<(SegmentId, SegmentColumn)>);

/// A column in one segment.
#[derive(Clone)]
pub(crate) struct SegmentColumn {
    pub(crate) values: Option<AnyColumn>,
    /// The documents in the order of the values, where the segment keeps it.
    pub(crate) order: Option<ValueOrder>,
}

impl SegmentColumns {
    pub(crate) fn of(context: &SearchContext<'_>, column: &ColumnRef) -> Result<Self> {
        let opened = context.segments.iter().map(|segment| {
            let order = segment.view.value_order(column).cloned();
            Ok((segment.view.id(), SegmentColumn { values: segment.view.column(column)?, order }))
        });
        opened.collect::<Result<_>>().map(Self)
    }

    /// `None` for a segment that is not of the search.
    pub(crate) fn get(&self, segment: SegmentId) -> Option<&SegmentColumn> {
        self.0.iter().find(|(id, _)| *id == segment).map(|(_, column)| column)
    }

    /// The values in a segment, if it has any.
    pub(crate) fn values(&self, segment: SegmentId) -> Option<&AnyColumn> {
        self.get(segment)?.values.as_ref()
    }
}
