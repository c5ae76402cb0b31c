//! Documents by how their stretches of time lie to one that is asked for (Solr's `DateRangeField`). Owns
//! which documents match, by the numbers that a column keeps of one (`value/date_span`), and Lucene's text
//! for the query; reading texts is `crates/solr/src/query/date_range.rs`'s.

use std::fmt::{Display, Formatter, Result};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::geo::spatial::Relation;
use crate::value::date_span::DateSpan;

/// Documents whose instants, all values of the field together, intersect a span, lie within it, or contain
/// it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DateRangeQuery {
    pub field: Arc<str>,
    pub relation: Relation,
    pub span: DateSpan,
}

impl DateRangeQuery {
    /// Levels of Lucene's tree of dates, from a million years to a millisecond; debug output shows them.
    const LEVELS: u8 = 9;

    /// Whether a document matches, by its `span_bounds`: begins and ends in turn, ascending.
    pub fn matches(&self, bounds: impl IntoIterator<Item = i64>) -> bool {
        let (from, to) = (self.span.begin(), self.span.end());
        let mut bounds = bounds.into_iter();
        match self.relation {
            Relation::Intersects => loop {
                let (Some(begin), Some(end)) = (bounds.next(), bounds.next()) else { break false };
                // The first that ends after the begin is the nearest: all others begin later still.
                if end > from {
                    break begin < to;
                }
            },
            // One span of several cannot contain what another does not: those that touch were joined.
            Relation::Contains => loop {
                let (Some(begin), Some(end)) = (bounds.next(), bounds.next()) else { break false };
                if end > from {
                    break begin <= from && to <= end;
                }
            },
            Relation::Within => {
                let Some(first) = bounds.next() else { return false };
                first >= from && bounds.last().is_some_and(|last| last <= to)
            }
        }
    }

    /// Lucene's class.
    pub fn class(&self) -> &'static str {
        self.relation.class()
    }
}

impl Display for DateRangeQuery {
    fn fmt(&self, out: &mut Formatter<'_>) -> Result {
        let Self { field, relation, span } = self;
        let levels = Self::LEVELS;
        write!(out, "{}(fieldName={field},queryShape={span},detailLevel={levels},", self.class())?;
        match relation {
            Relation::Contains => out.write_str("multiOverlappingIndexedShapes=true)"),
            // A shape that is one cell is looked up; others are read from two levels above the finest on.
            Relation::Intersects if span.is_unit() => write!(out, "prefixGridScanLevel={})", levels - 1),
            _ => write!(out, "prefixGridScanLevel={})", levels - 2),
        }
    }
}
