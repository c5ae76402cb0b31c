//! `parhelion cluster`: one command starts a cluster of this very binary, which goes on without it, is the
//! same again when it is called again, and is gone when told so. The case of a whole life needs a ZooKeeper:
//! Java, and either a ZooKeeper on the machine or Maven to fetch one. Where any of it is missing it says so
//! and does nothing.
#![cfg(target_os = "linux")]
#![allow(clippy::print_stderr)]

use std::ffi::OsStr;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

fn cluster(arguments: &[&str], dir: &Path) -> Command {
    let mut command = parhelion();
    command.arg("cluster").args(arguments).arg("--dir").arg(dir);
    command
}

fn parhelion() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_parhelion"));
    // What whoever runs the tests has set for servers of their own.
    for (name, _) in
        std::env::vars_os().filter(|(name, _)| name.as_encoded_bytes().starts_with(b"PARHELION_"))
    {
        command.env_remove(name);
    }
    command
}

fn run(arguments: &[&str], dir: &Path) -> Output {
    cluster(arguments, dir).output().expect("the binary runs")
}

/// What it prints as JSON, of a call that succeeds.
#[track_caller]
fn told(arguments: &[&str], dir: &Path) -> Value {
    let output = run(&[arguments, &["--json"]].concat(), dir);
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).expect("one JSON object")
}

/// What it says of a call that fails. Its standard output is empty: who reads JSON there reads no half of it.
#[track_caller]
fn refused(mut command: Command) -> String {
    let output = command.output().expect("the binary runs");
    assert!(!output.status.success() && output.stdout.is_empty(), "{output:?}");
    String::from_utf8(output.stderr).expect("text")
}

/// Why a ZooKeeper cannot be started here, if so.
fn missing() -> Option<&'static str> {
    let is_there = |name: &str| {
        let path = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&path).any(|folder| folder.join(name).is_file())
    };
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|it| !it.is_empty());
    let installed = is_set("ZOOKEEPER_HOME") || Path::new("/usr/share/java/zookeeper.jar").exists();
    match (is_there("java") || is_set("JAVA_HOME"), installed || is_there("mvn")) {
        (false, _) => Some("there is no Java"),
        (_, false) => Some("there is no ZooKeeper, and no Maven to fetch it"),
        _ => None,
    }
}

/// Ends what a test that fails has left.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn dir(&self) -> PathBuf {
        self.0.path().join("cluster")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if self.dir().join("cluster.json").exists() {
            let _ = run(&["down", "--timeout", "5"], &self.dir());
        }
    }
}

#[test]
fn a_cluster_goes_on_without_its_command_and_comes_back_as_it_was() {
    if let Some(why) = missing() {
        eprintln!("skipped: {why}");
        return;
    }
    let folder = Folder::new();
    let dir = folder.dir();
    let first = run(&["up", "--nodes", "1", "--json"], &dir);
    let words = String::from_utf8_lossy(&first.stderr);
    if words.contains("Maven cannot fetch ZooKeeper") {
        eprintln!("skipped: {words}");
        return;
    }
    assert!(first.status.success(), "{words}");
    let up: Value = serde_json::from_slice(&first.stdout).expect("one JSON object");
    let node = up["nodes"][0].clone();
    let url = node["url"].as_str().unwrap();
    let status = told(&["status"], &dir);
    assert_eq!(status["healthy"], true, "{status}");
    assert_eq!((&status["nodes"][0]["pid"], &status["nodes"][0]["live"]), (&node["pid"], &true.into()));
    assert_eq!(told(&["up"], &dir), up, "all of it runs already");

    let stopped = told(&["stop", "--node", "1", "--kill"], &dir);
    assert_eq!((&stopped["pid"], &stopped["end"]), (&node["pid"], &"killed".into()));
    let lost = run(&["status", "--json"], &dir);
    let shown: Value = serde_json::from_slice(&lost.stdout).unwrap();
    assert!(
        !lost.status.success() && shown["healthy"] == false && shown["nodes"][0]["runs"] == false,
        "{lost:?}"
    );
    let words = String::from_utf8(lost.stderr).unwrap();
    assert!(words.contains("node 1: gone") && words.contains("cluster up"), "{words}");

    let back = told(&["up"], &dir);
    assert_eq!((&back["nodes"][0]["url"], &back["zkPid"]), (&url.into(), &up["zkPid"]));
    assert_ne!(back["nodes"][0]["pid"], node["pid"]);
    let other = refused(cluster(&["up", "--store", "s3://bucket/other"], &dir));
    assert!(other.contains("this cluster has --store file://"), "{other}");

    let down = told(&["down", "--remove"], &dir);
    let ends = (&down["nodes"][0]["end"], &down["zookeeper"]["end"]);
    assert_eq!(ends, (&"terminated".into(), &"terminated".into()), "{down}");
    assert!(!dir.exists());
}

/// Listens as a ZooKeeper that serves, and has nothing to tell: who asks for a session is left alone. Out: its
/// address. Its thread ends with the tests.
fn silent_zookeeper() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let at = listener.local_addr().expect("an address").to_string();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut word = [0; 4];
            if stream.read_exact(&mut word).is_ok() && &word == b"srvr" {
                let _ = stream.write_all(b"Zookeeper version: 0\nMode: standalone\n");
            }
        }
    });
    at
}

