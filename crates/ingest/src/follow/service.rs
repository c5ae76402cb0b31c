//! The loop of the service: take the lease or stand by; index everything if nobody has (`first_index`); then
//! read changes and due rows, make their documents anew, send them under the fence, confirm; wait where a
//! pause was asked for (`pause`). One request at a time, so that the last state of a key is sent last.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use futures_util::FutureExt as _;

use super::changes::{ChangeBatch, ChangeFeed};
use super::database::{PipelineDatabase, followed_sources};
use super::drift::{ColumnUse, QueryColumns, indexed_columns, keep_indexed_columns};
use super::fence::{Fence, FenceError};
use super::install::slot_name;
use super::lease::Lease;
use super::wake::Wake;
use crate::clock::Now;
use crate::config::{FollowKind, IngestConfig, SourceConfig};
use crate::mass::{OnProgress, RunError, RunOptions, StateFolder};
use crate::record::Rejected;
use crate::shape::{Shaped, Shaper};
use crate::solr_api::{ApiError, ApiErrorKind};
use crate::sources::{self, Page, Source, SourceError, SourceErrorKind};
use crate::target::Target;

/// Due rows looked at in one go.
const DUE_MAX: i64 = 1000;

/// Why the service ended.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    #[error(transparent)]
    Source(#[from] SourceError),
    #[error(transparent)]
    Fence(#[from] FenceError),
    #[error(transparent)]
    Run(#[from] RunError),
    #[error("cannot keep dead letters: {0}")]
    Letters(#[from] std::io::Error),
    #[error("the lease ran out before it could be renewed")]
    LeaseLost,
    #[error("{0}")]
    Config(String),
}

/// What a person at the terminal, or a log, reads.
#[derive(Clone, Debug)]
pub enum ServiceEvent {
    Standby {
        behind: String,
    },
    Active {
        token: i64,
    },
    Following,
    Applied {
        documents: usize,
        deletes: usize,
        rejected: usize,
    },
    /// Changes wait until `ingest resume`.
    Paused,
    Resumed,
    /// It goes on by itself.
    Trouble(String),
}

pub struct ServiceOptions {
    pub run: RunOptions,
    /// Tells services apart; another with each start.
    pub holder: String,
    pub on_event: Box<dyn Fn(ServiceEvent) + Send + Sync>,
    pub on_progress: OnProgress,
}

pub struct Service {
    pub(super) config: IngestConfig,
    target: Target,
    pub(super) now: Now,
    pub(super) options: ServiceOptions,
    /// Everything is to be indexed anew, and that has not begun yet.
    pub(super) fresh: Arc<AtomicBool>,
}

/// One source whose changes are followed.
pub(super) struct Follower {
    pub(super) config: SourceConfig,
    source: Box<dyn Source>,
    shaper: Shaper,
    pub(super) feed: ChangeFeed,
    pub(super) database: PipelineDatabase,
    poll: Duration,
    /// Of its queries, when everything was indexed.
    indexed_columns: Vec<QueryColumns>,
    /// Of what was sent last, where changes are seen again and again.
    sent: Option<HashMap<String, u64>>,
}

impl Service {
    pub fn new(config: &IngestConfig, now: Now, options: ServiceOptions) -> Result<Self, ServiceError> {
        let target = Target::new(&config.target).map_err(RunError::from)?;
        let fresh = Arc::new(AtomicBool::new(options.run.fresh));
        Ok(Self { config: config.clone(), target, now, options, fresh })
    }

    /// Runs until `stop` is done; the lease is then given up. Errors: what does not pass by itself.
    pub async fn run(&self, stop: impl Future<Output = ()>) -> Result<(), ServiceError> {
        let mut followers = self.followers()?;
        let Some(first) = followers.first() else {
            return Err(ServiceError::Config(
                "no source says how changes are followed: write `follow = \"trigger\"`, or use `ingest once`"
                    .to_owned(),
            ));
        };
        let database = first.database.of_pipeline();
        let stop = stop.shared();
        loop {
            let standby =
                |behind: &str| (self.options.on_event)(ServiceEvent::Standby { behind: behind.to_owned() });
            let lease = tokio::select! {
                () = stop.clone() => return Ok(()),
                lease = Lease::take(&database, &self.options.holder, self.config.lease.seconds, standby) => lease,
            };
            let trouble = match lease {
                Ok(lease) => {
                    let lease = Arc::new(lease);
                    (self.options.on_event)(ServiceEvent::Active { token: lease.token() });
                    let led = tokio::select! {
                        () = stop.clone() => Ok(()),
                        led = self.lead(&lease, &database, &mut followers) => led,
                    };
                    lease.give_up().await.or_else(|error| if led.is_ok() { Err(error) } else { Ok(()) })?;
                    match led {
                        Ok(()) => return Ok(()),
                        Err(error) => error,
                    }
                }
                Err(error) => error.into(),
            };
            if !trouble.passes() {
                return Err(trouble);
            }
            (self.options.on_event)(ServiceEvent::Trouble(trouble.to_string()));
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
    }

    fn followers(&self) -> Result<Vec<Follower>, ServiceError> {
        let mut followers = Vec::new();
        for (source, postgres) in followed_sources(&self.config) {
            let database = PipelineDatabase::new(&self.config.name, &source.name, postgres)?;
            let shaper = Shaper::new(&self.config, source)
                .map_err(|findings| ServiceError::Config(findings.join("\n")))?;
            if shaper.id_of_key("1").is_none() {
                return Err(ServiceError::Config(format!(
                    "source `{}`: to follow deletes, the field `{}` is made of the key alone",
                    source.name, self.config.target.id_field
                )));
            }
            let polls = postgres.follow == FollowKind::Polling;
            let poll = Duration::from_millis(postgres.poll_ms.max(if polls { 1000 } else { 10 }));
            let slot = slot_name(&self.config, source);
            followers.push(Follower {
                config: source.clone(),
                source: sources::open(source)?,
                shaper,
                feed: ChangeFeed::new(&source.name, source.key_column(), postgres, &slot, database.clone()),
                database,
                poll,
                indexed_columns: Vec::new(),
                sent: polls.then(HashMap::new),
            });
        }
        Ok(followers)
    }

    /// As the active one, until the lease is lost or something fails.
    async fn lead(
        &self,
        lease: &Arc<Lease>,
        database: &PipelineDatabase,
        followers: &mut [Follower],
    ) -> Result<(), ServiceError> {
        // Listening begins before the first look, so that nothing falls between.
        let mut wake = Wake::listen(database, &self.config.name).await?;
        loop {
            self.wait_while_paused(lease, database, &[], &mut wake).await?;
            match self.index_once(lease, database, followers).await {
                Err(ServiceError::Run(RunError::Paused)) => {}
                indexed => break indexed?,
            }
        }
        for follower in followers.iter_mut() {
            follower.load_indexed_columns(lease.token()).await?;
        }
        let mut fence = Fence::claim(&self.target, &self.config.target.collection, lease.token()).await?;
        (self.options.on_event)(ServiceEvent::Following);
        loop {
            self.wait_while_paused(lease, database, followers, &mut wake).await?;
            let mut busy = false;
            for follower in followers.iter_mut() {
                busy |= self.step(follower, &mut fence, lease).await?;
            }
            if !lease.is_held() {
                return Err(ServiceError::LeaseLost);
            }
            if !busy {
                wake.wait(self.until_next_look(followers).await?).await?;
            }
        }
    }

    /// Deals with some changes and due rows of one source. False when there were none.
    async fn step(
        &self,
        follower: &mut Follower,
        fence: &mut Fence,
        lease: &Lease,
    ) -> Result<bool, ServiceError> {
        let ChangeBatch { keys, confirm, full } = follower.feed.next().await?;
        let mut keys = keys;
        let due = follower.database.due((self.now)().as_millisecond(), DUE_MAX).await?;
        let more = full || due.len() as i64 == DUE_MAX;
        keys.extend(due);
        let again = follower.sent.is_some();
        let any = !keys.is_empty();
        if any {
            self.apply(follower, keys, fence, lease).await?;
        }
        if !follower.feed.confirm(&confirm, lease.token()).await? && !lease.is_held() {
            return Err(ServiceError::LeaseLost);
        }
        Ok(more || (any && !again))
    }

    async fn apply(
        &self,
        follower: &mut Follower,
        keys: BTreeSet<String>,
        fence: &mut Fence,
        lease: &Lease,
    ) -> Result<(), ServiceError> {
        let keys: Vec<String> = keys.into_iter().collect();
        let page = follower.source.fetch(&keys).await?;
        follower.check_columns(&self.config, &page)?;
        let mut there: HashSet<String> = page.records.iter().map(|record| record.key.clone()).collect();
        there.extend(page.rejected.iter().map(|rejected| rejected.key.clone()));
        let now = (self.now)();
        let Shaped { mut documents, hidden, mut rejected, due } = follower.shaper.shape(page, now);
        let gone = keys.iter().filter(|key| !there.contains(*key));
        let mut deletes: Vec<String> = gone.filter_map(|key| follower.shaper.id_of_key(key)).collect();
        deletes.extend(hidden);
        let digests = follower.sent.as_ref().map(|_| digests_of(&documents));
        if let Some(sent) = &follower.sent {
            documents.retain(|document| sent.get(&document.id) != Some(&document.digest));
        }
        // The last moment to stop by ourselves; behind it stands the fence.
        if !lease.is_held() {
            return Err(ServiceError::LeaseLost);
        }
        let soon = self.config.target.commit_within_ms;
        let config = self.target.config();
        let batches = documents.batches(config.batch_docs, config.batch_bytes);
        for batch in batches.iter().copied().chain(batches.is_empty().then_some(&[][..])) {
            if batch.is_empty() && deletes.is_empty() {
                break;
            }
            rejected.extend(fence.send(&follower.config.name, &documents, batch, &deletes, soon).await?);
            (self.options.on_event)(ServiceEvent::Applied {
                documents: batch.len(),
                deletes: deletes.len(),
                rejected: rejected.len(),
            });
            deletes.clear();
        }
        follower.sent = digests;
        if !follower.shaper.rules().is_empty() {
            let due: Vec<(String, i64)> =
                due.into_iter().map(|(key, at)| (key, at.as_millisecond())).collect();
            follower.database.keep_due(&keys, &due).await?;
        }
        self.keep_letters(&rejected)
    }

    /// A row that cannot be made a document leaves the one that is there, and a line that says so.
    fn keep_letters(&self, rejected: &[Rejected]) -> Result<(), ServiceError> {
        if rejected.is_empty() {
            return Ok(());
        }
        let dir = self.config.state.dir.clone().unwrap_or_default();
        StateFolder::open(&dir)?;
        let file = std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(dir.join("dead-letters-changes.jsonl"))?;
        let mut file = std::io::BufWriter::new(file);
        for letter in rejected {
            serde_json::to_writer(&mut file, letter).map_err(std::io::Error::from)?;
            file.write_all(b"\n")?;
        }
        Ok(file.flush()?)
    }

    /// Until the next look: the shortest that a source waits, or until a row becomes due.
    async fn until_next_look(&self, followers: &[Follower]) -> Result<Duration, ServiceError> {
        let mut wait = followers.iter().map(|follower| follower.poll).min().unwrap_or(Duration::from_secs(1));
        for follower in followers.iter().filter(|follower| !follower.shaper.rules().is_empty()) {
            if let Some(next) = follower.database.next_due_ms().await? {
                let left = u64::try_from(next - (self.now)().as_millisecond()).unwrap_or(0);
                wait = wait.min(Duration::from_millis(left));
            }
        }
        Ok(wait)
    }
}

impl Follower {
    /// What everything was indexed from; where nobody has kept that, what there is now.
    async fn load_indexed_columns(&mut self, token: i64) -> Result<(), SourceError> {
        self.indexed_columns = indexed_columns(&self.database).await?;
        if self.indexed_columns.is_empty() {
            keep_indexed_columns(&self.database, &self.config, token).await?;
            self.indexed_columns = indexed_columns(&self.database).await?;
        }
        Ok(())
    }

    fn check_columns(&self, config: &IngestConfig, page: &Page) -> Result<(), SourceError> {
        let column_use = ColumnUse { config, source: &self.config, mapping: self.shaper.mapping() };
        column_use.check_page(&self.indexed_columns, page)
    }
}

fn digests_of(documents: &crate::shape::Documents) -> HashMap<String, u64> {
    documents.all().iter().map(|document| (document.id.clone(), document.digest)).collect()
}

impl ServiceError {
    /// Whether standing by and beginning again may help.
    fn passes(&self) -> bool {
        // Of an unknown outcome too: changes that were not acknowledged are not confirmed, and come again.
        let api = |error: &ApiError| matches!(error.kind, ApiErrorKind::Retry | ApiErrorKind::Unknown);
        match self {
            Self::Source(error) | Self::Run(RunError::Source(error)) => {
                error.kind == SourceErrorKind::Unavailable
            }
            Self::LeaseLost | Self::Fence(FenceError::Deposed(_)) | Self::Run(RunError::Deposed) => true,
            Self::Fence(FenceError::Target(error)) | Self::Run(RunError::Target(error)) => api(error),
            Self::Run(_) | Self::Letters(_) | Self::Config(_) => false,
        }
    }
}
