//! Updates while the store of their shards does not answer: each is told so once it has waited for it once,
//! with a time to come again, and nothing is reported that the log could still lose.
#![cfg(target_os = "linux")]

mod served;
#[allow(dead_code, reason = "where shards stand still is `watched.rs`'s")]
#[path = "watched/stalls.rs"]
mod stalls;

use std::sync::Arc;

use served::Served;
use stalls::{StallingShards, Stalls};

async fn start() -> (Served, Arc<Stalls>) {
    let stalls = Arc::new(Stalls::default());
    let shards = cluster::engine_shards(cluster::CacheSizes::default(), Arc::new(cluster::ThreadScheduler));
    let shards = Arc::new(StallingShards { shards, stalls: stalls.clone() });
    (Served::start_over(shards, |_| {}).await, stalls)
}

async fn found(served: &Served, query: &str) -> String {
    let body = served.get(&format!("/solr/films/select?q={query}&rows=0&omitHeader=true")).await.body;
    body.split("\"numFound\":").nth(1).unwrap().split(',').next().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_update_in_an_outage_waits_once_and_is_told_when_to_come_again() {
    let (served, stalls) = start().await;
    let whole = r#"[{"id":"1"},{"id":"2"}]"#;
    let torn = r#"[{"id":"1"},{"id":"2"},{"id":"#;
    let commits = r#"{"add":{"doc":{"id":"1"}},"commit":{}}"#;
    for (sent, (query, body)) in
        (1..).zip([("", whole), ("?versions=true", whole), ("?versions=true", torn), ("", commits)])
    {
        stalls.silence(true);
        let answer = served.post(&format!("/solr/films/update{query}"), "application/json", body).await;
        assert_eq!((answer.status, answer.header("retry-after")), (503, "5"), "{}", answer.body);
        assert!(answer.body.contains("whether this update counts is not known"), "{}", answer.body);
        assert!(!answer.body.contains("\"adds\""), "{}", answer.body);
        assert_eq!(stalls.unanswered(), sent, "each has waited for the store once: {query} {body}");
        assert_eq!(found(&served, "*:*").await, "0", "searches go on");
        stalls.silence(false);
    }
    let answer = served.post("/solr/films/update?commit=true", "application/json", r#"[{"id":"3"}]"#).await;
    assert_eq!((answer.status, answer.header("retry-after")), (200, ""), "{}", answer.body);
    assert_eq!(found(&served, "*:*").await, "3", "what was offered is there");
}

/// A piece that others follow is not waited for; that is made up for at the end.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_reported_of_pieces_before_the_outage() {
    let stalls = Arc::new(Stalls::default());
    let shards = cluster::engine_shards(cluster::CacheSizes::default(), Arc::new(cluster::ThreadScheduler));
    let shards = Arc::new(StallingShards { shards, stalls: stalls.clone() });
    let served = Served::start_over(shards, |config| config.piece_bytes = 1 << 10).await;
    let documents: Vec<String> =
        (0..100).map(|id| format!(r#"{{"id":"{id}","text_s":"{}"}}"#, "x".repeat(100))).collect();
    // The last piece has no document: what is waited for is what went before.
    let body = format!("[{}{}]", documents.join(","), " ".repeat(1 << 12));
    stalls.silence(true);
    let answer = served.post("/solr/films/update?versions=true", "application/json", &body).await;
    assert_eq!((answer.status, answer.header("retry-after")), (503, "5"), "{}", answer.body);
    assert!(!answer.body.contains("\"adds\""), "{}", answer.body);
    assert_eq!(stalls.unanswered(), 1);
}
