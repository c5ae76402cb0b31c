//! The attributes of field types that are a class's own, each with the classes it belongs to and the values
//! that are heeded. In: a resolved type; out: why one of its attributes cannot be served. The table is the
//! only list of what is accepted: an attribute that stands nowhere in it is refused, as in Solr.

use plan::{FieldClass, FieldType, Properties};

struct Argument {
    name: &'static str,
    of: fn(FieldClass) -> bool,
    values: Values,
}

/// Which values are heeded; others are refused.
enum Values {
    /// Checked where it is read, or free text.
    Any,
    Whole,
    Number,
    Flag,
    /// A code of ISO 4217.
    Currency,
    /// Some of Solr's, in any case.
    Of(&'static [&'static str]),
}

/// Where each is heeded: gaps, phrases and synonyms in `query/text.rs`, places in `query/spatial/measure.rs`,
/// vectors in `plan::VectorType`, prices in `query/currency.rs`. Formats of files and steps of precision
/// change no answer; nor does what rules how polygons are taken, since polygons are refused where they come.
const ARGUMENTS: &[Argument] = &[
    Argument { name: "docValuesFormat", of: any, values: Values::Any },
    Argument { name: "postingsFormat", of: any, values: Values::Any },
    Argument { name: "positionIncrementGap", of: any, values: Values::Whole },
    Argument { name: "precisionStep", of: FieldClass::is_point, values: Values::Whole },
    Argument { name: "autoGeneratePhraseQueries", of: FieldClass::is_text, values: Values::Flag },
    Argument { name: "enableGraphQueries", of: FieldClass::is_text, values: Values::Flag },
    Argument {
        name: "synonymQueryStyle",
        of: FieldClass::is_text,
        values: Values::Of(&["as_same_term", "as_distinct_terms", "pick_best"]),
    },
    Argument { name: "maxCharsForDocValues", of: is_sortable_text, values: Values::Whole },
    Argument { name: "dimension", of: is_point_type, values: Values::Whole },
    Argument { name: "subFieldSuffix", of: is_point_type, values: Values::Any },
    Argument { name: "geo", of: is_spatial, values: Values::Flag },
    Argument { name: "distanceUnits", of: is_spatial, values: Values::Any },
    Argument { name: "distErrPct", of: is_prefix_tree, values: Values::Number },
    Argument { name: "maxDistErr", of: is_prefix_tree, values: Values::Number },
    Argument { name: "maxLevels", of: is_prefix_tree, values: Values::Whole },
    Argument { name: "prefixTree", of: is_prefix_tree, values: Values::Of(&["geohash"]) },
    Argument {
        name: "spatialContextFactory",
        of: is_prefix_tree,
        values: Values::Of(&[
            "JTS",
            "org.locationtech.spatial4j.context.jts.JtsSpatialContextFactory",
            "com.spatial4j.core.context.jts.JtsSpatialContextFactory",
        ]),
    },
    Argument { name: "autoIndex", of: is_prefix_tree, values: Values::Flag },
    Argument { name: "validationRule", of: is_prefix_tree, values: Values::Any },
    Argument { name: "datelineRule", of: is_prefix_tree, values: Values::Any },
    Argument { name: "numberType", of: is_box, values: Values::Any },
    Argument { name: "storeSubFields", of: is_box, values: Values::Flag },
    Argument { name: "vectorDimension", of: is_vector, values: Values::Any },
    Argument { name: "similarityFunction", of: is_vector, values: Values::Any },
    Argument { name: "vectorEncoding", of: is_vector, values: Values::Any },
    Argument { name: "knnAlgorithm", of: is_vector, values: Values::Of(&["hnsw", "flat"]) },
    Argument { name: "hnswMaxConnections", of: is_vector, values: Values::Any },
    Argument { name: "hnswM", of: is_vector, values: Values::Any },
    Argument { name: "hnswBeamWidth", of: is_vector, values: Values::Any },
    Argument { name: "hnswEfConstruction", of: is_vector, values: Values::Any },
    Argument { name: "amountLongSuffix", of: is_price, values: Values::Any },
    Argument { name: "codeStrSuffix", of: is_price, values: Values::Any },
    Argument { name: "defaultCurrency", of: is_price, values: Values::Currency },
    Argument { name: "enumsConfig", of: is_enumeration, values: Values::Any },
    Argument { name: "enumName", of: is_enumeration, values: Values::Any },
    Argument { name: "currencyConfig", of: is_price, values: Values::Any },
    Argument {
        name: "providerClass",
        of: is_price,
        values: Values::Of(&[
            "solr.FileExchangeRateProvider",
            "org.apache.solr.schema.FileExchangeRateProvider",
        ]),
    },
];

/// What a field may have beside the properties that its type has too.
pub(super) const OF_FIELDS: [&str; 3] = ["default", "postingsFormat", "docValuesFormat"];

/// Whether it is a property that fields and types have alike.
pub(super) fn is_switch(name: &str) -> bool {
    let defaults = Properties::defaults(FieldClass::Str, 1.7);
    defaults.named().iter().any(|(known, _)| *known == name)
}

/// Why an attribute of a type cannot be served.
pub(super) fn refusal(kind: &FieldType) -> Option<String> {
    kind.arguments.iter().find_map(|(name, value)| {
        let Some(known) = ARGUMENTS.iter().find(|it| it.name == name && (it.of)(kind.class)) else {
            let class = &kind.source.class;
            return Some(format!("invalid arguments: `{name}` is none that {class} heeds here; remove it"));
        };
        let expected = known.values.refused(value)?;
        Some(format!("`{name}` is `{value}`; use {expected}"))
    })
}

impl Values {
    /// What to use instead of a value that is not heeded.
    fn refused(&self, value: &str) -> Option<String> {
        let (heeded, expected) = match self {
            Values::Any => (true, String::new()),
            Values::Whole => (value.trim().parse::<i32>().is_ok(), "a whole number".to_owned()),
            Values::Number => (value.trim().parse::<f64>().is_ok(), "a number".to_owned()),
            Values::Flag => (["true", "false"].contains(&value), "true or false".to_owned()),
            Values::Currency => (plan::is_currency_code(value), "a currency's code, such as EUR".to_owned()),
            Values::Of(all) => (all.iter().any(|it| it.eq_ignore_ascii_case(value)), all.join(", ")),
        };
        (!heeded).then_some(expected)
    }
}

fn any(_: FieldClass) -> bool {
    true
}

fn is_sortable_text(class: FieldClass) -> bool {
    class == FieldClass::SortableText
}

fn is_point_type(class: FieldClass) -> bool {
    class == FieldClass::Point
}

fn is_spatial(class: FieldClass) -> bool {
    class.is_place() || is_box(class)
}

fn is_prefix_tree(class: FieldClass) -> bool {
    class == FieldClass::SpatialPrefixTree
}

fn is_box(class: FieldClass) -> bool {
    class == FieldClass::BBox
}

fn is_vector(class: FieldClass) -> bool {
    class == FieldClass::DenseVector
}

fn is_enumeration(class: FieldClass) -> bool {
    class == FieldClass::Enum
}

fn is_price(class: FieldClass) -> bool {
    class == FieldClass::Currency
}
