//! Servers and networks that misbehave: every fault ends in an error with its kind, within the time, and no
//! request is sent twice unless it is safe.

mod support;

use std::time::Duration;

use client::{ClientOptions, CompressionOptions, Error, ErrorKind, Request, Response, SolrClient};
use faultproxy::{Direction, FaultProxy, Faults};
use support::{Act, Server, answer, ok, options};
use tokio::time::Instant;

const HEAD: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n";

/// Asks once with an update and once with a search, each at a server of its own with this script; returns
/// what became of each and how often the server was asked.
async fn both(script: fn(usize, &str) -> Act) -> [(Result<Response, Error>, usize); 2] {
    let requests = [Request::post("c/update", &[], "application/json", "[]"), Request::get("c/select", &[])];
    let mut outcomes = Vec::new();
    for request in requests {
        let server = Server::start(script).await;
        let outcome = server.client().send(&request.timeout(Duration::from_millis(300))).await;
        outcomes.push((outcome, server.requests()));
    }
    outcomes.try_into().unwrap()
}

/// The update fails with an unknown outcome, sent once; the search was sent again until it had its answer.
async fn check_sent_once_or_again(script: fn(usize, &str) -> Act) {
    let [(update, updates), (search, searches)] = both(script).await;
    assert_eq!((update.unwrap_err().kind(), updates), (ErrorKind::OutcomeUnknown, 1));
    assert_eq!((search.unwrap().body.as_ref(), searches), (b"{}".as_ref(), 3));
}

#[tokio::test]
async fn a_reset_after_the_request() {
    check_sent_once_or_again(|number, _| match number {
        0 | 1 => Act::AnswerThenReset(Vec::new()),
        _ => Act::Answer(ok("{}")),
    })
    .await;
}

#[tokio::test]
async fn a_reset_after_the_headers() {
    check_sent_once_or_again(|number, _| match number {
        0 | 1 => Act::AnswerThenReset(HEAD.to_vec()),
        _ => Act::Answer(ok("{}")),
    })
    .await;
}

#[tokio::test]
async fn a_length_that_is_too_long() {
    check_sent_once_or_again(|number, _| match number {
        0 | 1 => Act::AnswerThenClose([HEAD, b"{}"].concat()),
        _ => Act::Answer(ok("{}")),
    })
    .await;
}

#[tokio::test]
async fn nonsense_instead_of_an_answer() {
    check_sent_once_or_again(|number, _| match number {
        0 => Act::Answer(b"SSH-2.0-OpenSSH_9.2\r\n\r\n".to_vec()),
        1 => Act::Answer(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}".to_vec()),
        _ => Act::Answer(ok("{}")),
    })
    .await;
}

#[tokio::test]
async fn an_answer_that_stalls_ends_with_the_time() {
    let [(update, updates), (search, searches)] =
        both(|_, _| Act::AnswerThenStall([HEAD, b"{"].concat())).await;
    for outcome in [update, search] {
        let error = outcome.unwrap_err();
        assert!(matches!(error, Error::Timeout { sent: true, .. }), "{error}");
        assert_eq!(error.kind(), ErrorKind::OutcomeUnknown);
    }
    assert_eq!((updates, searches), (1, 1));
}

#[tokio::test]
async fn a_head_without_an_end_is_cut_off() {
    let server = Server::start(|_, _| Act::EndlessHead).await;
    let error = server.client().post("c/update", &[], "text/plain", "x".into()).await.unwrap_err();
    assert!(matches!(error, Error::Broken { .. }), "{error}");
    server.ended(1).await;
    // What the kernel's buffers took besides; not a hundred megabytes.
    let taken = server.seen(|seen| seen.head_bytes);
    assert!(taken < 20_000_000, "{taken}");
}

#[tokio::test]
async fn redirects_are_told_of_and_not_followed() {
    let target = Server::answering(ok("{}")).await;
    let location = format!("location: {}/c/select", target.url);
    let server = Server::answering(answer("302 Found", &[&location], b"")).await;
    let error = server.client().get("c/select", &[]).await.unwrap().ok().unwrap_err();
    assert!(error.to_string().contains("which is not followed"), "{error}");
    assert_eq!((error.kind(), server.requests(), target.requests()), (ErrorKind::FixRequest, 1, 0));
}

