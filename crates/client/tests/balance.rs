//! Several servers: who is asked, who is asked instead, and how often all together.

mod support;

use std::time::Duration;

use client::{BalancedClient, ClientOptions, Endpoint, Error, Hedge, Request, RetryOptions, StaticEndpoints};
use support::{Act, Server, answer, ok, options};

fn balanced(servers: &[&Server], options: ClientOptions) -> BalancedClient {
    let endpoints = servers.iter().enumerate().map(|(at, server)| {
        // So that the first is asked first.
        Endpoint::from(server.url.clone()).in_zone(if at == 0 { "near" } else { "far" })
    });
    let preferences = vec!["zone:near".parse().unwrap()];
    BalancedClient::new(&StaticEndpoints::new(endpoints), ClientOptions { preferences, ..options })
}

fn search() -> Request {
    Request::get("c/select", &[])
}

fn update() -> Request {
    Request::post("c/update", &[], "application/json", "[]")
}

#[tokio::test]
async fn a_search_that_fails_is_asked_elsewhere_and_an_update_is_not() {
    let broken = Server::start(|_, _| Act::AnswerThenReset(Vec::new())).await;
    let whole = Server::answering(ok("{}")).await;
    let client = balanced(&[&broken, &whole], options());
    assert!(client.send(&update()).await.is_err());
    assert_eq!((broken.requests(), whole.requests()), (1, 0));
    assert_eq!(client.send(&search()).await.unwrap().status, 200);
    assert_eq!((broken.requests(), whole.requests()), (2, 1));
    // The third failure in a row has the server left out.
    client.send(&search()).await.unwrap();
    assert_eq!((broken.requests(), client.metrics().ejections), (3, 1));
    client.send(&update()).await.unwrap();
    assert_eq!((broken.requests(), whole.requests()), (3, 3));
}

#[tokio::test]
async fn an_update_goes_elsewhere_where_nobody_listens() {
    let whole = Server::answering(ok("{}")).await;
    let gone = Server::answering(ok("{}")).await;
    let url = gone.url.clone();
    drop(gone);
    let near = Endpoint::from(url).in_zone("near");
    let endpoints = StaticEndpoints::new([near, Endpoint::from(whole.url.clone())]);
    let preferences = vec!["zone:near".parse().unwrap()];
    let client = BalancedClient::new(&endpoints, ClientOptions { preferences, ..options() });
    client.send(&update()).await.unwrap();
    client.send(&update()).await.unwrap();
    let metrics = client.metrics();
    assert_eq!((whole.requests(), metrics.connections_failed, metrics.ejections), (2, 1, 1));
}

#[tokio::test]
async fn a_server_that_says_it_cannot_is_passed_over_at_once() {
    let busy = Server::answering(answer("503 Service Unavailable", &["retry-after: 30"], b"")).await;
    let whole = Server::answering(ok("{}")).await;
    let client = balanced(&[&busy, &whole], options());
    assert_eq!(client.send(&search()).await.unwrap().status, 200);
    assert_eq!(client.send(&update()).await.unwrap().status, 503);
    let both_busy = balanced(&[&busy, &busy], options());
    assert_eq!(both_busy.send(&search()).await.unwrap().status, 503);
}

#[tokio::test]
async fn a_slow_server_is_hedged_for_searches_only() {
    let slow = Server::start(|_, _| Act::AnswerThenStall(Vec::new())).await;
    let whole = Server::answering(ok("{}")).await;
    let hedge = Some(Hedge::After(Duration::from_millis(5)));
    let client = balanced(&[&slow, &whole], ClientOptions { hedge, ..options() });
    assert_eq!(client.send(&search()).await.unwrap().body, "{}");
    let metrics = client.metrics();
    assert_eq!((metrics.hedges, metrics.hedges_won, metrics.attempts, metrics.retries), (1, 1, 2, 0));
    let brief = update().timeout(Duration::from_millis(100));
    assert!(matches!(client.send(&brief).await, Err(Error::Timeout { sent: true, .. })));
    assert_eq!((client.metrics().hedges, whole.requests()), (1, 1));
}

#[tokio::test]
async fn retries_stay_within_the_budget() {
    let broken = Server::start(|_, _| Act::AnswerThenReset(Vec::new())).await;
    let retry =
        RetryOptions { budget_share: 0.25, budget_reserve: 0, backoff: Duration::ZERO, attempts_max: 3 };
    let client = balanced(&[&broken], ClientOptions { retry, ..options() });
    for _ in 0..40 {
        assert!(client.send(&search()).await.is_err());
    }
    let metrics = client.metrics();
    assert_eq!((metrics.retries, broken.requests()), (10, 50));
    assert!(metrics.budget_refusals >= 30);
}

#[tokio::test]
async fn no_server_and_no_time() {
    let client = BalancedClient::new(&StaticEndpoints::new(Vec::<Endpoint>::new()), options());
    assert!(matches!(client.send(&search()).await, Err(Error::NoEndpoint(_))));
    let server = Server::answering(ok("{}")).await;
    let client = balanced(&[&server], options());
    let past = search().deadline(tokio::time::Instant::now());
    assert!(matches!(client.send(&past).await, Err(Error::Timeout { .. })));
}

#[tokio::test]
async fn deadlines_and_own_headers_are_carried() {
    let server = Server::answering(ok("{}")).await;
    let client = balanced(&[&server], ClientOptions { deadline_header: Some("x-deadline-ms"), ..options() });
    let request = search().timeout(Duration::from_secs(7)).header("X-Trace", "t1").unwrap();
    client.send(&request).await.unwrap();
    let seen = server.seen(|seen| seen.requests[0].clone());
    let value = |name: &str| seen.lines().find_map(|line| line.strip_prefix(name)).map(str::to_owned);
    let left: u64 = value("x-deadline-ms: ").unwrap().parse().unwrap();
    assert!((1..=7000).contains(&left), "{left}");
    assert_eq!(value("x-trace: ").as_deref(), Some("t1"));
    assert!(search().header("x y", "z").is_err() && search().header("x", "a\nb").is_err());
}
