//! The world of one history: a site in memory, a clock that is moved by hand, a scheduler whose tasks take
//! their turns when they are told to, and the shard as its clients use it. In: what the history does (send,
//! ask, turn, crash, move the clock); out: the shard's answers. The shard is the engine's own, only its
//! surroundings are made here.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex};

use engine::{
    CacheSizes, MergePolicy, Priority, Scheduler, Shard, ShardConfig, Task, TaskHandle, read_source,
};
use meter::Clock;
use plan::{
    AutoCommit, Document, FieldSelection, FieldSource, Result, Schema, SchemaSource, TypeSource, Value,
    Version,
};

use crate::ledger::Shown;
use crate::surroundings::Surroundings;

/// Batches that a shard remembers.
pub const REMEMBERED_MAX: usize = 8;
/// How often, in seconds, documents are deleted that have ended.
const EXPIRY_S: u64 = 10;
const OPENINGS_THAT_MAY_FAIL: usize = 3;

/// So late that a clock which is set back again and again still has a time.
const CLOCK_BEGINS_MS: i64 = 1_000_000;

#[derive(Default)]
pub struct HandClock(AtomicI64);

impl Clock for HandClock {
    fn now_ms(&self) -> i64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Keeps tasks until the history lets those take a turn that are due or were woken. No other: a wake that is
/// lost has to show.
#[derive(Default)]
pub struct TurnByTurn(Mutex<Vec<Arc<KeptTask>>>);

/// A task between its turns, and its handle.
struct KeptTask {
    task: std::sync::Weak<dyn Task>,
    woken: AtomicBool,
    stopped: AtomicBool,
    /// Milliseconds since 1970; the first turn comes at once.
    due_at: AtomicI64,
}

impl std::fmt::Debug for TurnByTurn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("TurnByTurn")
    }
}

impl Scheduler for TurnByTurn {
    fn start(&self, _: &'static str, _: Priority, task: &Arc<dyn Task>) -> Result<Arc<dyn TaskHandle>> {
        let kept = Arc::new(KeptTask {
            task: Arc::downgrade(task),
            woken: AtomicBool::new(false),
            stopped: AtomicBool::new(false),
            due_at: AtomicI64::new(0),
        });
        self.0.lock().unwrap().push(kept.clone());
        Ok(kept)
    }
}

impl TurnByTurn {
    /// Each task that is due or was woken takes one turn.
    fn pass(&self, clock: &HandClock) {
        // The lock ends before the turns begin: one of them may stop a task or start another.
        let tasks = {
            let mut tasks = self.0.lock().unwrap();
            tasks.retain(|task| task.task.strong_count() > 0 && !task.stopped.load(Ordering::Relaxed));
            tasks.clone()
        };
        for task in tasks {
            task.turn_if_due(clock);
        }
    }
}

impl KeptTask {
    fn turn_if_due(&self, clock: &HandClock) {
        // Taken before the turn, so that a wake during it asks for one more.
        let is_woken = self.woken.swap(false, Ordering::Relaxed);
        if !is_woken && clock.now_ms() < self.due_at.load(Ordering::Relaxed) {
            return;
        }
        let Some(task) = self.task.upgrade().filter(|_| !self.stopped.load(Ordering::Relaxed)) else {
            return;
        };
        let pause_ms = i64::try_from(task.turn()).unwrap_or(i64::MAX);
        self.due_at.store(clock.now_ms().saturating_add(pause_ms), Ordering::Relaxed);
    }
}

impl TaskHandle for KeptTask {
    fn wake(&self) {
        self.woken.store(true, Ordering::Relaxed);
    }

    fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }
}

pub struct Stage {
    pub site: Box<dyn Surroundings>,
    clock: Arc<HandClock>,
    scheduler: Arc<TurnByTurn>,
    schema: Arc<Schema>,
}

impl Stage {
    pub fn new(site: Box<dyn Surroundings>) -> Self {
        let clock = Arc::new(HandClock::default());
        clock.0.store(CLOCK_BEGINS_MS, Ordering::Relaxed);
        Self {
            site,
            clock,
            scheduler: Arc::default(),
            schema: Arc::new(Schema::build(schema()).expect("the schema is fine")),
        }
    }

