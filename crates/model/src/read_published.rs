//! Reading what an owner publishes and replaces: who reads has neither the home nor a lock, lists, and opens
//! one file after the other, while manifests and files go. Another file that is missing has been lost by the
//! medium, which has to be told from one that was only replaced.
//!
//! The owner keeps one manifest and deletes what that does not name, at any time; what may be deleted at all
//! is `collect_garbage`'s. A file that is open can be read whatever becomes of its name.

use std::collections::BTreeSet;

use stateright::{Model, Property};

use crate::check::ProtocolModel;
use crate::promise::*;
use crate::rules::rules;

rules! { ReadPublished {
    /// A manifest that is gone when it is to be read was replaced: the reader lists again.
    missing_manifest_is_listed_again => NO_HEALTHY_SHARD_IS_CALLED_DAMAGED,
    /// Who misses a file takes the newest manifest.
    missing_file_takes_newest => NO_HEALTHY_SHARD_IS_CALLED_DAMAGED,
    /// The look for the newest manifest begins behind the miss: one listed before says nothing.
    look_begins_behind_miss => NO_HEALTHY_SHARD_IS_CALLED_DAMAGED,
    /// What the newest manifest names and is missing is damage, and is not left out in silence.
    named_by_newest_and_missing_is_damage => SNAPSHOTS_ARE_SHOWN_WHOLE,
    /// All files are open before a snapshot is shown.
    open_before_shown => SNAPSHOTS_ARE_SHOWN_WHOLE,
}}

type File = usize;

pub struct ReadPublished {
    rules: Rules,
    versions: usize,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq)]
pub struct Manifest {
    version: usize,
    files: BTreeSet<File>,
}

#[derive(Clone, Debug, Default, Hash, PartialEq, Eq)]
struct PublishedReader {
    /// The newest version when it last listed.
    listed: Option<usize>,
    manifest: Option<Manifest>,
    /// Of its manifest's files, those that it misses.
    missed: BTreeSet<File>,
    opened: BTreeSet<File>,
    shown: Option<Manifest>,
    /// It has met a miss, and found a newer manifest.
    looked_again: bool,
    calls_damaged: bool,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq)]
pub struct State {
    newest: Manifest,
    /// Versions below are deleted.
    oldest: usize,
    files: BTreeSet<File>,
    /// What the medium lost.
    lost: Option<File>,
    reader: PublishedReader,
    called_wrongly: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// The owner publishes a new file beside those before, or in place of them.
    Publish {
        replaces: bool,
    },
    DeleteManifests,
    DeleteFiles,
    /// The medium loses a file.
    Lose(File),
    List,
    ReadManifest,
    Open(File),
    /// The reader decides what a miss means.
    LookBehindMiss,
    Show,
}

impl ProtocolModel for ReadPublished {
    type Rules = Rules;
    const NAME: &'static str = "read_published";

    fn small(rules: Rules) -> Self {
        Self { rules, versions: 3 }
    }

    fn large(rules: Rules) -> Self {
        Self { rules, versions: 5 }
    }
}

