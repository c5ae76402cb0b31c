//! Connections to one server. A lease costs a lock and a look at a flag: no system call asks whether the
//! connection is still there. Three things make that safe. Idle connections are closed by a sweeper before
//! the server would close them. A server that closes earlier is noticed when it does, by the task that drives
//! the connection, whose end marks it. And a request that meets a closing connection all the same comes back
//! unsent and goes out on a new one.

mod connect;
mod idle;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use hyper::body::Incoming;
use hyper::client::conn::TrySendError;
use hyper::header::HeaderValue;
use hyper::{Request, Response};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep_until, timeout};

use crate::error::Error;
use crate::metrics::Metrics;
use crate::options::{ClientOptions, PoolOptions};
use crate::url::SolrUrl;
use connect::{Connector, Content, Opened, Sender};
use idle::{IdleList, Swept};

/// The sweeper looks at least this often while there is something to sweep.
const SWEEP_EVERY: Duration = Duration::from_secs(1);
/// A connection whose answer has ended must be ready for the next request within this, or is closed.
const READY_MAX: Duration = Duration::from_secs(1);

/// Cheap to clone; clones share the connections.
#[derive(Clone)]
pub(crate) struct Pool(Arc<Shared>);

struct Shared {
    connector: Connector,
    options: PoolOptions,
    metrics: Arc<Metrics>,
    idle: Mutex<IdleList<Opened>>,
    http2: Mutex<Option<SharedConnection>>,
    /// Held while a connection is opened that may turn out to be HTTP/2, so that not every waiting request
    /// opens one.
    opening: tokio::sync::Mutex<()>,
    under_way: Arc<Semaphore>,
}

/// HTTP/2: one for all.
struct SharedConnection {
    opened: Arc<Opened>,
    last_used: Instant,
}

/// A connection for one request.
pub(crate) struct Lease {
    connection: Leased,
    pub was_idle: bool,
    shared: Arc<Shared>,
    permit: Permit,
}

/// One of the requests that may be under way at a server.
pub(crate) struct Permit {
    _held: OwnedSemaphorePermit,
}

enum Leased {
    Own(Opened),
    Shared(Arc<Opened>),
}

impl Pool {
    pub fn new(url: SolrUrl, options: Arc<ClientOptions>, metrics: Arc<Metrics>) -> Self {
        Self(Arc::new(Shared {
            options: options.pool,
            under_way: Arc::new(Semaphore::new(options.pool.under_way_max.min(Semaphore::MAX_PERMITS))),
            connector: Connector::new(url, options),
            metrics,
            idle: Mutex::new(IdleList::new()),
            http2: Mutex::new(None),
            opening: tokio::sync::Mutex::new(()),
        }))
    }

    /// A kept connection, else a new one.
    pub async fn lease(&self, permit: Permit) -> Result<Lease, Error> {
        let started = Instant::now();
        let Some(connection) = self.0.kept() else { return Lease::open(self.0.clone(), permit).await };
        let took = started.elapsed();
        self.0.metrics.lease.record(took);
        self.0.metrics.connections_reused.increment();
        self.0.probe_lease(took, true);
        Ok(Lease { connection, was_idle: true, shared: self.0.clone(), permit })
    }

    /// Waits while too many requests are under way; callers bound that.
    pub async fn permit(&self) -> Result<Permit, Error> {
        let closed = |_| Error::NoEndpoint("the client is closed");
        self.0.under_way.clone().acquire_owned().await.map(|held| Permit { _held: held }).map_err(closed)
    }
}

impl Shared {
    fn kept(&self) -> Option<Leased> {
        let now = Instant::now();
        if let Some(shared) = self.kept_http2(now) {
            return Some(Leased::Shared(shared));
        }
        let (taken, passed_over) = self.idle().take(now, |opened| self.is_usable(opened, now));
        self.count(&passed_over);
        taken.map(Leased::Own)
    }

    fn kept_http2(&self, now: Instant) -> Option<Arc<Opened>> {
        let mut slot = self.http2.lock().unwrap_or_else(PoisonError::into_inner);
        let shared = slot.as_mut()?;
        let is_busy = Arc::strong_count(&shared.opened) > 1;
        let is_fresh = is_busy || now < shared.last_used + self.options.idle_max;
        if !is_fresh || !self.is_usable(&shared.opened, now) {
            // Requests under way keep it until they have their answers.
            *slot = None;
            return None;
        }
        shared.last_used = now;
        Some(shared.opened.clone())
    }

    fn is_usable(&self, opened: &Opened, now: Instant) -> bool {
        opened.sender.is_open() && now < opened.at + self.options.age_max
    }

    /// Also whether it turned out that there was one.
    async fn open(self: &Arc<Self>) -> Result<(Leased, bool), Error> {
        let turn = if self.connector.may_be_http2() { Some(self.opening.lock().await) } else { None };
        if let Some(opened) = turn.as_ref().and_then(|_| self.kept_http2(Instant::now())) {
            self.metrics.connections_reused.increment();
            return Ok((Leased::Shared(opened), true));
        }
        let opened =
            self.connector.connect().await.inspect_err(|_| self.metrics.connections_failed.increment())?;
        self.metrics.connections_opened.increment();
        if !matches!(opened.sender, Sender::Http2(_)) {
            return Ok((Leased::Own(opened), false));
        }
        let opened = Arc::new(opened);
        let shared = SharedConnection { opened: opened.clone(), last_used: Instant::now() };
        *self.http2.lock().unwrap_or_else(PoisonError::into_inner) = Some(shared);
        self.idle_since_now();
        Ok((Leased::Shared(opened), false))
    }

