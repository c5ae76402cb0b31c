//! Reads that show an application's own writes: by a token, or always; what that costs of commits, and what
//! is answered where they cannot be shown.

#[path = "../../client/tests/support/mod.rs"]
mod support;

mod running;

use relay::{RelayLimits, UpstreamConfig};
use running::{Reply, Running, upstream};
use support::{Act, Server, answer, ok};

const TOKEN: &str = "x-relay-token";
const COMMIT: &str = "POST /solr/films/update?softCommit=true&waitSearcher=true&wt=json HTTP/1.1\r\n";
const FRESH: &str = "GET /solr/films/select?shards.preference=replica.leader:true&q=x HTTP/1.1\r\n";

async fn ask(relay: &Running, method: &str, target: &str, headers: &str) -> Reply {
    let head = format!("{method} /solr/{target} HTTP/1.1\r\nHost: app\r\nConnection: close\r\n{headers}");
    relay.ask(&format!("{head}Content-Type: application/json\r\nContent-Length: 2\r\n\r\n[]")).await
}

async fn read(relay: &Running, token: &str) -> Reply {
    let head = "GET /solr/films/select?q=x HTTP/1.1\r\nHost: app\r\nConnection: close\r\n";
    relay.ask(&format!("{head}{TOKEN}: {token}\r\n\r\n")).await
}

async fn write(relay: &Running, token: &str) -> String {
    let reply = ask(relay, "POST", "films/update", &format!("{TOKEN}: {token}\r\n")).await;
    reply.header(TOKEN).unwrap().to_owned()
}

/// The request lines that a server has seen since it was last asked.
fn lines(server: &Server, seen_before: &mut usize) -> Vec<String> {
    server.seen(|seen| {
        let new = seen.requests.iter().skip(std::mem::replace(seen_before, seen.requests.len()));
        new.map(|request| format!("{}\r\n", request.lines().next().unwrap())).collect()
    })
}

#[tokio::test]
async fn a_token_shows_writes_by_one_commit() {
    let (server, mut before) = (Server::answering(ok("{}")).await, 0);
    let relay = Running::before(&[&server]).await;
    let token = write(&relay, "new").await;
    assert_eq!(lines(&server, &mut before), ["POST /solr/films/update HTTP/1.1\r\n"]);
    // The header is the relay's, and says the same again.
    assert_eq!(read(&relay, &token).await.header(TOKEN), Some(token.as_str()));
    assert_eq!(lines(&server, &mut before), [COMMIT, FRESH]);
    assert!(!server.seen(|seen| seen.requests.iter().any(|request| request.contains(TOKEN))));
    read(&relay, &token).await;
    assert_eq!(lines(&server, &mut before), [FRESH]);
    // Who asks for nothing pays nothing, and is told nothing.
    let plain = relay.get("/solr/films/select?q=x").await;
    assert_eq!(plain.header(TOKEN), None);
    assert_eq!(lines(&server, &mut before), ["GET /solr/films/select?q=x HTTP/1.1\r\n"]);
    // What a get by id shows needs no commit, and an update that commits needs none behind it.
    let token = write(&relay, &token).await;
    ask(&relay, "GET", "films/get?id=1", &format!("{TOKEN}: {token}\r\n")).await;
    let committed = ask(&relay, "POST", "films/update?commit=true", &format!("{TOKEN}: {token}\r\n")).await;
    read(&relay, committed.header(TOKEN).unwrap()).await;
    assert_eq!(lines(&server, &mut before)[3..], [FRESH]);
}

#[tokio::test]
async fn one_commit_serves_all_who_wait_for_it() {
    let (server, mut before) = (Server::answering(ok("{}")).await, 0);
    let relay = Running::before(&[&server]).await;
    let token = write(&relay, "new").await;
    lines(&server, &mut before);
    let reads = (0..20).map(|_| read(&relay, &token));
    let statuses: Vec<u16> = futures(reads).await.iter().map(Reply::status).collect();
    assert_eq!(statuses, [200; 20]);
    let seen = lines(&server, &mut before);
    assert_eq!((seen.len(), seen.iter().filter(|line| *line == COMMIT).count()), (21, 1));
}

/// All at once.
async fn futures(reads: impl Iterator<Item = impl Future<Output = Reply>>) -> Vec<Reply> {
    let mut pending: Vec<_> = reads.map(Box::pin).collect();
    let mut replies = Vec::new();
    std::future::poll_fn(move |cx| {
        pending.retain_mut(|read| match read.as_mut().poll(cx) {
            std::task::Poll::Ready(reply) => {
                replies.push(reply);
                false
            }
            std::task::Poll::Pending => true,
        });
        if pending.is_empty() {
            std::task::Poll::Ready(std::mem::take(&mut replies))
        } else {
            std::task::Poll::Pending
        }
    })
    .await
}

