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

/// Two collections of the same documents, one of a single shard, and the facets that both have for a request.
struct Alike {
    server: Server,
    _data: tempfile::TempDir,
}

impl Alike {
    fn start() -> Self {
        let data = tempfile::tempdir().unwrap();
        let server = Server::start(data.path());
        let solr = server.client();
        let people = (0u32..90).map(|id| {
            let (boss, team, age) = (id / 3, id * 7 % 11, 20 + id * 13 % 40);
            json!({"id": id.to_string(), "boss_s": boss.to_string(), "team_s": format!("t{team}"), "age_i": age,
                   "kind_s": if id % 2 == 0 { "even" } else { "odd" }})
        });
        let people = Value::Array(people.collect());
        for (collection, shards) in [("one", 1), ("three", 3)] {
            solr.create_collection(collection, shards);
            add(&solr, collection, &people);
        }
        Self { server, _data: data }
    }

    fn ask(&self, collection: &str, params: &[(&str, &str)], facet: &Value) -> (u16, Value) {
        let facet = facet.to_string();
        let params = [params, &[("rows", "0"), ("json.facet", &facet)]].concat();
        let answer = self.server.client().get(&format!("{collection}/select"), &params).unwrap();
        (answer.status, serde_json::from_slice(&answer.body).unwrap())
    }

    fn check(&self, params: &[(&str, &str)], facet: &Value) {
        let [one, three] = ["one", "three"].map(|collection| self.ask(collection, params, facet).1);
        assert!(one["facets"]["count"].as_u64() > Some(0), "{one}");
        assert_eq!(three["facets"], one["facets"], "{params:?} {facet}");
    }

    fn refuses(&self, params: &[(&str, &str)], facet: &Value) {
        let (status, answer) = self.ask("three", params, facet);
        let words = answer["error"]["msg"].as_str().unwrap_or_default();
        assert!(status == 400 && words.contains("over several shards"), "{answer}");
    }
}

#[test]
fn facets_lead_to_documents_of_any_shard() {
    let alike = Alike::start();
    let join = json!({"join": {"from": "boss_s", "to": "id"}});
    let bosses = |domain: &Value| json!({"type": "terms", "field": "team_s", "limit": 3, "domain": domain, "facet": {"age": "avg(age_i)"}});
    let of_kind =
        |kind: &str, facet: Value| json!({"type": "query", "q": format!("kind_s:{kind}"), "facet": facet});
    let graph = |more: &[(&str, Value)]| {
        let mut graph = json!({"from": "id", "to": "boss_s"});
        more.iter().for_each(|(key, value)| graph[key] = value.clone());
        json!({ "graph": graph })
    };
    let few = [("q", "age_i:[20 TO 27]"), ("fq", "{!tag=k}kind_s:odd")];
    let with = |more: &[(&str, Value)]| {
        let mut domain = join.clone();
        more.iter().for_each(|(key, value)| domain[key] = value.clone());
        domain
    };
    for domain in [
        join.clone(),
        with(&[("filter", json!("age_i:[* TO 40]"))]),
        with(&[("excludeTags", json!("k"))]),
        with(&[("query", json!("kind_s:even"))]),
        graph(&[]),
        graph(&[("maxDepth", json!(1)), ("returnRoot", json!(false))]),
        graph(&[("traversalFilter", json!("kind_s:odd"))]),
    ] {
        let facet = bosses(&domain);
        alike.check(&few, &json!({ "bosses": facet }));
        alike.check(&few, &json!({"odd": of_kind("odd", json!({ "bosses": facet }))}));
        // From where a facet has led already, and with what its domain leaves.
        let led = json!({"type": "query", "q": "*:*", "domain": with(&[("filter", json!("kind_s:odd"))]),
                         "facet": { "bosses": facet }});
        alike.check(&few, &json!({ "led": led }));
        let ranges = json!({"type": "range", "field": "age_i", "start": 20, "end": 60, "gap": 5,
                            "facet": { "bosses": facet }});
        alike.check(&[("q", "*:*")], &json!({ "ages": ranges }));
        let below = json!({"type": "terms", "field": "kind_s", "facet": { "bosses": facet }});
        alike.refuses(&few, &json!({ "kinds": below }));
    }
    alike.refuses(&[("q", "*:*"), ("fq", "{!collapse field=team_s}")], &json!({"bosses": bosses(&join)}));
}

#[test]
fn what_a_join_scores_does_not_depend_on_shards() {
    let alike = Alike::start();
    for mode in ["max", "min", "avg", "total"] {
        let query = format!("{{!join from=boss_s to=id score={mode}}}kind_s:odd team_s:t3 team_s:t4");
        let scores = |collection: &str| {
            let params =
                [("q", query.as_str()), ("fl", "id,score"), ("sort", "score desc,id asc"), ("rows", "90")];
            alike.server.client().json(&format!("{collection}/select"), &params)["response"]["docs"].clone()
        };
        let one = scores("one");
        assert!(one.as_array().is_some_and(|documents| documents.len() > 9), "{one}");
        assert_eq!(scores("three"), one, "{mode}");
    }
}
