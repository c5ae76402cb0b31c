//! The binary where people log in: it does not open by accident, keeps what it was given, and its own
//! commands log in.

#[allow(dead_code, reason = "each test file uses its own part")]
mod support;

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output};

use support::Server;

const SECURITY: &str = r#"{"authentication":{"class":"solr.BasicAuthPlugin","credentials":{
    "solr":"IV0EHq1OnNrj6gvRCwvFwTrZ1+z1oBbnQdiVC3otuq0= Ndd7LKvVBAaZIF0QAVi1ekCfAJXr1GGfLtRUXhgrF8c="}}}"#;

fn run(words: &[&str], environment: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_parhelion"));
    command.args(words).envs(environment.iter().copied()).output().expect("the binary runs")
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a path that is text")
}

#[test]
fn a_server_does_not_open_by_accident() {
    let folder = tempfile::tempdir().unwrap();
    let data = text(folder.path());
    let output = run(&["serve", "--host", "0.0.0.0", "--port", "0", "--data-dir", data], &[]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success(), "{said}");
    assert!(said.contains("--security FILE") && said.contains("--insecure-open"), "{said}");
    std::fs::write(
        folder.path().join("security.json"),
        r#"{"authentication":{"class":"solr.JWTAuthPlugin"}}"#,
    )
    .unwrap();
    std::fs::set_permissions(folder.path().join("security.json"), Permissions::from_mode(0o640)).unwrap();
    let output = run(&["serve", "--port", "0", "--data-dir", data], &[]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && said.contains("`solr.JWTAuthPlugin`"), "{said}");
    assert!(said.contains("`chmod 600 ") && said.matches("chmod").count() == 1, "{said}");
}

#[test]
fn commands_log_in() {
    let folder = tempfile::tempdir().unwrap();
    let (data, file) = (folder.path().join("data"), folder.path().join("security.json"));
    let user_file = folder.path().join("user");
    std::fs::write(&file, SECURITY).unwrap();
    std::fs::write(&user_file, "solr:SolrRocks\n").unwrap();
    let mut server = Server::start_with(&data, &["--security", text(&file)]);
    server.kill();
    let kept = data.join("security.json").metadata().unwrap().permissions();
    assert_eq!(kept.mode() & 0o777, 0o600);
    // What was given at the first start counts at the next.
    std::fs::remove_file(&file).unwrap();
    let server = Server::start_with(&data, &[]);
    let ask = |words: &[&str], environment: &[(&str, &str)]| {
        let output =
            run(&[&["query", "--url", &server.url, "-c", "none", "*:*"], words].concat(), environment);
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert!(ask(&[], &[]).contains("the server asks who you are"));
    assert!(ask(&["--user", "solr:wrong"], &[]).contains("the server asks who you are"));
    for said in [
        ask(&["--user", "solr:SolrRocks"], &[]),
        ask(&["--user-file", text(&user_file)], &[]),
        ask(&[], &[("PARHELION_USER", "solr:SolrRocks")]),
    ] {
        assert!(said.contains("there is no such collection") && !said.contains("SolrRocks"), "{said}");
    }
    assert!(!ask(&["--user", "SolrRocks"], &[]).contains("SolrRocks"));
}
