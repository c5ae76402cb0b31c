//! Servers, networks and applications that misbehave: no request is sent twice unless it is safe, nothing that
//! is not whole looks whole, and every fault is reported with what may have been done.

#[path = "../../client/tests/support/mod.rs"]
mod support;

mod running;

use std::time::Duration;

use client::{ClientOptions, Endpoint, RetryOptions};
use faultproxy::{Direction, FaultProxy, Faults};
use relay::{RelayLimits, UpstreamConfig};
use running::{Reply, Running, upstream};
use support::{Act, Server, answer, ok, options};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

const HEAD: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n";

/// Requests may take this long.
fn brief(servers: &[&Server], milliseconds: u64) -> UpstreamConfig {
    let timeout = Duration::from_millis(milliseconds);
    UpstreamConfig { options: ClientOptions { timeout, ..options() }, ..upstream(servers) }
}

/// An update and a search through relays before servers with this script, and how often each was sent.
async fn both(script: fn(usize, &str) -> Act) -> [(Reply, usize); 2] {
    let mut replies = Vec::new();
    for is_update in [true, false] {
        let server = Server::start(script).await;
        let relay = Running::start(RelayLimits::default(), brief(&[&server], 300)).await;
        let reply = if is_update { relay.update().await } else { relay.get("/solr/c/select?q=x").await };
        replies.push((reply, server.requests()));
    }
    replies.try_into().unwrap()
}

/// The update was sent once, and its outcome is not known; the search was sent until it had its answer.
async fn check_sent_once_or_again(script: fn(usize, &str) -> Act) {
    let [(update, updates), (search, searches)] = both(script).await;
    assert_eq!((update.status(), update.outcome(), updates), (502, Some("unknown"), 1), "{update:?}");
    assert_eq!((search.status(), search.body(), searches), (200, "{}", 3));
}

#[tokio::test]
async fn a_reset_before_and_after_the_head() {
    check_sent_once_or_again(|number, _| match number {
        0 => Act::AnswerThenReset(Vec::new()),
        1 => Act::AnswerThenReset(HEAD.to_vec()),
        _ => Act::Answer(ok("{}")),
    })
    .await;
    check_sent_once_or_again(|number, _| match number {
        0 => Act::AnswerThenReset(HEAD.to_vec()),
        1 => Act::AnswerThenReset([HEAD, b"{"].concat()),
        _ => Act::Answer(ok("{}")),
    })
    .await;
}

#[tokio::test]
async fn a_length_that_is_a_lie() {
    check_sent_once_or_again(|number, _| match number {
        0 | 1 => Act::AnswerThenClose([HEAD, b"{}"].concat()),
        _ => Act::Answer(ok("{}")),
    })
    .await;
    // What is behind it belongs to nobody.
    let server = Server::start(|number, _| {
        Act::Answer(if number == 0 { [ok("{}"), ok("\"not yours\"")].concat() } else { ok("{}") })
    })
    .await;
    let relay = Running::before(&[&server]).await;
    for _ in 0..3 {
        assert_eq!(relay.get("/solr/c/select").await.body(), "{}");
    }
}

#[tokio::test]
async fn an_answer_that_stalls_before_it_is_given_on() {
    let [(update, updates), (search, searches)] =
        both(|_, _| Act::AnswerThenStall([HEAD, b"{"].concat())).await;
    // Its first byte has gone out by then, or it has not: either way it is no whole answer.
    for reply in [update, search] {
        assert!(!reply.is_whole() || reply.status() == 504, "{reply:?}");
    }
    assert_eq!((updates, searches), (1, 1));
    let [(update, updates), (search, searches)] = both(|_, _| Act::AnswerThenStall(HEAD.to_vec())).await;
    for reply in [update, search] {
        assert_eq!((reply.status(), reply.outcome()), (504, Some("unknown")));
    }
    assert_eq!((updates, searches), (1, 1));
}

