//! A PostgreSQL of a test's own: a server on a free port of the loopback, its data in a folder that goes with
//! it. For tests of whoever asks a real one (`ingest`, `doctor`); the product itself has no edge to it.
//!
//! Where no server is installed there is nothing to ask: a developer's test run goes on without, CI's does
//! not.

use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, geteuid, kill_process};

/// A running server; it and its data are gone when it is dropped.
pub struct Postgres {
    server: Child,
    url: String,
    _folder: tempfile::TempDir,
}

impl Postgres {
    /// Starts a server that keeps logical replication's log and accepts connections; `None` where none is
    /// installed.
    ///
    /// # Panics
    /// When an installed server does not start, and when `CI` is set and there is none: tests that nobody
    /// sees left out would count as passed.
    pub fn start() -> Option<Self> {
        let Some(programs) = programs() else {
            assert!(std::env::var_os("CI").is_none(), "no PostgreSQL below /usr/lib/postgresql; install it");
            return None;
        };
        let folder = tempfile::tempdir().expect("a folder");
        let data = folder.path().join("data");
        if geteuid().is_root() {
            run(Command::new("chown").arg("postgres").arg(folder.path()));
        }
        run(unprivileged(&programs.join("initdb"))
            .args(["-U", "postgres", "-A", "trust", "--no-sync", "-D"])
            .arg(&data)
            .stdout(Stdio::null()));
        // Nobody else takes the port in the moment between: the kernel hands out others first.
        let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|one| one.local_addr());
        let port = free.expect("a free port").port();
        let server = unprivileged(&programs.join("postgres"))
            .arg("-D")
            .arg(&data)
            .args(["-p", &port.to_string(), "-c", "listen_addresses=127.0.0.1", "-k", ""])
            .args(["-c", "fsync=off", "-c", "wal_level=logical"])
            .stderr(Stdio::null())
            .spawn()
            .expect("the server starts");
        let url = format!("postgresql://postgres@127.0.0.1:{port}/postgres");
        let mut postgres = Self { server, url, _folder: folder };
        postgres.wait_for(&programs.join("pg_isready"), port);
        Some(postgres)
    }

    /// Such as `postgresql://postgres@127.0.0.1:40123/postgres`; no password is asked for.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Until it takes connections or has ended; the test runner's time is the bound.
    fn wait_for(&mut self, is_ready: &Path, port: u16) {
        loop {
            let ended = self.server.try_wait().expect("the server is a child");
            assert!(ended.is_none(), "the server ended while it started: {ended:?}");
            // pg_isready waits by itself, but not before there is a listener.
            if TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok() {
                let mut ask = Command::new(is_ready);
                ask.args(["-q", "-h", "127.0.0.1", "-p", &port.to_string()]);
                if ask.status().is_ok_and(|status| status.success()) {
                    return;
                }
            }
            std::thread::yield_now();
        }
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        // SIGQUIT: at once, with its children.
        if let Some(pid) = Pid::from_raw(self.server.id().cast_signed()) {
            let _ = kill_process(pid, Signal::QUIT);
        }
        let _ = self.server.wait();
    }
}

/// Where Debian, and most others, have the server's programs: the newest version's.
fn programs() -> Option<PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").ok()?;
    let mut found: Vec<PathBuf> = versions.filter_map(|one| Some(one.ok()?.path().join("bin"))).collect();
    found.sort();
    found.pop().filter(|folder| folder.join("initdb").exists() && folder.join("postgres").exists())
}

/// PostgreSQL refuses to run as root: then it runs as its own user.
fn unprivileged(program: &Path) -> Command {
    if !geteuid().is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid=postgres", "--regid=postgres", "--clear-groups", "--"]).arg(program);
    command
}

fn run(command: &mut Command) {
    let status = command.status();
    assert!(status.as_ref().is_ok_and(|status| status.success()), "{command:?}: {status:?}");
}
