//! A cluster's state from ZooKeeper: what is read of it, sessions that end, servers that are away, and what
//! answers there and is no ZooKeeper.

mod support;
#[path = "support/zookeeper.rs"]
mod zookeeper;

use client::{
    ClientOptions, CloudClient, ClusterState, ClusterStateSource as _, Endpoint, EndpointSource as _, Error,
    ErrorKind, Request, ZooKeeperState,
};
use support::{Act, Server, ok, options};
use zookeeper::ZooKeeper;

const FILMS: &str = r#"{"films":{"router":{"name":"compositeId"},"shards":{
    "shard1":{"range":"80000000-ffffffff","state":"active","replicas":{
        "core_node3":{"core":"f1","node_name":"a:8983_solr","type":"NRT","state":"active","leader":"true"},
        "core_node5":{"core":"f2","node_name":"b:8983_solr","type":"PULL","state":"active"},
        "core_node7":{"core":"f3","node_name":"gone:8983_solr","type":"NRT","state":"active"}}},
    "shard2":{"range":"0-7fffffff","state":"active","replicas":{
        "core_node9":{"core":"f4","node_name":"b:8983_solr","type":"NRT","state":"active","leader":"true"}}}}}}"#;
const BOOKS: &str = r#"{"books":{"perReplicaState":"true","shards":{"shard1":{"range":"80000000-7fffffff","replicas":{
    "core_node2":{"core":"b1","node_name":"a:8983_solr","state":"down"}}}}}}"#;

