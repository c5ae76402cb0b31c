//! Versioned documents as chains of create-only names: `meta/{document}/@{version}`. A version is created as
//! the successor of the one that it was made upon, or not at all; a deletion is a version too, so that no
//! version ever comes twice. All versions stay: a name that was given free could be filled by a writer who
//! was away for long, and who would then believe in it.
//!
//! A change without an answer is settled before the document is read again: the same bytes are offered once
//! more under the same name, as in the log.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::client::{Client, Created};
use super::format::{ENVELOPE_BYTES, Kind, Writer, decode, encode};
use super::medium::{NonceSource, ObjectBytes};
use crate::metadata::{Hint, MetadataStore, VersionedBytes, Watch, Watchers, check_version};
use crate::name::check_path;
use crate::{Error, ErrorKind, Result};

const PREFIX: &str = "meta/";
/// Documents belong to no shard.
const STREAM: [u8; 16] = *b"documents       ";

/// Documents in an object store.
pub struct ObjectMetadata {
    client: Arc<Client>,
    nonces: NonceSource,
    state: Mutex<State>,
    watchers: Watchers,
}

#[derive(Default)]
struct State {
    /// The newest versions that were seen.
    seen: BTreeMap<String, Seen>,
    /// Changes that were offered and not resolved, by the document's name.
    open: BTreeMap<String, (u64, ObjectBytes)>,
}

/// A version of a document; without bytes where that is a deletion.
#[derive(Clone, Default)]
struct Seen {
    version: u64,
    bytes: Option<Vec<u8>>,
}

