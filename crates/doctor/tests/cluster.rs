//! Clusters that are asked: two nodes and one, made of answers as recorded (Solr 9.10.1), over HTTP; such as
//! cut off, refuse and do not answer; and certificates as served.
#![cfg(target_os = "linux")]

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use client::{Login, SolrUrl, Tls};
use doctor::cluster::{ClockRead, ClusterFacts, ClusterOptions, ask, lint};
use doctor::render;

/// What a node answers to a path with its parameters: a status and a body.
type Answers = fn(&str) -> (u16, String);

/// Nodes that answer; each knows the other's address.
struct Nodes {
    addresses: Vec<String>,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Nodes {
    fn start(answers: &[Answers]) -> Self {
        Self::start_beside(answers, &[])
    }

    /// In a cloud with others that are elsewhere.
    fn start_beside(answers: &[Answers], others: &[String]) -> Self {
        let listeners: Vec<TcpListener> =
            answers.iter().map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
        let own = listeners.iter().map(|listener| listener.local_addr().unwrap().to_string());
        let addresses: Vec<String> = own.chain(others.iter().cloned()).collect();
        let asked = Arc::new(Mutex::new(Vec::new()));
        for (listener, answers) in listeners.into_iter().zip(answers.iter().copied()) {
            let (addresses, asked) = (addresses.clone(), asked.clone());
            thread::spawn(move || {
                for stream in listener.incoming().flatten() {
                    answer(&stream, answers, &addresses, &asked);
                }
            });
        }
        Self { addresses, asked }
    }

    fn options(&self) -> ClusterOptions {
        ClusterOptions {
            url: self.addresses[0].parse().unwrap(),
            tls: Tls::default(),
            patience: Duration::from_secs(20),
            watch: Duration::from_millis(1),
            // When the answers were recorded.
            now_ms: || 1_795_422_060_000,
        }
    }

    fn asked(&self, word: &str) -> usize {
        self.asked.lock().unwrap().iter().filter(|asked| asked.contains(word)).count()
    }
}

/// One request a connection; the asker connects again.
fn answer(mut stream: &TcpStream, answers: Answers, addresses: &[String], asked: &Mutex<Vec<String>>) {
    let head: Vec<String> =
        BufReader::new(stream).lines().map_while(Result::ok).take_while(|line| !line.is_empty()).collect();
    let Some(path) = head.first().and_then(|line| line.split(' ').nth(1)) else { return };
    asked.lock().unwrap().push(head.join("\n"));
    let (status, mut body) = answers(path);
    for (mark, address) in ["{a}", "{b}"].into_iter().zip(addresses) {
        body = body.replace(mark, address);
    }
    let length = body.len();
    let _ =
        write!(stream, "HTTP/1.1 {status} x\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}");
}

fn recorded(name: &str) -> (u16, String) {
    let path = format!("{}/tests/cluster/{name}.json", env!("CARGO_MANIFEST_DIR"));
    (200, std::fs::read_to_string(path).unwrap())
}

/// As a node of the cloud answers.
fn cloud(path: &str) -> (u16, String) {
    let all = path.contains("nodes=all");
    recorded(match path.split('?').next().unwrap_or_default() {
        "/solr/admin/info/system" if all => "cloud/system-all",
        "/solr/admin/info/system" => "cloud/system",
        "/solr/admin/collections" => "cloud/status",
        "/solr/admin/metrics" if all => "cloud/metrics",
        "/solr/admin/info/logging" if all => "cloud/logging",
        "/solr/admin/info/properties" => "cloud/properties",
        path if path.ends_with("/admin/system") => "cloud/core-system",
        path if path.ends_with("/schema") => "cloud/schema",
        path if path.ends_with("/config") => "cloud/config",
        _ => return (404, "{}".to_owned()),
    })
}

fn run(options: &ClusterOptions) -> Result<ClusterFacts, client::Error> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(ask(options))
}

fn names(facts: &ClusterFacts) -> Vec<String> {
    lint(facts).into_iter().map(|finding| finding.name).collect()
}

#[test]
fn a_cloud_of_two_nodes() {
    let nodes = Nodes::start(&[cloud, cloud]);
    let facts = run(&nodes.options()).unwrap();
    assert_eq!((facts.nodes.len(), facts.collections.len(), facts.log.len()), (2, 3, 10));
    // Both have the clock of the recording, and tell it by themselves.
    assert!(facts.nodes.iter().all(|node| node.clock.is_some_and(|clock| clock.read == ClockRead::Now)));
    let settings: Vec<bool> = facts.replicas().map(|(.., replica)| replica.settings.is_some()).collect();
    assert_eq!(settings.iter().filter(|known| **known).count(), 6, "books is alone with its configset");
    // The nodes of the recording were on one machine.
    assert_eq!(names(&facts), ["log-errors", "one-host", "log-errors"]);
    let untold = ["zones: no node", "swap, limits", "certificates: no node was asked by TLS"];
    assert_eq!(facts.unseen.len(), untold.len(), "{:?}", facts.unseen);
    assert!(untold.iter().zip(&facts.unseen).all(|(words, line)| line.starts_with(words)));
    let text = render::cluster(&facts, &lint(&facts));
    for words in [
        "2 nodes, 3 collections, 4 shards, 10 lines",
        "52.7 GiB of 252.0 GiB",
        "RequestHandlerBase: Client exception",
    ] {
        assert!(text.contains(words), "`{words}` is not in\n{text}");
    }
}