/// With a length and in chunks: the application sees that it is not whole.
#[tokio::test]
async fn an_answer_that_stalls_or_breaks_in_its_middle() {
    let part = "x".repeat(300_000);
    let by_length = format!("HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n{part}");
    let by_chunks =
        format!("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n{:x}\r\n{part}\r\n", part.len());
    for begun in [by_length, by_chunks] {
        for act in [Act::AnswerThenStall, Act::AnswerThenClose] {
            let begun = begun.clone().into_bytes();
            let server = Server::start(move |_, _| act(begun.clone())).await;
            let relay = Running::start(RelayLimits::default(), brief(&[&server], 300)).await;
            let reply = relay.get("/solr/c/export").await;
            assert_eq!((reply.status(), reply.is_whole()), (200, false));
            assert!(reply.body().len() >= 300_000 && server.requests() == 1);
            let metrics = relay.get("/relay/metrics").await;
            assert!(metrics.body().contains("parhelion_relay_broken_off_total 1\n"));
        }
    }
}

#[tokio::test]
async fn a_head_without_an_end() {
    let server = Server::start(|_, _| Act::EndlessHead).await;
    let relay = Running::before(&[&server]).await;
    let reply = relay.update().await;
    assert_eq!((reply.status(), reply.outcome()), (502, Some("unknown")));
    server.ended(1).await;
    assert!(server.seen(|seen| seen.head_bytes) < 20_000_000);
}

#[tokio::test]
async fn redirects_are_refused() {
    let target = Server::answering(ok("{}")).await;
    let location = format!("location: {}/c/select", target.url);
    for status in ["301 Moved", "307 Temporary Redirect"] {
        let server = Server::answering(answer(status, &[&location], b"")).await;
        let relay = Running::before(&[&server]).await;
        let reply = relay.get("/solr/c/select").await;
        assert!(reply.status() == 502 && reply.body().contains("which is not followed"), "{reply:?}");
        assert_eq!((reply.header("location"), server.requests(), target.requests()), (None, 1, 0));
    }
    let server = Server::answering(answer("304 Not Modified", &["etag: \"e\""], b"")).await;
    assert_eq!(Running::before(&[&server]).await.get("/solr/c/select").await.status(), 304);
}

#[tokio::test]
async fn nobody_listens() {
    let free = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let nobody = Endpoint::from(free.to_string().parse::<client::SolrUrl>().unwrap());
    let config = UpstreamConfig { servers: vec![nobody], ..upstream(&[]) };
    let relay = Running::start(RelayLimits::default(), config).await;
    let reply = relay.update().await;
    assert_eq!(
        (reply.status(), reply.outcome(), reply.header("retry-after")),
        (503, Some("nothing"), Some("1"))
    );
    let empty = Running::start(RelayLimits::default(), upstream(&[])).await;
    assert_eq!(empty.update().await.status(), 503);
}

/// Where its connection was closed before the first byte, even an update goes again: nobody has seen it.
#[tokio::test]
async fn a_closed_connection_that_was_kept() {
    let server = Server::start(|_, _| Act::AnswerThenClose(ok("{}"))).await;
    let relay = Running::before(&[&server]).await;
    for round in 1..=5 {
        assert_eq!(relay.update().await.body(), "{}");
        server.ended(round).await;
    }
    assert_eq!(server.requests(), 5);
}

#[tokio::test]
async fn a_handler_that_parameters_choose_is_not_asked_twice() {
    let script = |number: usize, _: &str| match number {
        0 => Act::AnswerThenReset(Vec::new()),
        _ => Act::Answer(ok("{}")),
    };
    for is_form in [false, true] {
        let server = Server::start(script).await;
        let relay = Running::before(&[&server]).await;
        let reply = match is_form {
            true => relay.post("/solr/c/select", "application/x-www-form-urlencoded", "qt=%2Fupdate").await,
            false => relay.get("/solr/c/select?qt=/update&stream.body=x").await,
        };
        assert_eq!((reply.status(), server.requests()), (502, 1), "{is_form}");
    }
}

