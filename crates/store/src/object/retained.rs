//! Which manifests are kept, and how much of the log they need. The boundary moves before any manifest goes,
//! and the log goes no further than the oldest manifest that is kept: so the model `collect_garbage` has it.
//! Collected are manifests, boundaries and, by `log`, groups; never epochs and fences. Files are the engine's
//! to remove, by name.
//!
//! What a manifest needs of the log is known when the log is trimmed behind its publication. Of one that an
//! earlier opening published it is not: nothing of the log is deleted before that one is collected itself.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::format::Kind;
use super::owned::Owned;
use crate::Result;
use crate::contract::Watermark;

/// Versions that stay when others are collected, the newest included.
const KEPT: u64 = 4;
/// With this many they are collected: not with each publication, for it takes a PUT and a DELETE.
const COLLECTED_AT: u64 = 8;

/// The manifests of a shard, as its owner knows them.
pub(crate) struct Retained(Mutex<State>);

struct State {
    oldest: u64,
    newest: u64,
    /// Up to where some manifests have the log, by version.
    trimmed: BTreeMap<u64, Watermark>,
    /// The boundary as it was moved last; 0 where it never was.
    boundary: u64,
}

impl Retained {
    pub(crate) fn new(oldest: u64, newest: u64, boundary: u64) -> Self {
        Self(Mutex::new(State { oldest, newest, trimmed: BTreeMap::new(), boundary }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn published(&self, version: u64) {
        self.state().newest = version;
    }

    /// The newest manifest has the log up to `upto`.
    pub(crate) fn trimmed(&self, upto: Watermark) {
        let mut state = self.state();
        let newest = state.newest;
        state.trimmed.insert(newest, upto);
    }

    /// Up to where no manifest that is kept needs the log; `None` where that is not known.
    pub(crate) fn log_end(&self) -> Option<Watermark> {
        let state = self.state();
        // A manifest has what those before it have.
        state.trimmed.range(..=state.oldest).next_back().map(|(_, upto)| *upto)
    }

    /// Collects manifests where there are many. An owner that was deposed meanwhile collects below its own
    /// newest version, which its successor built upon.
    pub(crate) fn collect(&self, owned: &Owned) -> Result<()> {
        let (oldest, boundary, before) = {
            let state = self.state();
            if state.newest + 1 - state.oldest < COLLECTED_AT {
                return Ok(());
            }
            (state.oldest, state.newest + 1 - KEPT, state.boundary)
        };
        let bytes = owned.encode(Kind::Boundary, boundary, &[]);
        // Whoever else moved it there moved it as far.
        owned.client.create(&owned.keys.boundary(boundary), &bytes)?;
        let mut gone: Vec<String> = (oldest..boundary).map(|version| owned.keys.manifest(version)).collect();
        gone.push(owned.keys.boundary(before));
        owned.client.delete_all(&gone)?;
        let mut state = self.state();
        state.oldest = boundary;
        state.boundary = boundary;
        let needed = state.trimmed.range(..=boundary).next_back().map(|(version, _)| *version);
        state.trimmed = state.trimmed.split_off(&needed.unwrap_or(0));
        Ok(())
    }
}
