//! Joins from one collection to another of the same server: by whose schema they are read, and that no kept
//! answer outlives what the other collection says.

#[allow(dead_code, reason = "each test file uses its own part")]
mod support;

use serde_json::{Value, json};

use support::{Blocking, Server};

fn add(solr: &Blocking, collection: &str, documents: &Value) {
    let path = format!("{collection}/update");
    let answer = solr.post_json(&path, &[("commit", "true")], documents.to_string()).unwrap();
    assert_eq!(answer.status, 200, "{}", String::from_utf8_lossy(&answer.body));
}

fn found(solr: &Blocking, params: &[(&str, &str)]) -> Vec<String> {
    let answer = solr.json("people/select", params);
    let documents = answer["response"]["docs"].as_array().unwrap_or_else(|| panic!("{answer}"));
    documents.iter().map(|document| document["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn documents_are_found_by_those_of_another_collection() {
    let data = tempfile::tempdir().unwrap();
    let server = Server::start(data.path());
    let solr = server.client();
    solr.create_collection("people", 1);
    solr.create_collection("orders", 1);
    add(&solr, "people", &json!([{"id": "ann"}, {"id": "böb"}, {"id": "cid"}]));
    // Guessed in the one collection, and not known to the other.
    add(
        &solr,
        "orders",
        &json!([{"id": "1", "person_s": "ann", "total": 10}, {"id": "2", "person_s": "böb", "total": 30}]),
    );

    let check = |query: &str, expected: &[&str]| {
        let expected: Vec<String> = expected.iter().map(|id| (*id).to_owned()).collect();
        let as_query = found(&solr, &[("q", query), ("fl", "id"), ("sort", "id asc")]);
        let as_filter = found(&solr, &[("q", "*:*"), ("fq", query), ("fl", "id"), ("sort", "id asc")]);
        assert_eq!((&as_query, &as_filter), (&expected, &expected), "{query}");
    };
    let large = "{!join fromIndex=orders from=person_s to=id}total:[20 TO *]";
    check(large, &["böb"]);
    check("{!join fromIndex=orders from=person_s to=id score=max}*:*", &["ann", "böb"]);
    add(&solr, "orders", &json!([{"id": "3", "person_s": "cid", "total": 50}]));
    check(large, &["böb", "cid"]);

    let refuse = |query: &str, expected: &str| {
        let answer = solr.get("people/select", &[("q", query)]).unwrap();
        let body = String::from_utf8_lossy(&answer.body).into_owned();
        assert!(answer.status == 400 && body.contains(expected), "{body}");
    };
    refuse("{!join fromIndex=nope from=a_s to=id}*:*", "Cross-core join: no such core nope");
    refuse("{!join fromIndex=orders from=total to=id}nosuch:1", "undefined field nosuch");
}
