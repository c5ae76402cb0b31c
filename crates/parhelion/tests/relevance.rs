//! Relevance, end to end: the catalogue of `relevance/` in a real server, its two pinned queries with and
//! without what makes them right, and `parhelion relevance test` over its judgments.

#[allow(dead_code, reason = "each test file uses its own part")]
mod support;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

use support::{Blocking, Server};

fn shipped(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

fn text(path: &str) -> String {
    std::fs::read_to_string(shipped(path)).expect(path)
}

/// A server with the catalogue and no list yet.
fn catalogue(data: &Path) -> Server {
    let server = Server::start_with(data, &["--configset-dir", shipped("configsets").to_str().unwrap()]);
    let solr = server.client();
    let create = [("action", "CREATE"), ("name", "catalogue"), ("configSet", "catalogue")];
    solr.json("admin/cores", &create);
    let documents = text("relevance/catalogue.json");
    solr.post_json("catalogue/update", &[("commit", "true")], documents).unwrap().ok().unwrap();
    server
}

/// Puts the lists into use.
fn put_lists(solr: &Blocking) {
    for list in ["synonyms", "stopwords"] {
        let path = format!("catalogue/schema/analysis/{list}/english");
        solr.post_json(&path, &[], text(&format!("relevance/{list}.json"))).unwrap().ok().unwrap();
    }
    solr.json("admin/cores", &[("action", "RELOAD"), ("core", "catalogue")]);
}

/// The ids of the first hits.
fn found(solr: &Blocking, handler: &str, query: &str) -> Vec<String> {
    let answer = solr.json(&format!("catalogue/{handler}"), &[("q", query), ("fl", "id"), ("rows", "6")]);
    let documents = answer["response"]["docs"].as_array().unwrap_or_else(|| panic!("{answer}"));
    documents.iter().map(|document| document["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn renew_my_mortgage_finds_the_remortgage_page_through_managed_synonyms() {
    let data = tempfile::tempdir().unwrap();
    let server = catalogue(data.path());
    let solr = server.client();
    let first = |query| found(&solr, "search", query).into_iter().next().unwrap_or_default();
    assert_ne!(first("renew my mortgage"), "page-remortgage", "there are no synonyms yet");
    put_lists(&solr);
    assert_eq!(first("renew my mortgage"), "page-remortgage");
    // The list is on disk, not only in use.
    drop(server);
    let server = Server::start_with(data.path(), &[]);
    assert_eq!(found(&server.client(), "search", "renew my mortgage")[0], "page-remortgage");
}

#[test]
fn red_shirt_finds_red_shirts_before_the_brand_red_foo() {
    let data = tempfile::tempdir().unwrap();
    let server = catalogue(data.path());
    let solr = server.client();
    put_lists(&solr);
    let (naive, aware) = (found(&solr, "naive", "red shirt"), found(&solr, "search", "red shirt"));
    assert!(naive[0].starts_with("foo-shirt-"), "one heap of words prefers the brand: {naive:?}");
    assert!(aware[..4].iter().all(|id| id.starts_with("shirt-red-")), "{aware:?}");
    let brand = found(&solr, "search", "red foo");
    assert!(brand[..4].iter().all(|id| id.starts_with("foo-")), "the brand is still found: {brand:?}");
}

fn test(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_parhelion"));
    command.args(["relevance", "test"]).arg(shipped("relevance/judgments.txt")).args(arguments);
    command.env_remove("PARHELION_COLLECTION").output().unwrap()
}

#[test]
fn the_judgments_are_met_and_a_gate_below_fails() {
    let data = tempfile::tempdir().unwrap();
    let server = catalogue(data.path());
    let queries = shipped("relevance/queries.tsv");
    let asked = ["--queries", queries.to_str().unwrap(), "--url", &server.url, "-c", "catalogue", "--json"];
    let ask = |more: &[&str]| test(&[&asked, more].concat());
    let json = |output: &Output| -> Value { serde_json::from_slice(&output.stdout).unwrap() };

    let file = data.path().join("naive.run");
    let file = file.to_str().unwrap();
    let naive = ask(&["--handler", "/naive", "--write-run", file, "--gate", "nDCG@10>=0.95"]);
    assert_eq!(naive.status.code(), Some(1));
    let said = String::from_utf8_lossy(&naive.stderr).into_owned();
    assert!(said.contains("below the gate 0.95"), "{said}");

    put_lists(&server.client());
    let gates = ["--gate", "nDCG@10>=0.95", "--gate", "RR>=0.95"];
    let search = ask(&[&["--handler", "/search", "--baseline", file][..], &gates].concat());
    assert!(search.status.success(), "{}", String::from_utf8_lossy(&search.stderr));
    let report = json(&search);
    assert_eq!(report["queries"]["renew-mortgage"]["RR"], 1.0);
    assert!(report["baseline"]["nDCG@10"]["won"].as_array().unwrap().iter().any(|id| id == "red-shirt"));

    // A run that was written measures as the answers did.
    let again = test(&["--run", file, "--json"]);
    assert_eq!(json(&again)["means"], json(&naive)["means"]);
}

#[test]
fn wrong_usage_says_what_to_do() {
    let data = tempfile::tempdir().unwrap();
    let file = data.path().join("other.tsv");
    std::fs::write(&file, "other\tred shirt\n").unwrap();
    let other = ["--queries", file.to_str().unwrap(), "-c", "x", "--url", "http://127.0.0.1:1"];
    let check = |arguments: &[&str], code: i32, expected: &str| {
        let output = test(arguments);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(code) && said.contains(expected), "{arguments:?}: {said}");
    };
    check(&[], 2, "--queries");
    check(&["--run", "no-such.run"], 1, "cannot read `no-such.run`");
    check(&["--run", "x", "--measure", "ndcg@10"], 2, "`ndcg@10` is no measure; use nDCG@k");
    check(&["--run", "x", "--gate", "RR>1"], 2, "write it as `nDCG@10>=0.8`");
    check(&other, 1, "their ids must agree");
}
