//! What the query log is told of searches: which requests, with which parameters, and how they ended.

mod served;

use std::sync::{Arc, Mutex};

use http::{QueryLog, QueryLogFigures, QueryRecord};
use served::Served;
use solr::security::Security;

/// Keeps all records.
#[derive(Default)]
struct Records(Mutex<Vec<QueryRecord>>);

impl QueryLog for Records {
    fn note(&self, record: &QueryRecord) {
        self.0.lock().unwrap().push(record.clone());
    }

    fn figures(&self) -> QueryLogFigures {
        QueryLogFigures { bytes: 5, written: self.0.lock().unwrap().len() as u64, dropped: 7 }
    }
}

impl Records {
    /// Those since the last call: handler, parameters, status, hits, whether the answer was kept.
    fn take(&self) -> Vec<String> {
        let shown = |record: QueryRecord| {
            let search = &record.search;
            let members = format!("{{{}}}", String::from_utf8_lossy(&search.members));
            let members: serde_json::Value = serde_json::from_str(&members).unwrap();
            let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
            let values = |values: &serde_json::Value| {
                values.as_array().unwrap().iter().map(text).collect::<Vec<_>>().join(",")
            };
            let params = members["params"].as_object().unwrap().iter();
            let params = params.map(|(name, of)| format!("{name}={}", values(of)));
            let params = params.collect::<Vec<_>>().join("&");
            let kept = if record.was_kept { " kept" } else { "" };
            format!(
                "{}{} {params} {} {:?}{kept}",
                text(&members["collection"]),
                text(&members["handler"]),
                record.status,
                search.hits
            )
        };
        self.0.lock().unwrap().drain(..).map(shown).collect()
    }
}

async fn start(slow_ms: Option<u64>) -> (Served, Arc<Records>) {
    let records = Arc::<Records>::default();
    let log = records.clone();
    let served = Served::start_with(|config| {
        config.query_log = Some(log);
        config.query_log_left_out = vec!["user".to_owned()];
        config.slow_ms = slow_ms;
    })
    .await;
    let add = served.post("/solr/films/update?commit=true", "application/json", r#"[{"id":"1"}]"#).await;
    assert_eq!(add.status, 200, "{}", add.body);
    (served, records)
}

#[tokio::test]
async fn each_search_is_told_once_with_what_took_effect() {
    for slow_ms in [None, Some(1000)] {
        let (served, records) = start(slow_ms).await;
        served.get("/solr/films/select?q=*:*&fq=id:2&fq=id:1&wt=xml&user=me&secretToken=x").await;
        served.get("/solr/films/select?q=nofield:x").await;
        served.post("/solr/films/query", "application/json", r#"{"query":"*:*","limit":3}"#).await;
        let told = records.take();
        let [filtered, refused, json] = told.as_slice() else { panic!("{told:?}") };
        assert_eq!(filtered, "films/select fq=id:1,id:2&q=*:*&rows=10&secretToken=… 200 Some(0)");
        assert_eq!(refused, "films/select q=nofield:x&rows=10 400 None");
        assert!(json.starts_with("films/query ") && json.contains("q=*:*&rows=3"), "{json}");
        assert!(json.ends_with(" 200 Some(1)"), "{json}");
    }
}

#[tokio::test]
async fn a_body_of_json_is_told_without_its_secrets() {
    let (served, records) = start(None).await;
    let body = r#"{"query":"*:*","params":{"user":"me","api_key":"hush"},"facet":{"n":"sum(size_i)"}}"#;
    served.post("/solr/films/query", "application/json", body).await;
    let told = records.take();
    let json = r#"json={"query":"*:*","params":{"api_key":"…"},"facet":{"n":"sum(size_i)"}}"#;
    assert_eq!(told, [format!("films/query api_key=…&{json}&q=*:* 200 Some(1)")]);
}

#[tokio::test]
async fn an_answer_that_was_kept_is_a_search_too() {
    let (served, records) = start(Some(1000)).await;
    for _ in 0..2 {
        served.get("/solr/films/select?q=*:*").await;
    }
    assert_eq!(
        records.take(),
        ["films/select q=*:*&rows=10 200 Some(1)", "films/select q=*:*&rows=10 200 Some(1) kept"]
    );
}

#[tokio::test]
async fn what_is_no_search_is_not_told() {
    let (served, records) = start(Some(1000)).await;
    for path in
        ["films/admin/ping", "films/get?id=1", "films/schema", "admin/metrics", "nowhere/select?q=*:*"]
    {
        served.get(&format!("/solr/{path}")).await;
    }
    assert_eq!(records.take(), [""; 0]);
}

#[tokio::test]
async fn metrics_show_what_was_dropped() {
    let (served, _) = start(Some(1000)).await;
    let metrics = served.get("/solr/admin/metrics?prefix=CONTAINER.queryLog").await.body;
    for figure in [
        r#""CONTAINER.queryLog.bytes":5"#,
        r#""CONTAINER.queryLog.dropped":7"#,
        r#""CONTAINER.queryLog.written":0"#,
    ] {
        assert!(metrics.contains(figure), "{metrics}");
    }
    let metrics = served.get("/solr/admin/metrics?wt=prometheus").await.body;
    assert!(metrics.contains("parhelion_query_log{"), "{metrics}");
}

/// `solr:SolrRocks`.
#[tokio::test]
async fn who_asked_is_told_where_users_log_in() {
    let text = r#"{"authentication":{"class":"solr.BasicAuthPlugin","blockUnknown":true,
        "credentials":{"solr":"IV0EHq1OnNrj6gvRCwvFwTrZ1+z1oBbnQdiVC3otuq0= Ndd7LKvVBAaZIF0QAVi1ekCfAJXr1GGfLtRUXhgrF8c="}}}"#;
    let security = Arc::new(Security::read(text).unwrap().unwrap());
    let records = Arc::<Records>::default();
    let log = records.clone();
    let served = Served::start_with(|config| {
        config.query_log = Some(log);
        config.security = Some(security);
    })
    .await;
    let head = "GET /solr/films/select?q=*:* HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\
                Authorization: Basic c29scjpTb2xyUm9ja3M=\r\n\r\n";
    let answer = served.send(head, b"").await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    served.get("/solr/films/select?q=*:*").await;
    let users: Vec<_> = records.0.lock().unwrap().iter().map(|record| record.user.clone()).collect();
    assert_eq!(users, [Some("solr".to_owned())]);
}
