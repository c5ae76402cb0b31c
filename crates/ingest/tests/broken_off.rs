//! Whole runs that are broken off: what lets one go on where it was, and what makes it begin anew.

#[path = "../../client/tests/support/mod.rs"]
mod support;

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use futures_util::future::BoxFuture;
use ingest::config::{self, IngestConfig};
use ingest::mass::{ChangesBegin, MassIndex, RunAdvance, RunError, RunOptions, RunPhase, StateFolder};
use ingest::reset;
use support::{Act, Server, ok};

/// Three pages, into a collection that is there.
fn write_file(folder: &Path, url: &str) -> IngestConfig {
    let rows: String = (0..2500).map(|row| format!("{{\"id\":\"{row}\"}}\n")).collect();
    std::fs::write(folder.join("rows.jsonl"), rows).unwrap();
    let text = format!(
        "[target]\nurl = \"{url}\"\ncollection = \"c\"\nmode = \"direct\"\nconnections = 1\n\
         [[source]]\nname = \"s\"\nkey = \"id\"\n[source.jsonl]\npath = \"rows.jsonl\"\n"
    );
    std::fs::write(folder.join("rows.toml"), text).unwrap();
    config::load(&folder.join("rows.toml")).unwrap()
}

/// What is kept for following, and how often it was made to begin anew.
struct Changes {
    kept: Option<&'static str>,
    begun: AtomicU64,
}

impl Changes {
    fn kept(kept: Option<&'static str>) -> Arc<Self> {
        Arc::new(Self { kept, begun: AtomicU64::new(0) })
    }
}

impl ChangesBegin for Changes {
    fn kept(&self) -> Option<&str> {
        self.kept
    }

    fn begin(&self) -> BoxFuture<'_, Result<String, RunError>> {
        self.begun.fetch_add(1, Relaxed);
        Box::pin(async { Ok("begun 1".to_owned()) })
    }
}

fn run(config: &IngestConfig, changes: &Arc<Changes>) -> MassIndex {
    let options = RunOptions { errors_max: 0, fresh: false };
    let now = Arc::new(|| jiff::Timestamp::UNIX_EPOCH);
    MassIndex::new(config, now, options, Arc::new(|_| ())).unwrap().with_changes(changes.clone())
}

/// Pauses it behind its first page; the second is sent and does not count.
async fn break_off(config: &IngestConfig, changes: &Arc<Changes>) {
    let pages = AtomicU64::new(0);
    let permit = move || if pages.fetch_add(1, Relaxed) == 0 { Ok(()) } else { Err(RunError::Paused) };
    let error = run(config, changes).with_permit(Arc::new(permit)).run().await.unwrap_err();
    assert!(matches!(error, RunError::Paused), "{error}");
}

fn state(config: &IngestConfig) -> (u64, RunPhase, u64) {
    let state = StateFolder::open(config.state.dir.as_ref().unwrap()).unwrap().load().unwrap();
    (state.run, state.phase, state.totals().sent)
}

#[tokio::test]
async fn a_paused_run_goes_on_as_long_as_its_changes_are_kept() {
    let server = Server::start(|_, _| Act::Answer(ok("{}"))).await;
    let folder = tempfile::tempdir().unwrap();
    let config = write_file(folder.path(), &server.url.to_string());
    let changes = Changes::kept(None);
    break_off(&config, &changes).await;
    assert_eq!((state(&config), changes.begun.load(Relaxed)), ((1, RunPhase::Reading, 1000), 1));

    // Rows of the first page may have changed since, and what is kept does not reach back so far.
    let elsewhere = Changes::kept(Some("begun 2"));
    break_off(&config, &elsewhere).await;
    assert_eq!((state(&config), elsewhere.begun.load(Relaxed)), ((2, RunPhase::Reading, 1000), 1));

    let kept = Changes::kept(Some("begun 1"));
    let report = run(&config, &kept).run().await.unwrap();
    assert_eq!((report.run, report.resumed, report.totals.sent), (2, 1, 2500));
    assert_eq!((state(&config).1, kept.begun.load(Relaxed)), (RunPhase::Done, 0));
}

