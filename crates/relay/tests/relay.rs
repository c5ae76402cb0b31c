//! What a relay passes on and how: requests, answers, preferences, a cluster's nodes; its own pages, changes
//! and its end.

#[path = "../../client/tests/support/mod.rs"]
mod support;

mod running;

use std::time::Duration;

use client::{ClientOptions, Login};
use relay::{Listener, Relay, RelayLimits, UpstreamConfig};
use running::{Running, upstream};
use support::{Act, Server, answer, ok, options};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

#[tokio::test]
async fn requests_and_answers_go_through_as_they_are() {
    let headers = ["content-type: text/x", "x-a: 1", "x-a: 2", "keep-alive: timeout=5", "etag: \"e\""];
    let server = Server::answering(answer("404 Not Found", &headers, b"body")).await;
    let relay = Running::before(&[&server]).await;
    let reply = relay
        .ask("PUT /solr/c/schema/x?q=%C3%A4+b&q=c HTTP/1.1\r\nHost: app\r\nConnection: close, x-hop\r\nX-Hop: 1\r\nCookie: k=v\r\nAccept-Encoding: lzma\r\nTransfer-Encoding: chunked\r\nContent-Type: text/y\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n")
        .await;
    assert_eq!((reply.status(), reply.body()), (404, "body"));
    assert_eq!((reply.header("content-type"), reply.header("etag")), (Some("text/x"), Some("\"e\"")));
    assert_eq!(reply.0.matches("x-a: ").count(), 2);
    assert_eq!((reply.header("keep-alive"), reply.outcome()), (None, None));
    let seen = server.seen(|seen| seen.requests[0].to_ascii_lowercase());
    assert!(seen.starts_with("put /solr/c/schema/x?q=%c3%a4+b&q=c http/1.1\r\n"), "{seen}");
    assert!(seen.contains("\r\ncookie: k=v\r\n") && seen.contains("\r\ncontent-type: text/y\r\n"), "{seen}");
    assert!(seen.ends_with("\r\n\r\nabcde") && seen.contains("\r\ncontent-length: 5\r\n"), "{seen}");
    for hidden in ["x-hop", "lzma", "host: app", "chunked"] {
        assert!(!seen.contains(hidden), "{hidden}: {seen}");
    }
}

#[tokio::test]
async fn many_connections_of_applications_share_few_to_the_server() {
    let server = Server::answering(ok("{}")).await;
    let relay = Running::before(&[&server]).await;
    for _ in 0..20 {
        assert_eq!(relay.get("/solr/c/select?q=x").await.body(), "{}");
    }
    assert_eq!((server.requests(), server.seen(|seen| seen.connections)), (20, 1));
}

/// Ten thousand are held by `parhelion lab hold`; this many here as two ends in one process may have.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn thousands_of_connections_are_kept_and_answered() {
    let server = Server::answering(ok("{}")).await;
    // Most of them wait for their turn at the server, on a machine that may be busy with other things.
    let options = ClientOptions { timeout: Duration::from_secs(600), ..options() };
    let config = UpstreamConfig { options, ..upstream(&[&server]) };
    let relay = Running::start(RelayLimits::default(), config).await;
    let mut open = Vec::new();
    for _ in 0..1000 {
        open.push(TcpStream::connect(relay.address).await.unwrap());
    }
    for round in 0..2 {
        for stream in &mut open {
            stream.write_all(b"GET /solr/c/select HTTP/1.1\r\nHost: app\r\n\r\n").await.unwrap();
        }
        for stream in &mut open {
            let mut reply = Vec::new();
            while !reply.ends_with(b"\r\n\r\n{}") {
                assert!(stream.read_buf(&mut reply).await.unwrap() > 0, "{round}");
            }
        }
    }
    assert_eq!(server.requests(), 2000);
    assert!(server.seen(|seen| seen.connections) <= 256);
}

