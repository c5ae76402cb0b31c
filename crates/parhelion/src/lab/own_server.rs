//! A server of an experiment's own: this program once more, as a process with data of its own, so that its
//! processor time is its own and what it is told on its command line is part of the experiment. Used by the
//! experiments that set flags of the server (`compression`, `throttle`, `store`); a run against a peer takes
//! a server that is there.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use anyhow::Context as _;
use client::SolrUrl;
use tempfile::TempDir;

/// Dropped, it is gone with its data.
pub struct OwnServer {
    // Gone before its data.
    process: Running,
    pub url: SolrUrl,
    data: TempDir,
}

/// Dropped, it is killed.
struct Running(Child);

/// Where a server that begins with nothing has its data.
pub fn no_data() -> anyhow::Result<TempDir> {
    Ok(tempfile::Builder::new().prefix("parhelion-lab-").tempdir()?)
}

impl OwnServer {
    /// `parhelion serve` at a free port of loopback, with these flags. Returns once it serves.
    pub fn start(flags: &[&str]) -> anyhow::Result<Self> {
        Self::start_in(no_data()?, flags, &[])
    }

    /// The same with data that is there, and with these settings in its environment.
    pub fn start_in(data: TempDir, flags: &[&str], settings: &[(&str, &str)]) -> anyhow::Result<Self> {
        let program = std::env::current_exe().context("cannot find this program")?;
        let mut process = Command::new(program)
            .args(["serve", "--port", "0", "--data-dir"])
            .arg(data.path())
            .args(flags)
            .envs(settings.iter().copied())
            .stdout(Stdio::piped())
            .spawn()
            .context("cannot start a server")?;
        let output = process.stdout.take().context("the server has no output")?;
        let process = Running(process);
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line)?;
        // Else it says why on standard error, which is this program's too.
        let url = url_of(&line).context("the server did not start")?.parse()?;
        Ok(Self { process, url, data })
    }

    /// Ends it as a crash would. What it had on its disk is left.
    pub fn kill(self) -> TempDir {
        let Self { process, url: _, data } = self;
        drop(process);
        data
    }
}

/// Of `serving http://127.0.0.1:8983/solr (data in …)`.
fn url_of(line: &str) -> Option<&str> {
    line.strip_prefix("serving ")?.split_whitespace().next().filter(|url| url.starts_with("http://"))
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
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
