//! The one loop by which a home tries again: attempts at a medium, with growing pauses, as long as somebody
//! has the patience. A create-only PUT is offered with the same bytes until it is known what became of it;
//! what is there under its name is compared with *all* of its bytes, for two groups may share a batch id, and
//! a name says nothing of who wrote it.
//!
//! Goes to `Medium` below; comes from the log, the manifests, the files and the take-over above.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::keys::{ObjectKind, kind_of};
use super::medium::{Failure, FailureKind, Medium, ObjectBytes, Pacer};
use super::seeded_bugs::SeededBug;
use crate::{Error, ErrorKind, Result};

/// How long somebody waits for a medium, in milliseconds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patience {
    /// After this long without an answer the caller is told *unknown*, or to try again.
    pub answer_ms: u64,
    /// The pause behind the first attempt; it doubles with each.
    pub pause_ms_first: u64,
    pub pause_ms_max: u64,
}

impl Default for Patience {
    fn default() -> Self {
        Self { answer_ms: 10_000, pause_ms_first: 20, pause_ms_max: 2_000 }
    }
}

/// What was done, since the client was made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ObjectCounts {
    pub puts: u64,
    pub gets: u64,
    pub lists: u64,
    pub deletes: u64,
    /// Attempts behind the first of a call.
    pub retries: u64,
    /// Offered in PUTs, retries included.
    pub bytes_put: u64,
    pub bytes_got: u64,
}

#[derive(Default)]
struct Counters {
    puts: AtomicU64,
    gets: AtomicU64,
    lists: AtomicU64,
    deletes: AtomicU64,
    retries: AtomicU64,
    bytes_put: AtomicU64,
    bytes_got: AtomicU64,
}

impl ObjectCounts {
    fn plus(&self, other: &Self) -> Self {
        let Self { puts, gets, lists, deletes, retries, bytes_put, bytes_got } = *other;
        Self {
            puts: self.puts + puts,
            gets: self.gets + gets,
            lists: self.lists + lists,
            deletes: self.deletes + deletes,
            retries: self.retries + retries,
            bytes_put: self.bytes_put + bytes_put,
            bytes_got: self.bytes_got + bytes_got,
        }
    }
}

impl Counters {
    fn read(&self) -> ObjectCounts {
        let of = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        ObjectCounts {
            puts: of(&self.puts),
            gets: of(&self.gets),
            lists: of(&self.lists),
            deletes: of(&self.deletes),
            retries: of(&self.retries),
            bytes_put: of(&self.bytes_put),
            bytes_got: of(&self.bytes_got),
        }
    }
}

/// What a create-only PUT came to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Created {
    /// The object is there, by this or an earlier attempt with the same bytes.
    Ours,
    /// Another one is there: its bytes.
    Taken(Vec<u8>),
}

pub(crate) struct Client {
    medium: Arc<dyn Medium>,
    pacer: Arc<dyn Pacer>,
    patience: Patience,
    counters: [Counters; ObjectKind::ALL.len()],
}

/// The attempts of one call.
struct Attempts<'a> {
    client: &'a Client,
    key: &'a str,
    ends_ms: u64,
    pause_ms: u64,
}

impl Attempts<'_> {
    /// Pauses before the next attempt; false where the patience is at its end.
    fn pause(&mut self) -> bool {
        let Client { pacer, patience, .. } = self.client;
        // Half of it from the key, so that shards which failed together do not all come again together.
        let spread = u64::from(crc32fast::hash(self.key.as_bytes())) % (self.pause_ms / 2 + 1);
        let pause_ms = self.pause_ms / 2 + spread;
        if pacer.now_ms().saturating_add(pause_ms) > self.ends_ms {
            return false;
        }
        pacer.sleep(pause_ms);
        self.pause_ms = (self.pause_ms * 2).min(patience.pause_ms_max);
        add(&self.client.counters_of(self.key).retries, 1);
        true
    }
}

fn add(counter: &AtomicU64, count: usize) {
    counter.fetch_add(count as u64, Ordering::Relaxed);
}

impl Client {
    pub(crate) fn new(medium: Arc<dyn Medium>, pacer: Arc<dyn Pacer>, patience: Patience) -> Self {
        Self { medium, pacer, patience, counters: Default::default() }
    }

    pub(crate) fn pacer(&self) -> &dyn Pacer {
        &*self.pacer
    }

