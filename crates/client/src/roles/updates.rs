//! The client that feeds a collection: documents go in one by one, are gathered into batches, and sent over
//! several streams at once. Every document is either acknowledged or reported, with the reason: none is lost
//! silently.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use serde::de::IgnoredAny;
use tokio::sync::{Mutex, Semaphore, mpsc};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout_at};

use crate::balance::EndpointSource;
use crate::error::{Error, ErrorKind};
use crate::metrics::MetricsSnapshot;
use crate::options::ClientOptions;
use crate::request::Request;
use crate::transport::Transport;

/// How documents are gathered and sent.
#[derive(Clone, Debug)]
pub struct UpdateOptions {
    /// Batches that are sent at once. With 1, documents arrive in the order in which they were given; with
    /// more, two versions of one document that are given shortly one after the other may change places.
    pub streams: usize,
    pub batch_docs_max: usize,
    pub batch_bytes_max: usize,
    /// A batch waits this long for more documents.
    pub linger: Duration,
    /// Documents that are not yet acknowledged; beyond that, adding waits.
    pub buffer_bytes_max: usize,
    /// Parameters of each batch, such as `commitWithin`.
    pub params: Vec<(String, String)>,
    /// For this long a batch is offered again to servers that have certainly not taken it: that cannot be
    /// reached, or that answer 429, after the time they ask for.
    pub patience: Duration,
}

impl Default for UpdateOptions {
    fn default() -> Self {
        Self {
            streams: 2,
            batch_docs_max: 1000,
            batch_bytes_max: 1 << 20,
            linger: Duration::from_millis(20),
            buffer_bytes_max: 16 << 20,
            params: Vec::new(),
            patience: Duration::from_secs(60),
        }
    }
}

/// A batch that was not acknowledged, with its documents as they were given.
#[derive(Debug)]
pub struct FailedBatch {
    pub docs: Vec<Bytes>,
    /// [`ErrorKind::OutcomeUnknown`]: the server may have done it all the same.
    pub error: Error,
}

/// Documents, by what became of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UpdateTotals {
    pub acknowledged: u64,
    pub failed: u64,
}

/// Points in time beyond it might not be computed.
const PATIENCE_MAX: Duration = Duration::from_secs(365 * 24 * 60 * 60);

type OnError = dyn Fn(FailedBatch) + Send + Sync;

/// A stream of documents into one collection (SolrJ's `ConcurrentUpdateHttp2SolrClient`). Where it is dropped
/// without [`UpdateStream::finish`], what is buffered is still sent, as long as the runtime lives.
///
/// ```no_run
/// # async fn example() -> Result<(), client::Error> {
/// use client::{ClientOptions, SolrUrl, StaticEndpoints, UpdateOptions, UpdateStream};
///
/// let servers = StaticEndpoints::new(["127.0.0.1:8983".parse::<SolrUrl>()?]);
/// let on_error = |failed: client::FailedBatch| eprintln!("{} lost: {}", failed.docs.len(), failed.error);
/// let (client, updates) = (ClientOptions::default(), UpdateOptions::default());
/// let stream = UpdateStream::start(&servers, client, "films", updates, on_error);
/// for id in 0..10_000 {
///     stream.add(format!("{{\"id\":\"{id}\"}}")).await?;
/// }
/// let totals = stream.finish().await;
/// # let _ = totals; Ok(()) }
/// ```
pub struct UpdateStream {
    queue: mpsc::UnboundedSender<Document>,
    feed: Arc<Feed>,
    workers: Vec<JoinHandle<()>>,
}

struct Feed {
    transport: Transport,
    path: String,
    options: UpdateOptions,
    on_error: Box<OnError>,
    /// Bytes of documents that may still come.
    room: Arc<Semaphore>,
    acknowledged: AtomicU64,
    failed: AtomicU64,
}

/// One document in JSON, and the room that it takes until its fate is known.
struct Document {
    json: Bytes,
    room: tokio::sync::OwnedSemaphorePermit,
}

impl UpdateStream {
    /// Into `collection`. Must be called within a tokio runtime. `on_error` is called with every batch that
    /// is given up, on the stream's task: it should be brief.
    pub fn start(
        servers: &dyn EndpointSource,
        client: ClientOptions,
        collection: &str,
        options: UpdateOptions,
        on_error: impl Fn(FailedBatch) + Send + Sync + 'static,
    ) -> Self {
        let (queue, documents) = mpsc::unbounded_channel();
        let (streams, bytes) =
            (options.streams.max(1), options.buffer_bytes_max.clamp(1, Semaphore::MAX_PERMITS));
        let feed = Arc::new(Feed {
            transport: Transport::new(servers, client),
            path: format!("{collection}/update"),
            options,
            on_error: Box::new(on_error),
            room: Arc::new(Semaphore::new(bytes)),
            acknowledged: AtomicU64::new(0),
            failed: AtomicU64::new(0),
        });
        let documents = Arc::new(Mutex::new(documents));
        let worker = |_| tokio::spawn(feed.clone().work(documents.clone()));
        let workers = (0..streams).map(worker).collect();
        Self { queue, feed, workers }
    }

