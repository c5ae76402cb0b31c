//! A whole index run: everything that the sources have, read in parallel ranges of one snapshot, into a new
//! collection which then takes the alias in one step. It goes on where it was killed, waits while the target
//! is busy, and keeps what was refused with the reason.

mod progress;
mod range;
mod state;
mod swap;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use futures_util::future::BoxFuture;
use futures_util::stream::{FuturesUnordered, StreamExt as _};
use tokio::sync::Mutex;

use crate::clock::Now;
use crate::config::IngestConfig;
use crate::mapping::{digest_of, digest_text};
use crate::shape::Shaper;
use crate::sources::{self, Snapshot, SourceErrorKind};
use crate::target::Target;

use progress::RunProgress;
pub use progress::{OnProgress, Permit, RunError};
pub use range::DueSink;
use range::RangeWork;
pub use state::{RangeState, RunAdvance, RunPhase, RunState, RunTotals, SourceState, StateFolder};
pub use swap::rollback;

/// Ranges a connection: so that the last ones end together, and holes between keys even out.
const RANGES_PER_CONNECTION: usize = 8;

/// How a run is made.
#[derive(Clone, Copy, Debug)]
pub struct RunOptions {
    /// Refused rows beyond which the run ends.
    pub errors_max: u64,
    /// Begin anew, though an earlier run could go on.
    pub fresh: bool,
}

/// What came of it.
#[derive(Clone, Debug, serde::Serialize)]
pub struct RunReport {
    pub run: u64,
    pub collection: String,
    pub previous: Option<String>,
    pub totals: RunTotals,
    pub resumed: u64,
    /// Why an unfinished run was not gone on with, though its file is the same.
    pub begun_anew: Option<String>,
    pub dead_letters: Option<String>,
}

/// Where the changes that are kept for following begin. A run that goes on has read rows as of its own
/// beginning: what changed since then must not have been forgotten.
pub trait ChangesBegin: Send + Sync {
    /// The beginning that what is kept now goes back to.
    fn kept(&self) -> Option<&str>;

    /// Before the first snapshot of a new run: forgets what is kept, keeps what changes from now on, and says
    /// what this beginning is called. Errors: also [`RunError::Deposed`].
    fn begin(&self) -> BoxFuture<'_, Result<String, RunError>>;
}

/// One run, over all sources.
pub struct MassIndex {
    config: IngestConfig,
    target: Target,
    folder: StateFolder,
    now: Now,
    options: RunOptions,
    on_progress: OnProgress,
    due: Option<Arc<dyn DueSink>>,
    changes: Option<Arc<dyn ChangesBegin>>,
    permit: Permit,
}

impl MassIndex {
    pub fn new(
        config: &IngestConfig,
        now: Now,
        options: RunOptions,
        on_progress: OnProgress,
    ) -> Result<Self, RunError> {
        let dir = config.state.dir.clone().unwrap_or_else(|| format!("{}.state", config.name).into());
        Ok(Self {
            config: config.clone(),
            target: Target::new(&config.target)?,
            folder: StateFolder::open(&dir)?,
            now,
            options,
            on_progress,
            due: None,
            changes: None,
            permit: Arc::new(|| Ok(())),
        })
    }

    /// What is asked after each page, and before the alias moves.
    #[must_use]
    pub fn with_permit(self, permit: Permit) -> Self {
        Self { permit, ..self }
    }

    /// Who is told of rows that become due later.
    #[must_use]
    pub fn with_due(self, due: Option<Arc<dyn DueSink>>) -> Self {
        Self { due, ..self }
    }

    /// Who keeps what changes while it runs.
    #[must_use]
    pub fn with_changes(self, changes: Arc<dyn ChangesBegin>) -> Self {
        Self { changes: Some(changes), ..self }
    }

    /// Runs to the end: reads, verifies, puts in place. A source that goes away meanwhile is read on from a
    /// new snapshot.
    pub async fn run(&self) -> Result<RunReport, RunError> {
        let mut state = self.folder.load()?.for_target(&self.config.target);
        let digest = config_digest(&self.config);
        let revisions = self.revisions().await?;
        let goes_on = !self.options.fresh
            && state.phase.is_unfinished()
            && state.config_digest == digest
            && self.changes_are_kept(&state)
            && self.is_made(&state).await?;
        let moved = state.sources.iter().zip(&revisions).find(|(source, now)| source.revision != **now);
        let begun_anew = moved.filter(|_| goes_on).map(|(source, _)| {
            format!("the file of source `{}` is another than when the run was broken off", source.name)
        });
        if goes_on && begun_anew.is_none() {
            state.resumed += 1;
            self.folder.cut_letters(state.run, state.letters_bytes)?;
            self.folder.save(&state)?;
        } else {
            state = self.begin(state, digest, &revisions).await?;
            if let Some(changes) = &self.changes {
                // Behind the new state, which without this is begun anew: never ahead of what it forgets.
                state.changes_begin = Some(changes.begin().await?);
                self.folder.save(&state)?;
            }
        }
        let progress = Arc::new(RunProgress {
            state: Mutex::new(state),
            folder: self.folder.clone(),
            errors_max: self.options.errors_max,
            over: AtomicBool::new(false),
            on_progress: self.on_progress.clone(),
            permit: self.permit.clone(),
        });
        for at in 0..self.config.sources.len() {
            self.read_source(&progress, at).await?;
        }
        let mut state = progress.state.lock().await;
        state.phase = RunPhase::Verifying;
        self.folder.save(&state)?;
        self.verify(&state).await?;
        (self.permit)()?;
        self.put_in_place(&mut state).await?;
        Ok(RunReport { begun_anew, ..self.report(&state) })
    }

