//! From what a schema declares to what it means: classes by Solr's names, properties by their defaults,
//! analyzers. It runs whenever a schema is loaded or edited, over declared texts, and is the one place where
//! a class's name means something: a field type that is new begins here.

use std::collections::HashMap;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::query::dense_vector::VectorType;
use crate::schema::analyzer::{AnalyzerSpec, ComponentSpec};
use crate::schema::class::FieldClass;
use crate::schema::field::{FieldSource, FieldSpec, FieldType, TypeSource};
use crate::schema::properties::Properties;
use crate::value::enumeration::Enumeration;

/// Solr's class names, without their package, and what they hold.
const CLASSES: &[(&str, FieldClass)] = &[
    ("StrField", FieldClass::Str),
    ("TextField", FieldClass::Text),
    ("SortableTextField", FieldClass::SortableText),
    ("BoolField", FieldClass::Bool),
    ("IntPointField", FieldClass::Int),
    ("LongPointField", FieldClass::Long),
    ("FloatPointField", FieldClass::Float),
    ("DoublePointField", FieldClass::Double),
    ("DatePointField", FieldClass::Date),
    ("TrieIntField", FieldClass::Int),
    ("TrieLongField", FieldClass::Long),
    ("TrieFloatField", FieldClass::Float),
    ("TrieDoubleField", FieldClass::Double),
    ("TrieDateField", FieldClass::Date),
    ("BinaryField", FieldClass::Binary),
    ("UUIDField", FieldClass::Uuid),
    ("NestPathField", FieldClass::NestPath),
    ("RandomSortField", FieldClass::RandomSort),
    ("LatLonPointSpatialField", FieldClass::LatLon),
    ("PointType", FieldClass::Point),
    ("SpatialRecursivePrefixTreeFieldType", FieldClass::SpatialPrefixTree),
    ("BBoxField", FieldClass::BBox),
    ("DenseVectorField", FieldClass::DenseVector),
    ("RankField", FieldClass::Rank),
    ("CurrencyFieldType", FieldClass::Currency),
    ("EnumFieldType", FieldClass::Enum),
    ("DateRangeField", FieldClass::DateRange),
    ("ICUCollationField", FieldClass::Collation),
    ("CollationField", FieldClass::Collation),
];

pub(super) fn class_of(name: &str) -> Option<FieldClass> {
    let short = name.rsplit('.').next()?;
    CLASSES.iter().find(|(known, _)| *known == short).map(|(_, class)| *class)
}

pub(super) fn resolve_type(declared: &TypeSource, version: f32) -> Result<FieldType> {
    let TypeSource { name, class, .. } = declared;
    let Some(class) = class_of(class) else {
        // Solr differs: it names its class loader, which there is none of here (`compat/schema/edit.yaml`).
        return Err(Error::bad_request(format!(
            "fieldType `{name}`: unknown class `{class}`; see the reference for the supported ones"
        )));
    };
    let mut properties = Properties::defaults(class, version);
    let arguments: Vec<_> = properties.apply(&declared.attributes, name)?.into_iter().cloned().collect();
    let argument =
        |wanted: &str| arguments.iter().find(|(key, _)| key == wanted).map(|(_, value)| value.as_str());
    let position_gap = argument("positionIncrementGap").and_then(|gap| gap.parse().ok()).unwrap_or(0);
    let auto_phrase = argument("autoGeneratePhraseQueries").map_or(version < 1.4, |flag| flag == "true");
    let index =
        declared.index_analyzer.as_ref().or(declared.analyzer.as_ref()).or(declared.query_analyzer.as_ref());
    let query =
        declared.query_analyzer.as_ref().or(declared.analyzer.as_ref()).or(declared.index_analyzer.as_ref());
    let fallback = || class.is_text().then(keyword_analyzer);
    let resolved = FieldType {
        name: name.clone(),
        class,
        properties,
        index_analyzer: index.cloned().or_else(fallback),
        query_analyzer: query.cloned().or_else(fallback),
        multi_term_analyzer: declared.multi_term_analyzer.clone(),
        position_gap,
        auto_phrase,
        arguments,
        enumeration: Enumeration::new(&declared.enum_names),
        source: declared.clone(),
    };
    if class == FieldClass::DenseVector {
        VectorType::of(&resolved)?;
    }
    Ok(resolved)
}

/// A text type without an analyzer takes each value as one term.
fn keyword_analyzer() -> AnalyzerSpec {
    let tokenizer = ComponentSpec { name: "keyword".to_owned(), ..ComponentSpec::default() };
    AnalyzerSpec { tokenizer, ..AnalyzerSpec::default() }
}

pub(super) fn resolve_field(
    declared: &FieldSource,
    types: &HashMap<String, Arc<FieldType>>,
) -> Result<FieldSpec> {
    let FieldSource { name, type_name, attributes } = declared;
    let field_type = types.get(type_name).ok_or_else(|| {
        Error::bad_request(format!("Unknown fieldType '{type_name}' specified on field {name}"))
    })?;
    let mut properties = field_type.properties;
    let others = properties.apply(attributes, name)?;
    let default = others.iter().find(|(key, _)| key == "default").map(|(_, value)| value.clone());
    Ok(FieldSpec {
        name: Arc::from(name.as_str()),
        field_type: field_type.clone(),
        properties,
        default,
        source: declared.clone(),
    })
}
