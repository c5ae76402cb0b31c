//! How following stands, as the database says: who is active or paused, how many changes wait and since when,
//! when the next row becomes due. For `parhelion ingest status`. It asks the database and not the service, so
//! it tells the same on any machine and when nobody follows; changing any of it is `service.rs`'s and
//! `database.rs`'s.

use std::fmt;

use serde::Serialize;

use super::database::{LeaseRow, PauseRow, PipelineDatabase, followed_sources};
use super::problem::{Problem, problems};
use crate::config::IngestConfig;
use crate::sources::SourceError;

/// What the services of the file are doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Activity {
    /// Nobody is active.
    Idle,
    Active,
    /// A pause was asked for; the active service has not come to it yet.
    Pausing,
    /// Nothing is applied until `ingest resume`.
    Paused,
}

#[derive(Clone, Debug, Serialize)]
pub struct FollowStatus {
    pub source: String,
    pub activity: Activity,
    /// Since the pause was asked for.
    pub paused_for_ms: Option<i64>,
    pub holder: Option<String>,
    pub token: i64,
    /// Below zero: nobody is active.
    pub lease_left_ms: i64,
    pub changes_waiting: i64,
    pub lag_ms: i64,
    pub next_due_ms: Option<i64>,
    pub problems: Vec<Problem>,
}

/// Of every source whose changes are followed.
pub async fn status(config: &IngestConfig) -> Result<Vec<FollowStatus>, SourceError> {
    let mut all = Vec::new();
    for (source, postgres) in followed_sources(config) {
        let database = PipelineDatabase::new(&config.name, &source.name, postgres)?;
        let lease = database.lease().await?;
        let pause = database.pause().await?;
        let (changes_waiting, lag_ms) = database.backlog().await?;
        all.push(FollowStatus {
            source: source.name.clone(),
            activity: Activity::of(lease.as_ref().map(|(_, row)| *row), pause),
            paused_for_ms: pause.map(|row| row.age_ms),
            token: lease.as_ref().map_or(0, |(_, row)| row.token),
            lease_left_ms: lease.as_ref().map_or(0, |(_, row)| row.left_ms),
            holder: lease.map(|(holder, _)| holder),
            changes_waiting,
            lag_ms,
            next_due_ms: database.next_due_ms().await?,
            problems: problems(config, source, postgres, &database).await?,
        });
    }
    Ok(all)
}

impl Activity {
    fn of(lease: Option<LeaseRow>, pause: Option<PauseRow>) -> Self {
        match (lease.filter(|row| row.left_ms > 0), pause) {
            (None, None) => Self::Idle,
            (Some(_), None) => Self::Active,
            (Some(lease), Some(pause)) if pause.stopped_token != Some(lease.token) => Self::Pausing,
            (_, Some(_)) => Self::Paused,
        }
    }
}

impl fmt::Display for FollowStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (holder, token) = (self.holder.as_deref().unwrap_or("nobody"), self.token);
        let seconds = self.paused_for_ms.unwrap_or(0) / 1000;
        let active = match self.activity {
            Activity::Idle => "nobody is active".to_owned(),
            Activity::Active => format!("active is {holder} with token {token}"),
            Activity::Pausing => format!("pausing: {holder} with token {token} ends what it is at"),
            Activity::Paused => format!("paused for {seconds} s until `parhelion ingest resume`"),
        };
        let (source, waiting, lag) = (&self.source, self.changes_waiting, self.lag_ms);
        write!(f, "source `{source}`: {active}, {waiting} changes wait, the oldest for {lag} ms")?;
        self.problems.iter().try_for_each(|problem| write!(f, "\n  {problem}"))
    }
}
