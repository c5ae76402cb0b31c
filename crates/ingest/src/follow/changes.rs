//! What has changed, as keys of documents to be made anew: from the outbox, the log, or the updated-at
//! column. A batch is confirmed when the target has acknowledged what it led to; until then it comes again.
//! Which row came to be what is not in here: rows are read afresh, so that the last state wins however often,
//! and in whatever order, changes are heard of.

use std::collections::{BTreeSet, HashMap};

use sqlx::{AssertSqlSafe, Row as _};

use super::database::PipelineDatabase;
use super::install::make_slot;
use super::pgoutput::{LogDecoder, LogMessage};
use super::slot::{LOST_NEXT_STEP, SlotState, drop_slot};
use crate::config::{FollowKind, PostgresConfig, WatchConfig};
use crate::sources::SourceError;
use crate::sources::sql::{array, literal, name, subquery};

/// Changes read at once: what a restart reads again at most.
const CHANGES_MAX: i64 = 1000;

/// Log that a slot holds back for nobody before it is moved on: each move is a write.
const IDLE_BYTES_MAX: u64 = 16 << 20;

/// What to do about a watched table that was emptied.
pub const TRUNCATED_NEXT_STEP: &str = "run `parhelion ingest run FILE --fresh`";

/// Keys to make anew, and what to confirm then.
#[derive(Debug, Default)]
pub struct ChangeBatch {
    pub keys: BTreeSet<String>,
    pub confirm: Confirm,
    /// There may be more right away.
    pub full: bool,
}

#[derive(Debug, Default)]
pub enum Confirm {
    #[default]
    Nothing,
    Outbox(Vec<i64>),
    /// A place in the log.
    Log(String),
    /// An updated-at value.
    Updated(String),
}

/// The changes of one source.
#[derive(Clone)]
pub struct ChangeFeed {
    source: String,
    key: String,
    config: PostgresConfig,
    slot: String,
    database: PipelineDatabase,
}

impl ChangeFeed {
    pub fn new(
        source: &str,
        key: &str,
        config: &PostgresConfig,
        slot: &str,
        database: PipelineDatabase,
    ) -> Self {
        Self {
            source: source.to_owned(),
            key: key.to_owned(),
            config: config.clone(),
            slot: slot.to_owned(),
            database,
        }
    }

    /// The next changes; none when there are none. Errors:
    /// [`SourceErrorKind::Lost`](crate::sources::SourceErrorKind::Lost) when some can never be known.
    pub async fn next(&self) -> Result<ChangeBatch, SourceError> {
        match self.config.follow {
            FollowKind::Trigger => self.outbox_changes().await,
            FollowKind::Replication => self.log_changes().await,
            FollowKind::Polling => self.updated_changes().await,
            FollowKind::None => Ok(ChangeBatch::default()),
        }
    }

    /// While nobody reads: what is kept for us stays within its bound. Errors: as [`next`](Self::next).
    pub async fn keep_bounded(&self) -> Result<(), SourceError> {
        match self.config.follow {
            FollowKind::Replication => self.check_slot().await.map(drop),
            FollowKind::Trigger | FollowKind::Polling | FollowKind::None => Ok(()),
        }
    }

    /// False when the lease is no longer ours: nothing was confirmed.
    pub async fn confirm(&self, confirm: &Confirm, token: i64) -> Result<bool, SourceError> {
        match confirm {
            Confirm::Nothing => Ok(true),
            Confirm::Outbox(seqs) => self.database.confirm(seqs, token).await,
            Confirm::Updated(at) => self.database.keep_position(at, token).await,
            Confirm::Log(lsn) => self.advance(lsn, token).await,
        }
    }

