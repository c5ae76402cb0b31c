//! Sends batches over a few connections at once and counts what was acknowledged.
//!
//! In: batches through a bounded queue, so that reading waits for the target; out: totals, and the first
//! error, after which the rest is not sent. No state is kept and nothing is sent again: that is the ingest
//! service's (`mass`).

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use client::{Error, SolrClient};
use tokio::sync::{Mutex, mpsc};
use tokio::task::JoinSet;

use super::batch::Batch;

/// Counts as they grow, for a progress bar.
#[derive(Debug, Default)]
pub struct Progress {
    docs: AtomicU64,
    text_bytes: AtomicU64,
}

/// What was acknowledged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    pub docs: u64,
    pub text_bytes: u64,
}

impl Progress {
    pub fn totals(&self) -> Totals {
        Totals {
            docs: self.docs.load(Ordering::Relaxed),
            text_bytes: self.text_bytes.load(Ordering::Relaxed),
        }
    }

    fn add(&self, batch: &Batch) {
        self.docs.fetch_add(batch.docs, Ordering::Relaxed);
        self.text_bytes.fetch_add(batch.text_bytes, Ordering::Relaxed);
    }
}

/// A bounded queue of batches and the connections that empty it.
pub struct Sender {
    queue: mpsc::Sender<Batch>,
    workers: JoinSet<Result<(), Error>>,
}

impl Sender {
    /// Starts `connections` workers that post to `collection`. Must be called within a tokio runtime.
    pub fn start(
        client: &SolrClient,
        collection: &str,
        connections: usize,
        progress: &Arc<Progress>,
    ) -> Self {
        let (queue, batches) = mpsc::channel(connections);
        let batches = Arc::new(Mutex::new(batches));
        let mut workers = JoinSet::new();
        for _ in 0..connections.max(1) {
            let path = format!("{collection}/update");
            workers.spawn(work(client.clone(), path, batches.clone(), progress.clone()));
        }
        Self { queue, workers }
    }

    /// The end where batches go in; `blocking_send` on it from a reading thread.
    pub fn queue(&self) -> mpsc::Sender<Batch> {
        self.queue.clone()
    }

    /// Waits until every batch is acknowledged; the first error otherwise. Every clone of the queue must be
    /// gone.
    pub async fn finish(self) -> Result<(), Error> {
        let Sender { queue, mut workers } = self;
        drop(queue);
        while let Some(ended) = workers.join_next().await {
            ended.map_err(|error| Error::Request(error.to_string()))??;
        }
        Ok(())
    }
}

async fn work(
    client: SolrClient,
    path: String,
    batches: Arc<Mutex<mpsc::Receiver<Batch>>>,
    progress: Arc<Progress>,
) -> Result<(), Error> {
    loop {
        let next = batches.lock().await.recv().await;
        let Some(batch) = next else { return Ok(()) };
        client.post(&path, &[("wt", "json")], "application/json", batch.body.clone()).await?.ok()?;
        progress.add(&batch);
    }
}
