//! The chain of manifests as its owner adds to it: `manifest/{v}`, each created once. An owner knows the
//! newest, for nobody else may add to the chain; whoever does is met at the next create, and has deposed it.
//!
//! A publication without an answer stays offered: the same bytes under the same version, before any other.

use std::sync::{Arc, Mutex, PoisonError};

use super::chain::ChainReader;
use super::client::Created;
use super::format::{Kind, Link};
use super::log::ObjectLog;
use super::medium::ObjectBytes;
use super::owned::Owned;
use super::retained::Retained;
use super::seeded_bugs::SeededBug;
use crate::contract::ManifestStore;
use crate::{Error, ErrorKind, Result};

pub(crate) struct ObjectManifests {
    owned: Arc<Owned>,
    retained: Arc<Retained>,
    log: Arc<ObjectLog>,
    state: Mutex<State>,
}

struct State {
    /// The newest link's.
    version: u64,
    /// What was published last, and the version under which it was.
    published: Option<(u64, Vec<u8>)>,
    /// Offered, and not resolved: it may be the newest.
    offered: Option<Offered>,
}

struct Offered {
    content: Vec<u8>,
    /// With its envelope.
    bytes: ObjectBytes,
}

impl ObjectManifests {
    pub(crate) fn new(
        owned: Arc<Owned>,
        retained: Arc<Retained>,
        log: Arc<ObjectLog>,
        version: u64,
        link: Link,
    ) -> Self {
        let published = (link.content_version > 0).then_some((link.content_version, link.content));
        Self { owned, retained, log, state: Mutex::new(State { version, published, offered: None }) }
    }

    /// Offers what is to be offered, once more if it was already.
    fn resolve(&self, state: &mut State) -> Result<u64> {
        let Some(offered) = &state.offered else { return Ok(state.version) };
        let version = state.version + 1;
        let key = self.owned.keys.manifest(version);
        let created = self.owned.client.create(&key, &offered.bytes).inspect_err(|error| {
            if *error.kind() == ErrorKind::Failed {
                self.owned.end(error);
            }
        })?;
        if let Created::Taken(found) = created {
            return Err(self.owned.depose(&key, &found));
        }
        let Owned { client, keys, writer, .. } = &*self.owned;
        let reader = ChainReader { client, keys, stream: &writer.stream };
        // It is there; whether it counts is not known without an answer to this, so it stays offered.
        if version < reader.boundary().map_err(unresolved)? {
            return Err(self.owned.depose(&key, &offered.bytes));
        }
        state.version = version;
        state.published = state.offered.take().map(|offered| (version, offered.content));
        self.retained.published(version);
        Ok(version)
    }

    fn offer(&self, state: &mut State, content: &[u8]) -> Result<u64> {
        self.owned.client.check_space(content.len())?;
        let version = state.version + 1;
        // Where the log stands now is not below what the manifest has of it.
        let mut link = Link { content_version: version, sealed: self.log.end(), content: content.to_vec() };
        link.sealed.slot += u64::from(SeededBug::SealedTooHigh.is_planted());
        let bytes = self.owned.encode(Kind::Manifest, version, &link.encode());
        state.offered = Some(Offered { content: link.content, bytes });
        let resolved = self.resolve(state);
        if resolved.as_ref().is_err_and(|error| *error.kind() == ErrorKind::Full) {
            // Not even begun: another may take its place.
            state.offered = None;
        }
        resolved
    }
}

fn unresolved(error: Error) -> Error {
    Error::new(ErrorKind::Unknown, format!("{}; publish the manifest again", error.message()))
        .with_source(error)
}

impl ManifestStore for ObjectManifests {
    fn load(&self) -> Result<Option<(u64, Vec<u8>)>> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(state.published.clone())
    }

    fn older(&self) -> Result<Vec<Vec<u8>>> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        self.owned.check()?;
        let Owned { client, keys, writer, .. } = &*self.owned;
        let links = ChainReader { client, keys, stream: &writer.stream }.links()?;
        // Owners published again what they found: each content once, where it was published first.
        let mut known = state.published.as_ref().map_or(0, |(version, _)| *version);
        let mut older = Vec::new();
        for Link { content_version, content, .. } in links {
            if content_version < known {
                known = content_version;
                older.extend((content_version > 0).then_some(content));
            }
        }
        Ok(older)
    }

    fn publish(&self, expected: Option<u64>, manifest: &[u8]) -> Result<u64> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        self.owned.check()?;
        let is_offered = state.offered.as_ref().is_some_and(|offered| offered.content == manifest);
        match self.resolve(&mut state) {
            Err(error) if !is_offered && *error.kind() == ErrorKind::Unknown => {
                let message = format!("another manifest is offered already: {}", error.message());
                return Err(Error::new(ErrorKind::Retry, message).with_source(error));
            }
            Err(error) => return Err(error),
            Ok(_) => {}
        }
        match &state.published {
            // Offered before, and the answer was unknown.
            Some((version, content)) if Some(*version) > expected && content == manifest => Ok(*version),
            newest if newest.as_ref().map(|(version, _)| *version) != expected => {
                Err(conflict(newest.as_ref().map(|(version, _)| *version), expected))
            }
            _ => self.offer(&mut state, manifest),
        }
    }
}

fn conflict(newest: Option<u64>, expected: Option<u64>) -> Error {
    let name = |version: Option<u64>| version.map_or("none".to_owned(), |version| format!("`{version}`"));
    let message =
        format!("the newest manifest is {}, not {}; load it and decide again", name(newest), name(expected));
    Error::new(ErrorKind::Conflict, message)
}
