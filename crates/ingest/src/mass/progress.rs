//! How far a run is, shared by those who read its ranges: what a page came to is kept before the next is
//! read, and a run that has lost its lease, or has too many refusals, ends here. Kept in the state folder
//! (`state.rs`) before the next page, so a run that is killed repeats at most the page that each worker was
//! at: documents have ids, and the same document twice is one.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Mutex;

use super::state::{RunAdvance, RunState, RunTotals, StateFolder};
use crate::record::Rejected;
use crate::sources::SourceError;

/// Why a run ended early; it goes on from there when it is begun again.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error(transparent)]
    Source(#[from] SourceError),
    #[error("target: {0}")]
    Target(crate::solr_api::ApiError),
    #[error("cannot keep the run's state: {0}; mend the folder, then go on")]
    State(std::io::Error),
    #[error(
        "{rejected} rows were refused, more than --max-errors {max}; see {file}, mend, and run again: it goes on before \
         them"
    )]
    TooManyErrors { rejected: u64, max: u64, file: String },
    #[error("{0}")]
    NotVerified(String),
    #[error("the lease was lost; another service goes on")]
    Deposed,
    #[error("it was asked to pause; `parhelion ingest resume FILE` lets it go on")]
    Paused,
    #[error("{0}")]
    Config(String),
}

// By hand: an error that another is made from becomes its cause, and would be printed twice.
impl From<crate::solr_api::ApiError> for RunError {
    fn from(error: crate::solr_api::ApiError) -> Self {
        Self::Target(error)
    }
}

impl From<std::io::Error> for RunError {
    fn from(error: std::io::Error) -> Self {
        Self::State(error)
    }
}

/// Told after each page.
pub type OnProgress = Arc<dyn Fn(RunAdvance) + Send + Sync>;

/// Whether the run may go on, or why not: [`RunError::Deposed`], [`RunError::Paused`].
pub type Permit = Arc<dyn Fn() -> Result<(), RunError> + Send + Sync>;

/// A page that is dealt with.
pub(super) struct PageDone {
    /// Source and range, by their places.
    pub(super) at: (usize, usize),
    pub(super) cursor: String,
    pub(super) bytes: u64,
    pub(super) totals: RunTotals,
}

/// What the workers of a run share.
pub(super) struct RunProgress {
    pub(super) state: Mutex<RunState>,
    pub(super) folder: StateFolder,
    pub(super) errors_max: u64,
    /// Set once there were too many refusals: no page counts as done any more.
    pub(super) over: AtomicBool,
    pub(super) on_progress: OnProgress,
    pub(super) permit: Permit,
}

impl RunProgress {
    /// A page is dealt with: keeps its refusals, then where to go on. Errors: too many refusals in all; the
    /// page with the one too many does not count as done, so that the run goes on before it once its cause is
    /// mended, and never to an end without its rows.
    pub(super) async fn page_done(&self, page: PageDone, rejected: &[Rejected]) -> Result<(), RunError> {
        let PageDone { at, cursor, bytes, totals } = page;
        (self.permit)()?;
        let mut state = self.state.lock().await;
        let letters_bytes = self.folder.keep_letters(state.run, rejected)?;
        let all_rejected = state.totals().rejected + totals.rejected;
        if all_rejected > self.errors_max || self.over.load(Ordering::Relaxed) {
            // Also what other workers bring after it: their letters stand behind those that do not count.
            self.over.store(true, Ordering::Relaxed);
            let file = self.folder.dead_letters(state.run).display().to_string();
            return Err(RunError::TooManyErrors { rejected: all_rejected, max: self.errors_max, file });
        }
        state.letters_bytes += letters_bytes;
        let range = &mut state.sources[at.0].ranges[at.1];
        range.cursor = Some(cursor);
        range.totals.add(totals);
        range.bytes += bytes;
        self.folder.save(&state)?;
        (self.on_progress)(state.advance());
        Ok(())
    }

    pub(super) async fn range_ended(&self, at: (usize, usize)) -> Result<(), RunError> {
        let mut state = self.state.lock().await;
        state.sources[at.0].ranges[at.1].ended = true;
        Ok(self.folder.save(&state)?)
    }
}
