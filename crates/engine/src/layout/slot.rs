//! What the segments keep of a field: which kind of terms and which kind of column, by its class and
//! properties.
//!
//! A slot is made when a name is first used and is written into the manifest; it stays as it is, whatever the
//! schema says later. Which tantivy fields come of it is `segment_schema`'s.

use std::sync::Arc;

use plan::{FieldClass, FieldSpec};
use serde::{Deserialize, Serialize};

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ColumnKind {
    /// Ordinals into a sorted dictionary of strings.
    Str,
    /// Int, Long, Date in milliseconds, and places in an enumeration.
    I64,
    /// Float and Double.
    F64,
    Bool,
    /// Codes of places (`plan::GeoPoint::code`), in whole numbers.
    Place,
    /// Where a document's stretches of time begin and end, in turn and ascending (`plan::span_bounds`), in
    /// milliseconds.
    DateSpans,
    /// Vectors as `dense_vectors::words`, in whole numbers.
    Vector,
}

/// What an inverted field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum InvertedKind {
    /// Analysed words.
    Text {
        frequencies: bool,
        positions: bool,
        norms: bool,
    },
    /// Each value as one term.
    Term {
        norms: bool,
    },
    /// The unique key: its terms are those of `ID_FIELD`.
    Key,
    /// Int, Long and Date as `i64` terms: of fields with several values, or without a column.
    I64,
    /// Float and Double as `f64` terms, likewise.
    F64,
    Bool,
}

/// One name with what it had when it was first used. Its place in the list is its number, for good.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slot {
    pub name: Arc<str>,
    pub inverted: Option<InvertedKind>,
    pub column: Option<ColumnKind>,
    /// Whether its words carry payloads, which have a column of their own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub payloads: bool,
}

/// What the segments keep of a field, by its class and properties.
pub(super) fn slot_of(name: &Arc<str>, spec: &FieldSpec, is_key: bool) -> Slot {
    let properties = &spec.properties;
    let inverted = match properties.indexed.then(|| inverted_kind(spec)).flatten() {
        Some(InvertedKind::Term { .. }) if is_key => Some(InvertedKind::Key),
        other => other,
    };
    let uninverted = properties.indexed && properties.uninvertible && !spec.class().is_text();
    // Terms of enumerations are in the order of their names, of which no range is asked.
    let searched = spec.class().is_place()
        || matches!(spec.class(), FieldClass::DenseVector | FieldClass::Rank | FieldClass::Enum)
        || spec.class() == FieldClass::DateRange;
    let column = (properties.doc_values || uninverted || properties.indexed && searched)
        .then(|| column_kind(spec.class()))
        .flatten();
    // One number a document is found by its column and `value_order`: terms, nearly all of them of one
    // document, would be a seventh of what indexing and merging cost (docs/adr/0005).
    let ordered = spec.class().is_point() && column.is_some() && !properties.multi_valued;
    let inverted = inverted.filter(|_| !ordered);
    let payloads = matches!(inverted, Some(InvertedKind::Text { positions: true, .. }))
        && spec.field_type.index_analyzer.as_ref().and_then(analysis::payload_kind).is_some();
    Slot { name: name.clone(), inverted, column, payloads }
}

fn inverted_kind(spec: &FieldSpec) -> Option<InvertedKind> {
    let properties = &spec.properties;
    let norms = !properties.omit_norms;
    Some(match spec.class() {
        FieldClass::Text | FieldClass::SortableText => {
            let frequencies = !properties.omit_term_freq_and_positions;
            InvertedKind::Text { frequencies, positions: frequencies && !properties.omit_positions, norms }
        }
        FieldClass::Str
        | FieldClass::Uuid
        | FieldClass::Enum
        | FieldClass::NestPath
        | FieldClass::Collation => InvertedKind::Term { norms },
        // Of shapes that are no points.
        FieldClass::SpatialPrefixTree => InvertedKind::Term { norms: false },
        FieldClass::Int | FieldClass::Long | FieldClass::Date => InvertedKind::I64,
        FieldClass::Float | FieldClass::Double => InvertedKind::F64,
        FieldClass::Bool => InvertedKind::Bool,
        _ => return None,
    })
}

fn column_kind(class: FieldClass) -> Option<ColumnKind> {
    Some(match class {
        FieldClass::Str | FieldClass::Uuid | FieldClass::NestPath => ColumnKind::Str,
        FieldClass::SortableText | FieldClass::Collation => ColumnKind::Str,
        FieldClass::Int | FieldClass::Long | FieldClass::Date | FieldClass::Enum => ColumnKind::I64,
        FieldClass::Float | FieldClass::Double | FieldClass::Rank => ColumnKind::F64,
        FieldClass::Bool => ColumnKind::Bool,
        FieldClass::LatLon | FieldClass::SpatialPrefixTree => ColumnKind::Place,
        FieldClass::DateRange => ColumnKind::DateSpans,
        FieldClass::DenseVector => ColumnKind::Vector,
        _ => return None,
    })
}
