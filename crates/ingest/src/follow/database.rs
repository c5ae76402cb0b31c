//! The tables that following keeps in the source's database, below one schema: what has changed and is not
//! yet indexed, rows that become due later, who is active, whether it is to pause. Owns their SQL; the words
//! of a change stay here, so that a service that takes over finds all of it.

use sqlx::Row as _;
use sqlx::postgres::{PgPool, PgPoolOptions};

use crate::config::{FollowKind, IngestConfig, PostgresConfig, SourceConfig};
use crate::sources::{SourceError, connect_options, database_error};

/// Changes, due rows and lease of one file, in one database.
#[derive(Clone)]
pub struct PipelineDatabase {
    pool: PgPool,
    /// The file's name.
    pipeline: String,
    /// Whose changes; empty for what concerns the whole file.
    source: String,
    /// The same, for errors.
    place: String,
}

/// A row of the outbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutboxRow {
    pub seq: i64,
    /// Of the source's watched tables.
    pub watch: usize,
    /// `None`: the whole table was emptied.
    pub key: Option<String>,
}

/// Who is active, as the database says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeaseRow {
    pub token: i64,
    /// Milliseconds until it runs out.
    pub left_ms: i64,
}

/// That a pause was asked for, as the database says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PauseRow {
    /// Milliseconds since it was asked for.
    pub age_ms: i64,
    /// Of the active service that has stopped for it.
    pub stopped_token: Option<i64>,
}

/// What the service of the file with this name listens to.
pub fn channel(pipeline: &str) -> String {
    format!("parhelion_ingest_{pipeline}")
}

/// The sources of the file whose changes are followed.
pub fn followed_sources(config: &IngestConfig) -> impl Iterator<Item = (&SourceConfig, &PostgresConfig)> {
    let sources = config.sources.iter().filter_map(|source| Some((source, source.postgres.as_ref()?)));
    sources.filter(|(_, postgres)| postgres.follow != FollowKind::None)
}

impl PipelineDatabase {
    /// The database that lease, pause and position of the file are in: its first followed source's. `None`
    /// where no source is followed.
    pub fn of_file(config: &IngestConfig) -> Result<Option<Self>, SourceError> {
        let first = followed_sources(config).next();
        first
            .map(|(source, postgres)| Ok(Self::new(&config.name, &source.name, postgres)?.of_pipeline()))
            .transpose()
    }

    /// Connects at first use.
    pub fn new(pipeline: &str, source: &str, config: &PostgresConfig) -> Result<Self, SourceError> {
        let options = connect_options(source, config)?;
        // One listens, one renews the lease, one reads changes; one to spare.
        let pool = PgPoolOptions::new().max_connections(4).connect_lazy_with(options);
        Ok(Self { pool, pipeline: pipeline.to_owned(), source: source.to_owned(), place: source.to_owned() })
    }

    /// The same database for what concerns the whole file, not one source.
    #[must_use]
    pub fn of_pipeline(&self) -> Self {
        Self { source: String::new(), ..self.clone() }
    }

    pub fn pool(&self) -> &PgPool {
        &self.pool
    }

    pub fn error(&self, error: &sqlx::Error) -> SourceError {
        let database = error.as_database_error();
        let code = database.and_then(|error| error.code()).unwrap_or_default().into_owned();
        // Undefined table or schema, and it is ours: whatever the server's language, it quotes the name.
        let ours = database.is_some_and(|error| error.message().contains("parhelion_ingest"));
        if ours && matches!(code.as_str(), "42P01" | "3F000") {
            return SourceError::refused(
                &self.place,
                "its database lacks our tables; run `parhelion ingest install FILE`",
            );
        }
        database_error(&self.place, error)
    }

    /// The oldest changes that are not yet confirmed.
    pub async fn changes(&self, changes_max: i64) -> Result<Vec<OutboxRow>, SourceError> {
        let rows = sqlx::query(
            "SELECT seq, watch, key FROM parhelion_ingest.outbox WHERE pipeline = $1 AND source = $2 \
             ORDER BY seq LIMIT $3",
        );
        let rows = rows.bind(&self.pipeline).bind(&self.source).bind(changes_max).fetch_all(&self.pool).await;
        let rows = rows.map_err(|error| self.error(&error))?;
        Ok(rows
            .iter()
            .map(|row| OutboxRow {
                seq: row.get(0),
                watch: usize::try_from(row.get::<i32, _>(1)).unwrap_or_default(),
                key: row.get(2),
            })
            .collect())
    }

