//! Splitting a shard: the seal that ends the parent's log, children that begin where it ends, updates that
//! are re-sent across the cut-over, and a search that meets it.
//!
//! Two owners of the parent, of which the first may be a zombie; a manifest that the first publishes. The
//! children's own logs are `append`'s and `takeover`'s: here what a child appends is durable at once. Two
//! documents, one for each child. An answer that got lost is a re-send: the parts of an update may arrive
//! anywhere, at any time, any number of times.

use std::collections::BTreeSet;

use stateright::{Model, Property};

use crate::check::ProtocolModel;
use crate::promise::*;
use crate::rules::rules;

rules! { Split {
    /// Behind a seal that it has offered the parent's owner offers nothing.
    seal_ends_the_log => NOTHING_ACKNOWLEDGED_IS_LOST,
    /// A replay that meets a seal does not open the parent for writing.
    replay_keeps_the_seal => NOTHING_ACKNOWLEDGED_IS_LOST,
    /// No manifest has a watermark above a seal: a replay from there would not meet it.
    watermark_stays_below_the_seal => NOTHING_ACKNOWLEDGED_IS_LOST,
    /// A seal counts when every slot below it is durable, too.
    children_behind_a_durable_seal => NOTHING_ACKNOWLEDGED_IS_LOST,
    /// A child begins with all that the log has below the seal, not with the snapshot that it was built from.
    children_replay_to_the_seal => NOTHING_ACKNOWLEDGED_IS_LOST,
    /// Whoever meets a sealed parent finishes the cut-over, not only the owner that sealed it.
    anyone_finishes => NO_SPLIT_IS_STUCK,
    /// An owner applies no id outside its range, whoever sends it.
    owner_checks_range => NOTHING_ACKNOWLEDGED_IS_LOST,
    /// A child begins with the parent's batch ids and how many operations of each are logged.
    children_keep_batch_ids => NOTHING_IS_APPLIED_TWICE,
    /// A child's epochs begin above the parent's, so that the position in a re-send can be compared with what
    /// the child forgot.
    child_epochs_above_the_parents => NOTHING_IS_APPLIED_TWICE,
    /// An operation that is re-sent to a child keeps the number that it had in the part for the parent.
    operations_keep_their_numbers => NOTHING_ACKNOWLEDGED_IS_LOST,
    /// A child's versions begin above the parent's highest.
    versions_above_the_parents => VERSIONS_ONLY_GROW,
    /// A search asks the shards of one version of the cluster's state.
    search_with_one_state => A_SEARCH_SEES_EACH_DOCUMENT_ONCE,
}}

/// Records and seals that an owner may have offered and not resolved.
const WINDOW: usize = 2;
/// The shard of a document's half of the range: 0 or 1.
type Half = usize;

pub struct Split {
    rules: Rules,
    batches: u8,
    slots: usize,
}

/// One operation of a batch; its number counts from 0 in the part that went to the parent.
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq, PartialOrd, Ord)]
pub struct Operation {
    batch: u8,
    number: usize,
}

#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq)]
enum LogObject {
    Record(Operation),
    Seal,
    Fence,
}

#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq)]
enum Role {
    /// The second owner before its take-over.
    Idle,
    Owner,
    /// Crashed, deposed, or told by its replay that the parent is sealed. What it has offered may still land.
    Gone,
}

/// An owner of the parent and the log of its epoch.
#[derive(Clone, Debug, Hash, PartialEq, Eq)]
struct Opening {
    role: Role,
    log: Vec<Option<LogObject>>,
    /// Slots that it knows to be durable.
    resolved: usize,
    /// For the slots behind these.
    offered: Vec<LogObject>,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq)]
struct Child {
    /// What it took of the parent, each with its version.
    base: Vec<(Operation, usize)>,
    /// By batch: the operations that the parent had logged of it.
    inherited: Vec<usize>,
    version_highest: usize,
    log: Vec<Operation>,
    /// Operations whose batch id the child knows no longer.
    forgotten: BTreeSet<Operation>,
}

