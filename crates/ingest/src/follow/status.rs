//! How following stands, as the database says: who is active, how many changes wait and since when, when the
//! next row becomes due. For `parhelion ingest status`. It asks the database and not the service, so it tells
//! the same on any machine and when nobody follows; changing any of it is `service.rs`'s and `database.rs`'s.

use std::fmt;

use serde::Serialize;

use super::database::PipelineDatabase;
use crate::config::{FollowKind, IngestConfig};
use crate::sources::SourceError;

#[derive(Clone, Debug, Serialize)]
pub struct FollowStatus {
    pub source: String,
    pub holder: Option<String>,
    pub token: i64,
    /// Below zero: nobody is active.
    pub lease_left_ms: i64,
    pub changes_waiting: i64,
    pub lag_ms: i64,
    pub next_due_ms: Option<i64>,
}

/// Of every source whose changes are followed.
pub async fn status(config: &IngestConfig) -> Result<Vec<FollowStatus>, SourceError> {
    let mut all = Vec::new();
    for source in &config.sources {
        let Some(postgres) = source.postgres.as_ref().filter(|postgres| postgres.follow != FollowKind::None)
        else {
            continue;
        };
        let database = PipelineDatabase::new(&config.name, &source.name, postgres)?;
        let lease = database.lease().await?;
        let (changes_waiting, lag_ms) = database.backlog().await?;
        all.push(FollowStatus {
            source: source.name.clone(),
            token: lease.as_ref().map_or(0, |(_, row)| row.token),
            lease_left_ms: lease.as_ref().map_or(0, |(_, row)| row.left_ms),
            holder: lease.map(|(holder, _)| holder),
            changes_waiting,
            lag_ms,
            next_due_ms: database.next_due_ms().await?,
        });
    }
    Ok(all)
}

impl fmt::Display for FollowStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let active = match &self.holder {
            Some(holder) if self.lease_left_ms > 0 => format!("active is {holder} with token {}", self.token),
            _ => "nobody is active".to_owned(),
        };
        let (source, waiting, lag) = (&self.source, self.changes_waiting, self.lag_ms);
        write!(f, "source `{source}`: {active}, {waiting} changes wait, the oldest for {lag} ms")
    }
}
