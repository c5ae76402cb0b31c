//! Documents in memory, with failures on command: what a store over a network does to its callers, without
//! the network. It outlives its openings as a cluster's store does, so that a node can be opened anew on it.
//!
//! For tests of the layers that change documents: a change can be refused, made without an answer, lost, or
//! overtaken; the whole store can be out of reach, and hints can get lost.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::metadata::watch::Watchers;
use crate::metadata::{Hint, MetadataStore, VersionedBytes, Watch, check_version};
use crate::name::check_path;
use crate::{Error, ErrorKind, Result};

/// What happens to a change instead of what should.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// It is refused with `Retry`; nothing changes.
    Refused,
    /// It is made, and its answer is lost.
    AnswerLost,
    /// It is lost on its way, and the caller cannot tell that from a lost answer.
    RequestLost,
    /// Another writer puts the same bytes there once more first: their version is another.
    Overtaken,
}

/// The documents; clones are the same ones.
#[derive(Clone, Default)]
pub struct MetadataMemory {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    watchers: Watchers,
}

#[derive(Default)]
struct State {
    documents: BTreeMap<String, VersionedBytes>,
    last: u64,
    failures: VecDeque<Failure>,
    unreachable: bool,
    is_deaf: bool,
}

impl MetadataMemory {
    /// The next changes fail, one in each of these ways.
    pub fn fail_next(&self, failures: impl IntoIterator<Item = Failure>) {
        self.lock().failures.extend(failures);
    }

    /// Whether every call fails with `Retry`.
    pub fn set_unreachable(&self, unreachable: bool) {
        self.lock().unreachable = unreachable;
    }

    /// Whether hints are lost.
    pub fn lose_hints(&self, lost: bool) {
        self.lock().is_deaf = lost;
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// `bytes` of `None` deletes.
    fn change(&self, name: &str, expected: Option<u64>, bytes: Option<&[u8]>) -> Result<u64> {
        check_path(name)?;
        let mut state = self.lock();
        state.check_reachable()?;
        let failure = state.failures.pop_front();
        match failure {
            Some(Failure::Refused) => return Err(Error::new(ErrorKind::Retry, "refused; try again")),
            Some(Failure::RequestLost) => return Err(unanswered(name)),
            Some(Failure::Overtaken) => state.overtake(name),
            Some(Failure::AnswerLost) | None => {}
        }
        check_version(name, state.documents.get(name).map(|found| found.version), expected)?;
        let version = state.put(name, bytes);
        let is_deaf = state.is_deaf;
        drop(state);
        if !is_deaf {
            self.shared.watchers.tell(name);
        }
        if failure == Some(Failure::AnswerLost) { Err(unanswered(name)) } else { Ok(version) }
    }
}

impl State {
    fn check_reachable(&self) -> Result<()> {
        let away = || Error::new(ErrorKind::Retry, "the store of documents cannot be reached; try again");
        if self.unreachable { Err(away()) } else { Ok(()) }
    }

    fn put(&mut self, name: &str, bytes: Option<&[u8]>) -> u64 {
        self.last += 1;
        match bytes {
            Some(bytes) => {
                let document = VersionedBytes { version: self.last, bytes: bytes.to_vec() };
                self.documents.insert(name.to_owned(), document);
            }
            None => drop(self.documents.remove(name)),
        }
        self.last
    }

    fn overtake(&mut self, name: &str) {
        if let Some(bytes) = self.documents.get(name).map(|found| found.bytes.clone()) {
            self.put(name, Some(&bytes));
        }
    }
}

impl MetadataStore for MetadataMemory {
    fn get(&self, name: &str) -> Result<Option<VersionedBytes>> {
        check_path(name)?;
        let state = self.lock();
        state.check_reachable()?;
        Ok(state.documents.get(name).cloned())
    }

    fn compare_and_set(&self, name: &str, expected: Option<u64>, bytes: &[u8]) -> Result<u64> {
        self.change(name, expected, Some(bytes))
    }

    fn delete(&self, name: &str, expected: u64) -> Result<()> {
        self.change(name, Some(expected), None).map(drop)
    }

    fn list(&self, folder: &str) -> Result<Vec<String>> {
        let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        if !folder.is_empty() {
            check_path(folder)?;
        }
        let state = self.lock();
        state.check_reachable()?;
        let below = state.documents.keys().filter_map(|name| name.strip_prefix(&prefix));
        let children: BTreeSet<&str> = below.filter_map(|rest| rest.split('/').next()).collect();
        Ok(children.into_iter().map(str::to_owned).collect())
    }

    fn watch(&self, folder: &str, hint: Hint) -> Result<Watch> {
        Ok(self.shared.watchers.add(folder, hint))
    }
}

fn unanswered(name: &str) -> Error {
    let message =
        format!("no answer came for the change of `{name}`; read it again to see what became of it");
    Error::new(ErrorKind::Unknown, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metadata::conformance::check_metadata;

    #[test]
    fn memory_keeps_the_contract() {
        check_metadata(&|| {
            let memory = MetadataMemory::default();
            Box::new(move || Box::new(memory.clone()))
        });
    }

    #[test]
    fn failures_are_what_they_say() {
        let check = |failure: Failure, kind: ErrorKind, after: &[u8]| {
            let memory = MetadataMemory::default();
            let first = memory.compare_and_set("a", None, b"old").unwrap();
            memory.fail_next([failure]);
            let error = memory.compare_and_set("a", Some(first), b"new").unwrap_err();
            assert_eq!((error.kind(), &*memory.get("a").unwrap().unwrap().bytes), (&kind, after));
            let now = memory.get("a").unwrap().unwrap().version;
            memory.compare_and_set("a", Some(now), b"next").unwrap();
        };
        check(Failure::Refused, ErrorKind::Retry, b"old");
        check(Failure::AnswerLost, ErrorKind::Unknown, b"new");
        check(Failure::RequestLost, ErrorKind::Unknown, b"old");
        check(Failure::Overtaken, ErrorKind::Conflict, b"old");
        let memory = MetadataMemory::default();
        memory.set_unreachable(true);
        assert_eq!(memory.get("a").unwrap_err().kind(), &ErrorKind::Retry);
        assert_eq!(memory.list("").unwrap_err().kind(), &ErrorKind::Retry);
        memory.set_unreachable(false);
        assert_eq!(memory.get("a").unwrap(), None);
    }
}