#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq)]
enum Shard {
    Parent,
    Child(Half),
}

#[derive(Clone, Debug, Hash, PartialEq, Eq)]
struct Search {
    /// The state that it began with names the children.
    names_children: bool,
    asked: Vec<Shard>,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq)]
pub struct State {
    openings: [Opening; 2],
    /// Slots of the first epoch that the newest manifest has.
    watermark: usize,
    children: [Option<Child>; 2],
    /// The cluster's state names the children instead of the parent.
    names_children: bool,
    acknowledged: BTreeSet<Operation>,
    search: Option<Search>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// A part arrives at an owner of the parent, which logs one operation more of it.
    SendToParent {
        owner: usize,
        batch: u8,
    },
    /// The same part, sent to a child: its operations for the half, if all who send know what that is.
    SendToChild {
        half: Half,
        batch: u8,
    },
    Seal(usize),
    Land {
        owner: usize,
        slot: usize,
    },
    Resolve(usize),
    Flush,
    /// The second owner fences the first one's epoch and replays.
    TakeOver,
    Crash(usize),
    /// Somebody who has met the seal creates a child's first manifest.
    CreateChild(Half),
    /// A child drops the batch id of what its own log has.
    Forget(Half),
    /// Somebody who finds the children complete changes the cluster's state.
    PublishState,
    Search,
    /// The search asks the shard of its next half.
    Ask,
}

impl ProtocolModel for Split {
    type Rules = Rules;
    const NAME: &'static str = "split";

    fn small(rules: Rules) -> Self {
        Self { rules, batches: 2, slots: 3 }
    }

    fn large(rules: Rules) -> Self {
        Self { rules, batches: 3, slots: 4 }
    }
}

