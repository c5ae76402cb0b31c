//! The cluster's client and the stream of updates, against servers that are scripted.

mod support;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use client::{
    CloudClient, ClusterState, ClusterStateSource, Error, ErrorKind, Fetching, HttpClusterState, Login,
    Replica, Request, Shard, SolrUrl, StaticEndpoints, UpdateOptions, UpdateStream, UpdateTotals,
};
use support::{Act, Server, answer, ok, options};

fn state(leader: &SolrUrl, other: &SolrUrl) -> ClusterState {
    let replica = |url: &SolrUrl, leads| Replica {
        core: "films_1".to_owned(),
        url: url.clone(),
        leads,
        kind: "NRT".to_owned(),
    };
    let replicas = vec![replica(leader, true), replica(other, false)];
    let shard = Shard { name: "shard1".to_owned(), range: Some((i32::MIN, i32::MAX)), replicas };
    ClusterState {
        collections: BTreeMap::from([("films".to_owned(), vec![shard])]),
        aliases: BTreeMap::new(),
    }
}

fn update() -> Request {
    Request::post("films/update", &[], "application/json", "[]")
}

#[tokio::test]
async fn updates_go_to_leaders_and_searches_to_all() {
    let (leader, other) = (Server::answering(ok("{}")).await, Server::answering(ok("{}")).await);
    let login = Login::user("solr:secret").unwrap();
    let client = CloudClient::new(state(&leader.url, &other.url), Some(login), options());
    for id in [Some("7"), Some("a/3!b"), None] {
        client.update("films", id, update()).await.unwrap();
    }
    assert_eq!((leader.requests(), other.requests()), (3, 0));
    for _ in 0..100 {
        client.search("films", Request::get("films/select", &[])).await.unwrap();
    }
    assert!(leader.requests() > 20 && other.requests() > 20);
    assert!(other.seen(|seen| seen.requests[0].contains("authorization: Basic ")));
    let error = client.search("gone", Request::get("gone/select", &[])).await.unwrap_err();
    assert!(matches!(error, Error::NoEndpoint(_)), "{error}");
}

/// The leader goes; the state that is asked for then names another.
#[tokio::test]
async fn a_state_that_is_old_is_asked_for_anew() {
    struct Moving {
        states: [ClusterState; 2],
        fetched: Arc<AtomicUsize>,
    }
    impl ClusterStateSource for Moving {
        fn fetch(&self) -> Fetching<'_> {
            let number = self.fetched.fetch_add(1, Ordering::Relaxed);
            Box::pin(async move { Ok(self.states[number.min(1)].clone()) })
        }
    }
    let (old, new) = (Server::answering(ok("{}")).await, Server::answering(ok("{}")).await);
    let fetched = Arc::new(AtomicUsize::new(0));
    let states = [state(&old.url, &new.url), state(&new.url, &old.url)];
    let client = CloudClient::new(Moving { states, fetched: fetched.clone() }, None, options());
    client.update("films", Some("7"), update()).await.unwrap();
    let address = old.url.authority().to_owned();
    assert_eq!((old.requests(), fetched.load(Ordering::Relaxed)), (1, 1));
    drop(old);
    // Nothing listens there any more once its listener is gone.
    while tokio::net::TcpStream::connect(&address).await.is_ok() {
        tokio::task::yield_now().await;
    }
    // A state is not asked for more than once a second.
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(2)).await;
    tokio::time::resume();
    assert_eq!(client.update("films", Some("7"), update()).await.unwrap().status, 200);
    assert_eq!((new.requests(), fetched.load(Ordering::Relaxed)), (1, 2));
}

#[tokio::test]
async fn the_state_comes_from_any_node() {
    let body = r#"{"cluster":{"live_nodes":["n:1_solr"],"collections":{"films":{"shards":{"shard1":{"replicas":{"n1":
        {"core":"c","node_name":"n:1_solr","state":"active","base_url":"http://n:1/solr","leader":"true"}}}}}}}}"#;
    let node = Server::answering(ok(body)).await;
    let source = HttpClusterState::new(&StaticEndpoints::new([node.url.clone()]), options());
    let state = source.fetch().await.unwrap();
    assert_eq!(state.shards("films")[0].replicas[0].url.to_string(), "http://n:1/solr");
    let wrong = Server::answering(answer("500 Oops", &[], b"")).await;
    let source = HttpClusterState::new(&StaticEndpoints::new([wrong.url.clone()]), options());
    assert!(matches!(source.fetch().await, Err(Error::Status { status: 500, .. })));
}

/// The documents of an update's body.
fn ids(request: &str) -> Vec<u64> {
    let body = request.split("\r\n\r\n").nth(1).unwrap_or_default();
    let docs: Vec<serde_json::Value> = serde_json::from_str(body).unwrap();
    docs.iter().map(|doc| doc["id"].as_u64().unwrap()).collect()
}

