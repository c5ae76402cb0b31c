//! Deleting what is no longer needed: manifests, files and log records, by owners of which one may be a
//! zombie whose publish is still under way.
//!
//! Two records are in the log of epoch 1, acknowledged, and no owner appends more: what is in question is
//! whether the newest manifest's files and the log above its watermark are there. Node 0 owns epoch 1; node 1
//! may take over as epoch 2.

use std::collections::BTreeSet;

use stateright::{Model, Property};

use crate::check::ProtocolModel;
use crate::promise::*;
use crate::rules::rules;

rules! { CollectGarbage {
    /// An owner deletes names of its own and earlier epochs only.
    only_own_and_earlier_epochs => NOTHING_REACHABLE_IS_DELETED,
    /// Files of a publish that was begun and is not resolved are spared.
    spare_unresolved_publish => NOTHING_REACHABLE_IS_DELETED,
    /// A new owner deletes nothing before it has published.
    collect_behind_own_publish => NOTHING_REACHABLE_IS_DELETED,
    /// A file of an earlier epoch is named only if the base names it; what was adopted goes up under a name
    /// of one's own.
    adopted_files_get_own_names => NOTHING_REACHABLE_IS_DELETED,
    /// A file's name is never used again, not even by who gave the file up.
    file_names_are_new => NOTHING_REACHABLE_IS_DELETED,
    /// The boundary is moved before manifests below it are deleted.
    boundary_before_deletion => NOTHING_REACHABLE_IS_DELETED,
    /// Who has created a manifest looks at the boundary before it believes in it.
    publisher_checks_boundary => NOTHING_REACHABLE_IS_DELETED,
    /// The log is kept back to the oldest retained manifest, so that one that lost a file can be passed over.
    log_kept_for_retained => RETAINED_MANIFESTS_CAN_BE_REPLAYED,
}}

/// Records of the log: slots 1 and 2 of epoch 1.
const RECORDS: u8 = 2;
/// The epoch of the owner that put it, and the number that this owner gave it.
type File = (u8, usize);

pub struct CollectGarbage {
    rules: Rules,
    versions: usize,
    retained: usize,
    /// Whether a publish may be given up before it is sent: some ten times the states.
    abandons: bool,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, PartialOrd, Ord)]
pub struct Manifest {
    version: usize,
    epoch: u8,
    watermark: u8,
    files: BTreeSet<File>,
}

#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq)]
enum Role {
    Idle,
    /// Its first manifest is not published yet.
    Opening,
    Owner,
    Deposed,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq)]
struct Node {
    role: Role,
    base: Manifest,
    /// The watermark of the manifest before the base.
    watermark_before: u8,
    publish: Option<Manifest>,
    /// Its publish was created; the boundary is still to be looked at.
    created: bool,
    /// Files that it has put.
    puts: usize,
    /// Files found to be garbage, not deleted yet.
    garbage: BTreeSet<File>,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq)]
pub struct State {
    manifests: BTreeSet<Manifest>,
    /// Manifests below are being deleted, or are.
    boundary: usize,
    files: BTreeSet<File>,
    /// Records up to here are deleted.
    trimmed: u8,
    in_flight: BTreeSet<Manifest>,
    /// What node 1 was given of node 0: files that it has put and perhaps not published.
    fetched: Option<Manifest>,
    nodes: [Node; 2],
}

#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Node 1 fetches what node 0 has put and not yet published.
    Fetch,
    /// Node 1 takes over, perhaps with what it fetched.
    TakeOver {
        adopt: bool,
    },
    /// Node 0 gives up a publish before it sends it: a flush that failed, a merge that another one made
    /// superfluous.
    Abandon,
    /// An owner puts a file of all it has, and begins to publish it instead of what the base names.
    Flush(usize),
    /// An owner rewrites the base's files, or nothing, and begins to publish that; the watermark stays.
    Merge(usize),
    Land(Manifest),
    Resolve(usize),
    CheckBoundary(usize),
    MoveBoundary(usize),
    DeleteManifests(usize),
    FindGarbage(usize),
    DeleteFiles(usize),
    TrimLog(usize),
}

impl ProtocolModel for CollectGarbage {
    type Rules = Rules;
    const NAME: &'static str = "collect_garbage";

    fn small(rules: Rules) -> Self {
        Self { rules, versions: 3, retained: 1, abandons: false }
    }

    fn for_removal(rules: Rules) -> Self {
        let retained = if rules.log_kept_for_retained { 1 } else { 2 };
        Self { rules, versions: 3, retained, abandons: true }
    }

