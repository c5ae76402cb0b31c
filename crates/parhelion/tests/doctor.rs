//! `parhelion doctor cluster` and `lab jitter` beside a real server, as somebody types them.
#![cfg(target_os = "linux")]

#[allow(dead_code, reason = "each test file uses its own part")]
mod support;

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::process::{Command, Output};

use serde_json::Value;
use support::Server;

fn run(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_parhelion")).args(words).output().expect("the binary runs")
}

fn json(words: &[&str]) -> Value {
    let output = run(words);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn a_server_of_our_own_is_asked_for_all_that_it_tells() {
    let data = tempfile::tempdir().unwrap();
    let server = Server::start(data.path());
    server.client().create_collection("films", 1);
    let told = json(&["doctor", "cluster", &server.url, "--seconds", "0", "--json"]);
    let facts = &told["facts"];
    let node = &facts["nodes"][0];
    assert_eq!(node["version"], concat!("Parhelion ", env!("CARGO_PKG_VERSION")));
    assert_eq!((&facts["live_nodes"][0], facts["nodes"].as_array().map(Vec::len)), (&node["name"], Some(1)));
    assert!(node["disk"]["total_bytes"].as_u64().is_some_and(|bytes| bytes > 0), "{node}");
    // Its clock is this machine's.
    assert!(node["clock"]["ahead_ms"].as_i64().is_some_and(|ms| ms.abs() < 1_000), "{node}");
    let replica = &facts["collections"][0]["shards"][0]["replicas"][0];
    assert_eq!((&replica["leader"], &replica["requests"]), (&true.into(), &0.into()));
    // What its host is like is this machine's matter; each such finding names the node.
    let own = node["own"].as_array().unwrap();
    let found = told["findings"].as_array().unwrap();
    let is_hosts = |finding: &Value| own.iter().any(|one| one["name"] == finding["name"]);
    let others: Vec<&Value> =
        found.iter().filter(|finding| finding["name"] != "disk" && !is_hosts(finding)).collect();
    assert!(others.is_empty(), "nothing is wrong with it but, it may be, its disk: {others:?}");
    let name = node["name"].as_str().unwrap();
    let named = |finding: &Value| finding["measured"].as_str().is_some_and(|words| words.starts_with(name));
    assert!(found.iter().filter(|finding| is_hosts(finding)).all(named), "{found:?}");
    let text = String::from_utf8(run(&["doctor", "cluster", &server.url, "--seconds", "0"]).stdout).unwrap();
    for words in ["1 node, 1 collection, 1 shard", "not told: growth of the disks and hot shards"] {
        assert!(text.contains(words), "`{words}` is not in\n{text}");
    }
}

#[test]
fn a_certificate_that_has_ended_is_told_of_though_nobody_trusts_it() {
    let folder = tempfile::tempdir().unwrap();
    let [certificate, key, data] = ["cert.pem", "key.pem", "data"].map(|name| folder.path().join(name));
    let mut params = rcgen::CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
    params.not_after = rcgen::date_time_ymd(2020, 1, 1);
    let own = rcgen::KeyPair::generate().unwrap();
    std::fs::write(&certificate, params.self_signed(&own).unwrap().pem()).unwrap();
    std::fs::write(&key, own.serialize_pem()).unwrap();
    let tls = ["--tls-cert", certificate.to_str().unwrap(), "--tls-key", key.to_str().unwrap()];
    let server = Server::start_with(&data, &tls);
    let told = json(&["doctor", "cluster", &server.url, "--seconds", "0", "--json"]);
    let finding = &told["findings"][0];
    assert_eq!((&finding["name"], &finding["sure"]), (&"certificate".into(), &"certain".into()));
    assert!(finding["measured"].as_str().is_some_and(|words| words.contains(" ended ")), "{finding}");
    let untold = told["facts"]["unseen"][0].as_str().unwrap_or_default();
    assert!(untold.starts_with("admin/info/system: cannot agree on TLS"), "{untold}");
}

#[test]
fn an_authority_of_ones_own_is_trusted_where_it_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let [ca, certificate, key, data] =
        ["ca.pem", "cert.pem", "key.pem", "data"].map(|name| folder.path().join(name));
    let own = rcgen::KeyPair::generate().unwrap();
    let mut params = rcgen::CertificateParams::new(vec![]).unwrap();
    params.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    std::fs::write(&ca, params.self_signed(&own).unwrap().pem()).unwrap();
    let issuer = rcgen::Issuer::new(params, own);
    let servers = rcgen::KeyPair::generate().unwrap();
    let names = vec!["127.0.0.1".to_owned(), "localhost".to_owned()];
    let params = rcgen::CertificateParams::new(names).unwrap();
    std::fs::write(&certificate, params.signed_by(&servers, &issuer).unwrap().pem()).unwrap();
    std::fs::write(&key, servers.serialize_pem()).unwrap();
    let tls = ["--tls-cert", certificate.to_str().unwrap(), "--tls-key", key.to_str().unwrap()];
    let server = Server::start_with(&data, &tls);
    let ask = |more: &[&str]| {
        json(&[&["doctor", "cluster", &server.url, "--seconds", "0", "--json"], more].concat())
    };
    let refused = run(&["doctor", "cluster", &server.url, "--seconds", "0"]);
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(said.contains("admin/info/system: cannot agree on TLS") && said.contains("--ca FILE"), "{said}");
    assert_eq!(refused.status.code(), Some(1));
    let trusted = ask(&["--ca", ca.to_str().unwrap()]);
    assert_eq!(trusted["facts"]["nodes"].as_array().map(Vec::len), Some(1), "{trusted}");
    let output = run(&["doctor", "cluster", &server.url, "--ca", key.to_str().unwrap()]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("cannot trust"), "{said}");
}

