//! Which server gets a request: of those that may be asked the nearest to what is preferred, of these the one
//! with the fewest requests under way, of these by lot. Owns the servers' pools and their health; follows the
//! list as it changes.

mod endpoint;
mod health;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;
use tokio::time::Instant;

use crate::metrics::Metrics;
use crate::options::ClientOptions;
use crate::packing::TakenCoding;
use crate::pool::Pool;
use crate::request::Request;

pub(crate) use endpoint::Candidate;
pub use endpoint::{Endpoint, EndpointSource, Preference, StaticEndpoints};
use health::Health;
pub(crate) use health::Verdict;

pub(crate) struct Balancer {
    options: Arc<ClientOptions>,
    metrics: Arc<Metrics>,
    state: Mutex<State>,
}

struct State {
    source: watch::Receiver<Vec<Endpoint>>,
    servers: Vec<Arc<Server>>,
    dice: fastrand::Rng,
}

/// One server as a client knows it.
pub(crate) struct Server {
    pub endpoint: Endpoint,
    pub pool: Pool,
    /// How it takes bodies of requests.
    pub coding: TakenCoding,
    under_way: AtomicUsize,
    health: Mutex<Health>,
}

/// Counts a request as under way at its server as long as it lives.
pub(crate) struct UnderWay(Arc<Server>);

impl Balancer {
    pub fn new(source: &dyn EndpointSource, options: Arc<ClientOptions>, metrics: Arc<Metrics>) -> Self {
        let source = source.watch();
        let dice = fastrand::Rng::with_seed(options.seed);
        Self { options, metrics, state: Mutex::new(State { source, servers: Vec::new(), dice }) }
    }

    /// The server for the next attempt at `request`: not one of `tried` as long as there is another; one that
    /// is left out only where all are. `None` where the list has none.
    pub fn pick(&self, request: &Request, tried: &[Arc<Server>]) -> Option<Arc<Server>> {
        let (mut state, now) = (self.state(), Instant::now());
        state.follow(&self.options, &self.metrics);
        let State { servers, dice, .. } = &mut *state;
        let rules = || request.preferences.iter().chain(&self.options.preferences);
        let candidate = |server: &Arc<Server>| {
            request.only.iter().flatten().find(|candidate| candidate.url == server.endpoint.url)
        };
        let allowed = |server: &&Arc<Server>| request.only.is_none() || candidate(server).is_some();
        let rank = |server: &&Arc<Server>, dice: &mut fastrand::Rng| {
            let is_tried = tried.iter().any(|tried| Arc::ptr_eq(tried, server));
            let is_out = dice.f64() >= server.health().share(now, &self.options.ejection);
            let under_way = server.under_way.load(Ordering::Relaxed);
            let distance = endpoint::distance(&server.endpoint, candidate(server), rules());
            (is_tried, is_out, distance, under_way, dice.u32(..))
        };
        servers.iter().filter(allowed).min_by_key(|server| rank(server, dice)).cloned()
    }

    /// What an attempt has shown.
    pub fn record(&self, server: &Server, verdict: Verdict) {
        if server.health().record(verdict, Instant::now(), &self.options.ejection) {
            self.metrics.ejections.increment();
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Takes a new list in; servers that are on both keep their connections and their past.
    fn follow(&mut self, options: &Arc<ClientOptions>, metrics: &Arc<Metrics>) {
        let list = self.source.borrow_and_update();
        if !list.has_changed() && !self.servers.is_empty() {
            return;
        }
        let endpoints = list.clone();
        drop(list);
        let server = |endpoint: Endpoint| {
            let known = self.servers.iter().find(|server| server.endpoint == endpoint);
            known.cloned().unwrap_or_else(|| Arc::new(Server::new(endpoint, options, metrics)))
        };
        self.servers = endpoints.into_iter().map(server).collect();
    }
}

impl Server {
    fn new(endpoint: Endpoint, options: &Arc<ClientOptions>, metrics: &Arc<Metrics>) -> Self {
        let pool = Pool::new(endpoint.url.clone(), options.clone(), metrics.clone());
        Self {
            endpoint,
            pool,
            coding: TakenCoding::default(),
            under_way: AtomicUsize::new(0),
            health: Mutex::default(),
        }
    }

    pub fn begin(self: &Arc<Self>) -> UnderWay {
        self.under_way.fetch_add(1, Ordering::Relaxed);
        UnderWay(self.clone())
    }

    fn health(&self) -> MutexGuard<'_, Health> {
        self.health.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl UnderWay {
    pub fn server(&self) -> &Server {
        &self.0
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.under_way.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests;
