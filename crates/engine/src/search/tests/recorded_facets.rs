//! Field facets as Solr 9.10.1 answered them, over the documents of `recorded`.

use plan::{FacetPlan, FacetSort, FieldFacet, Query, SearchPlan, Value};

use super::build::{plan, search, term, value};
use super::recorded::recorded_snapshot;
use crate::search::SearchCaches;

fn facet(field: &str) -> FieldFacet {
    FieldFacet { limit: Some(100), count_min: 0, ..FieldFacet::of(&field.into()) }
}

/// The answer as `value count …`, with `null` for the missing.
fn answer(query: Query, facet: FieldFacet) -> plan::Result<String> {
    let facets = FacetPlan { enabled: true, fields: vec![facet], ..FacetPlan::default() };
    let plan = SearchPlan { facets, ..plan(query) };
    let result = search(&recorded_snapshot(), &plan, &SearchCaches::default())?.facets.fields.remove(0);
    let missing = result.missing.map(|count| format!("null {count}"));
    let counts = result.counts.iter().map(|(value, count)| format!("{} {count}", value.to_text()));
    Ok(counts.chain(missing).collect::<Vec<_>>().join(", "))
}

#[test]
fn values_counts_and_order_are_solrs() {
    let five = || value("n_i", Value::Int(5));
    let check = |query: Query, facet: FieldFacet, expected: &str| {
        let shown = format!("{facet:?}");
        assert_eq!(answer(query, facet).unwrap(), expected, "{shown}");
    };
    let limited = |field: &str, limit| FieldFacet { limit: Some(limit), ..facet(field) };
    check(Query::All, limited("e_ss", 5), "Äpfel 21, green 18, cyan 16, blue 15, red 15");
    check(five(), limited("e_ss", 5), "blue 0, cyan 0, green 0, pink 0, red 0");
    check(five(), FieldFacet { missing: true, count_min: 1, ..facet("e_ss") }, "null 1");
    let missing = |field: &str| FieldFacet { missing: true, ..facet(field) };
    check(Query::All, missing("c_s"), "cyan 15, green 14, red 13, blue 6, null 12");
    check(Query::All, missing("f_b"), "false 41, true 13, null 6");
    check(five(), facet("f_b"), "true 1, false 0");
    check(Query::All, limited("n_i", 6), "9 7, 4 5, -5 4, -3 4, 10 4, 11 4");
    let by_index = FieldFacet { sort: FacetSort::Index, ..limited("n_i", 6) };
    check(Query::All, by_index, "-5 4, -4 2, -3 4, -2 2, -1 1, 0 2");
    check(Query::All, FieldFacet { missing: true, ..limited("x_d", 3) }, "7.5 3, -10.0 2, -9.0 2, null 9");
    check(five(), facet("n_i"), "5 1");
    check(Query::All, missing("nothere_s"), "null 60");
    let exists = FieldFacet { exists: true, ..facet("c_s") };
    check(Query::All, exists, "blue 1, cyan 1, green 1, red 1");
    check(Query::All, facet("a_t"), "");
}

#[test]
fn values_are_chosen_as_in_solr() {
    let check = |facet: FieldFacet, expected: &str| {
        let shown = format!("{facet:?}");
        assert_eq!(answer(Query::All, facet).unwrap(), expected, "{shown}");
    };
    let tags = || facet("e_ss");
    let with_e = "Äpfel 21, green 18, blue 15, red 15";
    check(FieldFacet { contains: Some(("E".into(), true)), ..tags() }, with_e);
    check(FieldFacet { contains: Some(("E".into(), false)), ..tags() }, "");
    check(FieldFacet { matches: Some(".*e.*".into()), ..tags() }, with_e);
    check(FieldFacet { matches: Some("e".into()), ..tags() }, "");
    check(FieldFacet { prefix: Some("g".into()), ..tags() }, "green 18");
    let excluded = vec!["red".to_owned(), "blue".into()];
    check(FieldFacet { exclude_terms: excluded, ..tags() }, "Äpfel 21, green 18, cyan 16, pink 13");
    let named = |field: &str, values: &[Value]| {
        let query = |value: &Value| Query::Term { field: field.into(), value: value.clone() };
        let terms = values.iter().map(|value| (value.to_text(), query(value))).collect();
        FieldFacet { terms: Some(terms), ..facet(field) }
    };
    let texts = ["red", "zzz", "blue"].map(|text| Value::Str(text.into()));
    check(named("e_ss", &texts), "red 15, zzz 0, blue 15");
    check(named("n_i", &[Value::Int(5), Value::Int(7)]), "5 1, 7 2");
}

#[test]
fn numbers_have_no_prefix() {
    let refused = |facet: FieldFacet| {
        answer(term("c_s", "red"), facet).unwrap_err().kind == plan::ErrorKind::BadRequest
    };
    assert!(refused(FieldFacet { prefix: Some("1".into()), ..facet("n_i") }));
    assert!(refused(FieldFacet { contains: Some(("1".into(), false)), ..facet("n_i") }));
    assert!(refused(FieldFacet { matches: Some("(".into()), ..facet("e_ss") }));
}
