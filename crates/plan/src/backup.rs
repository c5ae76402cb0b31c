//! What is known of a backup. Read off its record by `cluster`, shown by `solr` for `LISTBACKUP` and after a
//! restore; how it lies on disk is `store`'s (docs/adr/0009-backups-by-content.md).

/// One backup of a collection. Times are milliseconds since the epoch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BackupFacts {
    pub id: u64,
    pub collection: String,
    pub configset: String,
    /// The names of its shards.
    pub shards: Vec<String>,
    pub started_ms: i64,
    pub ended_ms: i64,
    pub files: u64,
    pub bytes: u64,
}
