//! A server of an experiment's own: this program once more, as a process with data of its own, so that its
//! processor time is its own and what it is told on its command line is part of the experiment. Used by the
//! experiments that set flags of the server (`compression`, `throttle`); a run against a peer takes a server
//! that is there.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use anyhow::Context as _;
use client::SolrUrl;
use tempfile::TempDir;

/// Dropped, it is gone with its data.
pub struct OwnServer {
    process: Child,
    pub url: SolrUrl,
    _data: TempDir,
}

impl OwnServer {
    /// `parhelion serve` at a free port of loopback, with these flags. Returns once it serves.
    pub fn start(flags: &[&str]) -> anyhow::Result<Self> {
        let data = tempfile::Builder::new().prefix("parhelion-lab-").tempdir()?;
        let program = std::env::current_exe().context("cannot find this program")?;
        let mut process = Command::new(program)
            .args(["serve", "--port", "0", "--data-dir"])
            .arg(data.path())
            .args(flags)
            .stdout(Stdio::piped())
            .spawn()
            .context("cannot start a server")?;
        let mut line = String::new();
        let output = process.stdout.take().context("the server has no output")?;
        BufReader::new(output).read_line(&mut line)?;
        let url = url_of(&line);
        if url.is_none() {
            // It says why on standard error, which is this program's too.
            let _ = process.kill();
            let _ = process.wait();
        }
        let url = url.context("the server did not start")?.parse()?;
        Ok(Self { process, url, _data: data })
    }
}

/// Of `serving http://127.0.0.1:8983/solr (data in …)`.
fn url_of(line: &str) -> Option<&str> {
    line.strip_prefix("serving ")?.split_whitespace().next().filter(|url| url.starts_with("http://"))
}

impl Drop for OwnServer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_names_the_server() {
        let line = "serving http://127.0.0.1:8983/solr (data in /tmp/x); stop with Ctrl-C\n";
        assert_eq!(url_of(line), Some("http://127.0.0.1:8983/solr"));
        assert_eq!(url_of(""), None);
        assert_eq!(url_of("serving unix:/tmp/x.sock (data in x)"), None);
    }
}
