//! A pause: a row in the database that asks the active service, whoever it is, to apply no more changes. The
//! service looks between two batches, and while everything is indexed between two pages; it keeps the lease,
//! writes its token into the row once it has stopped, and goes on when the row is gone. A service that starts
//! or takes over finds the row, too. Changes wait in the outbox or the slot meanwhile.

use std::time::Duration;

use super::database::PipelineDatabase;
use super::lease::Lease;
use super::service::{Follower, Service, ServiceError, ServiceEvent};
use super::wake::Wake;
use crate::config::IngestConfig;
use crate::sources::SourceError;

/// How long a service that waits looks away, should nothing wake it.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// What asking for a pause, or for its end, came to.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct PauseChange {
    /// False where it was so already.
    pub changed: bool,
    /// Who is active.
    pub holder: Option<String>,
}

/// Asks the active service to stop applying changes, until [`resume`]. Errors:
/// [`SourceErrorKind::Refused`](crate::sources::SourceErrorKind::Refused) where no source is followed.
pub async fn pause(config: &IngestConfig) -> Result<PauseChange, SourceError> {
    let database = database(config)?;
    let changed = database.ask_pause().await?;
    Ok(PauseChange { changed, holder: database.holder().await? })
}

/// Lets the active service go on. Errors: as [`pause`].
pub async fn resume(config: &IngestConfig) -> Result<PauseChange, SourceError> {
    let database = database(config)?;
    let changed = database.end_pause().await?;
    Ok(PauseChange { changed, holder: database.holder().await? })
}

fn database(config: &IngestConfig) -> Result<PipelineDatabase, SourceError> {
    PipelineDatabase::of_file(config)?.ok_or_else(|| {
        SourceError::refused(
            &config.name,
            "no source says how changes are followed, so no service is there to pause; `ingest once` is stopped with \
             Ctrl-C, and goes on where it was when it is run again",
        )
    })
}

impl Service {
    /// Returns at once, or when the pause has ended. What the sources keep for us stays bounded meanwhile.
    pub(super) async fn wait_while_paused(
        &self,
        lease: &Lease,
        database: &PipelineDatabase,
        followers: &[Follower],
        wake: &mut Wake,
    ) -> Result<(), ServiceError> {
        let mut waited = false;
        while let Some(row) = database.pause().await? {
            // Another pause may have been asked for in the moment that one ended.
            if row.stopped_token != Some(lease.token()) {
                database.keep_stopped(lease.token()).await?;
                (self.options.on_event)(ServiceEvent::Paused);
            }
            waited = true;
            for follower in followers {
                follower.feed.keep_bounded().await?;
            }
            wake.wait(LOOK_AGAIN).await?;
            if !lease.is_held() {
                return Err(ServiceError::LeaseLost);
            }
        }
        if waited {
            (self.options.on_event)(ServiceEvent::Resumed);
        }
        Ok(())
    }
}

/// Until a pause is asked for. A database that is away asks for nothing.
pub(super) async fn asked(database: &PipelineDatabase) {
    while !matches!(database.pause().await, Ok(Some(_))) {
        tokio::time::sleep(LOOK_AGAIN).await;
    }
}
