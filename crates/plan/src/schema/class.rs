//! The classes of Solr's field types, and what each kind of value can do. Which class a configuration's name
//! means is `resolve.rs`; what the engine builds for one follows from the questions asked here. A question
//! that several layers ask of a class is answered here, by a method, so that a class that is new is decided
//! about in one place.

use serde::{Deserialize, Serialize};

/// What kind of values a type holds, by Solr's class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FieldClass {
    Str,
    Text,
    SortableText,
    Bool,
    Int,
    Long,
    Float,
    Double,
    Date,
    Binary,
    Uuid,
    NestPath,
    RandomSort,
    /// `lat,lon`.
    LatLon,
    /// Sub-fields, one a dimension.
    Point,
    SpatialPrefixTree,
    /// A box of the earth: sub-fields, one an edge.
    BBox,
    DenseVector,
    Rank,
    Currency,
    Enum,
    DateRange,
    Collation,
}

impl FieldClass {
    pub fn is_text(self) -> bool {
        matches!(self, FieldClass::Text | FieldClass::SortableText)
    }

    pub fn is_number(self) -> bool {
        matches!(self, FieldClass::Int | FieldClass::Long | FieldClass::Float | FieldClass::Double)
    }

    /// Numbers and dates: values with an order and arithmetic.
    pub fn is_point(self) -> bool {
        self.is_number() || self == FieldClass::Date
    }

    /// Whether its values are counted, sorted and reckoned with as numbers: points, and enumerations by the
    /// places of their names.
    pub fn has_number_column(self) -> bool {
        self.is_point() || self == FieldClass::Enum
    }

    /// Places on the earth, kept as numbers in the order of a curve (`GeoPoint::code`).
    pub fn is_place(self) -> bool {
        matches!(self, FieldClass::LatLon | FieldClass::SpatialPrefixTree)
    }

    /// Laid onto a tree of cells by Solr, which hard-codes what such a field keeps of its terms.
    pub fn is_on_tree(self) -> bool {
        matches!(self, FieldClass::SpatialPrefixTree | FieldClass::DateRange)
    }

    /// Whether its column holds values that can be listed and counted one by one.
    pub fn is_listed(self) -> bool {
        !self.is_place() && !matches!(self, FieldClass::DenseVector | FieldClass::DateRange)
    }

    /// Solr's primitive types: one value, no analysis. Norms are off for them by default since schema 1.5.
    pub fn is_primitive(self) -> bool {
        self.is_point()
            || matches!(
                self,
                FieldClass::Str | FieldClass::Bool | FieldClass::Binary | FieldClass::Uuid | FieldClass::Enum
            )
            || matches!(self, FieldClass::NestPath | FieldClass::Rank | FieldClass::Collation)
    }

    /// Whether schema 1.7 gives it a column without being asked.
    pub fn has_doc_values_by_default(self) -> bool {
        self.is_point()
            || matches!(self, FieldClass::Str | FieldClass::Bool | FieldClass::Uuid | FieldClass::Enum)
            || matches!(self, FieldClass::NestPath | FieldClass::LatLon | FieldClass::SortableText)
    }
}