fn record(dir: &Path) -> Value {
    let text = std::fs::read_to_string(dir.join("cluster.json")).expect("a record");
    serde_json::from_str(&text).expect("JSON")
}

#[test]
fn a_node_that_does_not_start_is_named_and_nothing_is_left() {
    let folder = Folder::new();
    let (dir, zk) = (folder.dir(), silent_zookeeper());
    let up = ["up", "--nodes", "2", "--zk", &zk, "--store", "nowhere://bucket", "--json"];
    let words = refused(cluster(&up, &dir));
    assert!(words.contains(" ended (exit status: 1); the last lines of its log"), "{words}");
    assert!(words.contains("cannot use the store `nowhere://bucket`"), "{words}");
    assert!(words.contains("stopping what was started: node 1, node 2"), "{words}");
    assert!(record(&dir)["nodes"].as_array().unwrap().iter().all(|node| node["process"].is_null()));
}

#[test]
fn a_call_that_is_interrupted_stops_what_it_started() {
    let folder = Folder::new();
    let (dir, zk) = (folder.dir(), silent_zookeeper());
    let mut up = cluster(&["up", "--nodes", "1", "--zk", &zk], &dir);
    let mut up = up.stderr(Stdio::piped()).spawn().expect("the binary runs");
    let mut words = BufReader::new(up.stderr.take().expect("a pipe")).lines().map_while(Result::ok);
    let awaited = words.any(|line| line.starts_with("waiting for node 1 to be found in ZooKeeper"));
    assert!(awaited, "it says what it waits for");
    let pid = record(&dir)["nodes"][0]["process"]["pid"].to_string();
    // One that has ended and was not waited for yet is still listed.
    let stat = || std::fs::read_to_string(format!("/proc/{pid}/stat"));
    let runs = || stat().is_ok_and(|stat| !stat.contains(") Z "));
    assert!(runs());
    assert!(Command::new("kill").arg(up.id().to_string()).status().expect("`kill` runs").success());
    let rest: Vec<String> = words.collect();
    assert_eq!(rest.last().map(String::as_str), Some("error: interrupted"), "{rest:?}");
    assert!(!up.wait().expect("it ends").success() && !runs());
    assert!(record(&dir)["nodes"][0]["process"].is_null());
}

#[test]
fn a_demo_of_several_nodes_ends_with_all_of_them() {
    if let Some(why) = missing() {
        eprintln!("not tried: {why}");
        return;
    }
    let folder = Folder::new();
    let (dir, files) = (folder.dir(), folder.0.path().join("files"));
    std::fs::create_dir(&files).unwrap();
    for name in ["one.md", "two.md"] {
        std::fs::write(files.join(name), "of what stands here nothing is lost").unwrap();
    }
    let mut demo = parhelion();
    demo.args(["demo", "--nodes", "2", "--port", "0", "--exit", "--json"]).arg(&files);
    let output = demo.arg("--data-dir").arg(&dir).output().expect("the binary runs");
    assert!(output.status.success(), "{output:?}");
    let told: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    assert_eq!(told["docs"], 2, "{told}");
    let record = record(&dir);
    let of = |at: usize| &record["nodes"][at]["process"];
    assert!(
        of(0).is_null() && of(1).is_null() && record["zookeeper"]["own"]["process"].is_null(),
        "{record}"
    );
    // What was named stays, with its data.
    assert!(dir.join("node2").is_dir() && dir.join("store").is_dir());
}

#[test]
fn what_is_missing_is_said_with_the_next_step() {
    let folder = Folder::new();
    let dir = folder.dir();
    // Nothing listens there any more.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let dead = refused(cluster(&["up", "--zk", &format!("127.0.0.1:{port}"), "--json"], &dir));
    assert!(dead.contains("no ZooKeeper serves at") && dead.contains("leave --zk out"), "{dead}");
    assert!(!dir.join("node1").exists(), "no node was started");
    let mut without_java = cluster(&["up"], &dir);
    without_java.env("PATH", folder.0.path()).env_remove("JAVA_HOME");
    let words = refused(without_java);
    assert!(words.contains("ZooKeeper needs Java") && words.contains("--zk HOST:PORT"), "{words}");
    let mut shared = cluster(&["up"], &dir);
    shared.env("PARHELION_LISTEN", "127.0.0.1:0");
    assert!(refused(shared).contains("cannot share `PARHELION_LISTEN`"));
}

#[test]
fn folders_that_are_no_clusters_are_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    for command in
        [&["status"][..], &["down", "--remove"], &["start", "--node", "1"], &["stop", "--node", "1"]]
    {
        let words = refused(cluster(command, folder.path()));
        assert!(words.contains("there is no cluster in") && words.contains("cluster up --dir"), "{words}");
    }
    std::fs::write(folder.path().join("cluster.json"), r#"{"nodes": []}"#).unwrap();
    let words = refused(cluster(&["down", "--remove"], folder.path()));
    assert!(words.contains("was not written by"), "{words}");
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|it| it.unwrap().file_name()).collect();
    assert!(left.iter().any(|name| name == OsStr::new("cluster.json")), "{left:?}");
}