impl Model for Split {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        let opening = |role| Opening { role, log: vec![None; self.slots], resolved: 0, offered: Vec::new() };
        vec![State {
            openings: [opening(Role::Owner), opening(Role::Idle)],
            watermark: 0,
            children: [None, None],
            names_children: false,
            acknowledged: BTreeSet::new(),
            search: None,
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        for (owner, opening) in state.openings.iter().enumerate() {
            let unresolved = opening.resolved..opening.resolved + opening.offered.len();
            actions.extend(unresolved.map(|slot| Action::Land { owner, slot }));
            if opening.role == Role::Owner {
                actions.extend((0..self.batches).map(|batch| Action::SendToParent { owner, batch }));
                actions.extend([Action::Seal(owner), Action::Resolve(owner), Action::Crash(owner)]);
            }
        }
        for half in [0, 1] {
            actions.extend([Action::CreateChild(half), Action::Forget(half)]);
            actions.extend((0..self.batches).map(|batch| Action::SendToChild { half, batch }));
        }
        actions.extend([Action::Flush, Action::TakeOver, Action::PublishState, Action::Search, Action::Ask]);
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut next = last.clone();
        match action {
            Action::SendToParent { owner, batch } => self.send_to_parent(&mut next, owner, batch)?,
            Action::SendToChild { half, batch } => self.send_to_child(&mut next, half, batch)?,
            Action::Seal(owner) => self.offer(&mut next.openings[owner], LogObject::Seal)?,
            Action::Land { owner, slot } => {
                next.openings[owner].create(slot);
            }
            Action::Resolve(owner) => next.resolve(owner)?,
            Action::Flush => self.flush(&mut next)?,
            Action::TakeOver => self.take_over(&mut next)?,
            Action::Crash(owner) => next.openings[owner].role = Role::Gone,
            Action::CreateChild(half) => self.create_child(&mut next, half)?,
            Action::Forget(half) => next.children[half].as_mut()?.forget(),
            Action::PublishState => next.names_children = next.children.iter().all(Option::is_some),
            Action::Search if next.search.is_none() => {
                let names_children = next.names_children;
                next.search = Some(Search { names_children, asked: Vec::new() });
            }
            Action::Search => return None,
            Action::Ask => self.ask(&mut next)?,
        }
        (next != *last).then_some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(NOTHING_ACKNOWLEDGED_IS_LOST, |_: &Self, state: &State| {
                let truth = state.truth();
                state.acknowledged.iter().all(|one| truth[half_of(*one)].iter().any(|(had, _)| had == one))
            }),
            Property::always(NOTHING_IS_APPLIED_TWICE, |_: &Self, state: &State| {
                state.truth().iter().all(|half| {
                    half.iter().map(|(operation, _)| operation).collect::<BTreeSet<_>>().len() == half.len()
                })
            }),
            Property::always(VERSIONS_ONLY_GROW, |_: &Self, state: &State| {
                state.truth().iter().all(|half| half.windows(2).all(|pair| pair[0].1 < pair[1].1))
            }),
            Property::always(NO_SPLIT_IS_STUCK, |model: &Self, state: &State| {
                state.sealed_at().is_none() || model.can_be_finished(state)
            }),
            Property::always(A_SEARCH_SEES_EACH_DOCUMENT_ONCE, |_: &Self, state: &State| {
                !state.search.as_ref().is_some_and(|search| state.sees_twice(search))
            }),
            Property::sometimes("a zombie's seal is behind a fence", |_: &Self, state: &State| {
                let first = &state.openings[0];
                first.log.contains(&Some(LogObject::Seal)) && state.sealed_at().is_none()
            }),
            Property::sometimes("a crash inside the cut-over", |_: &Self, state: &State| {
                let gone = state.openings.iter().all(|opening| opening.role == Role::Gone);
                gone && state.children.iter().flatten().count() == 1
            }),
            Property::sometimes("a child goes on with half a part", |_: &Self, state: &State| {
                let goes_on = |child: &Child| child.inherited[0] == 1 && !child.log.is_empty();
                state.children.iter().flatten().any(goes_on)
            }),
            Property::sometimes("both children have forgotten a batch", |_: &Self, state: &State| {
                let forgot = |child: &Child| !child.forgotten.is_empty();
                state.names_children && state.children.iter().flatten().all(forgot)
            }),
            Property::sometimes("a search ends with the state before", |_: &Self, state: &State| {
                let before = |search: &Search| !search.names_children && search.asked.len() == 2;
                state.names_children && state.search.as_ref().is_some_and(before)
            }),
        ]
    }
}

impl Split {
    /// What is logged already is answered; else the next operation is offered.
    fn send_to_parent(&self, next: &mut State, owner: usize, batch: u8) -> Option<()> {
        let number = next.operations_at(owner).iter().filter(|one| one.batch == batch).count();
        if number < operations_of(batch) {
            return self.offer(&mut next.openings[owner], LogObject::Record(Operation { batch, number }));
        }
        let offered = &next.openings[owner].offered;
        let pending = offered.iter().any(|one| matches!(one, LogObject::Record(of) if of.batch == batch));
        if pending {
            return None;
        }
        next.acknowledged.extend((0..number).map(|number| Operation { batch, number }));
        Some(())
    }

    fn offer(&self, opening: &mut Opening, object: LogObject) -> Option<()> {
        let seal = Some(LogObject::Seal);
        let sealed =
            opening.log[..opening.resolved].contains(&seal) || opening.offered.contains(&LogObject::Seal);
        let again = sealed && (self.rules.seal_ends_the_log || object == LogObject::Seal);
        // The last slot is kept free for a fence: the model's bound.
        let full = opening.resolved + opening.offered.len() == self.slots - 1;
        if again || full || opening.offered.len() == WINDOW {
            return None;
        }
        opening.offered.push(object);
        Some(())
    }

