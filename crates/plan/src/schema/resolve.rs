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
use crate::schema::similarity::{DeclaredSimilarities, ScoredBy, Similarity};
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

pub(super) fn resolve_type(
    declared: &TypeSource,
    version: f32,
    similarities: &DeclaredSimilarities<'_>,
) -> Result<FieldType> {
    let TypeSource { name, class, .. } = declared;
    let Some(class) = class_of(class) else {
        // Solr differs: it names its class loader, which there is none of here (`compat/schema/edit.yaml`).
        return Err(Error::bad_request(format!(
            "fieldType `{name}`: unknown class `{class}`; see the reference for the supported ones"
        )));
    };
    if class.is_on_tree() {
        check_tree_type(declared)?;
    }
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
        // What is wrong with it is told where schemas are loaded and edited, which name the type.
        scored_by: similarities
            .scored_by(&declared.name)
            .unwrap_or(ScoredBy { similarity: Similarity::DEFAULT, by_type: true }),
        source: declared.clone(),
    };
    if class == FieldClass::DenseVector {
        VectorType::of(&resolved)?;
    }
    Ok(resolved)
}

/// Refuses what Solr hard-codes of types on a tree to be otherwise.
fn check_tree_type(declared: &TypeSource) -> Result<()> {
    let off =
        ["omitNorms", "omitTermFreqAndPositions"].into_iter().find(|it| is_off(&declared.attributes, it));
    let Some(switch) = off else { return Ok(()) };
    let class = short_class(&declared.class);
    Err(Error::bad_request(format!(
        "FieldType {class} is incompatible with {switch}=false; hardcoded behavior is {switch}=true. Remove \
         specification in schema"
    )))
}

/// As [`check_tree_type`], of a field. A field on a tree that is not indexed would have nothing at all.
fn check_tree_field(declared: &FieldSource, kind: &FieldType, properties: &Properties) -> Result<()> {
    let (name, class) = (&declared.name, short_class(&kind.source.class));
    if properties.doc_values {
        return Err(Error::bad_request(format!("Field type {} does not support doc values", kind.name)));
    }
    if !properties.omit_norms || !properties.indexed {
        return Err(Error::bad_request(format!(
            "{name} of type {class} is incompatible with omitNorms=false; hardcoded behavior is omitNorms=true.  \
             Remove specification in schema"
        )));
    }
    if !properties.omit_term_freq_and_positions {
        return Err(Error::bad_request(format!(
            "{name} of type {class} is incompatible with termFreq or position storage.  Remove specification in schema."
        )));
    }
    Ok(())
}

fn is_off(attributes: &[(String, String)], switch: &str) -> bool {
    attributes.iter().any(|(name, value)| name == switch && value == "false")
}

fn short_class(class: &str) -> &str {
    class.rsplit('.').next().unwrap_or(class)
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
    if field_type.class.is_on_tree() {
        check_tree_field(declared, field_type, &properties)?;
    }
    let default = others.iter().find(|(key, _)| key == "default").map(|(_, value)| value.clone());
    Ok(FieldSpec {
        name: Arc::from(name.as_str()),
        field_type: field_type.clone(),
        properties,
        default,
        source: declared.clone(),
    })
}
