//! A request from its first attempt to its answer: which server, whether again, whether elsewhere too, until
//! when. The rule above all: **nothing is sent twice unless it is safe**. A request may be sent again when no
//! server can have seen it, or when the caller said that it may (or it is one of the handlers that only
//! read).

mod attempt;
mod body;
mod budget;
mod latency;
mod streamed;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::OnceCell;
use tokio::time::{Instant, sleep};

use crate::balance::{Balancer, EndpointSource, Server};
use crate::error::Error;
use crate::metrics::{Metrics, MetricsSnapshot};
use crate::options::{ClientOptions, Hedge};
use crate::request::Request;
use crate::response::{Response, retry_after};
use attempt::{Answer, Extent, Failure, Job, Outcome, Reached, verdict};
use budget::Budget;
use latency::RecentLatency;

pub use streamed::StreamedResponse;

/// The shortest wait before a hedge by quantile.
const HEDGE_MIN: Duration = Duration::from_millis(1);

/// Cheap to clone; clones share everything.
#[derive(Clone)]
pub(crate) struct Transport(Arc<Inner>);

struct Inner {
    options: Arc<ClientOptions>,
    metrics: Arc<Metrics>,
    balancer: Arc<Balancer>,
    budget: Budget,
    latency: RecentLatency,
    dice: Mutex<fastrand::Rng>,
}

impl Transport {
    pub fn new(source: &dyn EndpointSource, options: ClientOptions) -> Self {
        let (options, metrics) = (Arc::new(options.bounded()), Arc::new(Metrics::default()));
        Self(Arc::new(Inner {
            balancer: Arc::new(Balancer::new(source, options.clone(), metrics.clone())),
            budget: Budget::new(&options.retry),
            latency: RecentLatency::new(),
            dice: Mutex::new(fastrand::Rng::with_seed(options.seed)),
            options,
            metrics,
        }))
    }

    pub fn metrics(&self) -> MetricsSnapshot {
        self.0.metrics.snapshot()
    }

    /// An answer of any status, or why there is none.
    pub async fn send(&self, request: &Request) -> Result<Response, Error> {
        let answer = self.0.ask(request, Extent::Whole).await.map_err(|failure| failure.error)?;
        let Answer { status, content_type, headers, begun, .. } = answer;
        Ok(Response { status, content_type, body: begun, headers })
    }

    /// An answer of any status with its beginning. What breaks before that is asked for again where it is
    /// safe; later it is the caller's.
    pub async fn open(&self, request: &Request) -> Result<StreamedResponse, Error> {
        let answer = self.0.ask(request, Extent::Opened).await.map_err(|failure| failure.error)?;
        let patience = self.0.patience(request);
        Ok(StreamedResponse::new(answer, patience, &self.0.balancer, &self.0.metrics))
    }
}

impl Inner {
    /// How long a request may take by itself.
    fn patience(&self, request: &Request) -> Duration {
        request.timeout.map_or(self.options.timeout, |timeout| timeout.min(self.options.timeout))
    }

    async fn ask(&self, request: &Request, extent: Extent) -> Outcome {
        let Self { options, metrics, budget, latency, .. } = self;
        let started = Instant::now();
        let limit = started + self.patience(request);
        let deadline = request.deadline.map_or(limit, |deadline| deadline.min(limit));
        metrics.requests.increment();
        budget.deposit();
        let job = Job {
            request,
            extent,
            options,
            metrics,
            started,
            deadline,
            packed: OnceCell::new(),
            coding_refused: AtomicBool::new(false),
        };
        let outcome = self.attempts(&job).await;
        match &outcome {
            Ok(_) => latency.record(started.elapsed()),
            Err(failure) => {
                metrics.failures.increment();
                metrics.timeouts.add(usize::from(matches!(failure.error, Error::Timeout { .. })));
            }
        }
        outcome
    }