    fn send_to_child(&self, next: &mut State, half: Half, batch: u8) -> Option<()> {
        let child = next.children[half].as_mut()?;
        let all = (0..operations_of(batch)).map(|number| Operation { batch, number });
        let part = all.filter(|one| half_of(*one) == half || !self.rules.owner_checks_range);
        // Sent first before the cut-over: the position that the part names is one of the parent's.
        if !child.forgotten.is_empty() && self.rules.child_epochs_above_the_parents {
            return None;
        }
        for (renumbered, operation) in part.enumerate() {
            let keeps = self.rules.operations_keep_their_numbers;
            let number = if keeps { operation.number } else { renumbered };
            if number >= child.inherited[usize::from(batch)] && !child.knows(operation) {
                child.log.push(operation);
            }
            next.acknowledged.insert(operation);
        }
        Some(())
    }

    /// The first owner publishes a manifest of what it has.
    fn flush(&self, next: &mut State) -> Option<()> {
        let Opening { role, log, resolved, .. } = &next.openings[0];
        if *role != Role::Owner || next.openings[1].role != Role::Idle {
            return None;
        }
        let had = &log[..*resolved];
        let seal = had.iter().position(|object| *object == Some(LogObject::Seal));
        let below = seal.filter(|_| self.rules.watermark_stays_below_the_seal);
        next.watermark = below.unwrap_or(*resolved);
        Some(())
    }

    fn take_over(&self, next: &mut State) -> Option<()> {
        if next.openings[1].role != Role::Idle {
            return None;
        }
        let log = &mut next.openings[0].log;
        let fence = (next.watermark..self.slots).find(|slot| log[*slot].is_none())?;
        log[fence] = Some(LogObject::Fence);
        let sealed = log[next.watermark..fence].contains(&Some(LogObject::Seal));
        let opens = !sealed || !self.rules.replay_keeps_the_seal;
        next.openings[1].role = if opens { Role::Owner } else { Role::Gone };
        Some(())
    }

    /// Create-only: with all rules kept, all who finish would create the same.
    fn create_child(&self, next: &mut State, half: Half) -> Option<()> {
        let log = next.parent_log();
        let durable = next.sealed_at();
        let anywhere = next.openings.iter().any(|one| one.log.contains(&Some(LogObject::Seal)));
        let behind_a_hole = (anywhere && !self.rules.children_behind_a_durable_seal).then_some(log.len());
        let seal = durable.or(behind_a_hole)?;
        if next.children[half].is_some() || !(self.rules.anyone_finishes || next.sealer_lives()) {
            return None;
        }
        let has = if self.rules.children_replay_to_the_seal { seal } else { seal.min(next.watermark) };
        let records = records_of(&log[..has]);
        let logged = |batch| records.iter().filter(|one| one.batch == batch).count();
        let keeps = self.rules.children_keep_batch_ids;
        let inherited = (0..self.batches).map(|batch| if keeps { logged(batch) } else { 0 }).collect();
        let version_highest = if self.rules.versions_above_the_parents { records.len() } else { 0 };
        let base = versioned(&records, 0).filter(|(one, _)| half_of(*one) == half).collect();
        next.children[half] =
            Some(Child { base, inherited, version_highest, log: Vec::new(), forgotten: BTreeSet::new() });
        Some(())
    }

    fn ask(&self, next: &mut State) -> Option<()> {
        let now = next.names_children;
        let search = next.search.as_mut().filter(|search| search.asked.len() < 2)?;
        let names = if self.rules.search_with_one_state { search.names_children } else { now };
        let half = search.asked.len();
        search.asked.push(if names { Shard::Child(half) } else { Shard::Parent });
        Some(())
    }

    /// One who meets the seal now brings the cut-over to its end, even if nobody else does anything any more.
    fn can_be_finished(&self, state: &State) -> bool {
        let mut now = state.clone();
        for step in [Action::CreateChild(0), Action::CreateChild(1), Action::PublishState] {
            now = self.next_state(&now, step).unwrap_or(now);
        }
        now.names_children
    }
}

