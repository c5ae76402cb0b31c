//! Connections: kept, closed in time, found closed before they are used; and what never happens to an update.

mod support;

use std::time::Duration;

use client::{ClientOptions, PoolOptions, SolrClient};
use support::{Act, MovingName, Server, answer, ok, options};

const JSON: &str = "application/json";

#[tokio::test]
async fn one_connection_serves_request_after_request() {
    let server = Server::answering(ok("{}")).await;
    let client = server.client();
    for _ in 0..10 {
        assert_eq!(client.get("c/select", &[("q", "a b")]).await.unwrap().body, "{}");
    }
    let metrics = client.metrics();
    assert_eq!((server.seen(|seen| seen.connections), metrics.connections_opened), (1, 1));
    assert_eq!((metrics.connections_reused, metrics.requests, metrics.failures), (9, 10, 0));
    let first = server.seen(|seen| seen.requests[0].clone());
    assert!(first.starts_with("GET /solr/c/select?q=a%20b HTTP/1.1\r\nhost: 127.0.0.1:"), "{first}");
}

/// The server ends the connection; the client ends its half too, asked for nothing, and the next update,
/// which must not be sent twice, goes out on another connection.
#[tokio::test]
async fn a_half_closed_connection_is_closed_and_never_used() {
    let server = Server::start(|_, _| Act::AnswerThenClose(ok("{}"))).await;
    let client = server.client();
    for round in 1..=5 {
        client.post("c/update", &[], JSON, "[]".into()).await.unwrap();
        server.ended(round).await;
    }
    let metrics = client.metrics();
    assert_eq!((server.requests(), metrics.attempts, metrics.failures), (5, 5, 0));
    assert_eq!(metrics.connections_reused, 0);
}

#[tokio::test]
async fn the_sweeper_closes_what_is_idle() {
    let server = Server::answering(ok("{}")).await;
    let pool = PoolOptions { idle_max: Duration::from_millis(20), ..PoolOptions::default() };
    let client = SolrClient::with_options(server.url.clone(), ClientOptions { pool, ..options() });
    client.get("c/select", &[]).await.unwrap();
    // Nobody asks again: that the server sees an end is the sweeper's doing.
    server.ended(1).await;
    assert_eq!(client.metrics().connections_swept, 1);
    client.get("c/select", &[]).await.unwrap();
    server.ended(2).await;
}

#[tokio::test]
async fn what_the_server_says_of_its_patience_is_heeded() {
    let server = Server::answering(answer("200 OK", &["keep-alive: timeout=0"], b"{}")).await;
    let client = server.client();
    client.get("c/select", &[]).await.unwrap();
    client.get("c/select", &[]).await.unwrap();
    assert_eq!(server.seen(|seen| seen.connections), 2);
}

#[tokio::test]
async fn so_many_requests_at_once_and_no_more_connections() {
    let server = Server::answering(ok("{}")).await;
    let pool = PoolOptions { under_way_max: 4, ..PoolOptions::default() };
    let client = SolrClient::with_options(server.url.clone(), ClientOptions { pool, ..options() });
    let mut asking = tokio::task::JoinSet::new();
    for _ in 0..200 {
        let client = client.clone();
        asking.spawn(async move { client.get("c/select", &[]).await.unwrap().status });
    }
    assert!(asking.join_all().await.iter().all(|status| *status == 200));
    let connections = server.seen(|seen| seen.connections);
    assert!((1..=4).contains(&connections), "{connections}");
}

/// What follows an answer unasked must not become the answer to the next request.
#[tokio::test]
async fn bytes_behind_an_answer_spoil_the_connection() {
    let server = Server::start(|number, _| {
        Act::Answer(if number == 0 { [ok("{}"), ok("\"not yours\"")].concat() } else { ok("{}") })
    })
    .await;
    let client = server.client();
    for _ in 0..3 {
        assert_eq!(client.get("c/select", &[]).await.unwrap().body, "{}");
    }
    assert_eq!(server.seen(|seen| seen.connections), 2);
}

/// Names are looked up anew as connections grow old.
#[tokio::test]
async fn a_change_of_dns_is_followed() {
    let (old, new) = (Server::answering(ok("1")).await, Server::answering(ok("2")).await);
    let resolver = MovingName::between(&old, &new);
    let pool = PoolOptions { age_max: Duration::ZERO, ..PoolOptions::default() };
    let options = ClientOptions { resolver, pool, ..options() };
    let client = SolrClient::with_options("http://solr.test:8983".parse().unwrap(), options);
    assert_eq!(client.get("c/select", &[]).await.unwrap().body, "1");
    // A look-up that fails sends nothing, so even an update is tried again.
    assert_eq!(client.post("c/update", &[], JSON, "[]".into()).await.unwrap().body, "2");
    assert_eq!((old.requests(), new.requests()), (1, 1));
}
