//! Writers and readers that go on while members are broken, through all members. For each collection and
//! member a writer: that a member does not answer keeps nobody from writing through another. A document is
//! taken from the collection's free ones for each write, so that one writer has it at a time.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{JoinHandle, sleep};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::ask::{self, PATIENCE_S};
use super::finding::Finding;
use super::register::{Outcome, Register};
use crate::random::Random;

/// Of each collection; more than write at once.
pub const DOCUMENTS: usize = 40;
/// So that a machine with two processors is busy with members, and not with those who ask them.
const PACE: Duration = Duration::from_millis(20);
/// Behind what was not done.
const BACK_OFF: Duration = Duration::from_millis(50);

/// A collection that traffic goes to.
#[derive(Clone, Debug)]
pub struct Target {
    pub name: String,
    /// Whether each shard has a follower, which answers searches when the leader is gone.
    pub has_followers: bool,
}

/// Searches of collections with followers, through members that nothing was done to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FollowedSearches {
    pub asked: u64,
    /// What was asked of whom, and what was answered.
    pub failed: Vec<String>,
}

/// One collection: what was written, and how updates fare.
struct CollectionTraffic {
    registers: Vec<Register>,
    free: Vec<usize>,
    /// Since when there was no acknowledgement.
    waits_since: Instant,
    longest: Duration,
    acknowledged: u64,
}

struct State {
    collections: Vec<CollectionTraffic>,
    /// Values grow over all writers.
    value: u64,
    /// (what was asked, what was answered).
    answers: BTreeMap<(&'static str, String), u64>,
    followed_searches: FollowedSearches,
    /// Number of the member that something is done to, from 0 on.
    broken: Option<usize>,
    findings: Vec<Finding>,
}

/// What all threads know.
struct Shared {
    urls: Vec<String>,
    collections: Vec<Target>,
    seed: u64,
    stop: AtomicBool,
    state: Mutex<State>,
}

/// How it all went.
pub struct TrafficReport {
    /// By collection.
    pub registers: Vec<Vec<Register>>,
    pub acknowledged: u64,
    pub answers: BTreeMap<(&'static str, String), u64>,
    pub followed_searches: FollowedSearches,
    pub findings: Vec<Finding>,
}

/// Threads, until it is dropped.
pub struct Traffic {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

impl Traffic {
    pub fn start(urls: Vec<String>, collections: Vec<Target>, seed: u64) -> Self {
        let fresh = |_: &Target| CollectionTraffic {
            registers: vec![Register::default(); DOCUMENTS],
            free: (0..DOCUMENTS).collect(),
            waits_since: Instant::now(),
            longest: Duration::ZERO,
            acknowledged: 0,
        };
        let collections_fresh = collections.iter().map(fresh).collect();
        let state = State {
            collections: collections_fresh,
            value: 0,
            answers: BTreeMap::new(),
            followed_searches: FollowedSearches::default(),
            broken: None,
            findings: vec![],
        };
        let (stop, state) = (AtomicBool::new(false), Mutex::new(state));
        let shared = Arc::new(Shared { urls, collections, seed, stop, state });
        let mut threads = Vec::new();
        for member in 0..shared.urls.len() {
            for collection in 0..shared.collections.len() {
                let shared = shared.clone();
                threads.push(std::thread::spawn(move || shared.write_on(collection, member)));
            }
            let shared = shared.clone();
            threads.push(std::thread::spawn(move || shared.read_on(member)));
        }
        Self { shared, threads }
    }

    /// Something is done to the member of this number, from 1 on; to none any more.
    pub fn set_broken(&self, member: Option<usize>) {
        self.shared.lock().broken = member.map(|number| number - 1);
    }

    /// From now on anew: how long updates of a collection were away.
    pub fn watch(&self) {
        let now = Instant::now();
        for collection in &mut self.shared.lock().collections {
            (collection.waits_since, collection.longest) = (now, Duration::ZERO);
        }
    }

    /// By collection, since [`watch`](Self::watch) was called: the longest time without an acknowledgement.
    pub fn longest(&self) -> Vec<Duration> {
        let now = Instant::now();
        let state = self.shared.lock();
        state.collections.iter().map(|it| it.longest.max(now.duration_since(it.waits_since))).collect()
    }

    /// By collection: how many updates were acknowledged.
    pub fn acknowledged(&self) -> Vec<u64> {
        self.shared.lock().collections.iter().map(|it| it.acknowledged).collect()
    }