    pub(crate) fn counts(&self) -> ObjectCounts {
        self.counts_by_kind().into_iter().fold(ObjectCounts::default(), |sum, (_, counts)| sum.plus(&counts))
    }

    pub(crate) fn counts_by_kind(&self) -> [(ObjectKind, ObjectCounts); ObjectKind::ALL.len()] {
        ObjectKind::ALL.map(|kind| (kind, self.counters[kind as usize].read()))
    }

    /// Of requests for an object of this name.
    fn counters_of(&self, key: &str) -> &Counters {
        &self.counters[kind_of(key) as usize]
    }

    fn count_put(&self, key: &str, bytes: &ObjectBytes) {
        let counters = self.counters_of(key);
        add(&counters.puts, 1);
        add(&counters.bytes_put, bytes.len());
    }

    fn count_got(&self, key: &str, bytes: usize) {
        add(&self.counters_of(key).bytes_got, bytes);
    }

    fn count_get(&self, key: &str) {
        add(&self.counters_of(key).gets, 1);
    }

    /// Errors: `Full` when there is no space for this many bytes more.
    pub(crate) fn check_space(&self, bytes: usize) -> Result<()> {
        match self.medium.space_left() {
            Some(left) if left < bytes as u64 => Err(Error::new(
                ErrorKind::Full,
                "the store has no space left; free some, reads go on meanwhile",
            )),
            _ => Ok(()),
        }
    }

    fn attempts<'a>(&'a self, key: &'a str) -> Attempts<'a> {
        let ends_ms = self.pacer.now_ms().saturating_add(self.patience.answer_ms);
        Attempts { client: self, key, ends_ms, pause_ms: self.patience.pause_ms_first }
    }

    /// Creates an object, or finds out what is there in its place.
    ///
    /// Errors: `Full` when this call offered nothing; `Unknown` when it did, and has no answer; `Failed` when
    /// the medium refuses for good.
    pub(crate) fn create(&self, key: &str, bytes: &ObjectBytes) -> Result<Created> {
        self.count_put(key, bytes);
        self.create_on(key, bytes, self.medium.create(key, bytes))
    }

    /// [`create`](Self::create) of each, the first attempts side by side.
    pub(crate) fn create_all(&self, objects: &[(String, ObjectBytes)]) -> Vec<Result<Created>> {
        objects.iter().for_each(|(key, bytes)| self.count_put(key, bytes));
        let first = self.medium.create_all(objects);
        objects.iter().zip(first).map(|((key, bytes), first)| self.create_on(key, bytes, first)).collect()
    }

    /// Goes on behind the first attempt.
    fn create_on(
        &self,
        key: &str,
        bytes: &ObjectBytes,
        first: std::result::Result<(), Failure>,
    ) -> Result<Created> {
        let mut attempts = self.attempts(key);
        let (mut attempt, mut offered) = (first, false);
        loop {
            let failure = match attempt {
                Ok(()) => return Ok(Created::Ours),
                Err(failure) => failure,
            };
            let unanswered = match failure.kind {
                FailureKind::Exists => match self.found(key, bytes) {
                    Ok(created) => return Ok(created),
                    Err(unanswered) => unanswered,
                },
                // Else an attempt before may have landed, and a full disk says nothing of that.
                FailureKind::Full if !offered => {
                    return Err(refusal(ErrorKind::Full, "create", key, &failure));
                }
                FailureKind::Refused => return Err(refusal(ErrorKind::Failed, "create", key, &failure)),
                _ => failure,
            };
            offered = true;
            if !attempts.pause() {
                return Err(unknown(key, &unanswered));
            }
            self.count_put(key, bytes);
            attempt = self.medium.create(key, bytes);
        }
    }

    /// What is there under a name that was taken. One that is gone again (S3 answers 409 to one of two
    /// attempts at once) is offered again.
    fn found(&self, key: &str, bytes: &ObjectBytes) -> std::result::Result<Created, Failure> {
        self.count_get(key);
        let found = self.medium.get(key)?;
        self.count_got(key, found.len());
        let is_own = found == **bytes || SeededBug::TakenIsOurs.is_planted();
        Ok(if is_own { Created::Ours } else { Created::Taken(found) })
    }

    /// `None` where there is no such object.
    ///
    /// Errors: `Retry` without an answer; `Failed` when the medium refuses for good.
    pub(crate) fn get(&self, key: &str) -> Result<Option<Vec<u8>>> {
        self.count_get(key);
        self.get_on(key, self.medium.get(key))
    }

