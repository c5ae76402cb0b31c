//! What operators ask: figures of handlers, the v2 API, the log, snapshots and parts of cores.

mod served;

use std::sync::{Arc, Mutex};

use http::{LogRecord, Logger, Logs, MachineFacts};
use served::{Served, body, refused};
use tracing::level_filters::LevelFilter;

/// A log that remembers what was chosen.
#[derive(Default)]
struct Chosen(Mutex<Vec<String>>);

impl Logs for Chosen {
    fn loggers(&self) -> Vec<Logger> {
        vec![Logger { name: "root".into(), level: LevelFilter::WARN, is_set: true }]
    }

    fn set(&self, logger: &str, level: Option<LevelFilter>) -> plan::Result<()> {
        self.0.lock().unwrap().push(format!("{logger}={level:?}"));
        Ok(())
    }

    fn records(&self) -> Vec<LogRecord> {
        let record = |time_ms, message: &str| LogRecord {
            time_ms,
            level: tracing::Level::WARN,
            logger: "engine".into(),
            message: message.into(),
        };
        vec![record(1_000, "first"), record(2_000, "second")]
    }

    fn set_threshold(&self, level: LevelFilter) {
        self.0.lock().unwrap().push(format!("threshold={level}"));
    }

    fn kept_max(&self) -> usize {
        50
    }
}

const METRICS: &str = "/solr/admin/metrics?omitHeader=true&indent=off";