/// Killed between keeping the collection's name and making it, a run has nothing to go on with.
#[tokio::test]
async fn a_run_whose_collection_was_never_made_begins_anew() {
    let made = Arc::new(Mutex::new(Vec::<&'static str>::new()));
    let (creates, there) = (AtomicU64::new(0), made.clone());
    let server = Server::start(move |_, request| {
        let mut there = there.lock().unwrap();
        Act::Answer(match request {
            _ if request.contains("action=LISTALIASES") => ok(r#"{"aliases":{}}"#),
            _ if request.contains("action=LIST") => ok(&format!(r#"{{"collections":{there:?}}}"#)),
            _ if request.contains("action=CREATE&") && creates.fetch_add(1, Relaxed) == 0 => {
                b"HTTP/1.1 400 Bad Request\r\nContent-Length: 2\r\n\r\n{}".to_vec()
            }
            _ if request.contains("action=CREATE&") => {
                there.push("c_run2");
                ok("{}")
            }
            _ => ok(r#"{"response":{"numFound":2500}}"#),
        })
    })
    .await;
    let folder = tempfile::tempdir().unwrap();
    write_file(folder.path(), &server.url.to_string());
    let path = folder.path().join("rows.toml");
    let text = std::fs::read_to_string(&path).unwrap().replace("\"direct\"", "\"swap\"");
    std::fs::write(&path, text).unwrap();
    let config = config::load(&path).unwrap();
    // Nobody follows it: what is kept for that would have it begin anew by itself.
    let run = || {
        let options = RunOptions { errors_max: 0, fresh: false };
        let now = Arc::new(|| jiff::Timestamp::UNIX_EPOCH);
        MassIndex::new(&config, now, options, Arc::new(|_| ())).unwrap()
    };
    assert!(run().run().await.is_err());
    assert_eq!(state(&config), (1, RunPhase::Reading, 0));

    let report = run().run().await.unwrap();
    assert_eq!((report.run, report.resumed, report.totals.sent), (2, 0, 2500));
    assert_eq!((&*report.collection, made.lock().unwrap().len()), ("c_run2", 1));
}

/// Rows of a file are not counted before they are read.
#[tokio::test]
async fn progress_of_a_file_is_by_bytes() {
    let server = Server::start(|_, _| Act::Answer(ok("{}"))).await;
    let folder = tempfile::tempdir().unwrap();
    let config = write_file(folder.path(), &server.url.to_string());
    let seen = Arc::new(Mutex::new(Vec::new()));
    let keep = seen.clone();
    let on_progress = Arc::new(move |advance: RunAdvance| keep.lock().unwrap().push(advance));
    let options = RunOptions { errors_max: 0, fresh: false };
    let now = Arc::new(|| jiff::Timestamp::UNIX_EPOCH);
    MassIndex::new(&config, now, options, on_progress).unwrap().run().await.unwrap();
    let seen: Vec<_> =
        seen.lock().unwrap().iter().map(|one| (one.totals.rows(), one.rows.unwrap())).collect();
    let [(1000, first), (2000, second), last] = seen[..] else { panic!("{seen:?}") };
    // The first lines are shorter than those that follow.
    assert!((2501..2700).contains(&first) && (2501..2700).contains(&second), "{seen:?}");
    assert_eq!(last, (2500, 2500));
}

#[tokio::test]
async fn a_reset_forgets_an_unfinished_run_and_leaves_a_finished_one() {
    let server = Server::start(|_, _| Act::Answer(ok("{}"))).await;
    let folder = tempfile::tempdir().unwrap();
    let config = write_file(folder.path(), &server.url.to_string());
    assert!(reset::remembered(&config).await.unwrap().is_nothing(), "nothing has run");
    let changes = Changes::kept(Some("begun 1"));
    break_off(&config, &changes).await;
    let remembered = reset::remembered(&config).await.unwrap();
    let run_and_rows = remembered.unfinished_run.as_ref().map(|run| (run.run, run.rows));
    assert_eq!((run_and_rows, remembered.indexed), (Some((1, 1000)), false));
    assert_eq!(state(&config), (1, RunPhase::Reading, 1000), "looking changes nothing");

    assert_eq!(reset::reset(&config, "we").await.unwrap(), remembered);
    assert_eq!(state(&config), (1, RunPhase::None, 0));
    let report = run(&config, &changes).run().await.unwrap();
    assert_eq!((report.run, report.resumed, report.totals.sent), (2, 0, 2500));
    assert!(reset::reset(&config, "we").await.unwrap().is_nothing());
    assert_eq!(state(&config), (2, RunPhase::Done, 2500));
}
