//! Tests of the shard as a whole, over a disk in memory that can fail. `lifecycle` tells single stories;
//! `faults` breaks the disk, `durable` asks what is shown meanwhile; `formats` opens what earlier versions
//! wrote; `follow` and `follow_leader` are of those that only read; `batches` sends batches again; `model`
//! compares random histories with a map, `blocks` such of blocks with a list, both with what `upkeep` brings;
//! `rebuild` fills one shard from another; `conditions` is of what else an operation has to meet,
//! `schema_versions` of the schema that it was resolved against, `refused_meanwhile` of a shard that closes
//! under an update, `trace` of where time goes, `vitals` of what is seen of it from outside.

mod batches;
mod blocks;
mod conditions;
mod durable;
mod faults;
mod follow;
mod follow_leader;
mod formats;
mod lifecycle;
mod losses;
mod model;
mod outage;
mod rebuild;
mod refused_meanwhile;
mod removal;
mod sampled;
mod schema_versions;
mod scrub;
mod trace;
mod upkeep;
mod vitals;

use std::sync::Arc;

use plan::{
    Add, AutoCommit, Commit, Document, Expect, FieldSelection, Operation, Query, UpdateBatch, UpdateOutcome,
    Value,
};
use store::faults::MemoryDisk;

use crate::search::matching_docs;
use crate::testing::{StillClock, document, schema, text};
use crate::{MergePolicy, Shard, ShardConfig, UpdateContext, read_source};

/// No commit happens by itself and merges are eager.
fn config() -> ShardConfig {
    let auto_commit = AutoCommit {
        flush_after_ms: None,
        flush_after_docs: None,
        flush_opens_searcher: false,
        refresh_after_ms: None,
        refresh_after_docs: None,
    };
    let merge = MergePolicy { segments_per_tier: 3, ..MergePolicy::default() };
    ShardConfig { auto_commit, merge, replaced_files_kept_ms: 0, ..ShardConfig::default() }
}

/// A shard on a disk in memory.
struct Site {
    disk: MemoryDisk,
    clock: Arc<StillClock>,
    config: ShardConfig,
}

impl Site {
    fn new() -> Self {
        // Small files: a disk in memory copies them whole.
        let log =
            store::LogOptions { file_bytes: 1 << 20, reserve_bytes: 16 << 10, pending_bytes_max: 1 << 20 };
        let disk = MemoryDisk::new(store::HomeOptions { log, ..store::HomeOptions::default() });
        Self { disk, clock: Arc::new(StillClock::at(1_000)), config: config() }
    }

    fn open(&self) -> Arc<Shard> {
        let home = Arc::new(self.disk.open().unwrap());
        Shard::open(home, Arc::new(schema()), self.config.clone(), self.clock.clone()).unwrap()
    }
}

fn film(id: &str, title: &str) -> Document {
    document(&[("id", vec![text(id)]), ("title_t", vec![text(title)])])
}

fn add(document: Document) -> Operation {
    add_expecting(document, Expect::Anything)
}

fn add_expecting(document: Document, expect: Expect) -> Operation {
    let id = document.first("id").map(Value::to_text).unwrap_or_default();
    add_block(id, document, vec![], expect)
}

fn add_block(id: String, document: Document, children: Vec<plan::NestedField>, expect: Expect) -> Operation {
    Operation::Add(Add {
        id,
        document,
        children,
        expect,
        overwrite: true,
        conditions: None,
        commit_within_ms: None,
    })
}

fn modify(id: &str, field: &str, op: plan::AtomicOp, values: Vec<Value>) -> Operation {
    let edits = vec![plan::FieldEdit { field: field.into(), op, values }];
    Operation::Modify(plan::Modify {
        id: id.into(),
        root: None,
        edits,
        nested: vec![],
        expect: Expect::Anything,
        conditions: None,
        commit_within_ms: None,
    })
}

fn delete(id: &str) -> Operation {
    Operation::Delete { id: id.into(), route: None, expect: Expect::Anything, commit_within_ms: None }
}

fn delete_by_query(query: Query) -> Operation {
    Operation::DeleteByQuery { query, text: "query".into(), commit_within_ms: None }
}

fn term(field: &str, word: &str) -> Query {
    Query::Term { field: field.into(), value: text(word) }
}

fn batch(operations: Vec<Operation>) -> UpdateBatch {
    UpdateBatch { operations, ..UpdateBatch::default() }
}

/// Updates that must succeed.
fn update(shard: &Shard, operations: Vec<Operation>) -> UpdateOutcome {
    let outcome = shard.update(batch(operations), UpdateContext::default());
    assert!(outcome.failure.is_none(), "{:?}", outcome.failure);
    outcome
}

fn refresh(shard: &Shard) {
    shard.commit(&Commit::SOFT).unwrap();
}

fn flush(shard: &Shard) {
    shard.commit(&Commit::HARD).unwrap();
}

/// The live document as a real-time get gives it.
fn get(shard: &Shard, id: &str) -> Option<Document> {
    shard.get(&[id.to_owned()], &FieldSelection::everything()).unwrap().pop().unwrap()
}

fn version_of(shard: &Shard, id: &str) -> Option<i64> {
    match get(shard, id)?.first("_version_") {
        Some(Value::Long(version)) => Some(*version),
        other => panic!("{other:?}"),
    }
}

/// Ids of the visible documents that match, sorted.
fn found(shard: &Shard, query: &Query) -> Vec<String> {
    let snapshot = shard.snapshot();
    let mut ids = Vec::new();
    for (ordinal, docs) in matching_docs(&snapshot, query).unwrap() {
        for doc in docs {
            let source = snapshot.segments()[ordinal].source(doc).unwrap();
            ids.push(read_source(&source, snapshot.layout(), &FieldSelection::default()).unwrap().0);
        }
    }
    ids.sort();
    ids
}