    async fn outbox_changes(&self) -> Result<ChangeBatch, SourceError> {
        let rows = self.database.changes(CHANGES_MAX).await?;
        let mut changed: HashMap<usize, BTreeSet<String>> = HashMap::new();
        for row in &rows {
            let Some(key) = &row.key else { return Err(self.emptied(self.table(row.watch))) };
            changed.entry(row.watch).or_default().insert(key.clone());
        }
        let keys = self.parents_of(&changed).await?;
        let full = rows.len() as i64 == CHANGES_MAX;
        let confirm = Confirm::Outbox(rows.iter().map(|row| row.seq).collect());
        Ok(ChangeBatch { keys, confirm: if rows.is_empty() { Confirm::Nothing } else { confirm }, full })
    }

    /// Reads whole transactions without moving the slot: it is moved when they are indexed.
    async fn log_changes(&self) -> Result<ChangeBatch, SourceError> {
        let idle = self.check_slot().await?;
        let rows = sqlx::query(
            "SELECT lsn::text, data FROM pg_logical_slot_peek_binary_changes($1, NULL, $2, \
             'proto_version', '1', 'publication_names', $1)",
        );
        let rows = rows.bind(&self.slot).bind(i32::try_from(CHANGES_MAX).unwrap_or(i32::MAX));
        let rows = rows.fetch_all(self.database.pool()).await.map_err(|error| self.database.error(&error))?;
        let mut decoder = LogDecoder::default();
        let mut changed: HashMap<usize, BTreeSet<String>> = HashMap::new();
        let mut batch = ChangeBatch { full: rows.len() as i64 >= CHANGES_MAX, ..ChangeBatch::default() };
        for row in &rows {
            let message = decoder
                .decode(row.get::<&[u8], _>(1))
                .map_err(|error| SourceError::refused(&self.source, error))?;
            match message {
                LogMessage::Change { table, rows } => {
                    for (at, watch) in self.watched(&table) {
                        let cells = rows.iter().flatten().filter(|(column, _)| *column == watch.key);
                        changed.entry(at).or_default().extend(cells.map(|(_, key)| key.clone()));
                    }
                }
                LogMessage::Truncate { tables } => {
                    if let Some(table) = tables.iter().find(|table| self.watched(table).next().is_some()) {
                        return Err(self.emptied(table));
                    }
                }
                LogMessage::Commit => batch.confirm = Confirm::Log(row.get(0)),
                LogMessage::Other => {}
            }
        }
        batch.keys = self.parents_of(&changed).await?;
        if rows.is_empty() {
            batch.confirm = idle.map_or(Confirm::Nothing, Confirm::Log);
        }
        Ok(batch)
    }

    /// Drops a slot that holds back more of the log than was allowed. Gives a place of the log to move the
    /// slot to when nothing before it concerns us: tables that nobody watches write the log too. Errors:
    /// [`SourceErrorKind::Lost`](crate::sources::SourceErrorKind::Lost).
    async fn check_slot(&self) -> Result<Option<String>, SourceError> {
        let state = self.slot_state().await?;
        let lost = state.loss(&self.slot).unwrap_or_default();
        let lost = match state {
            SlotState::Whole { held, end } => return Ok((held > IDLE_BYTES_MAX).then_some(end)),
            SlotState::Missing | SlotState::GivenUp => lost,
            SlotState::OverBound { .. } => {
                drop_slot(&self.database, &self.slot).await?;
                format!("{lost}, and was dropped")
            }
        };
        Err(SourceError::lost(&self.source, format!("{lost}; {LOST_NEXT_STEP}")))
    }

    async fn slot_state(&self) -> Result<SlotState, SourceError> {
        SlotState::ask(&self.database, &self.slot, self.config.slot_bytes_max).await
    }

    /// Before a snapshot is taken for a whole run: what changes from now on will be heard of, what changed
    /// before the snapshot knows.
    pub async fn begin_anew(&self, token: i64) -> Result<(), SourceError> {
        match self.config.follow {
            FollowKind::None => Ok(()),
            FollowKind::Trigger => self.database.forget_truncations().await,
            FollowKind::Replication => {
                // Made anew, it begins where every transaction before it has ended, and can be seen by the
                // snapshot.
                drop_slot(&self.database, &self.slot).await?;
                make_slot(&self.database, &self.slot).await
            }
            FollowKind::Polling => {
                let now: Result<String, _> = sqlx::query_scalar("SELECT clock_timestamp()::text")
                    .fetch_one(self.database.pool())
                    .await;
                let now = now.map_err(|error| self.database.error(&error))?;
                self.database.keep_position(&now, token).await.map(drop)
            }
        }
    }

