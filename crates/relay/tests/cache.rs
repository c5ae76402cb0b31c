//! Answers that a relay keeps: which, how long, and what ends them.

#[path = "../../client/tests/support/mod.rs"]
mod support;

mod running;

use std::time::Duration;

use relay::{CacheConfig, RelayLimits, UpstreamConfig};
use running::{Reply, Running, upstream};
use support::{Act, Server, answer, ok};

/// Each answer of the server is another.
async fn counting() -> Server {
    Server::start(|number, _| Act::Answer(ok(&number.to_string()))).await
}

async fn before(server: &Server, bytes_max: usize, age_max: Duration) -> Running {
    let cache = Some(CacheConfig { bytes_max, age_max });
    Running::start(RelayLimits::default(), UpstreamConfig { cache, ..upstream(&[server]) }).await
}

async fn with_header(relay: &Running, header: &str) -> Reply {
    let head = "GET /solr/c/select?q=x HTTP/1.1\r\nHost: app\r\nConnection: close\r\n";
    relay.ask(&format!("{head}{header}\r\n\r\n")).await
}

const LONG: Duration = Duration::from_secs(3600);

#[tokio::test]
async fn the_same_search_is_answered_once_until_something_is_written() {
    let server = counting().await;
    let relay = before(&server, 1 << 20, LONG).await;
    let get = async |target: &str| relay.get(target).await.body().to_owned();
    assert_eq!((get("/solr/c/select?q=x").await, get("/solr/c/select?q=x").await), ("0".into(), "0".into()));
    assert_eq!((get("/solr/c/select?q=y").await, get("/solr/d/select?q=x").await), ("1".into(), "2".into()));
    let kept = relay.get("/solr/c/select?q=x").await;
    assert_eq!((kept.header("age"), kept.body()), (Some("0"), "0"));
    // What is written elsewhere ends nothing here; an update or another schema ends all of its collection.
    relay.post("/solr/d/update", "application/json", "[]").await;
    assert_eq!((get("/solr/c/select?q=x").await, get("/solr/d/select?q=x").await), ("0".into(), "4".into()));
    relay.post("/solr/c/schema", "application/json", "{}").await;
    assert_eq!(get("/solr/c/select?q=x").await, "6");
    let metrics = relay.get("/relay/metrics").await;
    assert!(metrics.body().contains("parhelion_relay_cache_hits_total 3\n"), "{metrics:?}");
}

#[tokio::test]
async fn what_is_somebodys_own_or_not_of_the_index_alone_is_not_kept() {
    let server = counting().await;
    let relay = before(&server, 1 << 20, LONG).await;
    let mut expected = 0;
    for header in
        ["Authorization: Basic YTpi", "Cookie: a=b", "Cache-Control: no-cache", "X-Relay-Token: new"]
    {
        for _ in 0..2 {
            assert_eq!(with_header(&relay, header).await.body(), expected.to_string(), "{header}");
            expected += 1;
        }
    }
    for target in
        ["/solr/c/get?id=1", "/solr/c/select?qt=/x", "/solr/admin/info/health", "/solr/c/export?q=x"]
    {
        for _ in 0..2 {
            assert_eq!(relay.get(target).await.body(), expected.to_string(), "{target}");
            expected += 1;
        }
    }
    // A form is a body.
    for _ in 0..2 {
        let form = relay.post("/solr/c/select", "application/x-www-form-urlencoded", "q=x").await;
        assert_eq!(form.body(), expected.to_string());
        expected += 1;
    }
}

#[tokio::test]
async fn errors_partial_answers_and_what_the_server_forbids_are_not_kept() {
    let server = Server::start(|number, request| {
        let body = number.to_string();
        Act::Answer(match request {
            error if error.contains("q=error") => answer("500 Oops", &[], body.as_bytes()),
            private if private.contains("q=private") => {
                answer("200 OK", &["cache-control: no-cache, no-store"], body.as_bytes())
            }
            _ => ok(&format!("{{\"partialResults\":true,\"n\":{number}}}")),
        })
    })
    .await;
    let relay = before(&server, 1 << 20, LONG).await;
    for target in ["/solr/c/select?q=error", "/solr/c/select?q=private", "/solr/c/select?q=partial"] {
        let (first, second) = (relay.get(target).await, relay.get(target).await);
        assert_ne!(first.body(), second.body());
    }
}

#[tokio::test]
async fn the_oldest_go_when_room_or_time_is_over() {
    let server = counting().await;
    let relay = before(&server, 16 << 10, LONG).await;
    for number in 0..30 {
        relay.get(&format!("/solr/c/select?q={number}")).await;
    }
    assert_eq!(relay.get("/solr/c/select?q=29").await.body(), "29");
    assert_eq!(relay.get("/solr/c/select?q=0").await.body(), "30");
    let at_once = before(&server, 1 << 20, Duration::ZERO).await;
    let (first, second) = (at_once.get("/solr/c/select?q=x").await, at_once.get("/solr/c/select?q=x").await);
    assert_ne!(first.body(), second.body());
}