    /// For whoever looks from outside (docs/probes.md). Nanoseconds: a lease of a kept connection takes
    /// some hundred.
    #[inline(never)]
    fn probe_lease(&self, took: Duration, was_kept: bool) {
        let server = self.connector.authority();
        probe::probe!(parhelion, lease, server.as_ptr(), server.len(), took.as_nanos(), was_kept);
    }

    fn idle(&self) -> MutexGuard<'_, IdleList<Opened>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put(self: &Arc<Self>, opened: Opened, keep_alive: Option<Duration>) {
        let patience = keep_alive.map_or(self.options.idle_max, |time| time.min(self.options.idle_max));
        self.idle().put(opened, Instant::now() + patience);
        self.idle_since_now();
    }

    /// There is something to sweep.
    fn idle_since_now(self: &Arc<Self>) {
        let has_one = std::mem::replace(&mut self.idle().sweeper_runs, true);
        if !has_one {
            // Without the lock: a runtime that is shutting down drops the task here and now, and with it the
            // sweeper, which locks.
            let sweeper = Sweeper { shared: Arc::downgrade(self), has_left: false };
            tokio::spawn(sweeper.run());
        }
    }

    /// When to look again; `None` when nothing is left, and then the sweeper counts as ended.
    fn sweep(&self) -> Option<Instant> {
        let now = Instant::now();
        // The lock is held throughout: who puts a connection there meanwhile must see that no sweeper runs.
        let mut idle = self.idle();
        let http2 = self.sweep_http2(now);
        let swept = idle.sweep(now, |opened| self.is_usable(opened, now));
        let next = [swept.next, http2].into_iter().flatten().min();
        idle.sweeper_runs = next.is_some();
        self.count(&swept);
        next.map(|next| next.min(now + SWEEP_EVERY))
    }

    fn sweep_http2(&self, now: Instant) -> Option<Instant> {
        let mut slot = self.http2.lock().unwrap_or_else(PoisonError::into_inner);
        let shared = slot.as_mut()?;
        if Arc::strong_count(&shared.opened) > 1 {
            shared.last_used = now;
        }
        let expires = shared.last_used + self.options.idle_max;
        if now < expires && self.is_usable(&shared.opened, now) {
            return Some(expires);
        }
        let closed = usize::from(!shared.opened.sender.is_open());
        self.count(&Swept { expired: 1 - closed, closed, next: None });
        *slot = None;
        None
    }

    fn count(&self, swept: &Swept) {
        self.metrics.connections_swept.add(swept.expired);
        self.metrics.connections_found_closed.add(swept.closed);
    }
}

/// A sweeper that ends, also with the runtime it ran in, leaves the place to another.
struct Sweeper {
    shared: Weak<Shared>,
    /// It has left its place by itself, and another may have it already.
    has_left: bool,
}

impl Drop for Sweeper {
    fn drop(&mut self) {
        let Some(shared) = self.shared.upgrade().filter(|_| !self.has_left) else { return };
        shared.idle().sweeper_runs = false;
    }
}

impl Sweeper {
    async fn run(mut self) {
        loop {
            let Some(shared) = self.shared.upgrade() else { return };
            let Some(next) = shared.sweep() else {
                self.has_left = true;
                return;
            };
            drop(shared);
            sleep_until(next).await;
        }
    }
}

impl Lease {
    async fn open(shared: Arc<Shared>, permit: Permit) -> Result<Self, Error> {
        let started = Instant::now();
        let (connection, was_idle) = shared.open().await?;
        shared.probe_lease(started.elapsed(), was_idle);
        Ok(Self { connection, was_idle, shared, permit })
    }

    /// Another connection, for a request that met a closing one.
    pub async fn renew(self) -> Result<Self, Error> {
        Self::open(self.shared, self.permit).await
    }

    pub fn is_http2(&self) -> bool {
        matches!(self.opened().sender, Sender::Http2(_))
    }

    pub fn is_loopback(&self) -> bool {
        self.opened().is_loopback
    }

    fn opened(&self) -> &Opened {
        match &self.connection {
            Leased::Own(opened) => opened,
            Leased::Shared(opened) => opened,
        }
    }

    /// The error holds the request where none of it was sent.
    pub async fn send(
        &mut self,
        request: Request<Content>,
    ) -> Result<Response<Incoming>, Box<TrySendError<Request<Content>>>> {
        let sent = match &mut self.connection {
            Leased::Own(Opened { sender: Sender::Http1(sender), .. }) => {
                sender.try_send_request(request).await
            }
            Leased::Own(Opened { sender: Sender::Http2(sender), .. }) => {
                sender.try_send_request(request).await
            }
            Leased::Shared(opened) => match &opened.sender {
                Sender::Http2(sender) => sender.clone().try_send_request(request).await,
                Sender::Http1(_) => unreachable!("only HTTP/2 is shared"),
            },
        };
        sent.map_err(Box::new)
    }

    /// After the last byte of an answer: back to the pool. A lease that is dropped instead closes its
    /// connection, or on HTTP/2 its stream.
    pub fn give_back(self, keep_alive: Option<&HeaderValue>) {
        let Leased::Own(opened) = self.connection else { return };
        let advertised = keep_alive.and_then(|value| idle::advertised(value.to_str().ok()?));
        let Sender::Http1(sender) = &opened.sender else { return };
        if sender.is_ready() {
            return self.shared.put(opened, advertised);
        }
        // Its task has yet to see that the answer is over, and whether it was.
        tokio::spawn(give_back_when_ready(self.shared, opened, advertised));
    }
}

async fn give_back_when_ready(shared: Arc<Shared>, mut opened: Opened, keep_alive: Option<Duration>) {
    let Sender::Http1(sender) = &mut opened.sender else { return };
    if matches!(timeout(READY_MAX, sender.ready()).await, Ok(Ok(()))) {
        shared.put(opened, keep_alive);
    }
}
