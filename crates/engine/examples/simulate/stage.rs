//! The world of one history: a site in memory, a clock that is moved by hand, a scheduler whose tasks take their turns when they are
//! told to, and the shard as its clients use it.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};

use engine::{
    CacheSizes, MergePolicy, Priority, Scheduler, Shard, ShardConfig, Task, TaskHandle, UpdateContext,
    read_source,
};
use meter::Clock;
use plan::{
    AtomicOp, AutoCommit, BatchId, Document, Durable, Expect, FieldEdit, FieldSelection, FieldSource, Modify,
    Operation, Result, Schema, SchemaSource, TypeSource, UpdateBatch, UpdateOutcome, Value,
};
use store::memory::MemorySite;
use store::{ShardId, Site as _};

pub const PAIRS: u8 = 3;

#[derive(Default)]
pub struct HandClock(AtomicI64);

impl Clock for HandClock {
    fn now_ms(&self) -> i64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Keeps tasks until somebody lets them take a turn.
#[derive(Default)]
pub struct TurnByTurn(Mutex<Vec<std::sync::Weak<dyn Task>>>);

impl std::fmt::Debug for TurnByTurn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("TurnByTurn")
    }
}

impl Scheduler for TurnByTurn {
    fn start(&self, _: &'static str, _: Priority, task: &Arc<dyn Task>) -> Result<Arc<dyn TaskHandle>> {
        self.0.lock().unwrap().push(Arc::downgrade(task));
        Ok(Arc::new(Unheeded))
    }
}

/// Turns come when the history says so.
struct Unheeded;

impl TaskHandle for Unheeded {
    fn wake(&self) {}
    fn stop(&self) {}
}

pub struct Stage {
    pub site: MemorySite,
    pub id: ShardId,
    clock: Arc<HandClock>,
    scheduler: Arc<TurnByTurn>,
    schema: Arc<Schema>,
}

impl Stage {
    pub fn new() -> Self {
        let clock = Arc::new(HandClock::default());
        clock.0.store(1_000, Ordering::Relaxed);
        Self {
            site: MemorySite::default(),
            id: ShardId { path: "films/shard1".into(), stream: [1; 16] },
            clock,
            scheduler: Arc::default(),
            schema: Arc::new(Schema::build(schema()).expect("the schema is fine")),
        }
    }

    /// Opens the shard, whoever owns it. Fails where the medium does.
    pub fn open(&self) -> Result<Arc<Shard>> {
        let home = self.site.home(&self.id).expect("a home in memory opens");
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
            replaced_files_kept_ms: 5_000,
            ..ShardConfig::default()
        };
        Shard::open(home, self.schema.clone(), config, self.clock.clone())
    }

    /// Lets time pass and each task take a turn.
    pub fn turn(&self, ms: i64) {
        self.clock.0.fetch_add(ms, Ordering::Relaxed);
        let tasks: Vec<_> = self.scheduler.0.lock().unwrap().clone();
        for task in tasks.iter().filter_map(std::sync::Weak::upgrade) {
            task.turn();
        }
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
        types: vec![kind("string", "StrField"), kind("int", "IntPointField"), kind("long", "LongPointField")],
        fields: vec![field("id", "string"), field("_version_", "long"), field("count", "int")],
        ..SchemaSource::default()
    }
}

fn ids(pair: u8) -> [String; 2] {
    ["a", "b"].map(|side| format!("{pair}{side}"))
}

/// Counts both documents of a pair up, once for each record.
pub fn send(shard: &Shard, id: BatchId, pair: u8, records: u8, durable: Durable) -> UpdateOutcome {
    let edit = || FieldEdit { field: "count".into(), op: AtomicOp::Inc, values: vec![Value::Int(1)] };
    let modify = |id: String| {
        Operation::Modify(Modify {
            id,
            root: None,
            edits: vec![edit()],
            nested: vec![],
            expect: Expect::Anything,
            conditions: None,
            commit_within_ms: None,
        })
    };
    // An id is once in a record: each repetition begins another.
    let operations = (0..records).flat_map(|_| ids(pair)).map(modify).collect();
    shard.update(
        UpdateBatch { id: Some(id), operations, durable, ..UpdateBatch::default() },
        UpdateContext::default(),
    )
}

fn count_of(document: Option<&Document>) -> i64 {
    match document.and_then(|it| it.first("count")) {
        Some(Value::Int(count)) => i64::from(*count),
        Some(other) => panic!("a count is {other:?}"),
        None => 0,
    }
}

pub fn get(shard: &Shard, pair: u8) -> Result<[i64; 2]> {
    let found = shard.get(&ids(pair), &FieldSelection::everything())?;
    Ok([0, 1].map(|at| count_of(found[at].as_ref())))
}

/// What searches see of each pair.
pub fn search(shard: &Shard) -> Vec<[i64; 2]> {
    let snapshot = shard.snapshot();
    let mut counts = vec![[0; 2]; usize::from(PAIRS)];
    for view in snapshot.segments() {
        for doc in view.reader().doc_ids_alive() {
            let source = view.source(doc).expect("a visible document has a source");
            let all = FieldSelection::everything();
            let (id, document) = read_source(&source, snapshot.layout(), &all).expect("a source can be read");
            let (pair, side) = id.split_at(1);
            let pair: usize = pair.parse().expect("ids begin with their pair");
            counts[pair][usize::from(side == "b")] += count_of(Some(&document));
        }
    }
    counts
}
