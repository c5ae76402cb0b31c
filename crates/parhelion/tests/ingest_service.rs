//! `parhelion ingest run` as a process beside a real PostgreSQL and our server, and the commands that speak
//! to it through the database. Without an installed PostgreSQL there is nothing to ask.

#![cfg(unix)]

mod support;

use std::fs;
use std::io::{BufRead as _, BufReader, Lines};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};

use ingest::config;
use ingest::follow::{PipelineDatabase, run_sql};
use postgres_fixture::Postgres;
use support::{Blocking, Server};
use tempfile::TempDir;

/// A table of films, a file that follows it, and a server that it goes to.
struct Lab {
    folder: TempDir,
    file: PathBuf,
    client: Blocking,
    runtime: tokio::runtime::Runtime,
    _server: Server,
    _postgres: Postgres,
}

impl Lab {
    fn new(follow: &str) -> Option<Self> {
        let postgres = Postgres::start()?;
        let folder = tempfile::tempdir().unwrap();
        let server = Server::start(&folder.path().join("data"));
        let file = folder.path().join("films.toml");
        let text = format!(
            "[target]\nurl = \"{}\"\ncollection = \"films\"\ncommit_within_ms = 10\n\
             [[source]]\nname = \"film\"\nkey = \"id\"\n\
             [source.postgres]\nurl = \"{}\"\nquery = \"SELECT * FROM film\"\nfollow = \"{follow}\"\n\
             slot_bytes_max = 30000000\nwatch = [{{ table = \"film\", key = \"id\" }}]\n\
             [[source.field]]\nname = \"title_t\"\ncolumn = \"title\"\n\
             [[source.field]]\nname = \"year_i\"\ncolumn = \"year\"\n",
            server.url,
            postgres.url()
        );
        fs::write(&file, text).unwrap();
        let lab = Self {
            file,
            client: server.client(),
            runtime: tokio::runtime::Runtime::new().unwrap(),
            folder,
            _server: server,
            _postgres: postgres,
        };
        lab.sql(
            "CREATE TABLE film (id int PRIMARY KEY, title text, year int, note text);
             INSERT INTO film SELECT i, 'film ' || i, 1900 + i FROM generate_series(1, 100) i",
        );
        lab.expect(&["install"], true, "is ready to be followed");
        Some(lab)
    }

    fn sql(&self, sql: &str) {
        let config = config::load(&self.file).unwrap();
        let postgres = config.sources[0].postgres.as_ref().unwrap();
        self.runtime.block_on(async {
            let database = PipelineDatabase::new(&config.name, "film", postgres).unwrap();
            run_sql(&database, sql).await.unwrap();
        });
    }

    /// Runs `parhelion ingest` to its end.
    fn expect(&self, arguments: &[&str], success: bool, words: &str) {
        let output = command(arguments, &self.file).output().expect("the binary starts");
        let said =
            [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
        assert_eq!(output.status.success(), success, "{arguments:?}: {said}");
        assert!(said.contains(words), "{arguments:?}: `{words}` is not in: {said}");
    }

    fn service(&self) -> IngestService {
        self.service_with(&[])
    }

    fn service_with(&self, arguments: &[&str]) -> IngestService {
        let mut child = command(&[&["run"], arguments].concat(), &self.file)
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        let lines = BufReader::new(child.stderr.take().expect("a pipe")).lines();
        IngestService { child, lines }
    }

    fn count(&self) -> u64 {
        let params = [("q", "*:*"), ("fq", "title_t:*"), ("rows", "0")];
        self.client.json("films/select", &params)["response"]["numFound"].as_u64().unwrap()
    }

    /// Looks until so many films are found; the test runner's time is the bound.
    fn wait_for(&self, films: u64) {
        while self.count() != films {
            std::thread::yield_now();
        }
    }
}

fn command(arguments: &[&str], file: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_parhelion"));
    command.arg("ingest").args(arguments).arg(file);
    command
}

/// A running `parhelion ingest run`.
struct IngestService {
    child: Child,
    lines: Lines<BufReader<ChildStderr>>,
}

impl IngestService {
    /// Reads on until it has said so.
    fn wait_for(&mut self, words: &str) {
        let mut said = Vec::new();
        while let Some(Ok(line)) = self.lines.next() {
            if line.contains(words) {
                return;
            }
            said.push(line);
        }
        panic!("it ended without `{words}`: {said:#?}");
    }

    /// Ends it as a service manager does: it gives up its lease.
    fn stop(mut self) {
        let asked = Command::new("kill").arg(self.child.id().to_string()).status().expect("it is asked");
        assert!(asked.success() && self.child.wait().expect("it ends").success());
    }
}

impl Drop for IngestService {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_pause_outlives_the_service_and_a_reset_begins_anew() {
    let Some(lab) = Lab::new("trigger") else { return };
    // Asked for before anybody is active: who starts reads nothing.
    lab.expect(&["pause"], true, "nobody is active, and who starts waits");
    let mut service = lab.service();
    service.wait_for("paused: changes wait");
    assert!(!lab.folder.path().join("films.state/run.json").exists());
    lab.expect(&["status"], true, "paused for 0 s until `parhelion ingest resume`");
    lab.expect(&["resume"], true, "the pause is over");
    service.wait_for("following changes");
    lab.wait_for(100);

