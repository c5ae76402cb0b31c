//! `parhelion ingest once` from a real PostgreSQL, killed at any row: however often, the collection has each
//! row once and whole, with what is below it, and nothing else.
//!
//! `PARHELION_MASS_KILLS=20 PARHELION_MASS_SEED=1 cargo test -p parhelion --test mass_kill -- --nocapture`

#![cfg(unix)]
#![allow(clippy::print_stdout)]

#[allow(dead_code, reason = "each test file uses its own part")]
mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use ingest::config;
use ingest::follow::{PipelineDatabase, run_sql};
use postgres_fixture::Postgres;
use serde_json::{Value, json};
use support::history::{Random, setting};
use support::{Blocking, Server};

const ROWS: u64 = 3000;
/// Pages that a process may get done before it is killed.
const PAGES_MAX: u64 = 8;
/// Looks at nothing in particular: the kill is to meet any moment of a page.
const SPINS_MAX: u64 = 200_000;

/// As the tables below have it.
fn expected(row: u64) -> Value {
    let mut document =
        json!({"id": row.to_string(), "title_s": format!("film {row}"), "year_i": 1900 + row % 120});
    let names =
        |what: &str, count: u64| (0..count).map(|at| format!("{what} {row}-{at}")).collect::<Vec<_>>();
    for (field, values) in [("cast_ss", names("actor", row % 4)), ("tag_ss", names("tag", row % 3))] {
        if !values.is_empty() {
            document[field] = json!(values);
        }
    }
    document
}

const TABLES: &str = "
    CREATE TABLE film (id int PRIMARY KEY, title text, year int);
    CREATE TABLE film_cast (film_id int, name text);
    CREATE TABLE film_tag (film_id int, name text);
    INSERT INTO film SELECT i, 'film ' || i, 1900 + i % 120 FROM generate_series(0, 2999) i;
    INSERT INTO film_cast SELECT i, 'actor ' || i || '-' || a
        FROM generate_series(0, 2999) i, generate_series(0, i % 4 - 1) a;
    INSERT INTO film_tag SELECT i, 'tag ' || i || '-' || a
        FROM generate_series(0, 2999) i, generate_series(0, i % 3 - 1) a;
    CREATE INDEX ON film_cast (film_id);
    CREATE INDEX ON film_tag (film_id)";

fn write_config(folder: &Path, server: &Server, postgres: &Postgres) -> PathBuf {
    let path = folder.join("films.toml");
    let text = format!(
        r#"
[target]
url = "{}"
collection = "films"
connections = 2
[[source]]
name = "film"
key = "id"
[source.postgres]
url = "{}"
query = "SELECT * FROM film"
page_rows = 50
[[source.child]]
name = "cast"
query = "SELECT film_id, name FROM film_cast"
parent_key = "film_id"
[[source.child]]
name = "tag"
query = "SELECT film_id, name FROM film_tag"
parent_key = "film_id"
[[source.field]]
name = "title_s"
column = "title"
[[source.field]]
name = "year_i"
column = "year"
[[source.field]]
name = "cast_ss"
child = "cast"
column = "name"
[[source.field]]
name = "tag_ss"
child = "tag"
column = "name"
"#,
        server.url,
        postgres.url()
    );
    fs::write(&path, text).unwrap();
    path
}

fn make_tables(file: &Path) {
    let config = config::load(file).unwrap();
    let postgres = config.sources[0].postgres.as_ref().unwrap();
    tokio::runtime::Runtime::new().unwrap().block_on(async {
        let database = PipelineDatabase::new(&config.name, "film", postgres).unwrap();
        run_sql(&database, TABLES).await.unwrap();
    });
}

fn index(file: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_parhelion"));
    command.args(["ingest", "once"]).arg(file).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// Kills the run somewhere behind so many pages; whether it had ended before.
fn kill_somewhere(run: &mut Child, state: &Path, random: &mut Random) -> bool {
    let (pages, spins) = (random.below(PAGES_MAX), random.below(SPINS_MAX));
    let (mut seen, mut last) = (0, fs::read(state).unwrap_or_default());
    // The state is replaced after each page that was acknowledged; the test runner's time is the bound.
    while seen < pages {
        if run.try_wait().unwrap().is_some() {
            return true;
        }
        let now = fs::read(state).unwrap_or_default();
        seen += u64::from(now != last);
        last = now;
    }
    (0..spins).for_each(|_| std::hint::spin_loop());
    let ended = run.try_wait().unwrap().is_some();
    run.kill().unwrap();
    run.wait().unwrap();
    ended
}

/// Every row once and whole, and nothing else.
fn check_exact(client: &Blocking, kills: u64) {
    let fields = "id,title_s,year_i,cast_ss,tag_ss";
    let answer = client.json("films/select", &[("q", "*:*"), ("rows", "9999"), ("fl", fields)]);
    assert_eq!(answer["response"]["numFound"], ROWS, "after {kills} kills");
    let mut found = answer["response"]["docs"].as_array().unwrap().clone();
    found.sort_by_key(|document| document["id"].as_str().unwrap().parse::<u64>().unwrap());
    for (row, document) in (0..ROWS).zip(found) {
        assert_eq!(document, expected(row), "after {kills} kills");
    }
}

#[test]
fn a_mass_index_that_is_killed_at_any_row_is_exact() {
    let (kills, seed) = (setting("PARHELION_MASS_KILLS", 2), setting("PARHELION_MASS_SEED", 1));
    let Some(postgres) = Postgres::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("data"));
    let (client, file) = (server.client(), write_config(folder.path(), &server, &postgres));
    make_tables(&file);
    let state = folder.path().join("films.state/run.json");
    let mut random = Random(seed);
    let (mut killed, mut runs) = (0, 0);
    while killed < kills {
        let mut run = index(&file).spawn().unwrap();
        if kill_somewhere(&mut run, &state, &mut random) {
            // It was through before: that one is exact too, and the next is begun.
            runs += 1;
            check_exact(&client, killed);
        } else {
            killed += 1;
        }
    }
    assert!(index(&file).status().unwrap().success(), "it comes to its end once nobody kills it");
    check_exact(&client, killed);
    println!("seed {seed}: {killed} kills, {} runs of {ROWS} rows, each exact", runs + 1);
}
