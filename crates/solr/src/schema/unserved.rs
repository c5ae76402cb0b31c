//! What a schema can declare that nothing here would heed: similarities other than the one that scores are
//! reckoned by, classes of fields whose values would be taken for something else. In: declarations; out: why
//! each cannot be served, with what to use instead. Without this a schema would load and its scores, orders
//! or ranges be others than it says.

use plan::{FieldClass, FieldSource, FieldType};

use crate::schema::arguments;

type Arguments = [(String, String)];

/// The arguments of BM25 with the values that scores are reckoned with, which are Lucene's defaults.
const NUMBERS: [(&str, f32); 2] = [("k1", 1.2), ("b", 0.75)];

/// Why the similarity of the whole schema cannot be served.
pub(super) fn schema_similarity(declared: &Arguments) -> Option<String> {
    match short_class(declared) {
        "SchemaSimilarityFactory" => arguments(declared).next().map(|(name, _)| {
            format!("`{name}` of SchemaSimilarityFactory is not supported; leave it out, which is BM25")
        }),
        _ => similarity(declared),
    }
}

/// Why a field type cannot be served, its analyzers aside.
pub(super) fn field_type(kind: &FieldType) -> Option<String> {
    let class = match kind.class {
        FieldClass::Collation => Some(
            "collation is not supported; use SortableTextField with filters that fold, such as icuFolding",
        ),
        _ => None,
    };
    let similarity = || kind.source.similarity.as_deref().and_then(similarity);
    class.map(str::to_owned).or_else(similarity).or_else(|| arguments::refusal(kind))
}

/// Why a field, or a dynamic field, cannot be served.
pub(super) fn field(declared: &FieldSource) -> Option<String> {
    let unknown =
        |name: &&String| !arguments::is_switch(name) && !arguments::OF_FIELDS.contains(&name.as_str());
    let name = declared.attributes.iter().map(|(name, _)| name).find(unknown)?;
    Some(format!("field `{}`: Invalid field property: {name}", declared.name))
}

fn similarity(declared: &Arguments) -> Option<String> {
    let class = short_class(declared);
    if class != "BM25SimilarityFactory" {
        return Some(format!(
            "the similarity `{class}` is not supported; use solr.BM25SimilarityFactory, or none"
        ));
    }
    arguments(declared).find_map(|(name, value)| {
        let wanted = NUMBERS.iter().find(|(known, _)| *known == name).map(|(_, number)| *number);
        let ours = match wanted {
            Some(number) => number.to_string(),
            None if name == "discountOverlaps" => "true".to_owned(),
            None => return Some(format!("BM25SimilarityFactory knows no `{name}`; remove it")),
        };
        let same = value.trim() == ours || (wanted.is_some() && value.trim().parse().ok() == wanted);
        let told = || format!("BM25SimilarityFactory with `{name}` {value} is not supported; use {ours}");
        (!same).then(told)
    })
}

fn short_class(declared: &Arguments) -> &str {
    let class = declared.iter().find(|(name, _)| name == "class").map_or("", |(_, value)| value);
    class.rsplit('.').next().unwrap_or(class)
}