    fn changes_are_kept(&self, state: &RunState) -> bool {
        let Some(changes) = &self.changes else { return true };
        state.changes_begin.is_some() && state.changes_begin.as_deref() == changes.kept()
    }

    fn report(&self, state: &RunState) -> RunReport {
        let totals = state.totals();
        let letters = self.folder.dead_letters(state.run).display().to_string();
        RunReport {
            run: state.run,
            collection: state.collection.clone(),
            previous: state.previous.clone(),
            totals,
            resumed: state.resumed,
            begun_anew: None,
            dead_letters: (totals.rejected > 0).then_some(letters),
        }
    }

    /// What the cursors of each source depend on now.
    async fn revisions(&self) -> Result<Vec<Option<String>>, RunError> {
        let mut revisions = Vec::new();
        for config in &self.config.sources {
            revisions.push(sources::open(config)?.revision().await?);
        }
        Ok(revisions)
    }

    /// Reads one source to its end.
    async fn read_source(&self, progress: &Arc<RunProgress>, at: usize) -> Result<(), RunError> {
        let config = &self.config.sources[at];
        let source = sources::open(config)?;
        let shaper =
            Shaper::new(&self.config, config).map_err(|findings| RunError::Config(findings.join("\n")))?;
        let shaper = Arc::new(shaper);
        let mut tries = 0;
        loop {
            match self.read_snapshot(progress, at, source.as_ref(), &shaper).await {
                Err(RunError::Source(error)) if error.kind == SourceErrorKind::Unavailable && tries < 60 => {
                    tries += 1;
                    tokio::time::sleep(std::time::Duration::from_secs(tries.min(5))).await;
                }
                ended => return ended,
            }
        }
    }

    async fn read_snapshot(
        &self,
        progress: &Arc<RunProgress>,
        at: usize,
        source: &dyn sources::Source,
        shaper: &Arc<Shaper>,
    ) -> Result<(), RunError> {
        let ended = |state: &RunState| {
            let ranges = state.sources.get(at).map(|source| &source.ranges);
            ranges.is_some_and(|ranges| !ranges.is_empty() && ranges.iter().all(|range| range.ended))
        };
        if ended(&*progress.state.lock().await) {
            return Ok(());
        }
        let snapshot: Arc<dyn Snapshot> = source.snapshot().await?.into();
        self.cut_ranges(progress, at, snapshot.as_ref()).await?;
        let open: Vec<usize> = {
            let state = progress.state.lock().await;
            let ranges = state.sources[at].ranges.iter().enumerate();
            ranges.filter(|(_, range)| !range.ended).map(|(range, _)| range).collect()
        };
        let mut waiting = open.into_iter().map(|range| {
            let work = RangeWork {
                source: at,
                range,
                snapshot: snapshot.clone(),
                shaper: shaper.clone(),
                target: self.target.clone(),
                now: self.now.clone(),
                due: self.due.clone(),
                hides: self.config.target.mode == crate::config::TargetMode::Direct,
            };
            tokio::spawn(work.run(progress.clone()))
        });
        let mut running = FuturesUnordered::new();
        running.extend(waiting.by_ref().take(self.config.target.connections));
        let mut failed = None;
        while let Some(ended) = running.next().await {
            let ended = ended.map_err(|error| RunError::Config(format!("a worker died: {error}")))?;
            match ended {
                Ok(()) => running.extend(waiting.next()),
                // The others end at their next page: what they have sent is then known.
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        failed.map_or(Ok(()), Err)
    }

    /// Cuts the source the first time; later runs keep to the same ranges, whose cursors they go on from.
    async fn cut_ranges(
        &self,
        progress: &Arc<RunProgress>,
        at: usize,
        snapshot: &dyn Snapshot,
    ) -> Result<(), RunError> {
        if progress.state.lock().await.sources[at].ranges.is_empty() {
            let (rows, bytes) = (snapshot.count().await?, snapshot.bytes().await?);
            let ranges = snapshot.ranges(self.config.target.connections * RANGES_PER_CONNECTION).await?;
            let mut state = progress.state.lock().await;
            state.sources[at].rows = rows;
            state.sources[at].bytes = bytes;
            state.sources[at].ranges =
                ranges.into_iter().map(|range| RangeState { range, ..RangeState::default() }).collect();
            self.folder.save(&state)?;
        }
        Ok(())
    }
}

/// Tells files apart: what was read by one is not gone on with by another.
pub fn config_digest(config: &IngestConfig) -> String {
    digest_text(digest_of(format!("{config:?}").as_bytes()))
}