    /// One document, as a JSON object. Waits while the buffer is full. Errors: [`Error::Request`] where
    /// `json` is no object; what becomes of the document is reported later.
    pub async fn add(&self, json: impl Into<Bytes>) -> Result<(), Error> {
        let json: Bytes = json.into();
        // One document that is none would have the whole batch refused.
        if !json.trim_ascii_start().starts_with(b"{") || serde_json::from_slice::<IgnoredAny>(&json).is_err()
        {
            return Err(Error::Request("a document is an object in JSON".to_owned()));
        }
        // A document that is larger than the whole buffer waits until it is alone.
        let bytes = json.len().min(self.feed.options.buffer_bytes_max).max(1);
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        let ended = |_| Error::Request("the stream has ended".to_owned());
        let room = self.feed.room.clone().acquire_many_owned(bytes).await.map_err(ended)?;
        self.queue
            .send(Document { json, room })
            .map_err(|_| Error::Request("the stream has ended".to_owned()))
    }

    /// What has become of documents so far; the others are on their way.
    pub fn totals(&self) -> UpdateTotals {
        self.feed.totals()
    }

    pub fn metrics(&self) -> MetricsSnapshot {
        self.feed.transport.metrics()
    }

    /// Waits until the fate of every document is known.
    pub async fn finish(self) -> UpdateTotals {
        let Self { queue, feed, workers } = self;
        drop(queue);
        for worker in workers {
            // Nothing in a worker panics but what the callback does, and that is caught.
            let _ = worker.await;
        }
        feed.totals()
    }
}

impl fmt::Debug for UpdateStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UpdateStream").field("path", &self.feed.path).finish_non_exhaustive()
    }
}

impl Feed {
    fn totals(&self) -> UpdateTotals {
        UpdateTotals {
            acknowledged: self.acknowledged.load(Ordering::Relaxed),
            failed: self.failed.load(Ordering::Relaxed),
        }
    }

    async fn work(self: Arc<Self>, documents: Arc<Mutex<mpsc::UnboundedReceiver<Document>>>) {
        loop {
            let batch = self.gather(&mut *documents.lock().await).await;
            if batch.is_empty() {
                return;
            }
            self.deliver(batch).await;
        }
    }

    /// The next batch; empty at the end of the stream. Waits for the first document, then a little for more.
    async fn gather(&self, documents: &mut mpsc::UnboundedReceiver<Document>) -> Vec<Document> {
        let Some(first) = documents.recv().await else { return Vec::new() };
        let ready_at = Instant::now() + self.options.linger.min(PATIENCE_MAX);
        let mut bytes = first.json.len();
        let mut batch = vec![first];
        while batch.len() < self.options.batch_docs_max && bytes < self.options.batch_bytes_max {
            let Ok(Some(document)) = timeout_at(ready_at, documents.recv()).await else { break };
            bytes += document.json.len();
            batch.push(document);
        }
        batch
    }

    async fn deliver(&self, batch: Vec<Document>) {
        let (docs, _room): (Vec<Bytes>, Vec<_>) =
            batch.into_iter().map(|document| (document.json, document.room)).unzip();
        let (count, request) = (docs.len() as u64, self.request(&docs));
        match self.offer(&request).await {
            Ok(()) => {
                self.acknowledged.fetch_add(count, Ordering::Relaxed);
            }
            Err(error) => {
                self.failed.fetch_add(count, Ordering::Relaxed);
                // A callback that panics must not end the stream: what is behind it would be lost.
                let told = AssertUnwindSafe(|| (self.on_error)(FailedBatch { docs, error }));
                let _ = catch_unwind(told);
            }
        }
    }

    fn request(&self, docs: &[Bytes]) -> Request {
        let mut body = Vec::with_capacity(docs.iter().map(|doc| doc.len() + 1).sum::<usize>() + 1);
        body.push(b'[');
        body.extend_from_slice(&docs.join(&b','));
        body.push(b']');
        let params = self.options.params.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let params: Vec<_> = std::iter::once(("wt", "json")).chain(params).collect();
        Request::post(&self.path, &params, "application/json", body)
    }

    /// Again and again, as long as nobody can have taken it. (429 is the refusal of a server that has not
    /// begun.)
    async fn offer(&self, request: &Request) -> Result<(), Error> {
        let give_up = Instant::now() + self.options.patience.min(PATIENCE_MAX);
        let mut pause = Duration::from_millis(100);
        loop {
            let (error, asked) = match self.transport.send(request).await {
                Err(error) => (error, None),
                Ok(response) => {
                    let asked = response.retry_after();
                    match response.ok() {
                        Ok(_) => return Ok(()),
                        Err(error) => (error, asked),
                    }
                }
            };
            let wait = asked.unwrap_or(pause);
            if error.kind() != ErrorKind::RetryLater || Instant::now() + wait >= give_up {
                return Err(error);
            }
            sleep(wait).await;
            pause = (pause * 2).min(Duration::from_secs(5));
        }
    }
}
