//! What wakes the active service before its next look is due: the database's NOTIFY, of triggers and of
//! `ingest pause|resume`. It carries no words: what to do is read from the tables, so that a lost one costs
//! only the wait for the next look.

use std::time::Duration;

use sqlx::postgres::PgListener;

use super::database::{PipelineDatabase, channel};
use crate::sources::SourceError;

/// A listener on the file's channel.
pub struct Wake {
    listener: PgListener,
    database: PipelineDatabase,
}

impl Wake {
    pub async fn listen(database: &PipelineDatabase, pipeline: &str) -> Result<Self, SourceError> {
        let fail = |error: sqlx::Error| database.error(&error);
        let mut listener = PgListener::connect_with(database.pool()).await.map_err(fail)?;
        listener.listen(&channel(pipeline)).await.map_err(fail)?;
        Ok(Self { listener, database: database.clone() })
    }

    /// Until somebody notifies, or `bound` has passed. However often it was notified before: once.
    pub async fn wait(&mut self, bound: Duration) -> Result<(), SourceError> {
        if let Ok(notified) = tokio::time::timeout(bound, self.listener.recv()).await {
            notified.map_err(|error| self.database.error(&error))?;
        }
        while self.listener.next_buffered().is_some() {}
        Ok(())
    }
}