    async fn advance(&self, lsn: &str, token: i64) -> Result<bool, SourceError> {
        // The place of a commit's row is the end of its record: everything up to and with it is done.
        let moved = sqlx::query(
            "SELECT pg_replication_slot_advance($1, $2::pg_lsn) \
             FROM parhelion_ingest.lease WHERE token = $3 LIMIT 1",
        );
        let moved = moved.bind(&self.slot).bind(lsn).bind(token).fetch_all(self.database.pool()).await;
        Ok(!moved.map_err(|error| self.database.error(&error))?.is_empty())
    }

    /// Rows at or after the last position, less the overlap. What was seen before is seen again: reading is
    /// cheap, missing is not.
    async fn updated_changes(&self) -> Result<ChangeBatch, SourceError> {
        let Some(column) = &self.config.updated_column else { return Ok(ChangeBatch::default()) };
        let position = self.database.position().await?;
        let since = position.as_deref().map_or_else(String::new, |at| {
            let overlap = self.config.overlap_seconds;
            format!("WHERE q.{} > {}::timestamptz - interval '{overlap} seconds'", name(column), literal(at))
        });
        let sql = format!(
            "SELECT q.{}::text, q.{column}::text FROM {} {since} ORDER BY q.{column}",
            name(&self.key),
            subquery(&self.config.query),
            column = name(column),
        );
        let rows = sqlx::query(AssertSqlSafe(sql)).fetch_all(self.database.pool()).await;
        let rows = rows.map_err(|error| self.database.error(&error))?;
        let keys: BTreeSet<String> = rows.iter().map(|row| row.get(0)).collect();
        let last: Option<Option<String>> = rows.last().map(|row| row.get(1));
        let confirm = last.flatten().map_or(Confirm::Nothing, Confirm::Updated);
        Ok(ChangeBatch { keys, confirm, full: false })
    }

    fn table(&self, watch: usize) -> &str {
        self.config.watch.get(watch).map_or("a table", |watch| &watch.table)
    }

    fn watched(&self, table: &str) -> impl Iterator<Item = (usize, &WatchConfig)> {
        let plain = table.strip_prefix("public.").unwrap_or(table).to_owned();
        let table = table.to_owned();
        let named = move |watch: &WatchConfig| watch.table == table || watch.table == plain;
        self.config.watch.iter().enumerate().filter(move |(_, watch)| named(watch))
    }

    /// From keys of changed rows, by watched table, to keys of documents.
    async fn parents_of(
        &self,
        changed: &HashMap<usize, BTreeSet<String>>,
    ) -> Result<BTreeSet<String>, SourceError> {
        let mut keys = BTreeSet::new();
        for (watch, changed) in changed {
            // A table that the file no longer watches concerns nobody.
            let Some(watch) = self.config.watch.get(*watch) else { continue };
            match &watch.parents {
                None => keys.extend(changed.iter().cloned()),
                Some(parents) => {
                    let list: Vec<String> = changed.iter().cloned().collect();
                    let parents = parents.replace("$keys", &literal(&array(&list)));
                    let sql = format!(
                        "SELECT p.key::text FROM ({}\n) AS p (key)",
                        parents.trim().trim_end_matches(';')
                    );
                    let found: Vec<Option<String>> = sqlx::query_scalar(AssertSqlSafe(sql))
                        .fetch_all(self.database.pool())
                        .await
                        .map_err(|error| self.database.error(&error))?;
                    keys.extend(found.into_iter().flatten());
                }
            }
        }
        Ok(keys)
    }

    fn emptied(&self, table: &str) -> SourceError {
        SourceError::lost(
            &self.source,
            format!("`{table}` was truncated, which names no rows; {TRUNCATED_NEXT_STEP}"),
        )
    }
}
