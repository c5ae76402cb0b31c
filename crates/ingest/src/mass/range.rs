//! One range of a run: while a page is on its way to the target, the next is read. One page is sent at a
//! time, so that the cursor says exactly what has been acknowledged.
//!
//! In: a snapshot of a source and where the range was broken off; out: documents at the target, refused rows
//! in the dead-letter file, moments at which rows become due, and after each page the state (`state`).
//! Cutting ranges and running many of them is the run's (`mod.rs`).

use std::sync::Arc;

use futures_util::future::BoxFuture;
use jiff::Timestamp;

use super::progress::{PageDone, RunError, RunProgress};
use super::state::RunTotals;
use crate::clock::Now;
use crate::record::Rejected;
use crate::shape::{Shaped, Shaper};
use crate::sources::{Page, Snapshot, SourceError};
use crate::target::{Delivery, Target};

/// Who keeps the moments at which rows become visible, or no longer are.
pub trait DueSink: Send + Sync {
    fn keep<'a>(
        &'a self,
        source: &'a str,
        due: &'a [(String, Timestamp)],
    ) -> BoxFuture<'a, Result<(), SourceError>>;
}

pub struct RangeWork {
    /// Of the file's sources.
    pub source: usize,
    /// Of its ranges.
    pub range: usize,
    pub snapshot: Arc<dyn Snapshot>,
    pub shaper: Arc<Shaper>,
    pub target: Target,
    pub now: Now,
    pub due: Option<Arc<dyn DueSink>>,
    /// Whether documents of hidden rows may be there already, and are to go.
    pub hides: bool,
}

impl RangeWork {
    pub async fn run(self, progress: Arc<RunProgress>) -> Result<(), RunError> {
        let at = (self.source, self.range);
        let (range, cursor, collection) = {
            let state = progress.state.lock().await;
            let range = &state.sources[at.0].ranges[at.1];
            (range.range.clone(), range.cursor.clone(), state.collection.clone())
        };
        let mut pages = self.snapshot.pages(&range, cursor.as_deref()).await?;
        let mut next = pages.next().await?;
        while let Some(page) = next {
            let (read, sent) = tokio::join!(pages.next(), self.send(&progress, &collection, page));
            sent?;
            next = read?;
        }
        progress.range_ended(at).await
    }

    async fn send(&self, progress: &RunProgress, collection: &str, page: Page) -> Result<(), RunError> {
        let (cursor, bytes) = (page.cursor.clone(), page.bytes);
        let now = (self.now)();
        let Shaped { documents, hidden, mut rejected, due } = self.shaper.shape(page, now);
        let mut refused = Vec::new();
        let source = &self.shaper.source().name;
        let delivery = Delivery { collection, source, documents: &documents, params: &[] };
        let config = self.target.config();
        for batch in documents.batches(config.batch_docs, config.batch_bytes) {
            refused.extend(self.target.deliver(delivery, batch).await?);
        }
        if self.hides && !hidden.is_empty() {
            self.target.update(collection, &[], documents.body(None, &[], &hidden)).await?;
        }
        if let Some(sink) = self.due.as_ref().filter(|_| !due.is_empty()) {
            sink.keep(source, &due).await?;
        }
        let totals = RunTotals {
            sent: (documents.all().len() - refused.len()) as u64,
            hidden: hidden.len() as u64,
            rejected: (rejected.len() + refused.len()) as u64,
        };
        rejected.extend::<Vec<Rejected>>(refused);
        let at = (self.source, self.range);
        progress.page_done(PageDone { at, cursor, bytes, totals }, &rejected).await
    }
}
