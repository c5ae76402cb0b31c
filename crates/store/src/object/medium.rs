//! The seam between the home of a shard and where objects lie: single attempts at creating, reading, listing
//! and deleting, and the time that passes between them. `folder`, `remote` and, for tests, `faults` are such
//! media. What an attempt without an answer may have become is in its [`FailureKind`]; trying again is
//! `client`'s business alone, so no medium does.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// The bytes of an object, shared by all attempts at creating it. They may lie in a mapped file.
pub type ObjectBytes = bytes::Bytes;

/// Why an attempt failed, and what it may have done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// An object of that name is there, so this attempt created none. An earlier one may have.
    Exists,
    /// There is no object of that name.
    Missing,
    /// No answer, or one that leaves open what became of it (a time-out, a 5xx, S3's 409): it was done, it
    /// will be, or never.
    Unanswered,
    /// There is no space; this attempt did nothing.
    Full,
    /// Refused whenever it is tried: no such bucket, no right to it, a request that it does not know.
    Refused,
}

/// A failed attempt.
#[derive(Debug, Clone)]
pub struct Failure {
    pub kind: FailureKind,
    /// What the medium said.
    pub message: String,
}

impl Failure {
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

pub type Attempt<T> = std::result::Result<T, Failure>;

/// Where objects lie. Keys are names separated by `/`; prefixes end with one.
///
/// Every call is one attempt, on its caller's thread. What is created is durable, and all who read or list
/// from then on find it.
pub trait Medium: Send + Sync {
    /// Creates an object where there is none of that name: of any number of attempts under one name, one
    /// succeeds.
    fn create(&self, key: &str, bytes: &ObjectBytes) -> Attempt<()>;

    fn get(&self, key: &str) -> Attempt<Vec<u8>>;

    /// Deleting what is not there succeeds.
    fn delete(&self, key: &str) -> Attempt<()>;

    /// All keys that begin with `prefix`, ascending, each with its object's size in bytes.
    fn list(&self, prefix: &str) -> Attempt<Vec<(String, u64)>>;

    /// [`create`](Self::create) of each, side by side where the medium can.
    fn create_all(&self, objects: &[(String, ObjectBytes)]) -> Vec<Attempt<()>> {
        objects.iter().map(|(key, bytes)| self.create(key, bytes)).collect()
    }

    /// [`delete`](Self::delete) of all, in as few requests as the medium can; an error leaves open which.
    fn delete_all(&self, keys: &[String]) -> Attempt<()> {
        keys.iter().try_for_each(|key| self.delete(key))
    }

    /// [`get`](Self::get) of each, side by side where the medium can.
    fn get_all(&self, keys: &[String]) -> Vec<Attempt<Vec<u8>>> {
        keys.iter().map(|key| self.get(key)).collect()
    }

    /// Bytes of an object, of several ranges, none of them empty, side by side where the medium can; fewer of
    /// a range within which the object ends.
    fn get_ranges(&self, key: &str, ranges: &[Range<u64>]) -> Vec<Attempt<Vec<u8>>>;

    /// Puts an object whether or not there is one of that name. For bytes alone that are known to be the
    /// name's: what lies there is damaged.
    fn replace(&self, key: &str, bytes: &ObjectBytes) -> Attempt<()>;

    /// What it is called: the same at every start, and another for another store.
    fn name(&self) -> String;

    /// Bytes that it still takes; `None` where nobody can tell, as of a bucket.
    fn space_left(&self) -> Option<u64> {
        None
    }
}

/// Time as a home knows it: handed in, so that a test has its own.
pub trait Pacer: Send + Sync {
    /// Milliseconds since some moment; never goes back.
    fn now_ms(&self) -> u64;

    /// Returns after this many milliseconds.
    fn sleep(&self, ms: u64);
}

/// A number that nobody else has, at each call another: by it a writer knows its own objects. Handed in, as
/// time is.
pub type NonceSource = Arc<dyn Fn() -> [u8; 16] + Send + Sync>;