#[tokio::test]
async fn a_network_that_cuts_and_heals() {
    let server = Server::answering(ok("{}")).await;
    let proxy = FaultProxy::start("127.0.0.1:0".parse().unwrap(), server.url.authority(), 1).await.unwrap();
    let through = Endpoint::from(proxy.address().to_string().parse::<client::SolrUrl>().unwrap());
    let config = UpstreamConfig { servers: vec![through], ..brief(&[], 200) };
    let relay = Running::start(RelayLimits::default(), config).await;
    assert_eq!(relay.update().await.status(), 200);
    for direction in Direction::BOTH {
        proxy.set(direction, Faults { cut: true, ..Faults::default() });
        let reply = relay.update().await;
        assert_eq!((reply.status(), reply.outcome()), (504, Some("unknown")), "{direction:?}");
        proxy.set(direction, Faults::default());
        while relay.get("/solr/c/select").await.status() != 200 {}
    }
    let before = server.requests();
    proxy.set(Direction::ToClient, Faults { reset_after: Some(5), ..Faults::default() });
    let reply = relay.update().await;
    assert_eq!((reply.status(), reply.outcome(), server.requests()), (502, Some("unknown"), before + 1));
}

#[tokio::test]
async fn bodies_beyond_the_bounds() {
    let server = Server::answering(ok("{}")).await;
    let limits = RelayLimits {
        body_bytes_max: 2000,
        bodies_bytes_max: 2048,
        stall_max: Duration::from_millis(200),
        ..RelayLimits::default()
    };
    let relay = Running::start(limits, upstream(&[&server])).await;
    let post = async |body: &str| relay.post("/solr/c/update", "text/csv", body).await;
    assert_eq!(post(&"x".repeat(2000)).await.status(), 200);
    let reply = post(&"x".repeat(2001)).await;
    assert_eq!((reply.status(), reply.outcome()), (413, Some("nothing")));
    let head = "POST /solr/c/update HTTP/1.1\r\nHost: app\r\nConnection: close\r\n";
    let chunks = format!(
        "{head}Transfer-Encoding: chunked\r\n\r\n{}0\r\n\r\n",
        "64\r\n".to_owned() + &"x".repeat(100) + "\r\n"
    );
    assert_eq!(relay.ask(&chunks).await.status(), 200);
    let many = format!(
        "{head}Transfer-Encoding: chunked\r\n\r\n{}",
        format!("64\r\n{}\r\n", "x".repeat(100)).repeat(21)
    );
    assert_eq!(relay.ask(&many).await.status(), 413);
    assert_eq!(
        relay.ask(&format!("{head}Transfer-Encoding: chunked\r\n\r\nnonsense\r\n")).await.status(),
        400
    );
    // One that does not come, and holds the room meanwhile.
    let mut slow = TcpStream::connect(relay.address).await.unwrap();
    slow.write_all(format!("{head}Content-Length: 1500\r\n\r\nx").as_bytes()).await.unwrap();
    let mut reply = String::new();
    let refused = async {
        loop {
            let reply = post(&"x".repeat(1500)).await;
            if reply.status() != 200 {
                return reply;
            }
        }
    };
    let refused = refused.await;
    assert_eq!((refused.status(), refused.header("retry-after")), (429, Some("1")));
    slow.read_to_string(&mut reply).await.unwrap();
    assert!(reply.starts_with("HTTP/1.1 408 "), "{reply}");
    assert_eq!(post(&"x".repeat(1500)).await.status(), 200);
}

/// An application that takes nothing of its answer does not hold the server's connection for ever.
#[tokio::test]
async fn an_application_that_does_not_read() {
    let server = Server::answering(ok(&"x".repeat(50_000_000))).await;
    let limits = RelayLimits { stall_max: Duration::from_millis(100), ..RelayLimits::default() };
    let relay = Running::start(limits, upstream(&[&server])).await;
    let mut stream = TcpStream::connect(relay.address).await.unwrap();
    stream.write_all(b"GET /solr/c/export HTTP/1.1\r\nHost: app\r\n\r\n").await.unwrap();
    server.ended(1).await;
    drop(stream);
}