#[tokio::test]
async fn long_answers_go_through_as_they_come() {
    let long = "x".repeat(5_000_000);
    let server = Server::answering(ok(&long)).await;
    let relay = Running::before(&[&server]).await;
    let reply = relay.get("/solr/c/export").await;
    assert!(reply.body() == long && reply.header("content-length") == Some("5000000"));
    let head = relay.ask("HEAD /solr/c/select HTTP/1.1\r\nHost: app\r\nConnection: close\r\n\r\n").await;
    assert_eq!((head.status(), head.body()), (200, ""));
}

#[tokio::test]
async fn applications_say_which_replica_they_prefer() {
    let (near, far) = (Server::answering(ok("1")).await, Server::answering(ok("2")).await);
    let relay = Running::before(&[&near, &far]).await;
    for _ in 0..5 {
        assert_eq!(relay.get("/solr/c/select?prefer-replica=zone%3Afar").await.body(), "2");
        let form = relay
            .post("/solr/c/select", "application/x-www-form-urlencoded", "q=x&prefer-replica=zone:near")
            .await;
        assert_eq!(form.body(), "1");
        let header = "GET /solr/c/select HTTP/1.1\r\nHost: app\r\nConnection: close\r\nPrefer-Replica: tag:disk=ssd, zone:far\r\n\r\n";
        assert_eq!(relay.ask(header).await.body(), "2");
    }
    let wrong = relay.get("/solr/c/select?prefer-replica=moon").await;
    assert_eq!((wrong.status(), wrong.outcome()), (400, Some("nothing")));
    assert!(wrong.body().contains("`moon` is no preference"), "{wrong:?}");
    assert_eq!(near.requests() + far.requests(), 15);
}

#[tokio::test]
async fn the_relays_login_is_said_where_the_application_says_none() {
    let server = Server::answering(ok("{}")).await;
    let login = Some(Login::user("relay:secret").unwrap());
    let relay =
        Running::start(RelayLimits::default(), UpstreamConfig { login, ..upstream(&[&server]) }).await;
    relay.get("/solr/c/select").await;
    relay
        .ask("GET /solr/c/select HTTP/1.1\r\nHost: app\r\nConnection: close\r\nAuthorization: Basic YTpi\r\n\r\n")
        .await;
    let said = |at: usize| {
        server.seen(|seen| {
            let line = seen.requests[at].lines().find(|line| line.starts_with("authorization: "));
            line.map(str::to_owned)
        })
    };
    assert_eq!(said(0).as_deref(), Some("authorization: Basic cmVsYXk6c2VjcmV0"));
    assert_eq!(said(1).as_deref(), Some("authorization: Basic YTpi"));
}