    /// As if rows with these keys had changed.
    pub async fn add_changes(&self, watch: usize, keys: &[String]) -> Result<(), SourceError> {
        let added = sqlx::query(
            "INSERT INTO parhelion_ingest.outbox (pipeline, source, watch, key) \
             SELECT $1, $2, $3, * FROM unnest($4::text[])",
        );
        let added =
            added.bind(&self.pipeline).bind(&self.source).bind(i32::try_from(watch).unwrap_or_default());
        let added = added.bind(keys).execute(&self.pool).await;
        added.map(drop).map_err(|error| self.error(&error))
    }

    /// Forgets changes, if the lease is still ours. By their numbers one by one: a transaction that took a
    /// lower number may commit later, and is then still to come.
    pub async fn confirm(&self, seqs: &[i64], token: i64) -> Result<bool, SourceError> {
        let gone = sqlx::query(
            "DELETE FROM parhelion_ingest.outbox WHERE seq = ANY($1) AND EXISTS \
             (SELECT FROM parhelion_ingest.lease WHERE pipeline = $2 AND token = $3)",
        );
        let gone = gone.bind(seqs).bind(&self.pipeline).bind(token).execute(&self.pool).await;
        Ok(gone.map_err(|error| self.error(&error))?.rows_affected() == seqs.len() as u64)
    }

    /// Forgets that tables were emptied: a snapshot that is taken later knows.
    pub async fn forget_truncations(&self) -> Result<(), SourceError> {
        let gone = sqlx::query(
            "DELETE FROM parhelion_ingest.outbox WHERE pipeline = $1 AND source = $2 AND key IS NULL",
        );
        let gone = gone.bind(&self.pipeline).bind(&self.source).execute(&self.pool).await;
        gone.map(drop).map_err(|error| self.error(&error))
    }

    /// How many changes wait, and for how many milliseconds the oldest has.
    pub async fn backlog(&self) -> Result<(i64, i64), SourceError> {
        let row = sqlx::query(
            "SELECT count(*), coalesce((extract(epoch FROM clock_timestamp() - min(at)) * 1000)::bigint, 0) \
             FROM parhelion_ingest.outbox WHERE pipeline = $1 AND source = $2",
        );
        let row = row.bind(&self.pipeline).bind(&self.source).fetch_one(&self.pool).await;
        let row = row.map_err(|error| self.error(&error))?;
        Ok((row.get(0), row.get(1)))
    }

    /// Keys of rows that have become due, the longest first.
    pub async fn due(&self, now_ms: i64, keys_max: i64) -> Result<Vec<String>, SourceError> {
        let keys = sqlx::query_scalar(
            "SELECT key FROM parhelion_ingest.due WHERE pipeline = $1 AND source = $2 AND at_ms <= $3 \
             ORDER BY at_ms LIMIT $4",
        );
        let keys = keys.bind(&self.pipeline).bind(&self.source).bind(now_ms).bind(keys_max);
        keys.fetch_all(&self.pool).await.map_err(|error| self.error(&error))
    }

    /// When the next row becomes due.
    pub async fn next_due_ms(&self) -> Result<Option<i64>, SourceError> {
        let next = sqlx::query_scalar(
            "SELECT min(at_ms) FROM parhelion_ingest.due WHERE pipeline = $1 AND source = $2",
        );
        let next = next.bind(&self.pipeline).bind(&self.source);
        next.fetch_one(&self.pool).await.map_err(|error| self.error(&error))
    }

    /// Of the rows with these keys: those in `due` at their moments, the others no more.
    pub async fn keep_due(&self, keys: &[String], due: &[(String, i64)]) -> Result<(), SourceError> {
        let fail = |error: sqlx::Error| self.error(&error);
        let (due_keys, at): (Vec<&str>, Vec<i64>) = due.iter().map(|(key, at)| (key.as_str(), *at)).unzip();
        let mut both = self.pool.begin().await.map_err(fail)?;
        let gone = sqlx::query(
            "DELETE FROM parhelion_ingest.due WHERE pipeline = $1 AND source = $2 AND key = ANY($3)",
        );
        let gone = gone.bind(&self.pipeline).bind(&self.source).bind(keys);
        gone.execute(&mut *both).await.map_err(fail)?;
        let kept = sqlx::query(
            "INSERT INTO parhelion_ingest.due (pipeline, source, key, at_ms) \
             SELECT $1, $2, * FROM unnest($3::text[], $4::bigint[]) \
             ON CONFLICT (pipeline, source, key) DO UPDATE SET at_ms = excluded.at_ms",
        );
        let kept = kept.bind(&self.pipeline).bind(&self.source).bind(due_keys).bind(at);
        kept.execute(&mut *both).await.map_err(fail)?;
        both.commit().await.map_err(fail)
    }