    fn large(rules: Rules) -> Self {
        Self { rules, versions: 3, retained: 1, abandons: true }
    }
}

impl Model for CollectGarbage {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        let base = Manifest { version: 1, epoch: 1, watermark: 0, files: BTreeSet::new() };
        let node = |role| Node {
            role,
            base: base.clone(),
            watermark_before: 0,
            publish: None,
            created: false,
            puts: 0,
            garbage: BTreeSet::new(),
        };
        vec![State {
            manifests: BTreeSet::from([base.clone()]),
            boundary: 1,
            files: BTreeSet::new(),
            trimmed: 0,
            in_flight: BTreeSet::new(),
            fetched: None,
            nodes: [node(Role::Owner), node(Role::Idle)],
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        actions.extend(state.in_flight.iter().cloned().map(Action::Land));
        if self.abandons {
            actions.extend([Action::Fetch, Action::Abandon]);
        }
        for at in [0, 1] {
            let role = state.nodes[at].role;
            match role {
                Role::Idle => actions.extend([false, true].map(|adopt| Action::TakeOver { adopt })),
                Role::Deposed => {}
                Role::Opening | Role::Owner => {
                    actions.extend([Action::Resolve(at), Action::CheckBoundary(at)]);
                    if role == Role::Owner {
                        actions.extend([Action::Flush(at), Action::Merge(at), Action::TrimLog(at)]);
                        actions.extend([Action::MoveBoundary(at), Action::DeleteManifests(at)]);
                    }
                    if role == Role::Owner || !self.rules.collect_behind_own_publish {
                        actions.extend([Action::FindGarbage(at), Action::DeleteFiles(at)]);
                    }
                }
            }
        }
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut next = last.clone();
        match action {
            Action::Fetch => {
                next.fetched = Some(next.nodes[0].publish.clone().filter(|one| one.watermark > 0)?);
            }
            Action::Abandon => {
                let publish = next.nodes[0].publish.take()?;
                if !next.in_flight.remove(&publish) || next.nodes[0].created || next.nodes[0].puts > 1 {
                    return None;
                }
            }
            Action::TakeOver { adopt } => self.take_over(&mut next, adopt)?,
            Action::Flush(at) => self.begin_publish(&mut next, at, true)?,
            Action::Merge(at) => self.begin_publish(&mut next, at, false)?,
            Action::Land(manifest) => {
                next.in_flight.remove(&manifest);
                next.create(manifest);
            }
            Action::Resolve(at) => self.resolve(&mut next, at)?,
            Action::CheckBoundary(at) => self.check_boundary(&mut next, at)?,
            Action::MoveBoundary(at) => next.boundary = next.boundary.max(self.boundary_of(&next.nodes[at])),
            Action::DeleteManifests(at) => {
                let known = self.boundary_of(&next.nodes[at]);
                let below =
                    if self.rules.boundary_before_deletion { next.boundary.min(known) } else { known };
                next.manifests.retain(|manifest| manifest.version >= below);
            }
            Action::FindGarbage(at) => self.find_garbage(&mut next, at),
            Action::DeleteFiles(at) => {
                let garbage = std::mem::take(&mut next.nodes[at].garbage);
                next.files.retain(|file| !garbage.contains(file));
            }
            Action::TrimLog(at) => {
                let node = &next.nodes[at];
                let older = self.retained > 1 && self.rules.log_kept_for_retained;
                let kept = if older { node.watermark_before } else { node.base.watermark };
                // Else a manifest that is retained still needs what is to go.
                if next.boundary < self.boundary_of(node) {
                    return None;
                }
                next.trimmed = next.trimmed.max(kept);
            }
        }
        (next != *last).then_some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(NOTHING_REACHABLE_IS_DELETED, |_: &Self, state: &State| {
                let newest = state.newest();
                newest.files.is_subset(&state.files) && state.trimmed <= newest.watermark
            }),
            Property::always(RETAINED_MANIFESTS_CAN_BE_REPLAYED, |_: &Self, state: &State| {
                let mut retained =
                    state.manifests.iter().filter(|manifest| manifest.version >= state.boundary);
                retained.all(|manifest| state.trimmed <= manifest.watermark)
            }),
            Property::sometimes(
                "a zombie's publish fills a name that was freed",
                |_: &Self, state: &State| {
                    state
                        .manifests
                        .iter()
                        .any(|manifest| manifest.version < state.boundary && manifest.epoch == 1)
                        && state.nodes[1].base.version > 2
                },
            ),
            Property::sometimes("files and records are gone", |_: &Self, state: &State| {
                state.trimmed == RECORDS
                    && state.nodes[0].puts > 0
                    && !state.files.contains(&(1, 1))
                    && state.newest().version > 2
            }),
        ]
    }
}

