//! The lab end to end, small: a real server, real HTTP, every workload that indexes, with the server as its
//! own peer, so that answers must agree; then a report, and the report replayed. Nothing here judges a
//! figure.

#[allow(dead_code, reason = "each test file uses its own part")]
mod support;

use std::fs;
use std::process::Command;

use serde_json::Value;

use support::Server;

/// Small enough for a debug build: one short pair, no warm-up.
const SMALL: [&str; 8] = ["--pairs", "1", "--slice", "5", "--warm-max", "0", "--connections", "1"];

/// Runs `parhelion lab`; its standard output as JSON.
fn lab(arguments: &[&str]) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_parhelion")).arg("lab").args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn run(workload: &str, server: &Server, more: &[&str]) -> Value {
    let mut arguments = vec!["run", workload, "--url", &server.url, "--json"];
    arguments.extend(SMALL);
    arguments.extend(more);
    lab(&arguments)
}

/// Every case was asked, its answers agreed, and its arms were timed without errors.
fn check(run: &Value, cases: usize) {
    let found = run["cases"].as_array().unwrap();
    let skipped = run["skipped"].as_array().unwrap();
    assert_eq!(found.len() + skipped.len(), cases, "{skipped:?}");
    for case in found {
        assert!(case["agreement"]["equal"].is_object(), "{case}");
        for arm in case["arms"].as_array().unwrap() {
            assert_eq!(arm["ours"]["errors"], 0, "{case}");
            assert!(arm["ours"]["requests"].as_u64().unwrap() > 0, "{case}");
        }
    }
}

#[test]
fn every_workload_runs_and_its_answers_agree() {
    let data = tempfile::tempdir().unwrap();
    let server = Server::start(data.path());
    for (workload, cases) in [("fruit", 12), ("zipf", 32), ("rows", 4)] {
        check(&run(workload, &server, &["--docs", "300", "--peer", &server.url]), cases);
    }
    check(&run("keepalive", &server, &["--docs", "300"]), 6);
}

#[test]
fn an_open_loop_has_a_curve_and_a_report_that_replays() {
    let data = tempfile::tempdir().unwrap();
    let server = Server::start(data.path());
    let report = data.path().join("report.html");
    let report = report.to_str().unwrap();
    let first = run("fruit", &server, &["--docs", "100", "--case", "delta", "--open", "500", "--curve"]);
    let arms = first["cases"][0]["arms"].as_array().unwrap();
    let open = arms.iter().filter(|arm| arm["shape"]["open"].is_object()).count();
    assert!(arms.len() - open == 1 && open > 2, "a closed loop, a rate, shares of the peak");
    let then = run("fruit", &server, &["--docs", "100", "--case", "delta", "--report", report]);
    let page = fs::read_to_string(report).unwrap();
    assert!(page.starts_with("<!doctype html>") && page.contains("<svg"));
    let replayed = lab(&["replay", report, "--json"]);
    assert_eq!(replayed["run"]["manifest"]["options"]["cases"][0], "delta");
    // On a busy machine the one arm may be void, and what did not count then has nothing to be compared with.
    let counted = then["cases"][0]["arms"].as_array().unwrap().iter();
    let counted = counted.filter(|arm| arm["void"].as_array().is_none_or(Vec::is_empty)).count();
    assert_eq!(replayed["changes"].as_array().unwrap().len(), counted);
}

#[test]
fn a_wrong_count_voids_the_case() {
    let data = tempfile::tempdir().unwrap();
    let server = Server::start(data.path());
    run("fruit", &server, &["--docs", "300", "--case", "kilo"]);
    let client = server.client();
    let delete = r#"{"delete":{"id":"7"}}"#.to_owned();
    client.post_json("lab_fruit/update", &[("commit", "true")], delete).unwrap().ok().unwrap();
    let run = run("fruit", &server, &["--docs", "300", "--case", "kilo", "--no-index"]);
    let reason = run["cases"][0]["agreement"]["void"]["reason"].as_str().unwrap();
    assert!(reason.starts_with("found 299 documents where the generator put 300"), "{reason}");
    assert!(run["cases"][0]["arms"].as_array().unwrap().is_empty());
}

#[test]
fn wrong_usage_says_what_to_do() {
    let check = |arguments: &[&str], expected: &str| {
        let output =
            Command::new(env!("CARGO_BIN_EXE_parhelion")).arg("lab").args(arguments).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains(expected), "{arguments:?}: {said}");
    };
    check(&["run", "nuts"], "`nuts` is no workload; `parhelion lab list` shows them");
    check(&["run", "fruit", "--open", "0"], "a rate must be above 0");
    check(&["replay", "no-such-report.html"], "cannot read `no-such-report.html`");
}