    /// Waits for what is under way.
    pub fn finish(mut self) -> TrafficReport {
        self.join();
        let mut state = self.shared.lock();
        let collections = std::mem::take(&mut state.collections);
        TrafficReport {
            acknowledged: collections.iter().map(|it| it.acknowledged).sum(),
            registers: collections.into_iter().map(|it| it.registers).collect(),
            answers: std::mem::take(&mut state.answers),
            followed_searches: std::mem::take(&mut state.followed_searches),
            findings: std::mem::take(&mut state.findings),
        }
    }

    fn join(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            thread.join().expect("a writer or reader does not panic");
        }
    }
}

impl Drop for Traffic {
    fn drop(&mut self) {
        self.join();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stops(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn write_on(&self, collection: usize, member: usize) {
        let mut random = Random::new(self.seed ^ (collection * 1_000 + member + 1) as u64);
        let url = format!("{}/{}/update?wt=json", self.urls[member], self.collections[collection].name);
        while !self.stops() {
            let (document, value) = self.begin_write(collection, &mut random);
            let answer = ask::post_json(&url, &json!([{"id": id_of(document), "n_i": value}]));
            let outcome = Outcome::of_status(answer.status);
            self.end_write(collection, document, outcome, answer.label());
            sleep(if outcome == Outcome::Acknowledged { PACE } else { BACK_OFF });
        }
    }

    fn begin_write(&self, collection: usize, random: &mut Random) -> (usize, u64) {
        let mut state = self.lock();
        state.value += 1;
        let value = state.value;
        let collection = &mut state.collections[collection];
        let at = random.below(collection.free.len());
        let document = collection.free.swap_remove(at);
        collection.registers[document].begin(value);
        (document, value)
    }

    fn end_write(&self, collection: usize, document: usize, outcome: Outcome, label: String) {
        let mut state = self.lock();
        *state.answers.entry(("update", label)).or_default() += 1;
        let collection = &mut state.collections[collection];
        collection.registers[document].answer(outcome);
        collection.free.push(document);
        if outcome == Outcome::Acknowledged {
            let now = Instant::now();
            collection.longest = collection.longest.max(now.duration_since(collection.waits_since));
            collection.waits_since = now;
            collection.acknowledged += 1;
        }
    }

    /// Searches are only counted, since what they see may be older; `/get` never is.
    fn read_on(&self, member: usize) {
        let mut random = Random::new(!self.seed ^ member as u64);
        while !self.stops() {
            let collection = random.below(self.collections.len());
            let url = format!("{}/{}", self.urls[member], self.collections[collection].name);
            if random.below(2) == 0 {
                self.search(collection, (member, &url));
            } else {
                self.get(collection, random.below(DOCUMENTS), (member, &url));
            }
            sleep(PACE);
        }
    }

    fn search(&self, collection: usize, (member, url): (usize, &str)) {
        let was_broken = self.lock().broken == Some(member);
        let answer = ask::get(&format!("{url}/select?q=*:*&rows=0&wt=json"), PATIENCE_S);
        let mut state = self.lock();
        *state.answers.entry(("select", answer.label())).or_default() += 1;
        let is_broken = was_broken || state.broken == Some(member);
        if self.collections[collection].has_followers && !is_broken {
            state.followed_searches.asked += 1;
            if !answer.is_ok() {
                let name = &self.collections[collection].name;
                let failed = format!("{name} at member {}: {} {}", member + 1, answer.label(), answer.text);
                state.followed_searches.failed.push(failed);
            }
        }
    }

    fn get(&self, collection: usize, document: usize, (member, url): (usize, &str)) {
        let floor = self.lock().collections[collection].registers[document].acknowledged();
        let id = id_of(document);
        let answer = ask::get(&format!("{url}/get?id={id}&wt=json"), PATIENCE_S);
        let mut state = self.lock();
        *state.answers.entry(("get", answer.label())).or_default() += 1;
        let Some(found) = answer.is_ok().then(|| answer.json()).flatten() else { return };
        let found = value_of(&found["doc"]);
        let register = &state.collections[collection].registers[document];
        if let Err(breach) = register.judge(found, floor) {
            let name = &self.collections[collection].name;
            let finding = Finding::of(register, breach, (floor, found)).at("/get", member + 1, (name, &id));
            state.findings.push(finding);
        }
    }
}

pub fn id_of(document: usize) -> String {
    format!("d{document}")
}

/// Of a document that was found; `None` where there is none.
pub fn value_of(document: &Value) -> Option<u64> {
    document["n_i"].as_u64()
}