fn solr() -> Vec<(&'static str, &'static str)> {
    vec![
        ("/solr/live_nodes/a:8983_solr", ""),
        ("/solr/live_nodes/b:8983_solr", ""),
        ("/solr/aliases.json", r#"{"collection":{"cinema":"films,books"}}"#),
        ("/solr/clusterprops.json", r#"{"urlScheme":"https"}"#),
        ("/solr/collections/films/state.json", FILMS),
        ("/solr/collections/films/leaders", ""),
        ("/solr/collections/books/state.json", BOOKS),
        ("/solr/collections/books/state.json/core_node2:2:A:L", ""),
        ("/solr/collections/half/made", ""),
    ]
}

async fn fetch(servers: &str) -> Result<ClusterState, Error> {
    servers.parse::<ZooKeeperState>()?.fetch().await
}

#[tokio::test]
async fn the_state_is_read_as_solr_writes_it() {
    let zookeeper = ZooKeeper::start(&solr()).await;
    let source: ZooKeeperState = format!("{}/solr", zookeeper.address).parse().unwrap();
    let state = source.fetch().await.unwrap();
    let urls = |name: &str| -> Vec<String> {
        let replicas = state.shards(name).into_iter().flat_map(|shard| &shard.replicas);
        replicas.map(|replica| format!("{} {} {}", replica.url, replica.kind, replica.leads)).collect()
    };
    let films =
        ["https://a:8983/solr NRT true", "https://b:8983/solr PULL false", "https://b:8983/solr NRT true"];
    assert_eq!(urls("films"), films);
    // Its own state says that it is down, the node beneath that it is active and leads.
    assert_eq!(urls("books"), ["https://a:8983/solr NRT true"]);
    assert_eq!((urls("cinema").len(), urls("half").len()), (4, 0));
    // MurmurHash3: `test` is negative.
    assert_eq!(state.leader("films", "test").unwrap().authority(), "a:8983");
    let nodes = source.watch().borrow().clone();
    let nodes: Vec<String> = nodes.iter().map(|node| node.url.to_string()).collect();
    assert_eq!(nodes, ["https://a:8983/solr", "https://b:8983/solr"]);
}

#[tokio::test]
async fn one_session_serves_while_it_lasts() {
    let zookeeper = ZooKeeper::start(&solr()).await;
    let source: ZooKeeperState = format!("{}/solr", zookeeper.address).parse().unwrap();
    let sessions = || zookeeper.tree.lock().unwrap().sessions;
    for _ in 0..3 {
        source.fetch().await.unwrap();
    }
    assert_eq!(sessions(), 1);
    // It ends, as after a long pause: the next question meets that, and opens another.
    zookeeper.tree.lock().unwrap().is_closing = true;
    assert!(source.fetch().await.is_err());
    zookeeper.tree.lock().unwrap().is_closing = false;
    source.fetch().await.unwrap();
    assert_eq!(sessions(), 3);
}

#[tokio::test]
async fn the_next_server_is_asked_where_one_is_away_or_is_none() {
    let zookeeper = ZooKeeper::start(&solr()).await;
    let web = Server::start(|_, _| Act::AnswerThenClose(ok("{}"))).await;
    let (nobody, web) = ("127.0.0.1:1", web.url.authority().to_owned());
    let good = &zookeeper.address;
    assert!(fetch(&format!("{nobody},{good}/solr")).await.is_ok());
    for (servers, part) in [
        (format!("{nobody}/solr"), "127.0.0.1:1: "),
        (good.clone(), "`/live_nodes` is not there; is the chroot right?"),
        (format!("{good}/other"), "`/other/live_nodes` is not there"),
    ] {
        let error = fetch(&servers).await.unwrap_err();
        assert!(error.to_string().contains(part), "{error}");
        assert_eq!(error.kind(), ErrorKind::RetryLater);
    }
    let _ = web;
}

/// Beginnings of answers that no ZooKeeper gives: each is an error, and none waits or takes memory.
#[tokio::test]
async fn what_answers_and_is_no_zookeeper_is_told_of() {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    for (bytes, part) in [
        (&b"HTTP/1.1 400 Bad Request\r\n\r\n"[..], "is no ZooKeeper"),
        (b"\xff\xff\xff\xff", "is no ZooKeeper"),
        (b"\0\0\0\x02\0\0", "ends early"),
        (b"\0\0\0\x08\0\0\0\0\0\0\0\0", "it gives no session"),
        (b"\0\0", "closed the connection"),
    ] {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let _ = stream.read_exact(&mut [0; 49]).await;
            let _ = stream.write_all(bytes).await;
        });
        let error = fetch(&address).await.unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
}

#[tokio::test]
async fn a_cloud_client_needs_to_know_no_node() {
    let (near, far) = (Server::answering(ok("near")).await, Server::answering(ok("far")).await);
    let zookeeper = ZooKeeper::start(&[]).await;
    let node = |server: &Server| format!("{}_solr", server.url.authority());
    for server in [&near, &far] {
        zookeeper.set(&format!("/live_nodes/{}", node(server)), "");
    }
    let replica = |server: &Server, kind: &str, leads: &str| serde_json::json!({"core": "c", "node_name": node(server), "state": "active", "type": kind, "leader": leads});
    let replicas =
        serde_json::json!({"n1": replica(&far, "NRT", "true"), "n2": replica(&near, "PULL", "false")});
    let films =
        serde_json::json!({"films": {"shards": {"s": {"range": "80000000-7fffffff", "replicas": replicas}}}});
    zookeeper.set("/collections/films/state.json", &films.to_string());
    let source: ZooKeeperState = zookeeper.address.parse().unwrap();
    let place = |server: &Server, zone: &str| Endpoint::from(server.url.clone()).in_zone(zone);
    let endpoints = vec![place(&near, "here"), place(&far, "there")];
    let options = ClientOptions { preferences: vec!["zone:here".parse().unwrap()], ..options() };
    let client = CloudClient::with_endpoints(source, endpoints, None, options);
    for _ in 0..5 {
        let found = client.search("films", Request::get("films/select", &[("q", "x")])).await.unwrap();
        assert_eq!(found.body, "near");
    }
    let update = Request::post("films/update", &[], "application/json", r#"[{"id":"7"}]"#);
    assert_eq!(client.update("films", Some("7"), update).await.unwrap().body, "far");
    let error = client.search("gone", Request::get("gone/select", &[])).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::RetryLater);
}