#[tokio::test]
async fn an_application_that_goes_away() {
    let server = Server::answering(ok(&"x".repeat(50_000_000))).await;
    let relay = Running::before(&[&server]).await;
    let mut stream = TcpStream::connect(relay.address).await.unwrap();
    stream.write_all(b"GET /solr/c/export HTTP/1.1\r\nHost: app\r\n\r\n").await.unwrap();
    assert!(stream.read(&mut [0; 1000]).await.unwrap() > 0);
    drop(stream);
    server.ended(1).await;
}

#[tokio::test]
async fn relays_in_a_circle() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let itself =
        Endpoint::from(listener.local_addr().unwrap().to_string().parse::<client::SolrUrl>().unwrap());
    let retry = RetryOptions { attempts_max: 1, ..RetryOptions::default() };
    let config = UpstreamConfig {
        servers: vec![itself],
        options: ClientOptions { retry, ..options() },
        ..upstream(&[])
    };
    let relay = Running::on(listener, RelayLimits::default(), config);
    assert_eq!(relay.get("/solr/c/select").await.status(), 508);
}

/// An update of two documents through a relay to leaders of one each, who do this. The first document's
/// leader also tells the cluster's state.
async fn in_two_parts(
    first: impl Fn() -> Act + Send + Sync + 'static,
    second: impl Fn() -> Act + Send + Sync + 'static,
) -> Reply {
    let second = Server::start(move |_, _| second()).await;
    let state = std::sync::Arc::new(std::sync::OnceLock::<String>::new());
    let first = {
        let state = state.clone();
        Server::start(move |_, request| match request.contains("CLUSTERSTATUS") {
            true => Act::Answer(ok(state.get().unwrap())),
            false => first(),
        })
        .await
    };
    let shard = |range: &str, server: &Server| {
        serde_json::json!({"range": range, "replicas": {"r": {"core": "c", "node_name": "n", "state": "active",
            "base_url": server.url.to_string(), "leader": "true"}}})
    };
    let shards =
        serde_json::json!({"s1": shard("80000000-ffffffff", &first), "s2": shard("0-7fffffff", &second)});
    let status =
        serde_json::json!({"cluster": {"live_nodes": ["n"], "collections": {"films": {"shards": shards}}}});
    state.set(status.to_string()).unwrap();
    let config = UpstreamConfig { cloud: true, ..upstream(&[&first]) };
    let relay = Running::start(RelayLimits::default(), config).await;
    let reply =
        relay.post("/solr/films/update", "application/json", r#"[{"id":"test"},{"id":"hello"}]"#).await;
    // Whatever came of it, each part was sent once.
    assert_eq!((first.requests(), second.requests()), (2, 1));
    reply
}

/// Where a part may be done, no answer says that nothing was, and none invites to send all of it again.
#[tokio::test]
async fn an_update_of_which_a_part_fails() {
    let done = || Act::Answer(ok("{}"));
    let busy = || Act::Answer(answer("429 Too Many Requests", &["retry-after: 1"], b"busy"));
    let broken = || Act::AnswerThenReset(Vec::new());
    let check = |reply: &Reply, status: u16, outcome: Option<&str>, hint: Option<&str>| {
        assert_eq!((reply.status(), reply.outcome()), (status, outcome), "{reply:?}");
        assert_eq!(reply.header("retry-after"), hint, "{reply:?}");
    };
    let reply = in_two_parts(done, broken).await;
    check(&reply, 502, Some("unknown"), None);
    assert!(reply.body().contains("1 of 2 parts of this update are done"), "{reply:?}");
    let reply = in_two_parts(done, busy).await;
    check(&reply, 503, Some("unknown"), None);
    assert!(reply.body().contains("1 of 2 parts of this update are done"), "{reply:?}");
    check(&in_two_parts(busy, done).await, 503, Some("unknown"), None);
    check(&in_two_parts(busy, broken).await, 503, Some("unknown"), None);
    // Both refused it unread: the application may send it again, and is told when.
    check(&in_two_parts(busy, busy).await, 429, None, Some("1"));
}
