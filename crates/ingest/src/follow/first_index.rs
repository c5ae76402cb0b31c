//! Everything is indexed once, by the active service, before it follows: a whole run (`mass`) that ends when
//! the lease is lost or a pause is asked for, and goes on where it was. The database keeps when the changes
//! begin that are kept meanwhile; a run of another beginning, on whatever machine, is not gone on with, for
//! what changed between the two is known to nobody.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::future::BoxFuture;
use jiff::Timestamp;

use super::changes::ChangeFeed;
use super::database::PipelineDatabase;
use super::drift::keep_indexed_columns;
use super::lease::Lease;
use super::pause;
use super::service::{Follower, Service, ServiceError, ServiceEvent};
use crate::config::SourceConfig;
use crate::mass::{ChangesBegin, DueSink, MassIndex, RunError, RunOptions, config_digest};
use crate::sources::SourceError;

/// Of the file's position while everything is being indexed; then it is the file's digest.
const BEGUN: &str = "begun ";

impl Service {
    /// Everything, when nobody has indexed it yet, or it is asked for. Errors: [`RunError::Paused`] among
    /// others; the next time it goes on.
    pub(super) async fn index_once(
        &self,
        lease: &Arc<Lease>,
        database: &PipelineDatabase,
        followers: &[Follower],
    ) -> Result<(), ServiceError> {
        let digest = config_digest(&self.config);
        let position = database.position().await?;
        let (begun, indexed) = position.into_iter().partition::<Vec<_>, _>(|at| at.starts_with(BEGUN));
        let fresh = self.fresh.load(Ordering::Relaxed);
        if let Some(by) = indexed.first().filter(|_| !fresh) {
            if *by != digest {
                (self.options.on_event)(ServiceEvent::Trouble(
                    "the file has changed since everything was indexed; `ingest run --fresh` indexes it anew"
                        .to_owned(),
                ));
            }
            return Ok(());
        }
        let pause_asked = Arc::new(AtomicBool::new(false));
        let run = self.first_run(lease, database, followers, begun.into_iter().next(), &pause_asked)?;
        // Never dropped before its end: its readers would go on by themselves.
        let watch = async {
            pause::asked(database).await;
            pause_asked.store(true, Ordering::Relaxed);
            std::future::pending().await
        };
        tokio::select! {
            ended = run.run() => ended?,
            never = watch => never,
        };
        database.keep_position(&digest, lease.token()).await?;
        Ok(())
    }

    fn first_run(
        &self,
        lease: &Arc<Lease>,
        database: &PipelineDatabase,
        followers: &[Follower],
        begun: Option<String>,
        pause_asked: &Arc<AtomicBool>,
    ) -> Result<MassIndex, RunError> {
        let databases =
            followers.iter().map(|follower| (follower.config.name.clone(), follower.database.clone()));
        let changes = ChangesBeginHere {
            kept: begun,
            token: lease.token(),
            database: database.clone(),
            sources: followers
                .iter()
                .map(|one| (one.feed.clone(), one.config.clone(), one.database.clone()))
                .collect(),
            fresh: self.fresh.clone(),
        };
        let (held, asked) = (lease.clone(), pause_asked.clone());
        let permit = move || match (held.is_held(), asked.load(Ordering::Relaxed)) {
            (false, _) => Err(RunError::Deposed),
            (true, true) => Err(RunError::Paused),
            (true, false) => Ok(()),
        };
        let options = RunOptions { fresh: self.fresh.load(Ordering::Relaxed), ..self.options.run };
        let run = MassIndex::new(&self.config, self.now.clone(), options, self.options.on_progress.clone())?;
        Ok(run
            .with_due(Some(Arc::new(DueTables(databases.collect()))))
            .with_changes(Arc::new(changes))
            .with_permit(Arc::new(permit)))
    }
}

/// The feeds of all sources, which begin anew with the run.
struct ChangesBeginHere {
    kept: Option<String>,
    token: i64,
    database: PipelineDatabase,
    sources: Vec<(ChangeFeed, SourceConfig, PipelineDatabase)>,
    fresh: Arc<AtomicBool>,
}

impl ChangesBegin for ChangesBeginHere {
    fn kept(&self) -> Option<&str> {
        self.kept.as_deref()
    }

    fn begin(&self) -> BoxFuture<'_, Result<String, RunError>> {
        Box::pin(async {
            let begun = format!("{BEGUN}{}", self.token);
            // First of all: once a feed has forgotten anything, nobody may take what is there for indexed.
            if !self.database.keep_position(&begun, self.token).await? {
                return Err(RunError::Deposed);
            }
            for (feed, source, database) in &self.sources {
                feed.begin_anew(self.token).await?;
                keep_indexed_columns(database, source, self.token).await?;
            }
            self.fresh.store(false, Ordering::Relaxed);
            Ok(begun)
        })
    }
}

/// The due tables of the sources, by name.
struct DueTables(HashMap<String, PipelineDatabase>);

impl DueSink for DueTables {
    fn keep<'a>(
        &'a self,
        source: &'a str,
        due: &'a [(String, Timestamp)],
    ) -> BoxFuture<'a, Result<(), SourceError>> {
        Box::pin(async move {
            let Some(database) = self.0.get(source) else { return Ok(()) };
            let due: Vec<(String, i64)> =
                due.iter().map(|(key, at)| (key.clone(), at.as_millisecond())).collect();
            database.keep_due(&[], &due).await
        })
    }
}
