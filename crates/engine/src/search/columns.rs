//! A column in all segments of a search: closures that meet only tantivy's reader of a segment bring it
//! along. Opened once for a search, under the layout of its snapshot; a segment that is older than the column
//! has an empty one.

use plan::Result;
use tantivy::index::SegmentId;

use crate::layout::ColumnRef;
use crate::search::context::SearchContext;
use crate::segment::columns::AnyColumn;
use crate::segment::value_order::ValueOrder;

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