    /// Takes the lease if it is free or has run out. Each taking has a token of its own, higher than all
    /// before.
    pub async fn take_lease(&self, holder: &str, seconds: u32) -> Result<Option<LeaseRow>, SourceError> {
        let taken = sqlx::query(
            "INSERT INTO parhelion_ingest.lease AS l (pipeline, holder, token, expires_at) \
             VALUES ($1, $2, 1, clock_timestamp() + $3 * interval '1 second') \
             ON CONFLICT (pipeline) DO UPDATE \
             SET holder = excluded.holder, token = l.token + 1, expires_at = excluded.expires_at \
             WHERE l.expires_at <= clock_timestamp() RETURNING token",
        );
        let taken = taken.bind(&self.pipeline).bind(holder).bind(f64::from(seconds));
        let taken = taken.fetch_optional(&self.pool).await.map_err(|error| self.error(&error))?;
        Ok(taken.map(|row| LeaseRow { token: row.get(0), left_ms: i64::from(seconds) * 1000 }))
    }

    /// False when the lease is somebody else's by now.
    pub async fn renew_lease(&self, token: i64, seconds: u32) -> Result<bool, SourceError> {
        let renewed = sqlx::query(
            "UPDATE parhelion_ingest.lease SET expires_at = clock_timestamp() + $3 * interval '1 second' \
             WHERE pipeline = $1 AND token = $2",
        );
        let renewed = renewed.bind(&self.pipeline).bind(token).bind(f64::from(seconds));
        let renewed = renewed.execute(&self.pool).await.map_err(|error| self.error(&error))?;
        Ok(renewed.rows_affected() == 1)
    }

    /// Lets the next one have it at once.
    pub async fn give_up_lease(&self, token: i64) -> Result<(), SourceError> {
        let given = sqlx::query(
            "UPDATE parhelion_ingest.lease SET expires_at = clock_timestamp() WHERE pipeline = $1 AND token = $2",
        );
        let given = given.bind(&self.pipeline).bind(token).execute(&self.pool).await;
        given.map(drop).map_err(|error| self.error(&error))
    }

    /// How long the present holder's lease still runs; `None` where nobody has held it.
    pub async fn lease(&self) -> Result<Option<(String, LeaseRow)>, SourceError> {
        let row = sqlx::query(
            "SELECT holder, token, ceil(extract(epoch FROM expires_at - clock_timestamp()) * 1000)::bigint \
             FROM parhelion_ingest.lease WHERE pipeline = $1",
        );
        let row = row.bind(&self.pipeline).fetch_optional(&self.pool).await;
        let row = row.map_err(|error| self.error(&error))?;
        Ok(row.map(|row| (row.get(0), LeaseRow { token: row.get(1), left_ms: row.get(2) })))
    }

    /// Who holds the lease now.
    pub async fn holder(&self) -> Result<Option<String>, SourceError> {
        let lease = self.lease().await?;
        Ok(lease.filter(|(_, row)| row.left_ms > 0).map(|(holder, _)| holder))
    }

    /// The updated-at value up to which polling has looked; of the whole file, by what everything is indexed.
    pub async fn position(&self) -> Result<Option<String>, SourceError> {
        let position = sqlx::query_scalar(
            "SELECT at FROM parhelion_ingest.position WHERE pipeline = $1 AND source = $2",
        );
        let position = position.bind(&self.pipeline).bind(&self.source).fetch_optional(&self.pool).await;
        position.map_err(|error| self.error(&error))
    }

    /// Moves it, if the lease is still ours.
    pub async fn keep_position(&self, at: &str, token: i64) -> Result<bool, SourceError> {
        let kept = sqlx::query(
            "INSERT INTO parhelion_ingest.position (pipeline, source, at) SELECT $1, $2, $3 \
             WHERE EXISTS (SELECT FROM parhelion_ingest.lease WHERE pipeline = $1 AND token = $4) \
             ON CONFLICT (pipeline, source) DO UPDATE SET at = excluded.at",
        );
        let kept =
            kept.bind(&self.pipeline).bind(&self.source).bind(at).bind(token).execute(&self.pool).await;
        Ok(kept.map_err(|error| self.error(&error))?.rows_affected() == 1)
    }

    /// The columns that everything was indexed from, as `drift` writes them.
    pub async fn indexed_columns(&self) -> Result<Option<String>, SourceError> {
        let columns = sqlx::query_scalar(
            "SELECT columns FROM parhelion_ingest.indexed_columns WHERE pipeline = $1 AND source = $2",
        );
        let columns = columns.bind(&self.pipeline).bind(&self.source).fetch_optional(&self.pool).await;
        columns.map_err(|error| self.error(&error))
    }

