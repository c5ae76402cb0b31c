//! What a file's runs and services remember of where they are, forgotten on request, so that the next one
//! begins with a fresh snapshot: the unfinished run in the state folder, and in the database that everything
//! is indexed. Nothing else goes: collections, aliases, refused rows, the outbox and the slot stay, and the
//! next run deals with them as each new run does.

use std::io;

use serde::Serialize;

use crate::config::IngestConfig;
use crate::follow::PipelineDatabase;
use crate::mass::{RunState, StateFolder};
use crate::sources::SourceError;

/// The lease is held as long while things are forgotten; nobody else can be active then.
const LEASE_SECONDS: u32 = 10;

/// What there is to forget.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Remembered {
    pub unfinished_run: Option<UnfinishedRun>,
    /// A service has indexed everything, or has begun to: the next follows, or goes on.
    pub indexed: bool,
    /// Sources of which an updated-at value is kept.
    pub positions: Vec<String>,
    /// Who is active: as long as there is one, nothing can be forgotten.
    pub holder: Option<String>,
}

/// A whole run that was broken off.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UnfinishedRun {
    pub run: u64,
    /// That it has dealt with.
    pub rows: u64,
}

#[derive(Debug, thiserror::Error)]
pub enum ResetError {
    #[error(transparent)]
    Source(#[from] SourceError),
    #[error("cannot keep the run's state: {0}; mend the folder, then go on")]
    State(#[from] io::Error),
    #[error(
        "{0} is active, and would go on from where it is; stop the service, then reset (a pause is not enough)"
    )]
    Active(String),
}

impl Remembered {
    /// Whether the next run begins anew as it is.
    pub fn is_nothing(&self) -> bool {
        self.unfinished_run.is_none() && !self.indexed && self.positions.is_empty()
    }

    fn new(state: &RunState, mut positions: Vec<String>, holder: Option<String>) -> Self {
        let unfinished = state.phase.is_unfinished();
        let all = positions.len();
        positions.retain(|source| !source.is_empty());
        Self {
            unfinished_run: unfinished.then(|| UnfinishedRun { run: state.run, rows: state.totals().rows() }),
            indexed: positions.len() < all,
            positions,
            holder,
        }
    }
}

/// What [`reset`] would forget. Changes nothing.
pub async fn remembered(config: &IngestConfig) -> Result<Remembered, ResetError> {
    let state = folder(config)?.load()?;
    let Some(database) = PipelineDatabase::of_file(config)? else {
        return Ok(Remembered::new(&state, Vec::new(), None));
    };
    Ok(Remembered::new(&state, database.positions().await?, database.holder().await?))
}

/// Forgets it, as the one active under the name `holder`, and says what it was. Errors:
/// [`ResetError::Active`] where another is.
pub async fn reset(config: &IngestConfig, holder: &str) -> Result<Remembered, ResetError> {
    let folder = folder(config)?;
    let Some(database) = PipelineDatabase::of_file(config)? else {
        let state = folder.load()?;
        folder.save(&state.clone().without_unfinished())?;
        return Ok(Remembered::new(&state, Vec::new(), None));
    };
    let Some(lease) = database.take_lease(holder, LEASE_SECONDS).await? else {
        let other = database.holder().await?.unwrap_or_else(|| "another service".to_owned());
        return Err(ResetError::Active(other));
    };
    let forgotten = forget(&folder, &database, lease.token).await;
    database.give_up_lease(lease.token).await?;
    forgotten
}

async fn forget(
    folder: &StateFolder,
    database: &PipelineDatabase,
    token: i64,
) -> Result<Remembered, ResetError> {
    let state = folder.load()?;
    let remembered = Remembered::new(&state, database.positions().await?, None);
    folder.save(&state.without_unfinished())?;
    database.forget_positions(token).await?;
    Ok(remembered)
}

fn folder(config: &IngestConfig) -> io::Result<StateFolder> {
    StateFolder::open(&config.state.dir.clone().unwrap_or_default())
}