impl ObjectMetadata {
    pub(super) fn new(client: Arc<Client>, nonces: NonceSource) -> Self {
        Self { client, nonces, state: Mutex::default(), watchers: Watchers::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The newest version there is; version 0 where there never was one.
    fn newest(&self, name: &str) -> Result<Seen> {
        self.settle(name)?;
        let known = self.state().seen.get(name).cloned();
        let mut newest = match known {
            Some(known) => known,
            None => match self.versions(&format!("{PREFIX}{name}/"))?.get(name) {
                None => Seen::default(),
                Some((version, _)) => self.read(name, *version)?.ok_or_else(|| is_gone(name, *version))?,
            },
        };
        // Others may have gone on.
        while let Some(next) = self.read(name, newest.version + 1)? {
            newest = next;
        }
        self.see(name, &newest);
        Ok(newest)
    }

    fn see(&self, name: &str, newest: &Seen) {
        let mut state = self.state();
        let seen = state.seen.entry(name.to_owned()).or_default();
        if seen.version <= newest.version {
            seen.clone_from(newest);
        }
    }

    fn read(&self, name: &str, version: u64) -> Result<Option<Seen>> {
        let key = key_of(name, version);
        let Some(bytes) = self.client.get(&key)? else { return Ok(None) };
        let object = decode(&key, &STREAM, &bytes)?;
        if object.kind != Kind::Document || object.number != version {
            return Err(Error::corrupt(&key, 0, "it is another document's"));
        }
        let bytes = object.body.split_first().map(|(_, bytes)| bytes.to_vec());
        Ok(Some(Seen { version, bytes }))
    }

    /// Of all documents below a prefix: the newest version, and whether it is a deletion.
    fn versions(&self, prefix: &str) -> Result<BTreeMap<String, (u64, bool)>> {
        let mut newest = BTreeMap::new();
        for (key, size) in self.client.list(prefix)? {
            let Some((name, version)) = parse(&key) else { continue };
            // In order: the last of a document is its newest.
            newest.insert(name.to_owned(), (version, size == ENVELOPE_BYTES as u64));
        }
        Ok(newest)
    }

    /// Offers a change again that has no answer yet.
    fn settle(&self, name: &str) -> Result<()> {
        let open = self.state().open.get(name).cloned();
        let Some((version, bytes)) = open else { return Ok(()) };
        self.client.create(&key_of(name, version), &bytes).map_err(|error| match error.kind() {
            // Of whoever reads now nothing was offered.
            ErrorKind::Unknown | ErrorKind::Full => {
                Error::new(ErrorKind::Retry, error.message().to_owned()).with_source(error)
            }
            _ => error,
        })?;
        let mut state = self.state();
        if state.open.get(name).is_some_and(|(open, _)| *open == version) {
            state.open.remove(name);
        }
        Ok(())
    }

    fn settle_all(&self) -> Result<()> {
        let open: Vec<String> = self.state().open.keys().cloned().collect();
        open.iter().try_for_each(|name| self.settle(name))
    }

    /// `bytes` of `None` deletes.
    fn change(&self, name: &str, expected: Option<u64>, bytes: Option<&[u8]>) -> Result<u64> {
        check_path(name)?;
        let newest = self.newest(name)?;
        check_version(name, newest.bytes.as_ref().map(|_| newest.version), expected)?;
        let version = newest.version + 1;
        // The first byte tells a document without bytes from none.
        let body = bytes.map(|bytes| [&[1], bytes].concat()).unwrap_or_default();
        let writer = Writer { stream: STREAM, epoch: 0, nonce: (self.nonces)() };
        let object: ObjectBytes = encode(Kind::Document, &writer, 0, version, &body).into();
        match self.client.create(&key_of(name, version), &object) {
            Ok(Created::Ours) => {}
            Ok(Created::Taken(_)) => {
                let message = format!("document `{name}` was changed meanwhile; read it again and decide");
                return Err(Error::new(ErrorKind::Conflict, message));
            }
            Err(error) => {
                if *error.kind() == ErrorKind::Unknown {
                    self.state().open.insert(name.to_owned(), (version, object));
                }
                return Err(error);
            }
        }
        self.see(name, &Seen { version, bytes: bytes.map(<[u8]>::to_vec) });
        self.watchers.tell(name);
        Ok(version)
    }
}

fn key_of(name: &str, version: u64) -> String {
    format!("{PREFIX}{name}/@{version:020}")
}

/// Of all keys of documents below a folder. Errors: `Invalid` for what is no folder's name.
fn prefix_below(folder: &str) -> Result<String> {
    if folder.is_empty() {
        return Ok(PREFIX.to_owned());
    }
    check_path(folder)?;
    Ok(format!("{PREFIX}{folder}/"))
}

/// The document and the version of a key.
fn parse(key: &str) -> Option<(&str, u64)> {
    let (name, version) = key.strip_prefix(PREFIX)?.rsplit_once("/@")?;
    Some((name, version.parse().ok()?))
}

fn is_gone(name: &str, version: u64) -> Error {
    Error::corrupt(&key_of(name, version), 0, "it is gone since it was listed")
}

impl MetadataStore for ObjectMetadata {
    fn get(&self, name: &str) -> Result<Option<VersionedBytes>> {
        check_path(name)?;
        let Seen { version, bytes } = self.newest(name)?;
        Ok(bytes.map(|bytes| VersionedBytes { version, bytes }))
    }

    fn compare_and_set(&self, name: &str, expected: Option<u64>, bytes: &[u8]) -> Result<u64> {
        self.change(name, expected, Some(bytes))
    }

    fn delete(&self, name: &str, expected: u64) -> Result<()> {
        self.change(name, Some(expected), None).map(drop)
    }

    fn list(&self, folder: &str) -> Result<Vec<String>> {
        self.settle_all()?;
        let prefix = prefix_below(folder)?;
        let versions = self.versions(&prefix)?;
        let below = prefix.strip_prefix(PREFIX).unwrap_or_default();
        let living = versions.iter().filter(|(_, (_, is_deleted))| !is_deleted);
        let names = living.filter_map(|(name, _)| name.strip_prefix(below)?.split('/').next());
        let names: BTreeSet<&str> = names.collect();
        Ok(names.into_iter().map(str::to_owned).collect())
    }

    /// One listing, and a request for each document that has changed since it was seen.
    fn read_below(
        &self,
        folder: &str,
        wanted: &dyn Fn(&str) -> bool,
    ) -> Result<BTreeMap<String, VersionedBytes>> {
        self.settle_all()?;
        let mut found = BTreeMap::new();
        for (name, (version, is_deleted)) in self.versions(&prefix_below(folder)?)? {
            if is_deleted || !wanted(&name) {
                continue;
            }
            let known = self.state().seen.get(&name).filter(|seen| seen.version >= version).cloned();
            let newest = match known {
                Some(known) => known,
                None => {
                    let read = self.read(&name, version)?.ok_or_else(|| is_gone(&name, version))?;
                    self.see(&name, &read);
                    read
                }
            };
            if let Some(bytes) = newest.bytes {
                found.insert(name, VersionedBytes { version: newest.version, bytes });
            }
        }
        Ok(found)
    }

    fn watch(&self, folder: &str, hint: Hint) -> Result<Watch> {
        Ok(self.watchers.add(folder, hint))
    }
}
