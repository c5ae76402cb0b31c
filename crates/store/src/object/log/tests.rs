//! Several threads that wait for one log, before a store that lets nobody have an answer until the test says
//! so: what the suites of `object/tests.rs`, which need one thread, cannot bring about.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use super::*;
use crate::object::Patience;
use crate::object::client::Client;
use crate::object::faults::{FaultyMedium, MemoryMedium};
use crate::object::keys::Keys;
use crate::object::medium::{Attempt, Failure, FailureKind, Medium, ObjectBytes};
use crate::object::takeover::Contender;

/// While it is shut, who creates an object tells that he has come, and has no answer once he is let go.
struct GatedMedium {
    inner: MemoryMedium,
    is_shut: AtomicBool,
    attempts: AtomicU64,
    arrived: Sender<()>,
    let_go: Mutex<Receiver<()>>,
}

impl Medium for GatedMedium {
    fn create(&self, key: &str, bytes: &ObjectBytes) -> Attempt<()> {
        if !self.is_shut.load(Ordering::SeqCst) {
            return self.inner.create(key, bytes);
        }
        self.attempts.fetch_add(1, Ordering::SeqCst);
        self.arrived.send(()).unwrap();
        self.let_go.lock().unwrap().recv().unwrap();
        Err(Failure::new(FailureKind::Unanswered, "the gate is shut"))
    }

    fn get(&self, key: &str) -> Attempt<Vec<u8>> {
        self.inner.get(key)
    }

    fn delete(&self, key: &str) -> Attempt<()> {
        self.inner.delete(key)
    }

    fn list(&self, prefix: &str) -> Attempt<Vec<(String, u64)>> {
        self.inner.list(prefix)
    }

    fn get_ranges(&self, key: &str, ranges: &[Range<u64>]) -> Vec<Attempt<Vec<u8>>> {
        self.inner.get_ranges(key, ranges)
    }

    fn replace(&self, key: &str, bytes: &ObjectBytes) -> Attempt<()> {
        self.inner.replace(key, bytes)
    }

    fn name(&self) -> String {
        self.inner.name()
    }
}

fn log_in(medium: Arc<GatedMedium>) -> ObjectLog {
    let patience = Patience { answer_ms: 0, ..Patience::default() };
    // Its time passes only where somebody sleeps.
    let pacer = Arc::new(FaultyMedium::new(Arc::new(MemoryMedium::default())));
    let client = Arc::new(Client::new(medium, pacer, patience));
    let stream = [1; 16];
    let contender =
        Contender { client, keys: Keys::of(&stream), stream, nonce: [2; 16], note: "a shard".into() };
    let taken = contender.take_over().unwrap();
    let retained = Arc::new(Retained::new(taken.oldest, taken.version, taken.boundary));
    let found = (taken.logged.as_slice(), taken.link.sealed);
    ObjectLog::new(Arc::new(taken.owned), retained, ObjectLogOptions::default(), found, taken.damage)
}

fn until_followed_by(log: &ObjectLog, count: usize) {
    while log.state().pace.followers < count {
        thread::yield_now();
    }
}

/// With one attempt for each of them, the last of eight would wait for eight.
#[test]
fn many_threads_wait_in_an_outage_for_no_more_than_two_attempts() {
    let ((arrived, arrivals), (let_go, gate)) = (channel(), channel());
    let medium = Arc::new(GatedMedium {
        inner: MemoryMedium::default(),
        is_shut: AtomicBool::new(false),
        attempts: AtomicU64::new(0),
        arrived,
        let_go: Mutex::new(gate),
    });
    let log = log_in(medium.clone());
    medium.is_shut.store(true, Ordering::SeqCst);
    let room = log.reserve(1).unwrap();
    let at = log.append(room, b"1");
    let outcomes: Vec<Result<()>> = thread::scope(|scope| {
        let wait = || scope.spawn(|| log.wait_durable(at));
        let mut waiting = vec![wait()];
        arrivals.recv().unwrap();
        assert!(!log.is_silent(), "it may have an answer yet");
        waiting.extend((0..7).map(|_| wait()));
        until_followed_by(&log, 7);
        // The end of this attempt is the leader's alone; one of the others begins the next.
        let_go.send(()).unwrap();
        arrivals.recv().unwrap();
        until_followed_by(&log, 6);
        let_go.send(()).unwrap();
        waiting.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    for outcome in outcomes {
        assert_eq!(outcome.unwrap_err().kind(), &ErrorKind::Unknown);
    }
    assert_eq!(medium.attempts.load(Ordering::SeqCst), 2);
    assert!(log.is_silent());
    medium.is_shut.store(false, Ordering::SeqCst);
    log.wait_durable(at).unwrap();
    assert!(!log.is_silent());
}
