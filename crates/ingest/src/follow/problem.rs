//! What keeps a source from being followed, or documents from being what they were, as named states with the
//! next step. Everything is asked of the database, nothing is changed: what the service does when it meets
//! the same is `changes`' and `service`'s.

use std::fmt;

use serde::Serialize;

use super::changes::TRUNCATED_NEXT_STEP;
use super::database::PipelineDatabase;
use super::drift::{ColumnUse, DRIFT_NEXT_STEP, ask_columns, indexed_columns, names_what_is_gone};
use super::install::slot_name;
use super::slot::{LOST_NEXT_STEP, SlotState};
use super::watch::refused_questions;
use crate::config::{FollowKind, IngestConfig, PostgresConfig, SourceConfig};
use crate::shape::Shaper;
use crate::sources::{SourceError, SourceErrorKind};

/// What is the matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ProblemState {
    /// A column that the file reads is gone or of another type than when everything was indexed, or the
    /// database refuses a query for what is gone.
    SchemaDrift,
    /// The database refuses a query for another reason, such as a right that was taken away.
    QueryRefused,
    /// The replication slot is gone, was given up, or is about to be dropped: changes are lost for good.
    SlotLost,
    /// A watched table was emptied at once, which names no rows.
    TableTruncated,
}

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    pub state: ProblemState,
    pub detail: String,
    pub next_step: String,
}

/// All that are known of one followed source. Errors: a database that cannot be asked.
pub(super) async fn problems(
    config: &IngestConfig,
    source: &SourceConfig,
    postgres: &PostgresConfig,
    database: &PipelineDatabase,
) -> Result<Vec<Problem>, SourceError> {
    let mut problems = schema_problems(config, source, postgres, database).await?;
    if postgres.follow == FollowKind::Replication {
        let slot = slot_name(config, source);
        let state = SlotState::ask(database, &slot, postgres.slot_bytes_max).await?;
        problems
            .extend(state.loss(&slot).map(|loss| Problem::new(ProblemState::SlotLost, loss, LOST_NEXT_STEP)));
    }
    if let Some(watch) = database.truncated().await? {
        let table = postgres.watch.get(watch).map_or("a table", |watch| &watch.table);
        let detail = format!("`{table}` was truncated, which names no rows");
        problems.push(Problem::new(ProblemState::TableTruncated, detail, TRUNCATED_NEXT_STEP));
    }
    Ok(problems)
}

async fn schema_problems(
    config: &IngestConfig,
    source: &SourceConfig,
    postgres: &PostgresConfig,
    database: &PipelineDatabase,
) -> Result<Vec<Problem>, SourceError> {
    let drift = |detail: String| Problem::new(ProblemState::SchemaDrift, detail, DRIFT_NEXT_STEP);
    let watched = refused_questions(database, postgres).await.into_iter().map(drift);
    let now = match ask_columns(database, source, postgres).await {
        Ok(now) => now,
        Err(refused) => {
            let error = database.error(&refused);
            if error.kind == SourceErrorKind::Unavailable {
                return Err(error);
            }
            let words =
                refused.as_database_error().map_or_else(|| error.to_string(), |said| said.to_string());
            let detail = format!("the database refuses a query: {words}");
            let problem = if names_what_is_gone(&refused) {
                drift(detail)
            } else {
                Problem::new(
                    ProblemState::QueryRefused,
                    detail,
                    "mend `query`, or the rights of the file's user",
                )
            };
            return Ok(std::iter::once(problem).chain(watched).collect());
        }
    };
    let was = indexed_columns(database).await?;
    let shaper = Shaper::new(config, source)
        .map_err(|findings| SourceError::refused(&source.name, findings.join("; ")))?;
    let column_use = ColumnUse { config, source, mapping: shaper.mapping() };
    Ok(column_use.changes(&was, &now).into_iter().map(drift).chain(watched).collect())
}

impl Problem {
    fn new(state: ProblemState, detail: String, next_step: &str) -> Self {
        Self { state, detail, next_step: next_step.to_owned() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = match self.state {
            ProblemState::SchemaDrift => "schema drift",
            ProblemState::QueryRefused => "query refused",
            ProblemState::SlotLost => "slot lost",
            ProblemState::TableTruncated => "table truncated",
        };
        write!(f, "{state}: {}; {}", self.detail, self.next_step)
    }
}