#[test]
fn a_configset_that_one_node_has_not_loaded() {
    let old: Answers = |path| match path.contains("/schema") {
        true => (200, r#"{"schema": {"name": "peers", "fields": []}}"#.to_owned()),
        false => cloud(path),
    };
    let facts = run(&Nodes::start(&[cloud, old]).options()).unwrap();
    let found = lint(&facts);
    let settings = found.iter().find(|finding| finding.name == "settings-differ").unwrap();
    assert!(settings.measured.contains("of films.AUTOCREATED work by another"), "{}", settings.measured);
}

#[test]
fn a_server_alone_is_not_asked_what_it_would_refuse() {
    let alone: Answers = |path| match path.split('?').next().unwrap_or_default() {
        _ if path.contains("nodes=all") => (400, "{}".to_owned()),
        "/solr/admin/info/system" => recorded("alone/system"),
        "/solr/admin/metrics" => recorded("alone/metrics"),
        "/solr/admin/info/logging" => recorded("alone/logging"),
        _ => (400, "{}".to_owned()),
    };
    let nodes = Nodes::start(&[alone]);
    let facts = run(&nodes.options()).unwrap();
    assert_eq!((nodes.asked("nodes="), nodes.asked("collections")), (0, 0));
    assert_eq!((facts.nodes.len(), facts.nodes[0].disk.total_bytes), (1, Some(270_553_174_016)));
    assert!(facts.unseen[0].starts_with("leaders, replicas and shards: this Solr runs without ZooKeeper"));
}

#[test]
fn what_is_cut_off_or_refused_is_said() {
    let cut: Answers = |path| {
        let (status, body) = cloud(path);
        match path {
            path if path.contains("metrics") => (status, body[..body.len() / 2].to_owned()),
            path if path.contains("logging") => (403, "<html>".to_owned()),
            path if path.contains("/config") => (200, "[]".to_owned()),
            _ => (status, body),
        }
    };
    let nodes = Nodes::start(&[cut, |_| (500, String::new())]);
    let facts = run(&nodes.options()).unwrap();
    let said = facts.unseen.join("\n");
    let refused = format!("/admin/system of http://{}/solr: ", nodes.addresses[1]);
    for words in [
        refused.as_str(),
        "admin/metrics: the answer is not JSON",
        "admin/info/logging: ",
        "(status 403)",
        "the disk of",
        "(status 500)",
    ] {
        assert!(said.contains(words), "`{words}` is not in\n{said}");
    }
    assert_eq!((facts.watched_ms, facts.log.len()), (0, 0));
    assert!(facts.replicas().all(|(.., replica)| replica.settings.is_none()));
}

/// An address where nobody listens.
fn nowhere() -> String {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string()
}

#[test]
fn a_node_that_is_gone_is_asked_once() {
    let gone = nowhere();
    let facts = run(&Nodes::start_beside(&[cloud], std::slice::from_ref(&gone)).options()).unwrap();
    let said = facts.unseen.iter().filter(|line| line.contains(&gone)).count();
    assert_eq!(said, 1, "{:?}", facts.unseen);
}

#[test]
fn names_in_the_state_ask_for_nothing() {
    let hostile: Answers = |path| match path.contains("CLUSTERSTATUS") {
        true => {
            let (status, body) = cloud(path);
            (status, body.replace("films_shard1_replica_n4", "admin/collections?action=DELETE&name=films&"))
        }
        false => cloud(path),
    };
    let nodes = Nodes::start(&[hostile, cloud]);
    run(&nodes.options()).unwrap();
    assert_eq!((nodes.asked("DELETE"), nodes.asked("action=")), (0, 1));
}

#[test]
fn a_login_goes_to_every_node_and_is_not_shown() {
    let nodes = Nodes::start(&[cloud, cloud]);
    let mut options = nodes.options();
    options.url = options.url.with_login(Some(Login::user("ops:secret").unwrap()));
    let facts = run(&options).unwrap();
    assert_eq!(nodes.asked("authorization: Basic"), nodes.asked("GET "));
    assert!(!serde_json::to_string(&facts).unwrap().contains("secret"));
}

#[test]
fn nobody_there_is_an_error() {
    let url: SolrUrl = nowhere().parse().unwrap();
    let nodes = Nodes::start(&[cloud]);
    assert!(run(&ClusterOptions { url, ..nodes.options() }).is_err());
    let refusing = Nodes::start(&[|_| (401, String::new())]);
    assert!(run(&refusing.options()).is_err());
}