impl Opening {
    /// Create-only: whether the slot has what was offered for it.
    fn create(&mut self, slot: usize) -> bool {
        let offered = self.offered[slot - self.resolved];
        *self.log[slot].get_or_insert(offered) == offered
    }
}

impl Child {
    fn knows(&self, operation: Operation) -> bool {
        self.log.contains(&operation) && !self.forgotten.contains(&operation)
    }

    fn forget(&mut self) {
        self.forgotten.extend(&self.log);
    }
}

impl State {
    fn resolve(&mut self, owner: usize) -> Option<()> {
        let opening = &mut self.openings[owner];
        let offered = *opening.offered.first()?;
        if !opening.create(opening.resolved) {
            opening.role = Role::Gone;
            return Some(());
        }
        opening.offered.remove(0);
        opening.resolved += 1;
        if let LogObject::Record(operation) = offered {
            self.acknowledged.insert(operation);
        }
        Some(())
    }

    /// What both epochs hold in the order of the log, up to the first hole.
    fn parent_log(&self) -> Vec<LogObject> {
        let readable = |object: &Option<LogObject>| object.filter(|one| *one != LogObject::Fence);
        self.openings.iter().flat_map(|opening| opening.log.iter().map_while(readable)).collect()
    }

    /// Where one who replays from the newest manifest meets a seal.
    fn sealed_at(&self) -> Option<usize> {
        let log = self.parent_log();
        log.iter().position(|object| *object == LogObject::Seal).filter(|at| *at >= self.watermark)
    }

    fn sealer_lives(&self) -> bool {
        let sealed = |one: &Opening| one.log.contains(&Some(LogObject::Seal));
        self.openings.iter().any(|one| one.role == Role::Owner && sealed(one))
    }

    /// The operations that an owner of the parent knows: replayed, resolved and offered.
    fn operations_at(&self, owner: usize) -> Vec<Operation> {
        let opening = &self.openings[owner];
        let mut objects = if owner == 0 { Vec::new() } else { self.parent_log() };
        if owner == 0 {
            objects.extend(opening.log[..opening.resolved].iter().flatten());
        } else {
            // Of its own epoch some may have landed that it has not resolved.
            let own = opening.log.iter().take_while(|object| object.is_some()).count();
            objects.truncate(objects.len() - own + opening.resolved);
        }
        objects.extend(&opening.offered);
        records_of(&objects)
    }

    /// What is found for each half, in the order in which it was applied: in its child, or in the parent
    /// before that.
    fn truth(&self) -> [Vec<(Operation, usize)>; 2] {
        let parent = records_of(&self.parent_log());
        [0, 1].map(|half| match &self.children[half] {
            Some(child) => {
                let own = versioned(&child.log, child.version_highest);
                child.base.iter().copied().chain(own).filter(|(one, _)| half_of(*one) == half).collect()
            }
            None => versioned(&parent, 0).filter(|(one, _)| half_of(*one) == half).collect(),
        })
    }

    fn sees_twice(&self, search: &Search) -> bool {
        let taken = |half: Half| self.children[half].as_ref().is_some_and(|child| !child.base.is_empty());
        let child = search.asked.iter().any(|shard| matches!(shard, Shard::Child(half) if taken(*half)));
        child && search.asked.contains(&Shard::Parent)
    }
}

/// The first batch has an operation for each half, the others have one.
fn operations_of(batch: u8) -> usize {
    if batch == 0 { 2 } else { 1 }
}

fn half_of(operation: Operation) -> Half {
    (usize::from(operation.batch) + operation.number) % 2
}

fn records_of(log: &[LogObject]) -> Vec<Operation> {
    let record = |object: &LogObject| match object {
        LogObject::Record(operation) => Some(*operation),
        LogObject::Seal | LogObject::Fence => None,
    };
    log.iter().filter_map(record).collect()
}

/// Each record with its version; the first gets the one above `highest`.
fn versioned(records: &[Operation], highest: usize) -> impl Iterator<Item = (Operation, usize)> {
    records.iter().copied().zip(highest + 1..)
}