impl Model for ReadPublished {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        let files = BTreeSet::from([1]);
        vec![State {
            newest: Manifest { version: 1, files: files.clone() },
            oldest: 1,
            files,
            lost: None,
            reader: PublishedReader::default(),
            called_wrongly: false,
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        if state.newest.version < self.versions {
            actions.extend([false, true].map(|replaces| Action::Publish { replaces }));
        }
        actions.extend([Action::DeleteManifests, Action::DeleteFiles]);
        if state.lost.is_none() {
            actions.extend(state.newest.files.iter().copied().map(Action::Lose));
        }
        if state.reader.calls_damaged {
            return;
        }
        actions.extend([Action::List, Action::ReadManifest, Action::LookBehindMiss, Action::Show]);
        let named = state.reader.manifest.iter().flat_map(|manifest| &manifest.files);
        actions.extend(named.copied().map(Action::Open));
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut next = last.clone();
        match action {
            Action::Publish { replaces } => {
                let version = next.newest.version + 1;
                if replaces {
                    next.newest.files.clear();
                }
                next.newest.version = version;
                next.newest.files.insert(version);
                next.files.insert(version);
            }
            Action::DeleteManifests => next.oldest = next.newest.version,
            Action::DeleteFiles => next.files.retain(|file| last.newest.files.contains(file)),
            Action::Lose(file) => {
                next.files.remove(&file).then(|| next.lost = Some(file))?;
            }
            Action::List => next.reader.listed = Some(next.newest.version),
            Action::ReadManifest => self.read_manifest(&mut next)?,
            Action::Open(file) => {
                let reader = &mut next.reader;
                let is_there = next.files.contains(&file);
                if is_there {
                    reader.opened.insert(file)
                } else {
                    reader.missed.insert(file)
                };
            }
            Action::LookBehindMiss => self.look_behind_miss(&mut next)?,
            Action::Show => self.show(&mut next)?,
        }
        (next != *last).then_some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(NO_HEALTHY_SHARD_IS_CALLED_DAMAGED, |_: &Self, state: &State| {
                !state.called_wrongly
            }),
            Property::always(SNAPSHOTS_ARE_SHOWN_WHOLE, |_: &Self, state: &State| {
                let readable = |file| state.reader.opened.contains(file) || state.files.contains(file);
                state.reader.shown.as_ref().is_none_or(|shown| shown.files.iter().all(readable))
            }),
            Property::sometimes(
                "a snapshot is shown though its files are gone",
                |_: &Self, state: &State| {
                    let is_gone = |shown: &Manifest| shown.files.is_disjoint(&state.files);
                    state.reader.shown.as_ref().is_some_and(is_gone)
                },
            ),
            Property::sometimes("the newest is shown behind a miss", |model: &Self, state: &State| {
                let shown = state.reader.shown.as_ref().map(|shown| shown.version);
                shown == Some(model.versions) && state.reader.looked_again
            }),
            Property::sometimes("damage is told", |_: &Self, state: &State| state.reader.calls_damaged),
        ]
    }
}

impl ReadPublished {
    fn read_manifest(&self, next: &mut State) -> Option<()> {
        let version = next.reader.listed?;
        if version < next.oldest {
            next.reader.listed = None;
            if !self.rules.missing_manifest_is_listed_again {
                next.call_damaged();
            }
            return Some(());
        }
        // An older one that is still there has what it had; the newest is what this model needs to know.
        if version == next.newest.version {
            next.reader.manifest = Some(next.newest.clone());
            next.reader.missed.clear();
        }
        Some(())
    }

    fn look_behind_miss(&self, next: &mut State) -> Option<()> {
        let reader = &next.reader;
        let manifest = reader.manifest.as_ref().filter(|_| !reader.missed.is_empty())?;
        let newest = match self.rules.look_begins_behind_miss {
            true => next.newest.version,
            false => reader.listed?,
        };
        if manifest.version == newest || !self.rules.missing_file_takes_newest {
            if !self.rules.named_by_newest_and_missing_is_damage {
                return None;
            }
            next.call_damaged();
            return Some(());
        }
        (next.reader.listed, next.reader.looked_again) = (Some(newest), true);
        self.read_manifest(next)
    }

    fn show(&self, next: &mut State) -> Option<()> {
        let reader = &mut next.reader;
        let manifest = reader.manifest.as_ref()?;
        let leaves_out =
            |file| !self.rules.named_by_newest_and_missing_is_damage && reader.missed.contains(file);
        let is_open = |file| reader.opened.contains(file) || leaves_out(file);
        if self.rules.open_before_shown && !manifest.files.iter().all(is_open) {
            return None;
        }
        reader.shown = Some(manifest.clone());
        Some(())
    }
}

impl State {
    fn call_damaged(&mut self) {
        self.called_wrongly = self.newest.files.is_subset(&self.files);
        self.reader.calls_damaged = true;
    }
}
