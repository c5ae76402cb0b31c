//! What clients read of backups: Solr's names, shard by shard. In: what `cluster` knows of a backup
//! (`plan::BackupFacts`); out: entries of the answer. Making and purging are `cluster`'s, the form on disk
//! `store`'s.

use plan::{BackupFacts, Value};

use super::system::LUCENE_VERSION;
use crate::response::{Entries, Name, Node};

/// The body of the answer to `BACKUP`; `copied` are the files and bytes that earlier backups did not have.
pub fn backup_made(backup: &BackupFacts, copied: (u64, u64)) -> Entries {
    let response = Node::map([
        ("collection", Node::from(backup.collection.clone())),
        ("numShards", Node::Int(i32::try_from(backup.shards.len()).unwrap_or(i32::MAX))),
        ("backupId", Node::count(backup.id)),
        ("indexVersion", Node::str(LUCENE_VERSION)),
        ("startTime", time(backup.started_ms)),
        ("endTime", time(backup.ended_ms)),
        ("indexFileCount", Node::count(backup.files)),
        ("uploadedIndexFileCount", Node::count(copied.0)),
        ("indexSizeMB", megabytes(backup.bytes)),
        ("extraProperties", Node::Map(vec![])),
        ("uploadedIndexFileMB", megabytes(copied.1)),
        (
            "shardBackupIds",
            Node::Array(backup.shards.iter().map(|shard| Node::from(shard_id(shard, backup.id))).collect()),
        ),
    ]);
    vec![("response".into(), response)]
}

/// The body of the answer to `LISTBACKUP`.
pub fn backup_list(backups: &[BackupFacts]) -> Entries {
    let one = |backup: &BackupFacts| {
        Node::map([
            ("backupId", Node::count(backup.id)),
            ("indexVersion", Node::str(LUCENE_VERSION)),
            ("startTime", time(backup.started_ms)),
            ("endTime", time(backup.ended_ms)),
            ("indexFileCount", Node::count(backup.files)),
            ("indexSizeMB", megabytes(backup.bytes)),
            ("shardBackupIds", shard_ids(backup)),
            ("collection.configName", Node::from(backup.configset.clone())),
            ("collectionAlias", Node::from(backup.collection.clone())),
        ])
    };
    let collection = backups.last().map(|backup| backup.collection.clone()).unwrap_or_default();
    vec![
        ("collection".into(), Node::from(collection)),
        ("backups".into(), Node::Array(backups.iter().map(one).collect())),
    ]
}

/// The body of the answer to `DELETEBACKUP`, for those that went.
pub fn backups_deleted(backups: &[BackupFacts]) -> Entries {
    let Some(collection) = backups.last().map(|backup| backup.collection.clone()) else { return vec![] };
    let one = |backup: &BackupFacts| {
        Node::map([
            ("startTime", time(backup.started_ms)),
            ("backupId", Node::count(backup.id)),
            ("size", Node::count(backup.bytes)),
            ("numFiles", Node::count(backup.files)),
        ])
    };
    vec![
        ("collection".into(), Node::from(collection)),
        ("deleted".into(), Node::Array(backups.iter().map(one).collect())),
    ]
}

/// The body of the answer to `DELETEBACKUP` with `purgeUnused`.
pub fn backups_purged(files: u64) -> Entries {
    let counts = [
        ("numBackupIds", Node::Int(0)),
        ("numShardBackupIds", Node::Int(0)),
        ("numIndexFiles", Node::count(files)),
    ];
    vec![("deleted".into(), Node::map(counts))]
}

fn shard_ids(backup: &BackupFacts) -> Node {
    let id = |shard: &String| Node::from(format!("{}.json", shard_id(shard, backup.id)));
    Node::Map(backup.shards.iter().map(|shard| (Name::Owned(shard.clone()), id(shard))).collect())
}

fn shard_id(shard: &str, id: u64) -> String {
    format!("md_{shard}_{id}")
}

/// A text, as Solr has it here.
fn time(ms: i64) -> Node {
    Node::from(Value::Date(ms).to_text())
}

/// To three digits.
fn megabytes(bytes: u64) -> Node {
    Node::Double((bytes as f64 / f64::from(1 << 20) * 1000.0).round() / 1000.0)
}
