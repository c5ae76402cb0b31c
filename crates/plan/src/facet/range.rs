//! The ranges of a range facet: those that are counted, and what lies around them. `solr` cuts them out of
//! start, end and gap by the field's arithmetic; the engine counts between bounds and knows no gap.

use std::ops::Bound;

use serde::{Deserialize, Serialize};

use crate::value::Value;

/// One range, inclusive or not as `facet.range.include` says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RangeBucket {
    /// The lower bound as shown.
    pub label: String,
    pub lower: Bound<Value>,
    pub upper: Bound<Value>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum OtherRange {
    Before,
    After,
    Between,
}