    lab.expect(&["pause"], true, "ends what it is at, and waits");
    lab.expect(&["pause"], true, "a pause was asked for already");
    service.wait_for("paused: changes wait");
    lab.sql("INSERT INTO film VALUES (101, 'later', 2001)");
    lab.expect(&["status"], true, "until `parhelion ingest resume`, 1 changes wait");
    lab.expect(&["status", "--json"], true, "\"activity\": \"paused\"");
    lab.expect(&["reset"], true, "that a service has indexed everything");
    lab.expect(&["reset", "--yes"], false, "is active, and would go on from where it is; stop the service");

    service.stop();
    lab.expect(&["status"], true, "until `parhelion ingest resume`, 1 changes wait");
    let mut service = lab.service();
    service.wait_for("paused: changes wait");
    assert_eq!(lab.count(), 100);
    lab.expect(&["resume"], true, "is active");
    service.wait_for("going on after the pause");
    lab.wait_for(101);
    lab.expect(&["resume"], true, "there was no pause");

    service.stop();
    lab.expect(&["reset"], true, "nothing was changed");
    lab.expect(&["status"], true, "run 1: done, 100 sent");
    lab.expect(&["reset", "--yes"], true, "the next run begins with a fresh snapshot");
    lab.expect(&["reset", "--yes"], true, "nothing is remembered");
    let mut service = lab.service();
    service.wait_for("following changes");
    lab.expect(&["status"], true, "run 2: done, 101 sent");
    service.stop();
}

/// Nothing is made of rows that lack what documents were made of: the change waits until it can be.
#[test]
fn a_column_that_is_gone_or_of_another_type_is_a_state() {
    let Some(lab) = Lab::new("trigger") else { return };
    let mut service = lab.service();
    service.wait_for("following changes");
    lab.wait_for(100);

    lab.sql("ALTER TABLE film DROP COLUMN note, ADD COLUMN country text");
    lab.expect(&["status", "--json"], true, "\"problems\": []");
    lab.sql("ALTER TABLE film ALTER COLUMN year TYPE text");
    lab.expect(&["status"], true, "schema drift: column `year` was integer and is text; mend the table");
    lab.expect(&["status", "--json"], true, "\"state\": \"schema_drift\"");
    lab.sql("ALTER TABLE film DROP COLUMN year");
    lab.expect(&["status"], true, "schema drift: column `year`, integer, is gone; mend the table");

    lab.sql("INSERT INTO film VALUES (101, 'later')");
    service.wait_for("column `year` is gone; its changes wait: mend the table");
    assert!(!service.child.wait().unwrap().success());
    lab.expect(&["status"], true, "nobody is active, 1 changes wait");
    lab.sql("ALTER TABLE film ADD COLUMN year int");
    lab.expect(&["status", "--json"], true, "\"problems\": []");
    let mut service = lab.service();
    service.wait_for("following changes");
    lab.wait_for(101);
    service.stop();
}

/// In a pause the log is held back for nobody: beyond its bound the slot is given up, and that is a state.
#[test]
fn a_slot_is_followed_over_a_restart_and_bounded_in_a_pause() {
    let Some(lab) = Lab::new("replication") else { return };
    let mut service = lab.service();
    service.wait_for("following changes");
    lab.wait_for(100);
    lab.expect(&["pause"], true, "ends what it is at, and waits");
    service.wait_for("paused: changes wait");
    lab.sql("INSERT INTO film VALUES (101, 'later', 2001)");
    service.stop();
    let mut service = lab.service();
    service.wait_for("paused: changes wait");
    lab.expect(&["resume"], true, "is active");
    lab.wait_for(101);

    lab.expect(&["pause"], true, "ends what it is at, and waits");
    for film in 102..106 {
        // 16 MiB of log each.
        lab.sql(&format!("INSERT INTO film VALUES ({film}, 'later', 2001); SELECT pg_switch_wal()"));
    }
    service.wait_for("more than `slot_bytes_max`, and was dropped; run `parhelion ingest install FILE`");
    assert!(!service.child.wait().unwrap().success());
    lab.expect(&["status"], true, "slot lost: the slot `ingest_films_film` is not there");
    lab.expect(&["status", "--json"], true, "\"state\": \"slot_lost\"");

    lab.expect(&["resume"], true, "nobody is active");
    let mut service = lab.service_with(&["--fresh"]);
    service.wait_for("following changes");
    lab.wait_for(105);
    lab.expect(&["status", "--json"], true, "\"problems\": []");
    service.stop();
}
