//! Typed documents over a store of bytes: JSON, as people read and edit it. A change whose outcome the store
//! leaves open is settled here by reading again, so that callers see it made or not made.
//!
//! In: names and values from `catalog`, which knows what documents there are; out: a store of metadata, any
//! of its homes. Conflicts go to the caller, or to an edit that is made again, a bounded number of times.

use std::collections::BTreeMap;
use std::sync::Arc;

use plan::{Error, ErrorKind, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;
use store::{MetadataStore, VersionedBytes};

/// How often a change is made again behind changes of others.
const ROUNDS_MAX: usize = 100;

/// A document with the version that a change of it must name.
#[derive(Clone, Debug)]
pub(crate) struct Versioned<T> {
    pub version: u64,
    pub value: T,
}

pub(crate) struct Documents {
    store: Arc<dyn MetadataStore>,
}

impl Documents {
    pub fn new(store: Arc<dyn MetadataStore>) -> Self {
        Self { store }
    }

    pub fn get<T: DeserializeOwned>(&self, name: &str) -> Result<Option<Versioned<T>>> {
        let found = self.store.get(name).map_err(lift)?;
        found
            .map(|found| Ok(Versioned { version: found.version, value: decode(name, &found.bytes)? }))
            .transpose()
    }

    /// Errors: `NotFound`.
    pub fn require<T: DeserializeOwned>(&self, name: &str) -> Result<Versioned<T>> {
        let missing = || {
            let message = format!("cannot read `{name}`: there is no such document; restore it from a copy");
            Error::new(ErrorKind::NotFound, message)
        };
        self.get(name)?.ok_or_else(missing)
    }

    /// Puts a value in place of version `expected` (`None`: of nothing) and returns its version. Errors:
    /// `Conflict`.
    pub fn set<T: Serialize>(&self, name: &str, expected: Option<u64>, value: &T) -> Result<u64> {
        self.set_bytes(name, expected, &encode(name, value)?)
    }

    /// Changes a document, again if another change comes in between; returns what it became. Errors:
    /// `NotFound`.
    pub fn edit<T: Serialize + DeserializeOwned>(
        &self,
        name: &str,
        mut change: impl FnMut(&mut T),
    ) -> Result<T> {
        for _ in 0..ROUNDS_MAX {
            let Versioned { version, mut value } = self.require(name)?;
            change(&mut value);
            match self.set(name, Some(version), &value) {
                Err(error) if error.kind == ErrorKind::Conflict => {}
                result => return result.map(|_| value),
            }
        }
        Err(overtaken(name))
    }

    /// Puts a document there, whatever was there.
    pub fn put<T: Serialize>(&self, name: &str, value: &T) -> Result<()> {
        self.put_bytes(name, &encode(name, value)?)
    }

    /// Deletes a document whatever its version is; one that is not there is fine. Only for what nobody makes
    /// anew under the same name and means another by it.
    pub fn remove(&self, name: &str) -> Result<()> {
        for _ in 0..ROUNDS_MAX {
            let Some(found) = self.store.get(name).map_err(lift)? else { return Ok(()) };
            match self.remove_version(name, found.version) {
                Err(error) if error.kind == ErrorKind::Conflict => {}
                result => return result,
            }
        }
        Err(overtaken(name))
    }

    /// Deletes a document that was looked at, at this version; one that is gone by now is fine. Errors:
    /// `Conflict` where there is another, which stays.
    pub fn remove_version(&self, name: &str, version: u64) -> Result<()> {
        let error = match self.store.delete(name, version) {
            Err(error) if is_open(&error) || *error.kind() == store::ErrorKind::Conflict => error,
            result => return result.map_err(lift),
        };
        match self.store.get(name) {
            Ok(None) => Ok(()),
            Ok(Some(found)) if found.version != version => {
                let message = format!("`{name}` was changed meanwhile; read it again and decide");
                Err(Error::new(ErrorKind::Conflict, message).with_source(error))
            }
            Ok(Some(_)) => Err(not_made(error)),
            Err(_) => Err(open(error)),
        }
    }

    /// Names directly below a folder, in order.
    pub fn list(&self, folder: &str) -> Result<Vec<String>> {
        self.store.list(folder).map_err(lift)
    }

    /// The documents below a folder whose names, without it, are `wanted`, by their full names. One that was
    /// deleted meanwhile may be missing.
    pub fn read_below(
        &self,
        folder: &str,
        wanted: impl Fn(&str) -> bool,
    ) -> Result<BTreeMap<String, VersionedBytes>> {
        let wanted = |name: &str| name.rsplit('/').next().is_some_and(&wanted);
        self.store.read_below(folder, &wanted).map_err(lift)
    }

    /// As it is kept; `None` where there is none.
    pub fn bytes(&self, name: &str) -> Result<Option<VersionedBytes>> {
        self.store.get(name).map_err(lift)
    }

    pub fn text(&self, name: &str) -> Result<Option<String>> {
        let Some(found) = self.store.get(name).map_err(lift)? else { return Ok(None) };
        String::from_utf8(found.bytes).map(Some).map_err(|failure| {
            let message = format!("cannot read `{name}`: it is not UTF-8; restore the file from a copy");
            Error::new(ErrorKind::DataLoss, message).with_source(failure)
        })
    }

    pub fn put_text(&self, name: &str, text: &str) -> Result<()> {
        self.put_bytes(name, text.as_bytes())
    }

    fn put_bytes(&self, name: &str, bytes: &[u8]) -> Result<()> {
        for _ in 0..ROUNDS_MAX {
            let present = self.store.get(name).map_err(lift)?.map(|found| found.version);
            match self.set_bytes(name, present, bytes) {
                Err(error) if error.kind == ErrorKind::Conflict => {}
                result => return result.map(drop),
            }
        }
        Err(overtaken(name))
    }

    /// As [`set`](Self::set), of bytes.
    pub fn set_bytes(&self, name: &str, expected: Option<u64>, bytes: &[u8]) -> Result<u64> {
        let error = match self.store.compare_and_set(name, expected, bytes) {
            Err(error) if is_open(&error) => error,
            result => return result.map_err(lift),
        };
        let Ok(found) = self.store.get(name) else { return Err(open(error)) };
        let version = found.as_ref().map(|found| found.version);
        match found {
            // Nobody else writes these bytes by chance; whoever does means the same.
            Some(found) if found.bytes == bytes && version != expected => Ok(found.version),
            _ => Err(not_made(error)),
        }
    }
}

/// A document that others change so often is no document to wait for under a lock.
fn overtaken(name: &str) -> Error {
    let message = format!("`{name}` was changed by others {ROUNDS_MAX} times in a row; try again");
    Error::new(ErrorKind::Unavailable, message)
}

/// Whether the change was made is not to be learnt now.
fn open(error: store::Error) -> Error {
    Error::new(ErrorKind::Unknown, error.message().to_owned()).with_source(error)
}

/// After a look that found so.
fn not_made(error: store::Error) -> Error {
    Error::new(ErrorKind::Unavailable, format!("{}; it was not made", error.message())).with_source(error)
}

/// Whether a failed change may have been made.
fn is_open(error: &store::Error) -> bool {
    use store::ErrorKind::{Conflict, Full, Invalid, NotFound, Retry};
    !matches!(error.kind(), Conflict | Full | Invalid | NotFound | Retry)
}

pub(crate) fn decode<T: DeserializeOwned>(name: &str, bytes: &[u8]) -> Result<T> {
    serde_json::from_slice(bytes).map_err(|failure| {
        let message = format!("cannot read `{name}`: {failure}; restore the file from a copy");
        Error::new(ErrorKind::DataLoss, message).with_source(failure)
    })
}

fn encode<T: Serialize>(name: &str, value: &T) -> Result<Vec<u8>> {
    serde_json::to_vec_pretty(value)
        .map_err(|failure| Error::internal(format!("cannot encode `{name}`: {failure}")))
}

/// The store's kinds as the caller's actions.
pub(crate) fn lift(error: store::Error) -> Error {
    let kind = match error.kind() {
        store::ErrorKind::Corrupt { .. } => ErrorKind::DataLoss,
        store::ErrorKind::NotFound => ErrorKind::NotFound,
        store::ErrorKind::Conflict => ErrorKind::Conflict,
        store::ErrorKind::Invalid => ErrorKind::BadRequest,
        store::ErrorKind::Unknown => ErrorKind::Unknown,
        _ => ErrorKind::Unavailable,
    };
    Error::new(kind, error.message().to_owned()).with_source(error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use store::metadata::memory::{Failure, MetadataMemory};

    #[test]
    fn an_open_outcome_is_settled() {
        let check = |failure: Failure, expected: Result<(), ErrorKind>, after: u32| {
            let memory = MetadataMemory::default();
            let documents = Documents::new(Arc::new(memory.clone()));
            let first = documents.set("a", None, &1).unwrap();
            memory.fail_next([failure]);
            let set = documents.set("a", Some(first), &2);
            assert_eq!(set.map(drop).map_err(|error| error.kind), expected, "{failure:?}");
            let found = documents.require::<u32>("a").unwrap();
            assert_eq!(found.value, after, "{failure:?}");
            documents.set("a", Some(found.version), &3).unwrap();
            memory.fail_next([failure]);
            let removed = documents.remove("a");
            let gone = documents.get::<u32>("a").unwrap().is_none();
            assert_eq!(removed.is_ok(), gone, "{failure:?}");
        };
        check(Failure::AnswerLost, Ok(()), 2);
        check(Failure::RequestLost, Err(ErrorKind::Unavailable), 1);
        check(Failure::Refused, Err(ErrorKind::Unavailable), 1);
        check(Failure::Overtaken, Err(ErrorKind::Conflict), 1);
    }

    #[test]
    fn a_change_is_made_again_behind_another() {
        let memory = MetadataMemory::default();
        let documents = Documents::new(Arc::new(memory.clone()));
        documents.set("a", None, &1).unwrap();
        memory.fail_next([Failure::Overtaken, Failure::Overtaken]);
        let mut times = 0;
        let made = documents.edit("a", |value: &mut u32| {
            times += 1;
            *value += 1;
        });
        assert_eq!((made.unwrap(), times), (2, 3));
    }
}