#[test]
fn a_bundle_has_our_servers_own_words_and_stacks() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("data"));
    server.client().create_collection("films", 1);
    let (file, log) = (folder.path().join("b.tar.gz"), folder.path().join("a.log"));
    std::fs::write(&log, "2026-11-25T08:00:00Z ERROR forgotten 1\n2026-11-25T10:00:00Z ERROR new 1 token=abc\n2026-11-25T10:00:01Z ERROR new 2 token=def\n").unwrap();
    let (file, log) = (file.to_str().unwrap(), log.to_str().unwrap());
    let packed = run(&["doctor", "bundle", file, "--url", &server.url, "--log-file", log, "--hide-hosts"]);
    assert!(packed.status.success(), "{}", String::from_utf8_lossy(&packed.stderr));
    let again = run(&["doctor", "bundle", file]);
    assert!(!again.status.success() && String::from_utf8_lossy(&again.stderr).contains("not there yet"));
    let read = run(&["doctor", "read", file]);
    let text = String::from_utf8(read.stdout).unwrap();
    for words in ["2 errors in the log of logs/0-a.log", "server/health.json", "stacks of parhelion"] {
        assert!(text.contains(words), "`{words}` is not in\n{text}");
    }
    assert!(!text.contains("forgotten"), "{text}");
}

#[test]
fn where_no_node_answers_is_an_error() {
    let nowhere = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let output = run(&["doctor", "cluster", &nowhere, "--timeout", "5"]);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains(&format!("no server answers at http://{nowhere}/solr")), "{said}");
    assert_eq!(run(&["doctor", "cluster"]).status.code(), Some(2));
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let other = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            // All of the question, or it is cut off.
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}");
        }
    });
    let output = run(&["doctor", "cluster", &other, "--seconds", "0"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("is no Solr"), "{said}");
}

#[test]
fn hiccups_are_measured_beside_a_server() {
    let data = tempfile::tempdir().unwrap();
    let server = Server::start(data.path());
    let small =
        ["lab", "jitter", "--clock-reads", "50", "--ballast-mb", "1", "--seconds", "1", "--rounds", "1"];
    let more = ["--server", &server.url, "--server-path", "admin/info/system", "--no-huge-pages", "--json"];
    let jitter = json(&[&small[..], &more].concat());
    let arms = jitter["arms"].as_array().unwrap();
    let company: Vec<&Value> = arms.iter().map(|arm| &arm["company"]).collect();
    let expected = serde_json::json!([{"neighbours": 0}, {"neighbours": 2}, "server"]);
    assert_eq!(company, expected.as_array().unwrap().iter().collect::<Vec<_>>());
    let asked = &arms[2]["server"];
    assert!(asked["requests"].as_u64().is_some_and(|count| count > 0), "{asked}");
    assert_eq!((&asked["failures"], &jitter["options"]["huge_pages"]), (&0.into(), &false.into()));
    for arm in arms {
        let pieces = arm["buckets"].as_array().unwrap().iter().filter_map(|bucket| bucket["pieces"].as_u64());
        assert_eq!(Some(pieces.sum()), arm["pieces"].as_u64());
    }
    let refused = run(&[&small[..], &["--server", &server.url, "--server-path", "nobody/select"]].concat());
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(
        !refused.status.success() && said.contains("the server refuses what it is to be asked"),
        "{said}"
    );
}