#[tokio::test]
async fn handlers_are_counted() {
    let served = Served::start().await;
    for _ in 0..3 {
        // The second and third are kept answers.
        assert_eq!(served.get("/solr/films/select?q=*:*").await.status, 200);
    }
    assert_eq!(served.get("/solr/films/select?q=nosuch:1").await.status, 400);
    served.post("/solr/films/update?commit=true", "application/json", r#"[{"id":"1"}]"#).await;
    served.get("/api/collections").await;
    let check = async |wish: &str, expected: &str| {
        let answer = body(&served, &format!("{METRICS}&{wish}")).await;
        assert_eq!(answer, expected, "{wish}");
    };
    let select =
        "group=core&property=count&prefix=QUERY./select.requests,QUERY./select.errors,QUERY./select.cl";
    check(
        select,
        r#"{"metrics":{"solr.core.films":{"QUERY./select.clientErrors":{"count":1},"QUERY./select.errors":{"count":1},"QUERY./select.requests":4}}}"#,
    )
    .await;
    check(
        "key=solr.core.films:UPDATE./update.requests&key=solr.core.films:UPDATE.updateHandler.cumulativeAdds:count",
        r#"{"metrics":{"solr.core.films:UPDATE./update.requests":1,"solr.core.films:UPDATE.updateHandler.cumulativeAdds:count":1}}"#,
    )
    .await;
    check(
        "key=solr.node:ADMIN./admin/collections.requests",
        r#"{"metrics":{"solr.node:ADMIN./admin/collections.requests":1}}"#,
    )
    .await;
    let text = body(&served, "/solr/admin/metrics?wt=prometheus").await;
    let line = r#"solr_metrics_core_requests_total{category="QUERY",core="films",handler="/select",type="requests"} 4.0"#;
    assert!(text.contains(line), "{text}");
}

#[tokio::test]
async fn the_machine_is_told_as_it_is() {
    let facts = MachineFacts { threads: Some(7), load_average: Some(0.5), ..MachineFacts::default() };
    let served = Served::start_with(|config| config.machine = Arc::new(move || facts.clone())).await;
    let told = body(&served, &format!("{METRICS}&group=jvm&prefix=threads,os.system,os.free,memory")).await;
    assert_eq!(told, r#"{"metrics":{"solr.jvm":{"os.systemLoadAverage":0.5,"threads.count":7}}}"#);
}

#[tokio::test]
async fn the_log_is_asked_and_changed() {
    let chosen = Arc::new(Chosen::default());
    let logs = chosen.clone();
    let served = Served::start_with(move |config| config.logs = logs).await;
    let since = body(&served, "/solr/admin/info/logging?since=1000&omitHeader=true&indent=off").await;
    assert!(since.contains(r#""info":{"since":1000,"found":true,"last":2000,"buffer":50}"#), "{since}");
    assert!(since.contains(r#""numFound":1"#) && since.contains(r#""message":"second""#), "{since}");
    body(&served, "/solr/admin/info/logging?set=http::service:debug&set=engine:unset&threshold=INFO").await;
    let put = |path: &str, text: &str| {
        format!(
            "PUT {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            text.len()
        )
    };
    let text = r#"[{"logger":"root","level":"ERROR"}]"#;
    let head = put("/api/node/logging/levels", text);
    assert_eq!(served.send(&head, text.as_bytes()).await.status, 200);
    assert_eq!(served.get("/api/node/logging/levels").await.status, 200);
    let expected = [
        "threshold=info",
        "http::service=Some(LevelFilter::DEBUG)",
        "engine=None",
        "root=Some(LevelFilter::ERROR)",
    ];
    assert_eq!(*chosen.0.lock().unwrap(), expected);
    refused(&served, "/solr/admin/info/logging?set=root", "Invalid format, expected level:value, got root")
        .await;
    refused(&served, "/solr/admin/info/logging?set=root:LOUD", "`LOUD` is no level of the log").await;
    refused(&served, "/api/node/logging/messages", "Missing required parameter, 'since'.").await;
}

#[tokio::test]
async fn verbs_of_the_newer_api_do_what_the_older_ones_do() {
    let served = Served::start().await;
    let post = async |path: &str, text: &str| served.post(path, "application/json", text).await;
    assert_eq!(post("/api/collections", r#"{"name":"books","config":"_default"}"#).await.status, 200);
    let collections = body(&served, "/api/collections?omitHeader=true&indent=off").await;
    assert_eq!(collections, r#"{"collections":["books","films"]}"#);
    assert_eq!(post("/api/aliases", r#"{"name":"shelf","collections":["books"]}"#).await.status, 200);
    assert_eq!(served.get("/solr/shelf/select?q=*:*").await.status, 200);
    assert_eq!(served.get("/api/collections/shelf/select?q=*:*").await.status, 200);
    assert_eq!(post("/api/cores/films/rename", r#"{"to":"movies"}"#).await.status, 200);
    assert_eq!(served.get("/solr/movies/select?q=*:*").await.status, 200);
    let delete = "DELETE /api/aliases/shelf HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    assert_eq!(served.send(delete, b"").await.status, 200);
    assert_eq!(served.get("/solr/shelf/select?q=*:*").await.status, 404);
    let refused = post("/api/cores", "[]").await;
    assert!(refused.status == 400 && refused.body.contains("the body is no object"), "{}", refused.body);
    assert_eq!(served.get("/api/nothing").await.status, 404);
}

#[tokio::test]
async fn parts_are_checked_before_anything_is_done() {
    let served = Served::start().await;
    body(&served, "/solr/admin/cores?action=CREATE&name=books").await;
    let split = "/solr/admin/cores?action=SPLIT&core=films&targetCore=books";
    refused(&served, &format!("{split}&targetCore=films"), "`targetCore` names `films` again").await;
    refused(&served, &format!("{split}&targetCore=books"), "`targetCore` names `books` again").await;
    refused(&served, &format!("{split}&ranges=0-1,2-3"), "there are `2` ranges for `1` targets").await;
    refused(&served, &format!("{split}&split.key=tenant"), "`split.key` is `tenant`; end it with `!`").await;
    refused(&served, "/solr/admin/cores?action=SPLIT&core=films&path=/tmp/x", "`path` is `/tmp/x`").await;
    let merge = "/solr/admin/cores?action=MERGEINDEXES&core=books";
    refused(&served, &format!("{merge}&indexDir=/etc"), "`indexDir` is `/etc`, which is not supported").await;
    body(&served, &format!("{merge}&srcCore=books")).await;
    refused(
        &served,
        "/solr/admin/cores?action=RESTORECORE&core=films&name=x",
        "there is no folder for backups",
    )
    .await;
}