fn arguments(declared: &Arguments) -> impl Iterator<Item = (&str, &str)> {
    let pairs = declared.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    pairs.filter(|(name, _)| *name != "class")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::load;

    const SCHEMA: &str = r#"<schema name="s" version="1.6">GLOBAL
        <fieldType name="string" class="solr.StrField"/>
        <fieldType name="ws" class="solr.TextField"><analyzer><tokenizer name="whitespace"/></analyzer>OWN</fieldType>
        <field name="id" type="string"/><field name="body" type="ws"/></schema>"#;

    fn refusal(place: &str, xml: &str) -> Option<String> {
        let xml = SCHEMA.replace(place, xml).replace("GLOBAL", "").replace("OWN", "");
        load(&xml, &|_| None).err().map(|error| error.message)
    }

    #[test]
    fn every_similarity_of_solr_is_honoured_or_refused() {
        let factories = [
            "Classic",
            "DFR",
            "DFI",
            "IB",
            "LMDirichlet",
            "LMJelinekMercer",
            "Boolean",
            "SweetSpot",
            "LegacyBM25",
            "NoSuch",
        ];
        for class in factories.map(|name| format!("{name}SimilarityFactory")) {
            for place in ["GLOBAL", "OWN"] {
                let message = refusal(place, &format!(r#"<similarity class="solr.{class}"/>"#)).unwrap();
                assert!(message.contains(&format!("`{class}`")), "{message}");
            }
        }
        let schema = r#"<similarity class="solr.SchemaSimilarityFactory"/>"#;
        assert_eq!(refusal("GLOBAL", schema), None);
        assert!(refusal("OWN", schema).is_some());
    }

    #[test]
    fn every_argument_is_honoured_or_refused() {
        let check = |argument: &str, expected: Option<&str>| {
            let class = "org.apache.solr.search.similarities.BM25SimilarityFactory";
            for place in ["GLOBAL", "OWN"] {
                let told = refusal(place, &format!(r#"<similarity class="{class}">{argument}</similarity>"#));
                let as_expected = told.as_deref().map_or(expected.is_none(), |told| {
                    expected.is_some_and(|expected| told.contains(expected))
                });
                assert!(as_expected, "{argument}: {told:?}");
            }
        };
        check(r#"<float name="k1">1.2</float><float name="b">0.750</float>"#, None);
        check(r#"<bool name="discountOverlaps">true</bool>"#, None);
        check(r#"<float name="k1">2</float>"#, Some("`k1` 2 is not supported; use 1.2"));
        check(r#"<float name="b">x</float>"#, Some("`b` x is not supported; use 0.75"));
        check(r#"<bool name="discountOverlaps">false</bool>"#, Some("`discountOverlaps`"));
        check(r#"<float name="k9">1</float>"#, Some("`k9`"));
        let by_type = r#"<similarity class="solr.SchemaSimilarityFactory">
            <str name="defaultSimFromFieldType">ws</str></similarity>"#;
        assert!(refusal("GLOBAL", by_type).unwrap().contains("`defaultSimFromFieldType`"));
    }

    #[test]
    fn classes_that_would_be_strings_are_refused() {
        for class in ["CollationField", "ICUCollationField"] {
            let told = of_type(&format!(r#"class="solr.{class}""#));
            assert!(
                told.as_deref().is_some_and(|told| told.contains("is not supported")),
                "{class}: {told:?}"
            );
        }
    }

    /// What is said of a type with these attributes that no field has.
    fn of_type(attributes: &str) -> Option<String> {
        refusal(
            "OWN",
            &format!(
                r#"</fieldType><fieldType name="t" {attributes}><similarity class="solr.BM25SimilarityFactory"/>"#
            ),
        )
    }

    #[test]
    fn attributes_of_types_are_heeded_or_refused() {
        let served = [
            r#"class="solr.StrField" docValuesFormat="Direct" positionIncrementGap="0" stored="true""#,
            r#"class="solr.TrieIntField" precisionStep="0""#,
            r#"class="solr.TextField" synonymQueryStyle="PICK_BEST" enableGraphQueries="false""#,
            r#"class="solr.SortableTextField" maxCharsForDocValues="3""#,
            r#"class="solr.SpatialRecursivePrefixTreeFieldType" geo="true" distErrPct="0.025" maxDistErr="0.001" distanceUnits="kilometers""#,
            r#"class="solr.DenseVectorField" vectorDimension="4" knnAlgorithm="hnsw""#,
            r#"class="solr.CurrencyFieldType" amountLongSuffix="_l" codeStrSuffix="_s" defaultCurrency="EUR""#,
        ];
        for attributes in served {
            assert_eq!(of_type(attributes), None, "{attributes}");
        }
        let refused = [
            (r#"class="solr.StrField" frobnicate="1""#, "`frobnicate`"),
            (r#"class="solr.StrField" maxCharsForDocValues="3""#, "`maxCharsForDocValues`"),
            (r#"class="solr.IntPointField" enableGraphQueries="true""#, "`enableGraphQueries`"),
            (r#"class="solr.TextField" default="x""#, "`default`"),
            (r#"class="solr.TextField" positionIncrementGap="x""#, "use a whole number"),
            (r#"class="solr.TextField" synonymQueryStyle="odd""#, "pick_best"),
            (r#"class="solr.SpatialRecursivePrefixTreeFieldType" prefixTree="quad""#, "use geohash"),
            (r#"class="solr.LatLonPointSpatialField" normWrapLongitude="true""#, "`normWrapLongitude`"),
            (r#"class="solr.PointType" subFieldType="pdouble""#, "`subFieldType`"),
            (r#"class="solr.DenseVectorField" vectorDimension="4" knnAlgorithm="odd""#, "use hnsw, flat"),
            (
                r#"class="solr.CurrencyFieldType" amountLongSuffix="_l" codeStrSuffix="_s" providerClass="x.Mine""#,
                "`providerClass`",
            ),
        ];
        for (attributes, expected) in refused {
            let told = of_type(attributes).unwrap_or_default();
            assert!(told.contains(expected), "{attributes}: {told}");
        }
    }

    #[test]
    fn attributes_of_fields_are_heeded_or_refused() {
        let field = |attributes: &str| {
            let xml = format!(
                r#"</fieldType><field name="f" type="ws" {attributes}/><fieldType name="t" class="solr.StrField">"#
            );
            refusal("OWN", &xml)
        };
        let switches = plan::Properties::defaults(FieldClass::Str, 1.7).named();
        for (name, _) in switches {
            assert_eq!(field(&format!(r#"{name}="false""#)), None, "{name}");
        }
        assert_eq!(field(r#"default="x" docValuesFormat="Direct""#), None);
        assert!(field(r#"frobnicate="1""#).unwrap().contains("Invalid field property: frobnicate"));
    }
}
