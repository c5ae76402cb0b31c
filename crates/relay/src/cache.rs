//! Answers that are kept for a short while, where the relay is set to: the same search again is answered
//! from here, without a server. Off unless a size is given, for an answer may be as old as its time, and
//! what other applications write is not noticed; what goes through this relay ends a collection's answers at
//! once.
//!
//! In: requests that only read and say nothing of who asks, and whole answers of 200; out: those answers. The
//! oldest go first, by their time as by their size.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use hyper::header::{AUTHORIZATION, CACHE_CONTROL, COOKIE, PRAGMA, SET_COOKIE};
use hyper::http::request::Parts;
use hyper::{HeaderMap, Method};
use tokio::time::Instant;

use crate::route::{Kind, PREFER, ServerRoute};
use crate::writes::TOKEN;

/// Handlers whose answers depend on the index alone.
const HANDLERS: [&str; 6] = ["select", "query", "terms", "mlt", "suggest", "spell"];
/// Beside its target and its body, an answer takes about this much.
const ENTRY_BYTES: usize = 1 << 10;
/// An answer that was cut short (`timeAllowed`, a shard that is away) says so with this name.
const PARTIAL: &[u8] = b"partialResults";

/// How much is kept, and how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheConfig {
    pub bytes_max: usize,
    pub age_max: Duration,
}

pub(crate) struct Cache {
    config: CacheConfig,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    answers: HashMap<Arc<str>, KeptAnswer>,
    /// Their targets, the oldest first; of one that is gone too.
    order: VecDeque<(Arc<str>, Instant)>,
    bytes: usize,
    /// By collection, how often it was written.
    changes: HashMap<String, u64>,
}

struct KeptAnswer {
    /// Its collection's changes when it was asked for.
    change: u64,
    since: Instant,
    answer: CachedAnswer,
}

/// An answer of 200.
#[derive(Clone, Debug)]
pub(crate) struct CachedAnswer {
    pub headers: HeaderMap,
    pub body: Bytes,
}

/// A request whose answer may be kept: what it asks, and how often its collection was written by then.
#[derive(Debug)]
pub(crate) struct CacheTicket {
    target: Arc<str>,
    collection: String,
    change: u64,
}

pub(crate) enum CacheLookup {
    /// With its age.
    Hit(CachedAnswer, Duration),
    Miss(CacheTicket),
}

impl Cache {
    pub fn new(config: CacheConfig) -> Self {
        Self { config, state: Mutex::default() }
    }

    /// `None` where the request is not one whose answers are kept.
    pub fn look_up(&self, head: &Parts, route: &ServerRoute) -> Option<CacheLookup> {
        let collection = route.collection.as_deref().filter(|_| may_be_kept(head, route))?;
        let (mut state, now) = (self.state(), Instant::now());
        state.forget(now, self.config.age_max);
        let change = state.changes.get(collection).copied().unwrap_or_default();
        let known = state.answers.get(route.target.as_str()).filter(|kept| kept.change == change);
        Some(match known {
            Some(kept) => CacheLookup::Hit(kept.answer.clone(), now - kept.since),
            None => CacheLookup::Miss(CacheTicket {
                target: route.target.as_str().into(),
                collection: collection.to_owned(),
                change,
            }),
        })
    }

    /// Keeps an answer of 200, unless the collection was written meanwhile, it is not all of an answer, or it
    /// would take an eighth of all there is room for.
    pub fn keep(&self, ticket: CacheTicket, answer: CachedAnswer) {
        let CacheTicket { target, collection, change } = ticket;
        let bytes = entry_bytes(&target, &answer);
        let is_partial = answer.body.windows(PARTIAL.len()).any(|window| window == PARTIAL);
        let (mut state, now) = (self.state(), Instant::now());
        let is_changed = state.changes.get(&collection).copied().unwrap_or_default() != change;
        if is_changed || is_partial || forbids(&answer.headers) || bytes > self.config.bytes_max / 8 {
            return;
        }
        state.remove(&target);
        state.bytes += bytes;
        state.order.push_back((target.clone(), now));
        state.answers.insert(target, KeptAnswer { change, since: now, answer });
        while state.bytes > self.config.bytes_max {
            state.remove_oldest();
        }
    }

