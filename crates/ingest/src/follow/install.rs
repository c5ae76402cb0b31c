//! What following wants of a source's database, as SQL that a person can read before it is run: one schema of
//! ours, and by the file's way of following either triggers that fill an outbox, or a publication and a slot.
//!
//! Triggers are of statements with transition tables: a change of a million rows writes its distinct keys
//! once, and wakes the service once. They run as their owner, so that who writes the tables needs no rights
//! here.

use sqlx::AssertSqlSafe;

use super::database::{PipelineDatabase, channel};
use crate::config::{FollowKind, IngestConfig, PostgresConfig, SourceConfig};
use crate::sources::SourceError;
use crate::sources::sql::{literal, name, qualified};

const TABLES: &str = "\
CREATE SCHEMA IF NOT EXISTS parhelion_ingest;
CREATE TABLE IF NOT EXISTS parhelion_ingest.lease (
  pipeline text PRIMARY KEY, holder text NOT NULL, token bigint NOT NULL, expires_at timestamptz NOT NULL);
CREATE TABLE IF NOT EXISTS parhelion_ingest.outbox (
  seq bigserial PRIMARY KEY, pipeline text NOT NULL, source text NOT NULL, watch int NOT NULL, key text,
  at timestamptz NOT NULL DEFAULT clock_timestamp());
CREATE INDEX IF NOT EXISTS outbox_by_source ON parhelion_ingest.outbox (pipeline, source, seq);
CREATE TABLE IF NOT EXISTS parhelion_ingest.due (
  pipeline text NOT NULL, source text NOT NULL, key text NOT NULL, at_ms bigint NOT NULL,
  PRIMARY KEY (pipeline, source, key));
CREATE INDEX IF NOT EXISTS due_by_time ON parhelion_ingest.due (pipeline, source, at_ms);
CREATE TABLE IF NOT EXISTS parhelion_ingest.position (
  pipeline text NOT NULL, source text NOT NULL, at text NOT NULL, PRIMARY KEY (pipeline, source));
CREATE TABLE IF NOT EXISTS parhelion_ingest.pause (
  pipeline text PRIMARY KEY, asked_at timestamptz NOT NULL DEFAULT clock_timestamp(), stopped_token bigint);
CREATE TABLE IF NOT EXISTS parhelion_ingest.indexed_columns (
  pipeline text NOT NULL, source text NOT NULL, columns text NOT NULL, PRIMARY KEY (pipeline, source));
";

/// The statements for one source.
pub fn install_sql(config: &IngestConfig, source: &SourceConfig, postgres: &PostgresConfig) -> String {
    let mut sql = TABLES.to_owned();
    match postgres.follow {
        FollowKind::Trigger => {
            for at in 0..postgres.watch.len() {
                sql.push_str(&triggers(config, source, postgres, at));
            }
        }
        FollowKind::Replication => sql.push_str(&publication(config, source, postgres)),
        FollowKind::Polling | FollowKind::None => {}
    }
    sql
}

/// The statements that take it away again; our tables stay when other files may use them.
pub fn uninstall_sql(config: &IngestConfig, source: &SourceConfig, postgres: &PostgresConfig) -> String {
    let mut sql = String::new();
    for (at, watch) in postgres.watch.iter().enumerate() {
        for (operation, ..) in OPERATIONS {
            let function = function_name(config, source, at, operation);
            sql.push_str(&format!(
                "DROP TRIGGER IF EXISTS {} ON {};\n",
                name(&function),
                qualified(&watch.table)
            ));
            sql.push_str(&format!("DROP FUNCTION IF EXISTS parhelion_ingest.{}();\n", name(&function)));
        }
    }
    let slot = slot_name(config, source);
    sql.push_str(&format!(
        "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = {};\n\
         DROP PUBLICATION IF EXISTS {};\n",
        literal(&slot),
        name(&slot)
    ));
    for table in ["outbox", "due", "position", "indexed_columns"] {
        sql.push_str(&format!(
            "DELETE FROM parhelion_ingest.{table} WHERE pipeline = {} AND source = {};\n",
            literal(&config.name),
            literal(&source.name)
        ));
    }
    sql
}

/// Runs the statements of `install_sql` or `uninstall_sql`, all or none, and makes the slot where one is
/// wanted.
pub async fn run_sql(database: &PipelineDatabase, sql: &str) -> Result<(), SourceError> {
    let fail = |error: sqlx::Error| database.error(&error);
    let mut all = database.pool().begin().await.map_err(fail)?;
    sqlx::raw_sql(AssertSqlSafe(sql.to_owned())).execute(&mut *all).await.map_err(fail)?;
    all.commit().await.map_err(fail)
}

