//! Whether what the file says of following can be asked of the database: the watched tables and their keys,
//! the queries for documents' keys, the updated-at column, the level of its log. For `ingest check`, before
//! `install` writes anything; nothing is read but the shape of the answers.

use sqlx::AssertSqlSafe;

use super::database::PipelineDatabase;
use crate::config::{FollowKind, PostgresConfig, SourceConfig, WatchConfig};
use crate::sources::sql::{literal, name, qualified, subquery};

/// A line for each that cannot; the source's own query is asked elsewhere.
pub async fn check_watch(pipeline: &str, source: &SourceConfig) -> Vec<String> {
    let Some(postgres) = source.postgres.as_ref().filter(|postgres| postgres.follow != FollowKind::None)
    else {
        return Vec::new();
    };
    // A database that cannot be reached is told of by whoever reads its rows.
    let Ok(database) = PipelineDatabase::new(pipeline, &source.name, postgres) else { return Vec::new() };
    let findings = refused_questions(&database, postgres).await;
    let mut findings: Vec<String> =
        findings.into_iter().map(|finding| format!("source `{}`: {finding}", source.name)).collect();
    if postgres.follow == FollowKind::Replication {
        let level: Result<String, _> = sqlx::query_scalar("SHOW wal_level").fetch_one(database.pool()).await;
        if let Ok(level) = level.as_deref()
            && level != "logical"
        {
            findings.push(format!(
                "source `{}`: the database's `wal_level` is `{level}`, and `follow = \"replication\"` wants `logical`: \
                 set it and restart the database, or write `follow = \"trigger\"`",
                source.name
            ));
        }
    }
    findings
}

/// A line for each part of the file that the database refuses; none when it is away.
pub async fn refused_questions(database: &PipelineDatabase, postgres: &PostgresConfig) -> Vec<String> {
    let mut findings = Vec::new();
    for (place, sql) in questions(postgres) {
        match sqlx::raw_sql(AssertSqlSafe(sql)).execute(database.pool()).await {
            Err(sqlx::Error::Database(error)) => {
                findings.push(format!("{place}: the database says: {error}"));
            }
            Err(_) => return findings,
            Ok(_) => {}
        }
    }
    findings
}

/// What to ask, and of which part of the file it is.
fn questions(postgres: &PostgresConfig) -> Vec<(String, String)> {
    let mut questions = Vec::new();
    for WatchConfig { table, key, parents } in &postgres.watch {
        let shape = format!("SELECT {} FROM {} LIMIT 0", name(key), qualified(table));
        questions.push((format!("`watch` of `{table}`"), shape));
        if let Some(parents) = parents {
            let parents = parents.replace("$keys", &literal("{}"));
            let shape = format!("SELECT q.key::text FROM {} (key) LIMIT 0", subquery(&parents));
            questions.push((format!("`parents` of `{table}`"), shape));
        }
    }
    if let Some(column) = &postgres.updated_column {
        let shape = format!("SELECT q.{} FROM {} LIMIT 0", name(column), subquery(&postgres.query));
        questions.push(("`updated_column`".to_owned(), shape));
    }
    questions
}