#[tokio::test]
async fn what_cannot_be_shown_is_not_read() {
    let server = Server::start(|_, request| match request.contains("softCommit") {
        true => Act::Answer(answer("500 Oops", &[], br#"{"error":{"msg":"disk full"}}"#)),
        false => Act::Answer(ok("{}")),
    })
    .await;
    let relay = Running::before(&[&server]).await;
    let reply = read(&relay, &write(&relay, "new").await).await;
    assert_eq!((reply.status(), reply.outcome()), (502, Some("nothing")), "{reply:?}");
    assert!(reply.body().contains("cannot be shown yet: disk full"), "{reply:?}");
    assert!(!server.seen(|seen| seen.requests.iter().any(|request| request.contains("/select"))));
    for wrong in ["old", "1.2", "zz.1.films"] {
        let reply = read(&relay, wrong).await;
        assert_eq!((reply.status(), reply.outcome()), (400, Some("nothing")), "{wrong}");
    }
}

/// Of a collection that is not there the read itself is told, by the server.
#[tokio::test]
async fn a_collection_that_is_gone_is_the_servers_to_tell() {
    let server = Server::answering(answer("404 Not Found", &[], b"no such collection")).await;
    let relay = Running::before(&[&server]).await;
    let reply = read(&relay, &write(&relay, "new").await).await;
    assert_eq!((reply.status(), reply.body()), (404, "no such collection"));
}

#[tokio::test]
async fn a_relay_that_is_configured_anew_knows_no_commits() {
    let (server, mut before) = (Server::answering(ok("{}")).await, 0);
    let relay = Running::before(&[&server]).await;
    let token = write(&relay, "new").await;
    read(&relay, &token).await;
    relay.relay.reload(UpstreamConfig { instance: 8, ..upstream(&[&server]) });
    lines(&server, &mut before);
    let renewed = read(&relay, &token).await.header(TOKEN).unwrap().to_owned();
    assert_ne!(renewed, token);
    read(&relay, &renewed).await;
    assert_eq!(lines(&server, &mut before), [COMMIT, FRESH, FRESH]);
}

#[tokio::test]
async fn a_relay_may_do_it_for_all() {
    let (server, mut before) = (Server::answering(ok("{}")).await, 0);
    let config = UpstreamConfig { shows_own_writes: true, ..upstream(&[&server]) };
    let relay = Running::start(RelayLimits::default(), config).await;
    let plain = async || relay.get("/solr/films/select?q=x").await;
    assert_eq!(plain().await.header(TOKEN), None);
    plain().await;
    assert_eq!(lines(&server, &mut before), [COMMIT, FRESH, FRESH]);
    ask(&relay, "POST", "films/update", "Authorization: Basic YTpi\r\n").await;
    ask(&relay, "GET", "films/select?q=x", "Authorization: Basic YTpi\r\n").await;
    assert_eq!(lines(&server, &mut before)[1..], [COMMIT, FRESH]);
    let commit =
        server.seen(|seen| seen.requests.iter().rfind(|request| request.starts_with(COMMIT)).cloned());
    assert!(commit.unwrap().contains("authorization: Basic YTpi\r\n"));
}

/// In a cluster it is the leaders that have what was committed last.
#[tokio::test]
async fn in_a_cluster_leaders_are_asked() {
    let state = std::sync::Arc::new(std::sync::OnceLock::<String>::new());
    let node = |name: &'static str| {
        let state = state.clone();
        Server::start(move |_, request| match request.contains("CLUSTERSTATUS") {
            true => Act::Answer(ok(state.get().unwrap())),
            false => Act::Answer(ok(name)),
        })
    };
    let (leader, follower) = (node("leader").await, node("follower").await);
    let replica = |name: &str, server: &Server, kind: &str, leads: &str| {
        serde_json::json!({"core": "c", "node_name": name, "state": "active", "type": kind, "leader": leads,
            "base_url": server.url.to_string()})
    };
    let replicas = serde_json::json!({"1": replica("a", &leader, "TLOG", "true"), "2": replica("b", &follower, "PULL", "false")});
    let shards = serde_json::json!({"shard1": {"range": "80000000-7fffffff", "replicas": replicas}});
    let status = serde_json::json!({"cluster": {"live_nodes": ["a", "b"],
        "collections": {"films": {"shards": shards}}}});
    state.set(status.to_string()).unwrap();
    let config = UpstreamConfig { cloud: true, ..upstream(&[&follower]) };
    let relay = Running::start(RelayLimits::default(), config).await;
    let token = write(&relay, "new").await;
    for _ in 0..5 {
        assert_eq!(read(&relay, &token).await.body(), "leader");
    }
    let commits = |server: &Server| {
        server.seen(|seen| seen.requests.iter().filter(|request| request.starts_with(COMMIT)).count())
    };
    assert_eq!((commits(&leader), commits(&follower)), (1, 0));
}
