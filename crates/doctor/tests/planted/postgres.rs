//! A row lock in a real PostgreSQL, where one is installed: psql waits, and the doctor names the session that holds the row.

use std::io::Write as _;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use doctor::verdict::Cause;
use doctor::{Backend, ask_postgres};
use postgres_fixture::Postgres;

use super::planting::{eventually, look};

/// Runs a script in a session of its own, named `name`.
fn psql(server: &Postgres, name: &str, script: &str) -> Child {
    let mut child = Command::new("psql")
        .args(["-X", "-q", &format!("{}?application_name={name}", server.url())])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .expect("psql comes with the server");
    child.stdin.as_mut().expect("a pipe").write_all(script.as_bytes()).expect("psql reads");
    child
}

/// The server's sessions, once they are as expected.
fn sessions_until(server: &Postgres, expected: impl Fn(&[Backend]) -> bool) -> Vec<Backend> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let began = Instant::now();
    loop {
        let asked = runtime.block_on(ask_postgres(server.url(), Duration::from_secs(5)));
        match asked {
            Ok(sessions) if expected(&sessions) => return sessions,
            other => assert!(began.elapsed() < Duration::from_secs(60), "{other:?}"),
        }
    }
}

#[test]
fn a_row_lock_is_named_with_its_holder() {
    let Some(server) = Postgres::start() else {
        eprintln!("not tested: no PostgreSQL below /usr/lib/postgresql");
        return;
    };
    let has = |name: &'static str, state: &'static str| {
        move |all: &[Backend]| all.iter().any(|one| one.application == name && one.state == state)
    };
    let hold = "create table t (x int); insert into t values (1); begin; update t set x = 2;\n";
    let mut holder = psql(&server, "holder", hold);
    sessions_until(&server, has("holder", "idle in transaction"));
    let mut waiter = psql(&server, "waiter", "update t set x = 3;\n");
    let sessions = sessions_until(&server, |all| all.iter().any(|one| !one.blocked_by.is_empty()));

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
