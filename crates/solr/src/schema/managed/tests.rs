//! Managed lists beyond what the recorded scenarios show: files of a configset, bounds, names.

use plan::{AnalyzerSpec, ComponentSpec, ErrorKind, SchemaSource, TypeSource};

use super::{When, delete, files, put, view};

const WHEN: When = When { now_ms: 1_795_255_200_000, opened_ms: 0 };
const GRAPH: &str = "org.apache.solr.rest.schema.analysis.ManagedSynonymGraphFilterFactory$SynonymManager";

/// A schema with a type that reads the lists `en` of both kinds.
fn schema() -> SchemaSource {
    let component = |name: &str| ComponentSpec { name: name.into(), ..ComponentSpec::default() };
    let managed =
        |name: &str| ComponentSpec { args: [("managed".into(), "en".into())].into(), ..component(name) };
    let chain = AnalyzerSpec {
        tokenizer: component("whitespace"),
        filters: vec![managed("managedStop"), managed("solr.ManagedSynonymGraphFilterFactory")],
        ..AnalyzerSpec::default()
    };
    let text = TypeSource { name: "text".into(), analyzer: Some(chain), ..TypeSource::default() };
    SchemaSource { types: vec![text], ..SchemaSource::default() }
}

fn edited(mut schema: SchemaSource, path: &str, body: &str) -> plan::Result<SchemaSource> {
    if let Some(files) = put(&schema, path, body, WHEN)? {
        schema.resources = files;
    }
    Ok(schema)
}

#[test]
fn files_of_a_configset_are_taken_up() {
    let made = format!(
        r#"{{"managedList":[{{"resourceId":"/schema/analysis/synonyms/x","class":"{GRAPH}"}},
        {{"resourceId":"/schema/analysis/synonyms/../x","class":"{GRAPH}"}}]}}"#
    );
    let read = |name: &str| match name {
        "_rest_managed.json" => Some(made.clone()),
        "_schema_analysis_stopwords_en.json" => Some(r#"{"managedList":["the"]}"#.to_owned()),
        "_schema_analysis_synonyms_x.json" => Some(String::new()),
        _ => None,
    };
    let names: Vec<String> = files(&schema(), &read).unwrap().into_keys().collect();
    let expected =
        ["_rest_managed.json", "_schema_analysis_stopwords_en.json", "_schema_analysis_synonyms_x.json"];
    assert_eq!(names, expected);
}

#[test]
fn what_is_written_reads_back() {
    let schema = edited(schema(), "/analysis/synonyms/en", r#"{"a \"b\" ü":["c"],"d":"e"}"#).unwrap();
    let schema = edited(schema, "/analysis/synonyms/en", r#"{"initArgs":{"ignoreCase":"true"}}"#).unwrap();
    let written: String = schema.resources["_schema_analysis_synonyms_en.json"].split_whitespace().collect();
    assert_eq!(
        written,
        "{\"initArgs\":{\"ignoreCase\":\"true\"},\"initializedOn\":\"1970-01-01T00:00:00Z\",\
         \"updatedSinceInit\":\"2026-11-21T10:00:00Z\",\"managedMap\":{\"a\\\"b\\\"ü\":[\"c\"],\"d\":[\"e\"]}}"
    );
    assert!(put(&schema, "/analysis/synonyms/en", r#"{"d":["e"]}"#, WHEN).unwrap().is_none());
    assert!(view(&schema, &schema, "/analysis/synonyms/en/D", 0).is_ok());
}

#[test]
fn bad_edits_are_refused() {
    let refuse = |path: &str, body: &str, expected: &str| {
        let error = put(&schema(), path, body, WHEN).map(|_| ()).unwrap_err();
        assert_eq!(error.kind, ErrorKind::BadRequest);
        assert!(error.message.contains(expected), "{path} {body}: {error}");
    };
    let equal: Vec<String> = (0..1001).map(|at| format!("\"{at}\"")).collect();
    refuse("/analysis/synonyms/en", &format!("[{}]", equal.join(",")), "more than `1000000` synonyms");
    refuse("/analysis/synonyms/en", r#"{"initArgs":{"format":"wordnet"}}"#, "wordnet");
    refuse("/analysis/synonyms/en", r#"{"initArgs":{"ignoreCase":7}}"#, "`7` is no boolean");
    refuse("/analysis/stopwords/en", &"[".repeat(100_000), "");
    for name in ["..", "a/b", ".x", ""] {
        refuse(&format!("/analysis/synonyms/{name}"), &format!(r#"{{"class":"{GRAPH}"}}"#), "");
    }
    let error = delete(&schema(), "/analysis/synonyms/en", WHEN).map(|_| ()).unwrap_err();
    assert_eq!(error.kind, ErrorKind::InUse);
}