impl CollectGarbage {
    /// With a manifest that names what the base names, or what was adopted.
    fn take_over(&self, next: &mut State, adopt: bool) -> Option<()> {
        let base = next.newest();
        let mut publish = Manifest { version: base.version + 1, epoch: 2, ..base.clone() };
        if publish.version > self.versions {
            return None;
        }
        if adopt {
            let fetched = next.fetched.clone()?;
            publish.watermark = fetched.watermark;
            publish.files = fetched.files;
            if self.rules.adopted_files_get_own_names {
                publish.files = BTreeSet::from([self.put_file(next, 1, publish.version)]);
            }
        }
        let node = &mut next.nodes[1];
        node.role = Role::Opening;
        node.watermark_before = base.watermark;
        node.base = base;
        next.offer(1, publish);
        Some(())
    }

    fn begin_publish(&self, next: &mut State, at: usize, flush: bool) -> Option<()> {
        let node = &next.nodes[at];
        let (version, epoch) = (node.base.version + 1, at as u8 + 1);
        if node.publish.is_some() || version > self.versions {
            return None;
        }
        let watermark = if flush { RECORDS } else { node.base.watermark };
        let put = (watermark > 0).then(|| self.put_file(next, at, version));
        let files = put.into_iter().collect();
        next.offer(at, Manifest { version, epoch, watermark, files });
        Some(())
    }

    /// Files are durable before the manifest that names them is sent.
    fn put_file(&self, next: &mut State, at: usize, version: usize) -> File {
        let node = &mut next.nodes[at];
        node.puts += 1;
        let file = (at as u8 + 1, if self.rules.file_names_are_new { node.puts } else { version });
        next.files.insert(file);
        file
    }

    /// One more PUT, this time with an answer. Who is only about to become the owner tries again upon the
    /// newest.
    fn resolve(&self, next: &mut State, at: usize) -> Option<()> {
        let publish = next.nodes[at].publish.clone().filter(|_| !next.nodes[at].created)?;
        next.create(publish.clone());
        if next.manifests.contains(&publish) {
            next.nodes[at].created = true;
            if !self.rules.publisher_checks_boundary {
                next.nodes[at].believe();
            }
            return Some(());
        }
        let node = &mut next.nodes[at];
        node.publish = None;
        node.role = if node.role == Role::Opening { Role::Idle } else { Role::Deposed };
        Some(())
    }

    fn check_boundary(&self, next: &mut State, at: usize) -> Option<()> {
        let boundary = next.boundary;
        let node = &mut next.nodes[at];
        let publish = node.publish.as_ref().filter(|_| node.created)?;
        if publish.version < boundary {
            node.role = Role::Deposed;
        } else {
            node.believe();
        }
        Some(())
    }

    fn boundary_of(&self, node: &Node) -> usize {
        (node.base.version + 1).saturating_sub(self.retained).max(1)
    }

    fn find_garbage(&self, next: &mut State, at: usize) {
        let node = &next.nodes[at];
        let mut named: BTreeSet<File> =
            next.manifests.iter().flat_map(|manifest| manifest.files.clone()).collect();
        if self.rules.spare_unresolved_publish {
            named.extend(node.publish.iter().flat_map(|manifest| &manifest.files));
        }
        let epoch_max = if self.rules.only_own_and_earlier_epochs { at as u8 + 1 } else { u8::MAX };
        let garbage = next.files.iter().filter(|file| file.0 <= epoch_max && !named.contains(*file));
        next.nodes[at].garbage = garbage.copied().collect();
    }
}

impl Node {
    fn believe(&mut self) {
        if let Some(publish) = self.publish.take() {
            self.watermark_before = self.base.watermark;
            self.base = publish;
            self.created = false;
            self.role = Role::Owner;
        }
    }
}

impl State {
    /// The manifest of the highest version: what readers and the next owner take.
    fn newest(&self) -> Manifest {
        self.manifests.last().expect("the newest manifest is never deleted").clone()
    }

    fn offer(&mut self, at: usize, publish: Manifest) {
        self.in_flight.insert(publish.clone());
        self.nodes[at].publish = Some(publish);
    }

    fn create(&mut self, manifest: Manifest) {
        if self.manifests.iter().all(|other| other.version != manifest.version) {
            self.manifests.insert(manifest);
        }
    }
}
