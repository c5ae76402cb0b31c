//! What a schema can declare that nothing here would heed: similarities other than those that scores are
//! reckoned by, classes of fields whose values would be taken for something else. In: declarations; out: why
//! each cannot be served, with what to use instead. Without this a schema would load and its scores, orders
//! or ranges be others than it says.

use plan::{FieldClass, FieldSource, FieldType, SchemaSource};

use crate::schema::arguments;

/// Why the similarity of the whole schema cannot be served.
pub(super) fn schema_similarity(source: &SchemaSource) -> Option<String> {
    source.similarities().scored_by("").err()
}

/// Why a field type cannot be served, its analyzers aside.
pub(super) fn field_type(kind: &FieldType, source: &SchemaSource) -> Option<String> {
    let class = match kind.class {
        FieldClass::Collation => Some(
            "collation is not supported; use SortableTextField with filters that fold, such as icuFolding",
        ),
        _ => None,
    };
    let similarity = || source.similarities().scored_by(&kind.name).err();
    class.map(str::to_owned).or_else(similarity).or_else(|| arguments::refusal(kind))
}

/// Why a field, or a dynamic field, cannot be served.
pub(super) fn field(declared: &FieldSource) -> Option<String> {
    let unknown =
        |name: &&String| !arguments::is_switch(name) && !arguments::OF_FIELDS.contains(&name.as_str());
    let name = declared.attributes.iter().map(|(name, _)| name).find(unknown)?;
    Some(format!("field `{}`: Invalid field property: {name}", declared.name))
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
        let refused =
            ["DFR", "DFI", "IB", "LMDirichlet", "LMJelinekMercer", "SweetSpot", "LegacyBM25", "NoSuch"];
        for class in refused.map(|name| format!("{name}SimilarityFactory")) {
            for place in ["GLOBAL", "OWN"] {
                let message = refusal(place, &format!(r#"<similarity class="solr.{class}"/>"#)).unwrap();
                assert!(message.contains(&format!("`{class}`")), "{message}");
            }
        }
        for class in ["BM25", "Classic", "Boolean"] {
            for place in ["GLOBAL", "OWN"] {
                let xml = format!(r#"<similarity class="solr.{class}SimilarityFactory"/>"#);
                assert_eq!(refusal(place, &xml), None, "{class}");
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
        check(r#"<float name="k1">2</float><float name="b">0</float>"#, None);
        check(r#"<float name="k1">-1</float>"#, Some("illegal k1 value: -1"));
        check(r#"<float name="k1">inf</float>"#, Some("illegal k1 value: inf"));
        check(r#"<float name="b">x</float>"#, Some("illegal b value: x"));
        check(r#"<float name="b">1.01</float>"#, Some("illegal b value: 1.01"));
        check(r#"<bool name="discountOverlaps">false</bool>"#, Some("`discountOverlaps`"));
        check(r#"<float name="k9">1</float>"#, Some("`k9`"));
        let by_type = |name: &str| {
            let xml = r#"<similarity class="solr.SchemaSimilarityFactory">
                <str name="defaultSimFromFieldType">NAME</str></similarity>
                <fieldType name="own" class="solr.TextField"><similarity class="solr.ClassicSimilarityFactory"/></fieldType>"#;
            refusal("GLOBAL", &xml.replace("NAME", name))
        };
        assert_eq!(by_type("own"), None);
        assert!(by_type("ws").unwrap().contains("has no similarity"));
        assert!(by_type("nosuch").unwrap().contains("is no type"));
        let both = r#"<similarity class="solr.BooleanSimilarityFactory"/><fieldType name="own" class="solr.TextField">
            <similarity class="solr.ClassicSimilarityFactory"/></fieldType>"#;
        assert!(refusal("GLOBAL", both).unwrap().contains("the global similarity does not support it"));
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
