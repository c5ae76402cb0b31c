//! A function with its fields, terms and statistics looked up: what `lower` makes of a plan's function once
//! for a snapshot, and `reader` opens in each segment. Nothing in it depends on a segment or a document, so a
//! search shares one among its threads. What a column is read by, and which documents have none, is decided
//! when it is opened.

use std::sync::Arc;

use plan::{Operator, Value};
use tantivy::index::SegmentId;
use tantivy::schema::Field;
use tantivy::{SegmentReader, Term};

use super::arithmetic::Scale;
use super::column::ColumnSource;
use super::currency::LoweredCurrency;
use super::payload::LoweredPayload;
use crate::layout::ColumnRef;
use crate::search::columns::SegmentColumns;
use crate::search::context::ScoredQuery;
use crate::search::nearest::LoweredSimilarity;
use crate::snapshot::global_ordinals::GlobalOrdinals;

/// A function ready to be opened in any segment.
pub(crate) enum LoweredFunction {
    /// With its text in explanations.
    Constant {
        value: Value,
        shown: String,
    },
    Column(ColumnSource),
    Ordinal {
        column: ColumnRef,
        ordinals: Arc<GlobalOrdinals>,
        segments: Vec<SegmentId>,
        reversed: bool,
        label: String,
    },
    Score {
        query: Box<dyn ScoredQuery>,
        missing: f32,
        label: String,
    },
    TermFrequency {
        term: Option<Term>,
        counted: bool,
        label: String,
    },
    JoinFrequency {
        column: ColumnSource,
        among: Field,
        readers: Vec<SegmentReader>,
        label: String,
    },
    PointDistance {
        columns: Option<SegmentColumns>,
        distance: plan::PointDistance,
        label: String,
    },
    VectorSimilarity {
        similarity: Box<LoweredSimilarity>,
        label: String,
    },
    Currency {
        currency: Box<LoweredCurrency>,
        label: String,
    },
    Payload {
        payload: Box<LoweredPayload>,
        missing: Box<LoweredFunction>,
        label: String,
    },
    Scaled {
        of: Box<LoweredFunction>,
        scale: Scale,
    },
    Call {
        operator: Operator,
        arguments: Vec<LoweredFunction>,
    },
}
