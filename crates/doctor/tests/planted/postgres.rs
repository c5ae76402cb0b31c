//! A row lock in a real PostgreSQL, where one is installed: psql waits, and the doctor names the session that
//! holds the row.

use std::io::Write as _;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use doctor::verdict::Cause;
use doctor::{Backend, ask_postgres};
use postgres_fixture::Postgres;

use super::fixtures::{Fixture, Witness};
use super::planting::{Planted, spawn};

/// Runs a script in a session of its own, named `name`.
fn psql(server: &Postgres, name: &str, script: &str) -> Child {
    let mut command = Command::new("psql");
    command.args(["-X", "-q", &format!("{}?application_name={name}", server.url())]);
    let mut child = spawn(&mut command);
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

/// Ends with the fixture.
struct Session(Child);

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A session that waits for a row which another has changed and not committed.
///
/// Errors: where no server is installed.
pub fn row_lock() -> Result<Fixture, String> {
    let server = Postgres::start().ok_or("no PostgreSQL below /usr/lib/postgresql")?;
    let has = |name: &'static str, state: &'static str| {
        move |all: &[Backend]| all.iter().any(|one| one.application == name && one.state == state)
    };
    let hold = "create table t (x int); insert into t values (1); begin; update t set x = 2;\n";
    let holder = Session(psql(&server, "holder", hold));
    sessions_until(&server, has("holder", "idle in transaction"));
    let waiter = Planted::adopt(psql(&server, "waiter", "update t set x = 3;\n"));
    sessions_until(&server, |all| all.iter().any(|one| !one.blocked_by.is_empty()));
    let witness = Witness::Postgres(server.url().to_owned());
    let fixture = Fixture::new(Cause::DatabaseLock, waiter).holding(holder).upon(server);
    Ok(Fixture { witness, ..fixture })
}

#[test]
fn a_row_lock_is_named_with_its_holder() {
    let fixture = match row_lock() {
        Ok(fixture) => fixture,
        Err(why) => return eprintln!("not tested: {why}"),
    };
    let found = fixture.eventually();
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