    /// The collection is written: what was asked for before counts no more.
    pub fn written(&self, collection: &str) {
        let mut state = self.state();
        *state.changes.entry(collection.to_owned()).or_default() += 1;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn forget(&mut self, now: Instant, age_max: Duration) {
        while self.order.front().is_some_and(|(_, since)| now - *since >= age_max) {
            self.remove_oldest();
        }
    }

    fn remove_oldest(&mut self) {
        let Some((target, since)) = self.order.pop_front() else { return };
        // Kept anew meanwhile, it stands further behind once more.
        if self.answers.get(&target).is_some_and(|kept| kept.since == since) {
            self.remove(&target);
        }
    }

    fn remove(&mut self, target: &Arc<str>) {
        if let Some(gone) = self.answers.remove(target) {
            self.bytes -= entry_bytes(target, &gone.answer);
        }
    }
}

/// Whether the server says that nobody should keep it, or that it is for one alone.
fn forbids(headers: &HeaderMap) -> bool {
    let mut control = headers.get_all(CACHE_CONTROL).iter().filter_map(|value| value.to_str().ok());
    headers.contains_key(SET_COOKIE)
        || control.any(|value| value.contains("no-store") || value.contains("private"))
}

fn entry_bytes(target: &str, answer: &CachedAnswer) -> usize {
    let headers: usize = answer.headers.iter().map(|(name, value)| name.as_str().len() + value.len()).sum();
    ENTRY_BYTES + target.len() + headers + answer.body.len()
}

fn may_be_kept(head: &Parts, route: &ServerRoute) -> bool {
    let headers = &head.headers;
    // Who says who he is gets answers of his own, and one that is preferred is one of a certain server.
    let is_own = [AUTHORIZATION.as_str(), COOKIE.as_str(), TOKEN, PREFER]
        .iter()
        .any(|name| headers.contains_key(*name));
    let asks_anew = [CACHE_CONTROL, PRAGMA].iter().any(|name| headers.contains_key(name));
    head.method == Method::GET
        && route.kind == Kind::Read
        && HANDLERS.contains(&route.handler())
        && !is_own
        && !asks_anew
}

impl fmt::Debug for Cache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cache").field("config", &self.config).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::route::{Route, route};

    fn look_up(cache: &Cache) -> Option<CacheTicket> {
        let (head, ()) = hyper::Request::get("/solr/c/select?q=x").body(()).unwrap().into_parts();
        let Route::Server(route) = route("GET", "/solr/c/select", Some("q=x")) else { panic!("no route") };
        match cache.look_up(&head, &route).unwrap() {
            CacheLookup::Hit(..) => None,
            CacheLookup::Miss(ticket) => Some(ticket),
        }
    }

    /// An answer that was asked for before an update, and comes behind it, may be of before.
    #[tokio::test(start_paused = true)]
    async fn what_was_asked_for_before_a_write_is_not_kept_behind_it() {
        let cache = Cache::new(CacheConfig { bytes_max: 1 << 20, age_max: Duration::from_secs(5) });
        let answer = || CachedAnswer { headers: HeaderMap::new(), body: Bytes::from_static(b"{}") };
        let early = look_up(&cache).unwrap();
        cache.written("c");
        cache.keep(early, answer());
        let late = look_up(&cache).unwrap();
        cache.keep(late, answer());
        assert!(look_up(&cache).is_none());
        tokio::time::advance(Duration::from_secs(4)).await;
        assert!(look_up(&cache).is_none());
        tokio::time::advance(Duration::from_secs(1)).await;
        assert!(look_up(&cache).is_some());
        let state = cache.state();
        assert_eq!((state.bytes, state.order.len()), (0, 0));
    }
}