    async fn attempts(&self, job: &Job<'_>) -> Outcome {
        let mut tried = Vec::new();
        let mut count = 0;
        loop {
            let Some(server) = self.balancer.pick(job.request, &tried) else {
                let error = Error::NoEndpoint("the list of servers is empty");
                return Err(Failure { error, reached: Reached::Nothing });
            };
            let mut outcome = self.attempt_hedged(job, &server, &mut tried).await;
            if job.coding_refused.swap(false, Ordering::Relaxed) {
                // It was refused for how it is packed, unread. Once: the server gets no packed body any more.
                self.metrics.codings_refused.increment();
                outcome = self.attempt(job, &server).await;
            }
            count += 1;
            if !self.may_repeat(job, &outcome) || count >= self.options.retry.attempts_max {
                return outcome;
            }
            let is_elsewhere =
                self.balancer.pick(job.request, &tried).is_some_and(|next| !contains(&tried, &next));
            let Some(pause) = self.pause(&outcome, is_elsewhere, count) else { return outcome };
            if Instant::now() + pause >= job.deadline {
                return outcome;
            }
            if !self.budget.withdraw() {
                self.metrics.budget_refusals.increment();
                return outcome;
            }
            sleep(pause).await;
            self.metrics.retries.increment();
        }
    }

    /// Whether doing it again does no harm and may do good.
    fn may_repeat(&self, job: &Job<'_>, outcome: &Outcome) -> bool {
        match outcome {
            Ok(answer) => job.request.is_safe() && matches!(answer.status, 429 | 502..=504),
            Err(Failure { error: Error::Connect { .. } | Error::Tls(_), .. }) => true,
            Err(Failure { error: Error::Broken { .. }, reached }) => {
                *reached != Reached::Sent || job.request.is_safe()
            }
            // The time of all attempts is over.
            Err(_) => false,
        }
    }

    /// How long to wait before the next attempt; `None`: it would not help.
    fn pause(&self, outcome: &Outcome, is_elsewhere: bool, count: u32) -> Option<Duration> {
        match outcome {
            _ if is_elsewhere => Some(Duration::ZERO),
            // The same server again only when it said when.
            Ok(answer) => retry_after(&answer.headers),
            Err(Failure { error: Error::Tls(_), .. }) => None,
            Err(_) => {
                let mut dice = self.dice.lock().unwrap_or_else(PoisonError::into_inner);
                let doubled = self.options.retry.backoff.saturating_mul(1 << (count - 1).min(16));
                Some(doubled.mul_f64(0.5 + dice.f64()))
            }
        }
    }

    /// One attempt, and where it is slow and may be, another beside it. Both servers are among `tried` then.
    async fn attempt_hedged(
        &self,
        job: &Job<'_>,
        server: &Arc<Server>,
        tried: &mut Vec<Arc<Server>>,
    ) -> Outcome {
        tried.push(server.clone());
        let first = self.attempt(job, server);
        let Some(patience) = self.hedge_after(job) else { return first.await };
        tokio::pin!(first);
        tokio::select! {
            outcome = &mut first => return outcome,
            () = sleep(patience) => {}
        }
        let Some(other) = self.hedge_server(job, tried) else { return first.await };
        tried.push(other.clone());
        self.metrics.hedges.increment();
        let second = self.attempt(job, &other);
        tokio::pin!(second);
        tokio::select! {
            outcome = &mut first => if is_good(&outcome) { outcome } else { second.await },
            outcome = &mut second => {
                if !is_good(&outcome) {
                    return first.await;
                }
                self.metrics.hedges_won.increment();
                outcome
            }
        }
    }

    fn hedge_after(&self, job: &Job<'_>) -> Option<Duration> {
        match self.options.hedge.filter(|_| job.request.is_safe())? {
            Hedge::After(patience) => Some(patience),
            Hedge::Quantile(quantile) => {
                self.latency.quantile(quantile).map(|latency| latency.max(HEDGE_MIN))
            }
        }
    }

    fn hedge_server(&self, job: &Job<'_>, tried: &[Arc<Server>]) -> Option<Arc<Server>> {
        let other = self.balancer.pick(job.request, tried).filter(|other| !contains(tried, other))?;
        if !self.budget.withdraw() {
            self.metrics.budget_refusals.increment();
            return None;
        }
        Some(other)
    }

    async fn attempt(&self, job: &Job<'_>, server: &Arc<Server>) -> Outcome {
        let outcome = job.attempt(server).await;
        if let Some(verdict) = verdict(&outcome) {
            self.balancer.record(server, verdict);
        }
        outcome
    }
}

fn is_good(outcome: &Outcome) -> bool {
    outcome.as_ref().is_ok_and(|answer| !matches!(answer.status, 429 | 500..))
}

fn contains(servers: &[Arc<Server>], server: &Arc<Server>) -> bool {
    servers.iter().any(|known| Arc::ptr_eq(known, server))
}
