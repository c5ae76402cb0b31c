//! A server process of the binary under test, on a free port, and a small blocking client.

#[allow(dead_code, reason = "only those with a history of updates")]
pub mod history;

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use client::{Error, Response, SolrClient};
use serde_json::Value;

pub struct Server {
    child: Child,
    pub url: String,
}

impl Server {
    /// Starts `parhelion serve` on `data_dir` and waits until it says where it listens.
    #[allow(dead_code, reason = "some always have more arguments")]
    pub fn start(data_dir: &Path) -> Self {
        Self::start_with(data_dir, &[])
    }

    /// The same, with more arguments. `PARHELION_BINARY` names another binary than the one built beside the
    /// test: a release, for long runs.
    pub fn start_with(data_dir: &Path, arguments: &[&str]) -> Self {
        let binary = std::env::var("PARHELION_BINARY");
        let mut child = Command::new(binary.as_deref().unwrap_or(env!("CARGO_BIN_EXE_parhelion")))
            .args(["serve", "--port", "0", "--data-dir"])
            .arg(data_dir)
            .args(arguments)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let mut line = String::new();
        let stdout = child.stdout.take().expect("standard output is a pipe");
        BufReader::new(stdout).read_line(&mut line).expect("it says where it listens");
        let url = line.split_whitespace().nth(1).unwrap_or_default().to_owned();
        assert!(url.starts_with("http"), "the first line names the address: {line:?}");
        Self { child, url }
    }

    #[allow(dead_code, reason = "only those ask who look at the process from outside")]
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// `kill -9`: nothing is flushed, nothing is said.
    #[allow(dead_code, reason = "only those kill that look at what is left")]
    pub fn kill(&mut self) {
        self.child.kill().expect("the process can be killed");
        self.child.wait().expect("the process ends");
    }

    pub fn client(&self) -> Blocking {
        Blocking::new(&self.url)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// [`SolrClient`] for tests that are plain threads.
pub struct Blocking {
    runtime: tokio::runtime::Runtime,
    solr: SolrClient,
}

impl Blocking {
    pub fn new(url: &str) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let solr = SolrClient::new(url.parse().expect("a Solr URL"), Duration::from_secs(60));
        Self { runtime, solr }
    }

    pub fn get(&self, path: &str, params: &[(&str, &str)]) -> Result<Response, Error> {
        self.runtime.block_on(self.solr.get(path, params))
    }

    #[allow(dead_code, reason = "some only read")]
    pub fn post_json(&self, path: &str, params: &[(&str, &str)], body: String) -> Result<Response, Error> {
        self.runtime.block_on(self.solr.post(path, params, "application/json", body.into()))
    }

    /// The JSON of an answer that must be a success.
    pub fn json(&self, path: &str, params: &[(&str, &str)]) -> Value {
        self.get(path, params).and_then(Response::ok).and_then(|response| response.json()).expect(path)
    }

    #[allow(dead_code, reason = "ingest makes its own")]
    pub fn create_collection(&self, name: &str, shards: usize) {
        let shards = shards.to_string();
        let params = [
            ("action", "CREATE"),
            ("name", name),
            ("numShards", &shards),
            ("collection.configName", "_default"),
        ];
        self.get("admin/collections", &params).and_then(Response::ok).expect("the collection is made");
    }
}
