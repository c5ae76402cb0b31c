//! Field types and fields: as declared (`…Source`, what is persisted and edited) and as resolved (what all
//! layers read). What is resolved is never edited: an edit changes what is declared, and the whole schema is
//! resolved anew. How a field lies in an index is the engine's layout.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::schema::analyzer::AnalyzerSpec;
use crate::schema::class::FieldClass;
use crate::schema::properties::Properties;
use crate::schema::similarity::ScoredBy;
use crate::value::enumeration::Enumeration;

/// A field type as declared.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TypeSource {
    pub name: String,
    /// As written, such as `solr.TextField`.
    pub class: String,
    /// Other attributes as written, in order.
    pub attributes: Vec<(String, String)>,
    /// `<analyzer>` without a type stands for both, and is kept in `analyzer`.
    pub analyzer: Option<AnalyzerSpec>,
    pub index_analyzer: Option<AnalyzerSpec>,
    pub query_analyzer: Option<AnalyzerSpec>,
    pub multi_term_analyzer: Option<AnalyzerSpec>,
    /// The class and arguments of a per-type similarity.
    pub similarity: Option<Vec<(String, String)>>,
    /// The names of an enumeration, in order, as its file had them when the schema was read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub enum_names: Vec<String>,
}

/// A field, or a dynamic field whose name is a pattern with one leading or trailing `*`, as declared.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldSource {
    pub name: String,
    pub type_name: String,
    /// Other attributes as written, in order.
    pub attributes: Vec<(String, String)>,
}

/// A resolved type.
#[derive(Clone, Debug)]
pub struct FieldType {
    pub name: String,
    pub class: FieldClass,
    pub properties: Properties,
    pub index_analyzer: Option<AnalyzerSpec>,
    pub query_analyzer: Option<AnalyzerSpec>,
    pub multi_term_analyzer: Option<AnalyzerSpec>,
    /// Positions between two values of one field (Solr's `positionIncrementGap`).
    pub position_gap: u32,
    pub auto_phrase: bool,
    /// Attributes that are the class's own, such as `dimension` or `maxCharsForDocValues`.
    pub arguments: Vec<(String, String)>,
    /// What a field of the class `Enum` may hold; nothing for all others.
    pub enumeration: Enumeration,
    pub scored_by: ScoredBy,
    pub source: TypeSource,
}

impl FieldType {
    /// How many coordinates a place of the class `Point` has.
    pub fn dimension(&self) -> usize {
        const DEFAULT: usize = 2;
        const MOST: usize = 64;
        self.argument("dimension").and_then(|text| text.parse().ok()).unwrap_or(DEFAULT).clamp(1, MOST)
    }

    /// The fields that hold the coordinates of a field of the class `Point`, in order.
    pub fn sub_fields(&self, name: &str) -> Vec<String> {
        let suffix = self.argument("subFieldSuffix").unwrap_or("_d");
        (0..self.dimension()).map(|at| format!("{name}_{at}{suffix}")).collect()
    }

    pub fn argument(&self, name: &str) -> Option<&str> {
        self.arguments.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// A resolved field or dynamic field.
#[derive(Clone, Debug)]
pub struct FieldSpec {
    /// The name, or the pattern of a dynamic field.
    pub name: Arc<str>,
    pub field_type: Arc<FieldType>,
    pub properties: Properties,
    /// Taken when a document has no value (Solr's `default`).
    pub default: Option<String>,
    pub source: FieldSource,
}

impl FieldSpec {
    pub fn class(&self) -> FieldClass {
        self.field_type.class
    }
}