    /// [`get`](Self::get) of each, the first attempts side by side.
    pub(crate) fn get_all(&self, keys: &[String]) -> Result<Vec<Option<Vec<u8>>>> {
        keys.iter().for_each(|key| self.count_get(key));
        let first = self.medium.get_all(keys);
        keys.iter().zip(first).map(|(key, first)| self.get_on(key, first)).collect()
    }

    /// Bytes of an object in several ranges, the first attempts side by side; fewer where it is shorter;
    /// `None` where there is no such object.
    pub(crate) fn get_ranges(&self, key: &str, ranges: &[Range<u64>]) -> Result<Option<Vec<Vec<u8>>>> {
        ranges.iter().for_each(|_| self.count_get(key));
        let first = self.medium.get_ranges(key, ranges);
        let mut found = Vec::with_capacity(ranges.len());
        for (range, first) in ranges.iter().zip(first) {
            let again = || {
                self.count_get(key);
                let none = || Err(Failure::new(FailureKind::Unanswered, "no answer came"));
                self.medium.get_ranges(key, std::slice::from_ref(range)).pop().unwrap_or_else(none)
            };
            let Some(bytes) = self.retried("read", key, first, again)? else { return Ok(None) };
            self.count_got(key, bytes.len());
            found.push(bytes);
        }
        Ok(Some(found))
    }

    /// Puts the right bytes in the place of damaged ones.
    pub(crate) fn replace(&self, key: &str, bytes: &ObjectBytes) -> Result<()> {
        let replace = || {
            self.count_put(key, bytes);
            self.medium.replace(key, bytes)
        };
        self.retried("replace", key, replace(), replace).map(drop)
    }

    fn get_on(&self, key: &str, first: std::result::Result<Vec<u8>, Failure>) -> Result<Option<Vec<u8>>> {
        let again = || {
            self.count_get(key);
            self.medium.get(key)
        };
        let found = self.retried("read", key, first, again)?;
        self.count_got(key, found.as_ref().map_or(0, Vec::len));
        Ok(found)
    }

    /// Keys that begin with `prefix`, ascending, with sizes.
    pub(crate) fn list(&self, prefix: &str) -> Result<Vec<(String, u64)>> {
        let list = || {
            add(&self.counters_of(prefix).lists, 1);
            self.medium.list(prefix)
        };
        Ok(self.retried("list", prefix, list(), list)?.unwrap_or_default())
    }

    /// Deletes all of them; on an error some may be left.
    pub(crate) fn delete_all(&self, keys: &[String]) -> Result<()> {
        let Some(first) = keys.first() else { return Ok(()) };
        let delete = || {
            add(&self.counters_of(first).deletes, keys.len());
            self.medium.delete_all(keys)
        };
        self.retried("delete", first, delete(), delete).map(drop)
    }

    /// An attempt that changes nothing which matters, again until it is answered.
    fn retried<T>(
        &self,
        action: &str,
        key: &str,
        first: std::result::Result<T, Failure>,
        again: impl Fn() -> std::result::Result<T, Failure>,
    ) -> Result<Option<T>> {
        let (mut attempts, mut attempt) = (self.attempts(key), first);
        loop {
            let failure = match attempt {
                Ok(found) => return Ok(Some(found)),
                Err(failure) => failure,
            };
            match failure.kind {
                FailureKind::Missing => return Ok(None),
                FailureKind::Refused => return Err(refusal(ErrorKind::Failed, action, key, &failure)),
                _ if !attempts.pause() => return Err(refusal(ErrorKind::Retry, action, key, &failure)),
                _ => attempt = again(),
            }
        }
    }
}

fn refusal(kind: ErrorKind, action: &str, key: &str, failure: &Failure) -> Error {
    let step = match kind {
        ErrorKind::Full => "free space in the store; reads go on meanwhile",
        ErrorKind::Retry => "try again; look whether the store can be reached",
        _ => "check the store's address, its credentials and what they may do",
    };
    Error::new(kind, format!("cannot {action} `{key}` in the store: {failure}; {step}"))
}

fn unknown(key: &str, failure: &Failure) -> Error {
    let message = format!(
        "the store has not answered whether it has `{key}`: {failure}; the same is offered until it does"
    );
    Error::new(ErrorKind::Unknown, message)
}
