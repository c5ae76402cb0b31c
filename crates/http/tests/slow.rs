//! Where the time of requests goes, as debug output and the list of slow requests tell it. The clock stands
//! still, and with a threshold of 0 every request is slow.

mod served;

use plan::CollectionConfig;
use serde_json::Value;
use served::Served;

async fn list(served: &Served) -> Value {
    serde_json::from_str(&served.get("/solr/admin/slow").await.body).unwrap()
}

/// In order of the alphabet.
fn names(map: &Value) -> Vec<&str> {
    let mut names: Vec<&str> = map.as_object().unwrap().keys().map(String::as_str).collect();
    names.sort_unstable();
    names
}

/// The collection's own threshold.
async fn says(served: &Served, ms: u64) {
    let films = served.node.find("films").unwrap();
    let edit = move |config: &CollectionConfig| -> plan::Result<CollectionConfig> {
        Ok(CollectionConfig { slow_query_ms: Some(ms), ..config.clone() })
    };
    films.edit_config(edit).await.unwrap();
}

#[tokio::test]
async fn slow_requests_are_listed_newest_first() {
    let served = Served::start_with(|config| config.slow_ms = Some(0)).await;
    let add = served.post("/solr/films/update?commit=true", "application/json", r#"[{"id":"1"}]"#).await;
    assert_eq!(add.status, 200, "{}", add.body);
    served.get("/solr/films/select?q=*:*&secretToken=x").await;
    served.get("/solr/films/select?q=nofield:x").await;
    let list = list(&served).await;
    assert_eq!((&list["threshold"], &list["total"]), (&0.into(), &3.into()));
    let [refused, select, update] = list["requests"].as_array().unwrap().as_slice() else { panic!("{list}") };
    assert_eq!((&refused["status"], &refused["hits"]), (&400.into(), &Value::Null));
    assert_eq!((&select["path"], &select["collection"]), (&"/solr/films/select".into(), &"films".into()));
    assert_eq!(select["params"], "q=*:*&secretToken=…");
    assert_eq!(names(&select["phases"]), ["admission", "between", "prepare", "query", "read", "write"]);
    assert_eq!(names(&update["phases"]), ["admission", "between", "prepare", "read", "thread", "write"]);
    assert_eq!((&select["hits"], &update["operations"]), (&1.into(), &2.into()));
    assert!(update["why"].is_string(), "{update}");
    // Nobody counts what threads use here: nothing is made up.
    assert_eq!(names(&select["total"]), ["time", "wait"]);
}

#[tokio::test]
async fn what_an_administrator_asks_has_a_phase_of_its_own() {
    let served = Served::start_with(|config| config.slow_ms = Some(0)).await;
    for path in [
        "admin/cores",
        "admin/collections?action=LIST",
        "admin/info/system",
        "admin/doctor",
        "admin/metrics",
        "admin/metrics?wt=prometheus",
        "admin/configs?action=LIST",
        "films/schema",
        "films/config",
        "films/admin/luke",
        "films/admin/segments",
    ] {
        let answer = served.get(&format!("/solr/{path}")).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        let list = list(&served).await;
        let phases = names(&list["requests"][0]["phases"]);
        assert!(phases.contains(&"admin"), "{path}: {phases:?}");
    }
    served.get("/solr/films/select?q=*:*").await;
    assert!(!names(&list(&served).await["requests"][0]["phases"]).contains(&"admin"));
}

#[tokio::test]
async fn a_collection_says_what_is_slow_before_the_server_does() {
    let served = Served::start_with(|config| config.slow_ms = Some(0)).await;
    says(&served, 1000).await;
    served.get("/solr/films/select?q=*:*").await;
    assert_eq!(list(&served).await["requests"], Value::Array(vec![]));
    says(&served, 0).await;
    served.get("/solr/films/select?q=*:*&rows=1").await;
    let list = list(&served).await;
    assert_eq!(list["requests"][0]["params"], "q=*:*&rows=1", "{list}");
}

#[tokio::test]
async fn the_list_is_bounded_and_the_count_is_not() {
    let served = Served::start_with(|config| config.slow_ms = Some(0)).await;
    for _ in 0..130 {
        served.get("/solr/admin/noop").await;
    }
    let list = list(&served).await;
    assert_eq!((list["requests"].as_array().unwrap().len(), &list["total"]), (128, &130.into()));
    let metrics = served.get("/solr/admin/metrics?prefix=CONTAINER.requests").await;
    assert!(metrics.body.contains(r#""CONTAINER.requests.slow":131"#), "{}", metrics.body);
}

#[tokio::test]
async fn debug_output_tells_the_phases_with_and_without_a_slow_log() {
    for slow_ms in [None, Some(1000)] {
        let served = Served::start_with(|config| config.slow_ms = slow_ms).await;
        let answer = served.get("/solr/films/select?q=*:*&debug=timing").await;
        let answer: Value = serde_json::from_str(&answer.body).unwrap();
        let timing = &answer["debug"]["timing"];
        assert!(timing["prepare"]["query"]["time"].is_number() && timing["process"]["time"].is_number());
        assert!(
            names(&timing["phases"]).ends_with(&["prepare", "query", "read"]) == slow_ms.is_some(),
            "{timing}"
        );
        assert_eq!(list(&served).await["requests"], Value::Array(vec![]));
    }
}