    /// Keeps them, if the lease is still ours.
    pub async fn keep_indexed_columns(&self, columns: &str, token: i64) -> Result<(), SourceError> {
        let kept = sqlx::query(
            "INSERT INTO parhelion_ingest.indexed_columns (pipeline, source, columns) SELECT $1, $2, $3 \
             WHERE EXISTS (SELECT FROM parhelion_ingest.lease WHERE pipeline = $1 AND token = $4) \
             ON CONFLICT (pipeline, source) DO UPDATE SET columns = excluded.columns",
        );
        let kept =
            kept.bind(&self.pipeline).bind(&self.source).bind(columns).bind(token).execute(&self.pool).await;
        kept.map(drop).map_err(|error| self.error(&error))
    }

    /// The watched table, by its place in the file, that was emptied and not indexed anew since.
    pub async fn truncated(&self) -> Result<Option<usize>, SourceError> {
        let watch: Result<Option<i32>, _> = sqlx::query_scalar(
            "SELECT min(watch) FROM parhelion_ingest.outbox \
             WHERE pipeline = $1 AND source = $2 AND key IS NULL",
        )
        .bind(&self.pipeline)
        .bind(&self.source)
        .fetch_one(&self.pool)
        .await;
        let watch = watch.map_err(|error| self.error(&error))?;
        Ok(watch.and_then(|watch| usize::try_from(watch).ok()))
    }

    /// The sources of the file that have a position; the empty name is the file's own, by which everything is
    /// indexed.
    pub async fn positions(&self) -> Result<Vec<String>, SourceError> {
        let sources =
            sqlx::query_scalar("SELECT source FROM parhelion_ingest.position WHERE pipeline = $1 ORDER BY 1");
        let sources = sources.bind(&self.pipeline).fetch_all(&self.pool).await;
        sources.map_err(|error| self.error(&error))
    }

    /// Forgets them all, if the lease is still ours: the next service indexes everything.
    pub async fn forget_positions(&self, token: i64) -> Result<(), SourceError> {
        let gone = sqlx::query(
            "DELETE FROM parhelion_ingest.position WHERE pipeline = $1 AND EXISTS \
             (SELECT FROM parhelion_ingest.lease WHERE pipeline = $1 AND token = $2)",
        );
        let gone = gone.bind(&self.pipeline).bind(token).execute(&self.pool).await;
        gone.map(drop).map_err(|error| self.error(&error))
    }

    /// The pause that was asked for and has not ended.
    pub async fn pause(&self) -> Result<Option<PauseRow>, SourceError> {
        let row = sqlx::query(
            "SELECT (extract(epoch FROM clock_timestamp() - asked_at) * 1000)::bigint, stopped_token \
             FROM parhelion_ingest.pause WHERE pipeline = $1",
        );
        let row = row.bind(&self.pipeline).fetch_optional(&self.pool).await;
        let row = row.map_err(|error| self.error(&error))?;
        Ok(row.map(|row| PauseRow { age_ms: row.get(0), stopped_token: row.get(1) }))
    }

    /// Asks for a pause and wakes the active service. False where one was asked for already.
    pub async fn ask_pause(&self) -> Result<bool, SourceError> {
        self.change_pause(
            "INSERT INTO parhelion_ingest.pause (pipeline) VALUES ($1) ON CONFLICT DO NOTHING RETURNING 1",
        )
        .await
    }

    /// Ends the pause and wakes the service that waits in it. False where there was none.
    pub async fn end_pause(&self) -> Result<bool, SourceError> {
        self.change_pause("DELETE FROM parhelion_ingest.pause WHERE pipeline = $1 RETURNING 1").await
    }

    async fn change_pause(&self, sql: &'static str) -> Result<bool, SourceError> {
        let fail = |error: sqlx::Error| self.error(&error);
        let mut both = self.pool.begin().await.map_err(fail)?;
        let changed = sqlx::query(sql).bind(&self.pipeline).fetch_optional(&mut *both).await.map_err(fail)?;
        let wake = sqlx::query("SELECT pg_notify($1, '')").bind(channel(&self.pipeline));
        wake.execute(&mut *both).await.map_err(fail)?;
        both.commit().await.map_err(fail)?;
        Ok(changed.is_some())
    }

    /// The service with this token has stopped for the pause, if there still is one.
    pub async fn keep_stopped(&self, token: i64) -> Result<(), SourceError> {
        let kept = sqlx::query("UPDATE parhelion_ingest.pause SET stopped_token = $2 WHERE pipeline = $1");
        let kept = kept.bind(&self.pipeline).bind(token).execute(&self.pool).await;
        kept.map(drop).map_err(|error| self.error(&error))
    }
}