#[tokio::test]
async fn the_relay_has_pages_of_its_own() {
    let server = Server::answering(ok("{}")).await;
    let relay = Running::before(&[&server]).await;
    relay.get("/solr/c/select").await;
    relay.update().await;
    assert_eq!(relay.get("/relay/health").await.body().trim(), r#"{"status":"OK"}"#);
    assert!(relay.get("/relay/config").await.body().contains("scripted"));
    let metrics = relay.get("/relay/metrics").await;
    for line in [
        "parhelion_relay_requests_total{kind=\"read\",status=\"2xx\"} 1",
        "parhelion_relay_requests_total{kind=\"update\",status=\"2xx\"} 1",
        "parhelion_relay_upstream_connections_opened_total 1",
        "parhelion_relay_request_bytes_total 2",
    ] {
        assert!(metrics.body().lines().any(|it| it == line), "{line}\n{metrics:?}");
    }
    assert_eq!(relay.get("/relay/other").await.status(), 404);
    assert_eq!(relay.post("/relay/metrics", "text/x", "").await.status(), 405);
    assert_eq!(relay.get("/").await.status(), 404);
    assert_eq!(server.requests(), 2);
}

#[tokio::test]
async fn a_change_of_servers_counts_from_the_next_request_on() {
    let (old, new) = (Server::answering(ok("1")).await, Server::answering(ok("2")).await);
    let relay = Running::before(&[&old]).await;
    assert_eq!(relay.get("/solr/c/select").await.body(), "1");
    relay.relay.reload(upstream(&[&new]));
    assert_eq!(relay.get("/solr/c/select").await.body(), "2");
    // What nobody uses any more is closed.
    old.ended(1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn what_is_under_way_ends_before_the_relay_does() {
    let (release, released) = std::sync::mpsc::channel::<()>();
    let released = std::sync::Mutex::new(released);
    let server = Server::start(move |_, _| {
        let _ = tokio::task::block_in_place(|| released.lock().unwrap().recv());
        Act::Answer(ok("{}"))
    });
    let server = server.await;
    let relay = Running::before(&[&server]).await;
    let mut idle = TcpStream::connect(relay.address).await.unwrap();
    let mut busy = TcpStream::connect(relay.address).await.unwrap();
    busy.write_all(b"GET /solr/c/select HTTP/1.1\r\nHost: app\r\n\r\n").await.unwrap();
    while server.requests() == 0 {
        tokio::task::yield_now().await;
    }
    let address = relay.address;
    let stopping = tokio::spawn(relay.stop());
    // The idle connection ends at once, and nobody is listened to any more.
    assert_eq!(idle.read(&mut [0]).await.unwrap(), 0);
    assert!(TcpStream::connect(address).await.is_err());
    release.send(()).unwrap();
    let mut reply = String::new();
    busy.read_to_string(&mut reply).await.unwrap();
    assert!(reply.contains("connection: close") && reply.ends_with("{}"), "{reply}");
    assert!(stopping.await.unwrap());
}

#[tokio::test]
async fn a_relay_that_waits_in_vain_stops_all_the_same() {
    let server = Server::start(|_, _| Act::AnswerThenStall(Vec::new())).await;
    let limits = RelayLimits { drain_max: Duration::from_millis(50), ..RelayLimits::default() };
    let relay = Running::start(limits, upstream(&[&server])).await;
    let mut busy = TcpStream::connect(relay.address).await.unwrap();
    busy.write_all(b"GET /solr/c/select HTTP/1.1\r\nHost: app\r\n\r\n").await.unwrap();
    while server.requests() == 0 {
        tokio::task::yield_now().await;
    }
    assert!(!relay.stop().await);
}

#[tokio::test]
async fn only_this_machine_may_connect() {
    let everywhere = TcpListener::bind("0.0.0.0:0").await.unwrap();
    assert!(Listener::tcp(everywhere).unwrap_err().to_string().contains("is not loopback"));
}

#[cfg(unix)]
#[tokio::test]
async fn a_socket_file_serves_too() {
    let server = Server::answering(ok("{}")).await;
    let folder = std::env::temp_dir().join(format!("relay-test-{}", std::process::id()));
    let _ = std::fs::remove_file(&folder);
    let listener = tokio::net::UnixListener::bind(&folder).unwrap();
    let relay = Relay::new(RelayLimits::default(), upstream(&[&server]));
    let serving =
        tokio::spawn(
            async move { relay.serve(vec![Listener::unix(listener)], std::future::pending()).await },
        );
    let mut stream = tokio::net::UnixStream::connect(&folder).await.unwrap();
    let request = b"GET /solr/c/select HTTP/1.0\r\n\r\n";
    stream.write_all(request).await.unwrap();
    let mut reply = String::new();
    stream.read_to_string(&mut reply).await.unwrap();
    assert!(reply.starts_with("HTTP/1.0 200 OK\r\n") && reply.ends_with("{}"), "{reply}");
    serving.abort();
    std::fs::remove_file(&folder).unwrap();
}

/// Two nodes, each leading one shard of `films`; the second has a replica of type PULL of the first's.
async fn cluster() -> [Server; 2] {
    let state = std::sync::Arc::new(std::sync::OnceLock::<String>::new());
    let mut nodes = Vec::new();
    for name in ["a", "b"] {
        let state = state.clone();
        let script = move |_: usize, request: &str| match request.contains("CLUSTERSTATUS") {
            true => Act::Answer(ok(state.get().unwrap())),
            false => Act::Answer(ok(name)),
        };
        nodes.push(Server::start(script).await);
    }
    let nodes: [Server; 2] = nodes.try_into().ok().unwrap();
    let replica = |node: usize, kind: &str, leads: &str| {
        let url = nodes[node].url.to_string();
        serde_json::json!({"core": "c", "node_name": node.to_string(), "state": "active", "base_url": url,
            "type": kind, "leader": leads})
    };
    let shards = serde_json::json!({
        "shard1": {"range": "80000000-ffffffff", "replicas": {"1": replica(0, "NRT", "true"), "2": replica(1, "PULL", "false")}},
        "shard2": {"range": "0-7fffffff", "replicas": {"3": replica(1, "NRT", "true")}},
    });
    let status = serde_json::json!({"cluster": {"live_nodes": ["0", "1"],
        "collections": {"films": {"shards": shards}}}});
    state.set(status.to_string()).unwrap();
    nodes
}

/// The bodies of the updates that a server has seen.
fn updates(server: &Server) -> Vec<String> {
    server.seen(|seen| {
        let updates = seen.requests.iter().filter(|request| request.starts_with("POST "));
        updates.map(|update| update.split("\r\n\r\n").nth(1).unwrap().to_owned()).collect()
    })
}

#[tokio::test]
async fn in_a_cluster_updates_go_to_the_leaders_of_their_documents() {
    let [a, b] = cluster().await;
    let config = UpstreamConfig { cloud: true, ..upstream(&[&a]) };
    let relay = Running::start(RelayLimits::default(), config).await;
    // MurmurHash3: `test` is negative, `hello` is not.
    let post = async |kind: &str, body: &str| {
        relay.post("/solr/films/update?wt=json", kind, body).await.body().to_owned()
    };
    for _ in 0..3 {
        assert_eq!(post("application/json", r#"[{"id":"test"}]"#).await, "a");
        assert_eq!(post("text/xml", r#"<add><doc><field name="id">hello</field></doc></add>"#).await, "b");
    }
    let both = r#"[{"id":"test"},{"id":"hello"},{"id":"test!x"}]"#;
    assert_eq!(post("application/json", both).await, "a");
    assert_eq!(updates(&a).last().unwrap(), r#"[{"id":"test"},{"id":"test!x"}]"#);
    assert_eq!(updates(&b).last().unwrap(), r#"[{"id":"hello"}]"#);
    let metrics = relay.get("/relay/metrics").await;
    assert!(metrics.body().contains("parhelion_relay_splits_total 1\n"), "{metrics:?}");
    // A commit is made once: the update goes as it is, and whoever gets it passes on.
    let before = updates(&a).len() + updates(&b).len();
    relay.post("/solr/films/update?commit=true", "application/json", both).await;
    assert_eq!(updates(&a).len() + updates(&b).len(), before + 1);
}

#[tokio::test]
async fn in_a_cluster_reads_go_to_the_replica_that_is_preferred() {
    let [a, b] = cluster().await;
    let config = UpstreamConfig { cloud: true, ..upstream(&[&a]) };
    let relay = Running::start(RelayLimits::default(), config).await;
    let location = format!("location:{}", a.url.authority());
    for _ in 0..5 {
        assert_eq!(relay.get("/solr/films/select?prefer-replica=type:PULL").await.body(), "b");
        assert_eq!(relay.get(&format!("/solr/films/select?prefer-replica={location}")).await.body(), "a");
    }
    // What is no collection of the cluster goes to the servers that were named.
    assert_eq!(relay.get("/solr/films_shard2_replica_n3/select").await.body(), "a");
    assert_eq!(relay.get("/solr/admin/cores").await.body(), "a");
    assert!(b.requests() >= 5);
}