    /// Opens the shard, whoever owns it; again where the medium does not let it, which then behaves.
    pub fn open(&self) -> Result<Arc<Shard>> {
        for _ in 0..OPENINGS_THAT_MAY_FAIL {
            if let Ok(shard) = self.try_open() {
                return Ok(shard);
            }
        }
        self.site.calm();
        self.try_open()
    }

    fn try_open(&self) -> Result<Arc<Shard>> {
        let home = self.site.home().map_err(|error| plan::Error::internal(error.to_string()))?;
        let auto_commit = AutoCommit {
            flush_after_ms: Some(15_000),
            flush_after_docs: None,
            flush_opens_searcher: false,
            refresh_after_ms: Some(1_000),
            refresh_after_docs: None,
        };
        let config = ShardConfig {
            auto_commit,
            caches: CacheSizes::NONE,
            merge: MergePolicy { segments_per_tier: 2, ..MergePolicy::default() },
            scheduler: Some(self.scheduler.clone()),
            batches_kept: REMEMBERED_MAX,
            replaced_files_kept_ms: 5_000,
            ..ShardConfig::default()
        };
        let shard = Shard::open(home, self.schema.clone(), config, self.clock.clone())?;
        shard.set_expiries(&[("ends".into(), EXPIRY_S)]);
        Ok(shard)
    }

    pub fn now_ms(&self) -> i64 {
        self.clock.now_ms()
    }

    /// What opens next has another clock, or one that was set: it is behind.
    pub fn set_clock_back(&self, ms: i64) {
        self.clock.0.fetch_sub(ms, Ordering::Relaxed);
    }

    /// Lets time pass, and each task take a turn that is due then or was woken.
    pub fn turn(&self, ms: i64) {
        self.clock.0.fetch_add(ms, Ordering::Relaxed);
        self.scheduler.pass(&self.clock);
    }
}

fn schema() -> SchemaSource {
    let kind = |name: &str, class: &str| TypeSource {
        name: name.into(),
        class: format!("solr.{class}"),
        ..TypeSource::default()
    };
    let field = |name: &str, type_name: &str| FieldSource {
        name: name.into(),
        type_name: type_name.into(),
        attributes: vec![],
    };
    SchemaSource {
        name: "simulation".into(),
        version: 1.7,
        unique_key: Some("id".into()),
        types: vec![
            kind("string", "StrField"),
            kind("int", "IntPointField"),
            kind("long", "LongPointField"),
            kind("date", "DatePointField"),
            kind("_nest_path_", "NestPathField"),
        ],
        fields: vec![
            field("id", "string"),
            field("_version_", "long"),
            field("_root_", "string"),
            field("_nest_path_", "_nest_path_"),
            field("count", "int"),
            field("ends", "date"),
            field("name", "string"),
        ],
        ..SchemaSource::default()
    }
}

/// What a get tells: count and version, `None` where there is no document.
pub fn get(shard: &Shard, ids: &[String]) -> Result<Vec<Option<(i32, Version)>>> {
    let found = shard.get(ids, &FieldSelection::everything())?;
    Ok(found.iter().map(|document| document.as_ref().map(figures)).collect())
}

/// What searches see. An id that is there twice is named twice.
pub fn search(shard: &Shard) -> Shown {
    let snapshot = shard.snapshot();
    let mut shown = Shown::new();
    for view in snapshot.segments() {
        for doc in view.reader().doc_ids_alive() {
            let source = view.source(doc).expect("a visible document has a source");
            let all = FieldSelection::everything();
            let (mut id, document) =
                read_source(&source, snapshot.layout(), &all).expect("a source can be read");
            while shown.contains_key(&id) {
                id.push_str(" again");
            }
            shown.insert(id, figures(&document));
        }
    }
    shown
}

fn figures(document: &Document) -> (i32, Version) {
    match (document.first("count"), document.first("_version_")) {
        (Some(Value::Int(count)), Some(Value::Long(version))) => (*count, *version),
        other => panic!("count and version are {other:?}"),
    }
}
