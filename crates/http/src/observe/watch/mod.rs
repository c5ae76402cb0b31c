//! The node watches itself: a flush that is stuck, a merge that gets no further, a lock that is held, a log
//! that does not become durable, a disk that has become slow. Each is logged when it begins, every
//! minute while it lasts and when it is over, in `/admin/info/health` and in `/admin/metrics`, with what the
//! doctor says of this process's threads.
//!
//! Whoever runs the node calls [`NodeWatch::look`] twice a second, from a thread that serves nothing: one
//! that serves might hang with what it should tell of. Here is neither clock nor thread. What figures mean is
//! [`standstill`]'s and [`disk`]'s.

mod disk;
mod sign_kind;
mod standstill;

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::fmt;
use std::mem;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cluster::Node;
use sign_kind::Seen;
use standstill::ShardWatch;

pub use sign_kind::SignKind;

/// Something that is wrong at the moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sign {
    pub kind: SignKind,
    pub collection: String,
    pub shard: String,
    /// Since when, as far as it was seen.
    pub lasted_ms: u64,
    /// What was seen.
    pub words: String,
    /// What the doctor said of this process when it began, or a minute ago at most.
    pub doctor: Option<String>,
}

impl Sign {
    fn of((kind, lasted_ms, words): Seen, (collection, shard): &ShardName) -> Self {
        let words = format!("{words} of {collection}, {shard}");
        Self { kind, collection: collection.clone(), shard: shard.clone(), lasted_ms, words, doctor: None }
    }

    fn is_same(&self, other: &Self) -> bool {
        (self.kind, &self.collection, &self.shard) == (other.kind, &other.collection, &other.shard)
    }
}

/// Says for whom the threads of this process wait, as `doctor stuck` does. May take a second.
pub type SelfLook = Arc<dyn Fn() -> Option<String> + Send + Sync>;

/// While it lasts it is reported again after this long.
const REPEAT_MS: u64 = 60_000;
/// The doctor is asked again after this long where it saw nobody wait: a disk that is slow lets go of each in
/// the end.
const SEE_AGAIN_MS: u64 = 5_000;

/// Collection and shard.
type ShardName = (String, String);

/// What is seen of the node's shards from one look to the next.
#[derive(Default)]
pub struct NodeWatch {
    self_look: Option<SelfLook>,
    shards: Mutex<BTreeMap<ShardName, ShardWatch>>,
    now: Mutex<Vec<ReportedSign>>,
    /// Signs that began since the start.
    total: AtomicU64,
}

#[derive(Clone)]
struct ReportedSign {
    sign: Sign,
    /// How long it had lasted when it was reported last.
    told_ms: u64,
    /// The same for the doctor's look.
    seen_ms: u64,
}

impl NodeWatch {
    pub fn new(self_look: SelfLook) -> Self {
        Self { self_look: Some(self_look), ..Self::default() }
    }

    /// Compares all shards with the look before.
    pub fn look(&self, node: &Node) {
        let now_ns = node.clock().now_ns();
        let mut before = mem::take(&mut *lock(&self.shards));
        let mut shards = BTreeMap::new();
        let mut found = Vec::new();
        for collection in node.list() {
            for (shard, figures) in collection.vital_figures() {
                let name = (collection.name(), shard);
                let mut watch = before.remove(&name).unwrap_or_default();
                let seen = watch.look(&figures, now_ns).into_iter();
                found.extend(seen.map(|seen| Sign::of(seen, &name)));
                shards.insert(name, watch);
            }
        }
        *lock(&self.shards) = shards;
        self.tell(found);
    }

    /// What is wrong at the moment, the longest first.
    pub fn signs(&self) -> Vec<Sign> {
        let mut signs: Vec<Sign> = lock(&self.now).iter().map(|told| told.sign.clone()).collect();
        signs.sort_by_key(|sign| std::cmp::Reverse(sign.lasted_ms));
        signs
    }

    pub(crate) fn total(&self) -> u64 {
        self.total.load(Ordering::Relaxed)
    }

    fn tell(&self, found: Vec<Sign>) {
        let before = lock(&self.now).clone();
        for told in before.iter().filter(|told| !found.iter().any(|sign| sign.is_same(&told.sign))) {
            log_end(&told.sign);
        }
        // Once for all that is reported: a disk that stands still stops each of a thousand shards.
        let doctor = OnceCell::new();
        let see = || doctor.get_or_init(|| self.self_look.as_ref().and_then(|look| look())).clone();
        let now: Vec<ReportedSign> = found
            .into_iter()
            .map(|sign| match before.iter().find(|told| told.sign.is_same(&sign)) {
                Some(told) if sign.lasted_ms.saturating_sub(told.told_ms) < REPEAT_MS => {
                    let is_due = sign.lasted_ms.saturating_sub(told.seen_ms) >= SEE_AGAIN_MS;
                    let seen = if told.sign.doctor.is_none() && is_due { see() } else { None };
                    let seen_ms = if is_due { sign.lasted_ms } else { told.seen_ms };
                    let is_news = seen.is_some();
                    let sign = Sign { doctor: seen.or_else(|| told.sign.doctor.clone()), ..sign };
                    if is_news {
                        log(&sign);
                    }
                    ReportedSign { sign, told_ms: told.told_ms, seen_ms }
                }
                known => {
                    self.total.fetch_add(u64::from(known.is_none()), Ordering::Relaxed);
                    let sign = Sign { doctor: see(), ..sign };
                    log(&sign);
                    ReportedSign { told_ms: sign.lasted_ms, seen_ms: sign.lasted_ms, sign }
                }
            })
            .collect();
        *lock(&self.now) = now;
    }
}

fn log(sign: &Sign) {
    let Sign { kind, collection, shard, lasted_ms, words, doctor } = sign;
    tracing::warn!(
        target: "parhelion::watch",
        sign = kind.name(),
        collection,
        shard,
        lasted_ms,
        doctor,
        "{words}; next: {}",
        kind.next_step()
    );
}

fn log_end(sign: &Sign) {
    let Sign { kind, collection, shard, lasted_ms, .. } = sign;
    tracing::info!(target: "parhelion::watch", sign = kind.name(), collection, shard, lasted_ms, "over: {}", sign.words);
}

impl fmt::Debug for NodeWatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NodeWatch").field("signs", &self.signs()).finish_non_exhaustive()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