/// A slot cannot be made in a transaction that has written.
pub async fn make_slot(database: &PipelineDatabase, slot: &str) -> Result<(), SourceError> {
    let made = sqlx::query(
        "SELECT pg_create_logical_replication_slot($1, 'pgoutput') \
         WHERE NOT EXISTS (SELECT FROM pg_replication_slots WHERE slot_name = $1)",
    );
    made.bind(slot).execute(database.pool()).await.map(drop).map_err(|error| database.error(&error))
}

/// Of the slot and the publication.
pub fn slot_name(config: &IngestConfig, source: &SourceConfig) -> String {
    let source: String = source
        .name
        .chars()
        .map(|char| if char.is_ascii_alphanumeric() { char.to_ascii_lowercase() } else { '_' })
        .collect();
    // A name has at most 63 bytes.
    format!("ingest_{}_{source}", config.name).chars().take(63).collect()
}

/// Operation, its transition tables, and where the keys of changed rows are.
const OPERATIONS: [(&str, &str, &str); 4] = [
    ("INSERT", "REFERENCING NEW TABLE AS new_rows", "SELECT KEY FROM new_rows"),
    (
        "UPDATE",
        "REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows",
        "SELECT KEY FROM old_rows UNION SELECT KEY FROM new_rows",
    ),
    ("DELETE", "REFERENCING OLD TABLE AS old_rows", "SELECT KEY FROM old_rows"),
    // Everything is gone at once: no keys are known any more.
    ("TRUNCATE", "", "SELECT NULL::text"),
];

fn function_name(config: &IngestConfig, source: &SourceConfig, watch: usize, operation: &str) -> String {
    let name = format!("ingest_{}_{}_{watch}_{}", config.name, source.name, operation.to_lowercase());
    // The end tells them apart, and names are cut off behind 63 bytes.
    if name.len() <= 63 {
        name
    } else {
        format!(
            "ingest_{}_{}",
            crate::mapping::digest_text(crate::mapping::digest_of(name.as_bytes())),
            operation.to_lowercase()
        )
    }
}

fn triggers(config: &IngestConfig, source: &SourceConfig, postgres: &PostgresConfig, at: usize) -> String {
    let watch = &postgres.watch[at];
    let key = format!("{}::text AS key", name(&watch.key));
    let mut sql = String::new();
    for (operation, referencing, keys) in OPERATIONS {
        let function = name(&function_name(config, source, at, operation));
        let keys = keys.replace("KEY", &key);
        let nulls = if operation == "TRUNCATE" { "" } else { " WHERE key IS NOT NULL GROUP BY key" };
        sql.push_str(&format!(
            "CREATE OR REPLACE FUNCTION parhelion_ingest.{function}() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' SET datestyle = 'ISO' AS $body$
BEGIN
  INSERT INTO parhelion_ingest.outbox (pipeline, source, watch, key)
    SELECT {pipeline}, {source}, {at}, key FROM ({keys}) AS changed (key){nulls};
  IF FOUND THEN PERFORM pg_notify({channel}, ''); END IF;
  RETURN NULL;
END $body$;
DROP TRIGGER IF EXISTS {function} ON {table};
CREATE TRIGGER {function} AFTER {operation} ON {table} {referencing}
  FOR EACH STATEMENT EXECUTE FUNCTION parhelion_ingest.{function}();
",
            pipeline = literal(&config.name),
            source = literal(&source.name),
            channel = literal(&channel(&config.name)),
            table = qualified(&watch.table),
        ));
    }
    sql
}

fn publication(config: &IngestConfig, source: &SourceConfig, postgres: &PostgresConfig) -> String {
    let slot = name(&slot_name(config, source));
    let tables: Vec<String> = postgres.watch.iter().map(|watch| qualified(&watch.table)).collect();
    let mut sql = format!(
        "DROP PUBLICATION IF EXISTS {slot};\nCREATE PUBLICATION {slot} FOR TABLE {};\n",
        tables.join(", ")
    );
    for watch in &postgres.watch {
        // Without the whole old row, a row that moves from one parent to another names only the new one, and
        // a deleted row none.
        if watch.key != source.key_column() || watch.parents.is_some() {
            sql.push_str(&format!("ALTER TABLE {} REPLICA IDENTITY FULL;\n", qualified(&watch.table)));
        }
    }
    sql
}