#[tokio::test]
async fn a_server_that_asks_for_patience_gets_it() {
    let script = |number: usize, _: &str| match number {
        0 => Act::Answer(answer("429 Too Many Requests", &["retry-after: 0"], b"later")),
        _ => Act::Answer(ok("{}")),
    };
    let [(update, updates), (search, searches)] = both(script).await;
    assert_eq!((update.unwrap().status, updates), (429, 1));
    assert_eq!((search.unwrap().status, searches), (200, 2));
    // What does not fit into the request's time, or was not said, is left to the caller.
    let [_, (search, searches)] =
        both(|_, _| Act::Answer(answer("503 Service Unavailable", &["retry-after: 60"], b""))).await;
    assert_eq!((search.unwrap().status, searches), (503, 1));
    let [_, (search, searches)] = both(|_, _| Act::Answer(answer("503 Service Unavailable", &[], b""))).await;
    assert_eq!((search.unwrap().status, searches), (503, 1));
}

/// 60 bytes can stand for 64 KB, and 60 KB for 64 MB.
#[tokio::test]
async fn an_answer_that_unpacks_to_too_much_is_given_up() {
    let options = |response_bytes_max| ClientOptions {
        compression: CompressionOptions { on_loopback: true, ..CompressionOptions::default() },
        response_bytes_max,
        ..options()
    };
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    std::io::Write::write_all(&mut encoder, &vec![b' '; 1 << 16]).unwrap();
    let server =
        Server::answering(answer("200 OK", &["content-encoding: gzip"], &encoder.finish().unwrap())).await;
    let ask = async |bytes_max| {
        let client = SolrClient::with_options(server.url.clone(), options(bytes_max));
        client.get("c/select", &[]).await
    };
    assert_eq!(ask(1 << 16).await.unwrap().body.len(), 1 << 16);
    assert!(matches!(ask((1 << 16) - 1).await, Err(Error::TooLong { .. })));
    assert!(matches!(ask(10).await, Err(Error::TooLong { bytes_max: 10, .. })));
    let request = server.seen(|seen| seen.requests[0].clone());
    assert!(request.contains("accept-encoding: zstd, br, gzip"), "{request}");
}

/// Numbers as large as they come overflow no point in time, in answers as in options.
#[tokio::test]
async fn time_without_end() {
    let headers = ["retry-after: 18446744073709551615", "keep-alive: timeout=18446744073709551615"];
    let server = Server::answering(answer("503 Service Unavailable", &headers, b"")).await;
    let pool = client::PoolOptions {
        idle_max: Duration::MAX,
        age_max: Duration::MAX,
        connect_max: Duration::MAX,
        ..client::PoolOptions::default()
    };
    let client = SolrClient::with_options(
        server.url.clone(),
        ClientOptions { timeout: Duration::MAX, pool, ..options() },
    );
    let search = Request::get("c/select", &[]);
    for request in [search.clone(), search.timeout(Duration::MAX)] {
        assert_eq!(client.send(&request.timeout(Duration::from_secs(20))).await.unwrap().status, 503);
    }
}

#[tokio::test]
async fn nobody_listens() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let client = SolrClient::with_options(free.to_string().parse().unwrap(), options());
    let error = client.post("c/update", &[], "text/plain", "x".into()).await.unwrap_err();
    assert!(matches!(error, Error::Connect { .. }), "{error}");
    assert_eq!((error.kind(), client.metrics().attempts), (ErrorKind::RetryLater, 3));
}

/// A cut in either direction, then a healed one, then a reset under a request.
#[tokio::test]
async fn a_network_that_cuts_and_heals() {
    let server = Server::answering(ok("{}")).await;
    let proxy = FaultProxy::start("127.0.0.1:0".parse().unwrap(), server.url.authority(), 1).await.unwrap();
    let client = SolrClient::with_options(proxy.address().to_string().parse().unwrap(), options());
    let brief = || Request::get("c/select", &[]).timeout(Duration::from_millis(100));
    client.send(&brief()).await.unwrap();
    for direction in Direction::BOTH {
        proxy.set(direction, Faults { cut: true, ..Faults::default() });
        let started = Instant::now();
        let error = client.send(&brief()).await.unwrap_err();
        assert!(matches!(error, Error::Timeout { .. }), "{direction:?}: {error}");
        assert!(started.elapsed() < Duration::from_secs(5));
        proxy.set(direction, Faults::default());
        client.send(&brief().timeout(Duration::from_secs(20))).await.unwrap();
    }
    proxy.set(Direction::ToClient, Faults { reset_after: Some(5), ..Faults::default() });
    let update = Request::post("c/update", &[], "text/plain", "x");
    assert_eq!(client.send(&update).await.unwrap_err().kind(), ErrorKind::OutcomeUnknown);
}