/// Streams this many documents to a server; what the server saw, what the callback was told, and the totals.
async fn stream(
    server: &Server,
    count: u64,
    options_changed: impl FnOnce(&mut UpdateOptions),
) -> (Vec<u64>, Vec<(usize, ErrorKind)>, UpdateTotals) {
    let told: Arc<Mutex<Vec<(usize, ErrorKind)>>> = Arc::default();
    let mut update_options = UpdateOptions { linger: Duration::from_millis(1), ..UpdateOptions::default() };
    options_changed(&mut update_options);
    let (telling, servers) = (told.clone(), StaticEndpoints::new([server.url.clone()]));
    let stream = UpdateStream::start(&servers, options(), "films", update_options, move |failed| {
        telling.lock().unwrap().push((failed.docs.len(), failed.error.kind()));
    });
    for id in 0..count {
        stream.add(format!("{{\"id\":{id}}}")).await.unwrap();
    }
    let totals = stream.finish().await;
    let mut seen: Vec<u64> =
        server.seen(|seen| seen.requests.iter().flat_map(|request| ids(request)).collect());
    seen.sort_unstable();
    let told = told.lock().unwrap().clone();
    (seen, told, totals)
}

#[tokio::test]
async fn every_document_arrives_once() {
    let server = Server::answering(ok("{}")).await;
    let (seen, told, totals) = stream(&server, 10_000, |options| {
        options.batch_docs_max = 300;
        options.buffer_bytes_max = 4096;
        options.params = vec![("commitWithin".to_owned(), "1000".to_owned())];
    })
    .await;
    assert!(seen.iter().copied().eq(0..10_000) && told.is_empty());
    assert_eq!(totals, UpdateTotals { acknowledged: 10_000, failed: 0 });
    let first = server.seen(|seen| seen.requests[0].clone());
    assert!(first.starts_with("POST /solr/films/update?wt=json&commitWithin=1000 "), "{first}");
}

#[tokio::test]
async fn what_is_not_acknowledged_is_told_of() {
    let server = Server::start(|number, _| match number {
        0 => Act::AnswerThenReset(Vec::new()),
        1 => Act::Answer(answer("400 Bad Request", &[], br#"{"error":{"msg":"unknown field","code":400}}"#)),
        2 => Act::Answer(answer("429 Too Many Requests", &["retry-after: 0"], b"")),
        _ => Act::Answer(ok("{}")),
    })
    .await;
    let (seen, told, totals) = stream(&server, 100, |options| {
        options.streams = 1;
        options.batch_docs_max = 10;
    })
    .await;
    let (failed, kinds): (Vec<usize>, Vec<ErrorKind>) = told.into_iter().unzip();
    assert_eq!(kinds, [ErrorKind::OutcomeUnknown, ErrorKind::FixRequest]);
    let failed = failed.iter().sum::<usize>() as u64;
    assert_eq!(totals, UpdateTotals { acknowledged: 100 - failed, failed });
    // Only what was refused unread is seen twice.
    assert!(seen.len() > 100 && seen.len() <= 110);
}

/// A server that began says so with 503, whatever it asks for besides; one that did not, with 429.
#[tokio::test]
async fn a_batch_of_which_a_part_may_be_done_is_not_sent_again() {
    let message = r#"{"error":{"msg":"only the first 3 commands of this update are done","code":503}}"#;
    for (status, kind) in [("503 Service Unavailable", Some(ErrorKind::OutcomeUnknown)), ("429 Busy", None)] {
        let server = Server::start(move |number, _| match number {
            0 => Act::Answer(answer(status, &["retry-after: 0"], message.as_bytes())),
            _ => Act::Answer(ok("{}")),
        })
        .await;
        let (seen, told, totals) = stream(&server, 5, |options| {
            options.linger = Duration::from_secs(60);
            options.batch_docs_max = 5;
        })
        .await;
        assert_eq!(told, kind.map(|kind| (5, kind)).into_iter().collect::<Vec<_>>());
        let sent = if kind.is_some() { 1 } else { 2 };
        assert_eq!((server.requests(), seen.len()), (sent, 5 * sent), "{status}");
        assert_eq!(totals.failed, if kind.is_some() { 5 } else { 0 });
    }
}

#[tokio::test]
async fn what_is_no_document_is_refused_at_once() {
    let server = Server::answering(ok("{}")).await;
    let servers = StaticEndpoints::new([server.url.clone()]);
    let stream = UpdateStream::start(&servers, options(), "films", UpdateOptions::default(), |_| ());
    for json in ["", "[]", "{", "{\"id\":1},{\"id\":2}", "7"] {
        assert!(matches!(stream.add(json).await, Err(Error::Request(_))), "{json}");
    }
    assert_eq!(stream.finish().await, UpdateTotals::default());
    assert_eq!(server.requests(), 0);
}
