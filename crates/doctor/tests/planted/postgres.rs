//! A row lock in a real PostgreSQL, where one is installed: psql waits, and the doctor names the session that holds the row.

use std::io::Write as _;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use doctor::verdict::Cause;
use doctor::{Backend, ask_postgres};

use super::planting::{eventually, look};

/// A server in a folder of its own; killed when dropped.
struct Postgres {
    server: Child,
    url: String,
    _folder: tempfile::TempDir,
}

/// Where Debian, and most others, have the server's programs.
fn programs() -> Option<PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").ok()?;
    let mut found: Vec<PathBuf> = versions.filter_map(|one| Some(one.ok()?.path().join("bin"))).collect();
    found.sort();
    found.pop().filter(|folder| folder.join("initdb").exists())
}

/// PostgreSQL refuses to run as root: then it runs as its own user.
fn command(program: &Path) -> Command {
    if !rustix::process::geteuid().is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid=postgres", "--regid=postgres", "--clear-groups", "--"]).arg(program);
    command
}

impl Postgres {
    fn start(programs: &Path) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        if rustix::process::geteuid().is_root() {
            let done = Command::new("chown").arg("postgres").arg(folder.path()).status().expect("chown runs");
            assert!(done.success(), "the user postgres comes with the server");
        }
        let data = folder.path().join("data");
        let done = command(&programs.join("initdb"))
            .args(["-U", "postgres", "-A", "trust", "--no-sync", "-D"])
            .arg(&data)
            .stdout(Stdio::null())
            .status();
        assert!(done.expect("initdb runs").success());
        // Nobody else takes the port in the moment between: the kernel hands out others first.
        let port =
            TcpListener::bind("127.0.0.1:0").and_then(|one| one.local_addr()).expect("a free port").port();
        let server = command(&programs.join("postgres"))
            .arg("-D")
            .arg(&data)
            .args(["-p", &port.to_string(), "-c", "listen_addresses=127.0.0.1", "-c", "fsync=off", "-k", ""])
            .stderr(Stdio::null())
            .spawn()
            .expect("the server starts");
        let url = format!("postgresql://postgres@127.0.0.1:{port}/postgres");
        Self { server, url, _folder: folder }
    }

    fn psql(&self, name: &str, script: &str) -> Child {
        let mut child = Command::new("psql")
            .args(["-X", "-q", &format!("{}?application_name={name}", self.url)])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .expect("psql comes with the server");
        child.stdin.as_mut().expect("a pipe").write_all(script.as_bytes()).expect("psql reads");
        child
    }

    /// The server's sessions, once they are as expected.
    fn until(&self, expected: impl Fn(&[Backend]) -> bool) -> Vec<Backend> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let began = Instant::now();
        loop {
            let asked = runtime.block_on(ask_postgres(&self.url, Duration::from_secs(5)));
            match asked {
                Ok(sessions) if expected(&sessions) => return sessions,
                other => assert!(began.elapsed() < Duration::from_secs(60), "{other:?}"),
            }
        }
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        // SIGQUIT: at once, with its children.
        if let Some(pid) = rustix::process::Pid::from_raw(self.server.id().cast_signed()) {
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::QUIT);
        }
        let _ = self.server.wait();
    }
}

#[test]
fn a_row_lock_is_named_with_its_holder() {
    let Some(programs) = programs() else {
        eprintln!("not tested: no PostgreSQL below /usr/lib/postgresql");
        return;
    };
    let server = Postgres::start(&programs);
    server.until(|_| true);
    let has = |name: &'static str, state: &'static str| {
        move |all: &[Backend]| all.iter().any(|one| one.application == name && one.state == state)
    };
    let mut holder = server
        .psql("holder", "create table t (x int); insert into t values (1); begin; update t set x = 2;\n");
    server.until(has("holder", "idle in transaction"));
    let mut waiter = server.psql("waiter", "update t set x = 3;\n");
    let sessions = server.until(|all| all.iter().any(|one| !one.blocked_by.is_empty()));

    let pid = waiter.id().cast_signed();
    eventually(pid, Cause::AnswerOwed);
    let found = look(pid).with_database(&sessions);
    let ended = [&mut holder, &mut waiter].map(|child| child.kill().and_then(|()| child.wait()));
    assert!(ended.iter().all(Result::is_ok));
    assert_eq!(found.verdict.cause, Cause::DatabaseLock, "{}", found.verdict.sentence);
    for word in [
        "the peer owes an answer",
        "runs `update t set x = 3;`",
        "Lock/",
        "(holder from 127.0.0.1",
        "idle in transaction",
    ] {
        assert!(found.verdict.sentence.contains(word), "`{word}` is not in `{}`", found.verdict.sentence);
    }
    assert!(found.verdict.next_step.contains("pg_terminate_backend"), "{}", found.verdict.next_step);
}
