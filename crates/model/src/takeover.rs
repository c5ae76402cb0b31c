//! Taking a shard over: epochs, fences, the manifest that makes a new owner, replay, adoption of a fetched
//! snapshot, and owners that do not know yet that they are none (zombies: processes that are paused, or cut
//! off).
//!
//! Within an epoch an owner offers one update at a time, since `append` holds the rest. An owner's publish
//! and the trimming of the log behind it are one step; `collect_garbage` takes them apart. A node that sends
//! no more is a zombie without a step of its own.

use std::collections::BTreeSet;

use stateright::{Model, Property};

use crate::check::ProtocolModel;
use crate::promise::*;
use crate::rules::rules;

rules! { Takeover {
    /// A new owner fences every epoch from that of the base's owner on, who fenced those before; not only the
    /// newest of them.
    fence_every_older_epoch => NOTHING_ACKNOWLEDGED_IS_LOST,
    /// A fence counts only above the watermark of the manifest that the new owner builds upon; else it fences
    /// again.
    fence_above_base_watermark => NOTHING_ACKNOWLEDGED_IS_LOST,
    /// Fences are never deleted, though records below the watermark are.
    fences_stay => NOTHING_ACKNOWLEDGED_IS_LOST,
    /// A manifest is created as the successor of the one it was built upon, or not at all.
    manifest_compare_and_set => NOTHING_ACKNOWLEDGED_IS_LOST,
    /// Who wants to own a shard and meets a manifest of a higher epoch is deposed.
    higher_epoch_deposes => UNKNOWN_IS_FOR_ALL_OR_NONE,
    /// A new owner serves only behind its own manifest.
    publish_before_opening => ORDER_IS_KEPT,
    /// A follower is given a snapshot when its watermark is durable.
    show_only_durable => READERS_SEE_ONLY_WHAT_IS_DURABLE,
    /// An owner that is deposed drops its engine's state.
    discard_when_deposed => UNKNOWN_IS_FOR_ALL_OR_NONE,
    /// Who adopts a snapshot replays from that snapshot's watermark, not from the manifest's.
    replay_above_the_adopted => NOTHING_IS_APPLIED_TWICE,
    /// A snapshot below the base's watermark is not adopted: the log between may be gone.
    adopt_not_below_base => NOTHING_ACKNOWLEDGED_IS_LOST,
}}

type Update = u8;
/// An epoch and a slot; epochs and slots begin at 1.
type Position = (usize, usize);

pub struct Takeover {
    rules: Rules,
    nodes: usize,
    epochs: usize,
    slots: usize,
    updates: u8,
}

#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq)]
enum LogObject {
    Record(Update),
    Fence,
}

/// What a manifest, an engine or a snapshot has: updates in the order of the log, and up to where they are
/// all there.
#[derive(Clone, Debug, Hash, PartialEq, Eq)]
struct Image {
    watermark: Position,
    updates: Vec<Update>,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq)]
struct Manifest {
    version: usize,
    /// Of the owner that published it.
    epoch: usize,
    image: Image,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq)]
enum Role {
    Idle,
    /// Has created the epoch, read that manifest, and put these fences: their slots, by epoch - 1.
    Sealing {
        epoch: usize,
        base: Manifest,
        fences: Vec<Option<usize>>,
    },
    /// `base` is the version of the manifest that the next one must follow.
    Owner {
        epoch: usize,
        base: usize,
        engine: Image,
        offered: Option<Update>,
    },
}

#[derive(Clone, Debug, Hash, PartialEq, Eq)]
struct Node {
    role: Role,
    /// Fetched from an owner.
    fetched: Option<Image>,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq)]
pub struct State {
    /// By epoch - 1 and slot - 1.
    log: Vec<Vec<Option<LogObject>>>,
    in_flight: BTreeSet<(Position, Update)>,
    /// The newest; its predecessors are of no use here.
    manifest: Manifest,
    nodes: Vec<Node>,
    /// For each update that was offered, how many were acknowledged before.
    offered_behind: Vec<usize>,
    /// In the order of acknowledgement.
    acknowledged: Vec<Update>,
    shown: BTreeSet<Update>,
    /// What an owner that serves was opened without: none, for ever.
    gone: BTreeSet<Update>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Creates the next epoch and reads the newest manifest.
    Contend(usize),
    /// Puts a fence into the first free slot of an epoch.
    Seal(usize, usize),
    /// Publishes the manifest that makes the node the owner, replays, and serves.
    Open {
        node: usize,
        adopt: bool,
    },
    Offer(usize),
    Land(Position, Update),
    Resolve(usize),
    /// An owner publishes what it has and trims the log.
    Flush(usize),
    /// A node fetches the snapshot of an owner.
    Fetch(usize, usize),
    Crash(usize),
}

impl ProtocolModel for Takeover {
    type Rules = Rules;
    const NAME: &'static str = "takeover";

    fn small(rules: Rules) -> Self {
        Self { rules, nodes: 2, epochs: 3, slots: 3, updates: 2 }
    }

    fn for_removal(rules: Rules) -> Self {
        Self { updates: 3, ..Self::small(rules) }
    }

    fn large(rules: Rules) -> Self {
        Self { rules, nodes: 3, epochs: 3, slots: 3, updates: 3 }
    }
}

impl Model for Takeover {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        let empty = Image { watermark: (1, 0), updates: Vec::new() };
        let mut nodes = vec![Node { role: Role::Idle, fetched: None }; self.nodes];
        nodes[0].role = Role::Owner { epoch: 1, base: 1, engine: empty.clone(), offered: None };
        vec![State {
            log: vec![vec![None; self.slots]],
            in_flight: BTreeSet::new(),
            manifest: Manifest { version: 1, epoch: 1, image: empty },
            nodes,
            offered_behind: Vec::new(),
            acknowledged: Vec::new(),
            shown: BTreeSet::new(),
            gone: BTreeSet::new(),
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        actions.extend(state.in_flight.iter().map(|(at, update)| Action::Land(*at, *update)));
        for (at, node) in state.nodes.iter().enumerate() {
            match &node.role {
                Role::Idle => {
                    if state.log.len() < self.epochs {
                        actions.push(Action::Contend(at));
                    }
                    let others = (0..self.nodes).filter(|other| *other != at);
                    actions.extend(others.map(|other| Action::Fetch(at, other)));
                }
                Role::Sealing { epoch, fences, .. } => {
                    let open = (1..*epoch).filter(|older| fences[older - 1].is_none());
                    actions.extend(open.map(|older| Action::Seal(at, older)));
                    actions.extend([false, true].map(|adopt| Action::Open { node: at, adopt }));
                    actions.push(Action::Crash(at));
                }
                Role::Owner { offered, .. } => {
                    actions.push(if offered.is_some() { Action::Resolve(at) } else { Action::Offer(at) });
                    actions.extend([Action::Flush(at), Action::Crash(at)]);
                }
            }
        }
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut next = last.clone();
        match action {
            Action::Contend(at) => self.contend(&mut next, at),
            Action::Seal(at, epoch) => self.seal(&mut next, at, epoch)?,
            Action::Open { node, adopt } => self.open(&mut next, node, adopt)?,
            Action::Offer(at) => self.offer(&mut next, at)?,
            Action::Land(position, update) => {
                next.in_flight.remove(&(position, update));
                next.create(position, LogObject::Record(update));
            }
            Action::Resolve(at) => self.resolve(&mut next, at)?,
            Action::Flush(at) => self.flush(&mut next, at)?,
            Action::Fetch(at, from) => self.fetch(&mut next, at, from)?,
            Action::Crash(at) => next.nodes[at] = Node { role: Role::Idle, fetched: None },
        }
        (next != *last).then_some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(NOTHING_ACKNOWLEDGED_IS_LOST, |_: &Self, state: &State| {
                let truth = state.truth();
                state.acknowledged.iter().all(|update| truth.contains(update))
            }),
            Property::always(UNKNOWN_IS_FOR_ALL_OR_NONE, |_: &Self, state: &State| {
                !state.truth().iter().any(|update| state.gone.contains(update))
            }),
            Property::always(NOTHING_IS_APPLIED_TWICE, |_: &Self, state: &State| {
                let truth = state.truth();
                truth.iter().collect::<BTreeSet<_>>().len() == truth.len()
            }),
            Property::always(ORDER_IS_KEPT, |_: &Self, state: &State| state.keeps_order()),
            Property::always(READERS_SEE_ONLY_WHAT_IS_DURABLE, |_: &Self, state: &State| {
                let truth = state.truth();
                state.shown.iter().all(|update| truth.contains(update))
            }),
            Property::sometimes("a fence fills a slot that was trimmed", |_: &Self, state: &State| {
                let (epoch, slot) = state.manifest.image.watermark;
                state.log[epoch - 1][..slot].contains(&Some(LogObject::Fence))
            }),
            Property::sometimes("updates of two owners are durable", |model: &Self, state: &State| {
                state.log.len() == model.epochs && state.acknowledged.len() == 2 && state.manifest.epoch == 3
            }),
            Property::sometimes("two take-overs at once", |_: &Self, state: &State| {
                state.nodes.iter().filter(|node| matches!(node.role, Role::Sealing { .. })).count() > 1
            }),
        ]
    }
}

impl Takeover {
    fn contend(&self, next: &mut State, at: usize) {
        next.log.push(vec![None; self.slots]);
        let epoch = next.log.len();
        let mut fences = vec![None; epoch - 1];
        if !self.rules.fence_every_older_epoch {
            // Left to those who came between.
            fences[..epoch - 2].fill(Some(self.slots));
        }
        next.nodes[at].role = Role::Sealing { epoch, base: next.manifest.clone(), fences };
    }

    /// A fence that is met in the first slot without a record is as good as one's own.
    fn seal(&self, next: &mut State, at: usize, older: usize) -> Option<()> {
        let Role::Sealing { base, .. } = &next.nodes[at].role else { return None };
        let watermark = base.image.watermark;
        let from = if watermark.0 == older { watermark.1 } else { 0 };
        let record = |slot: &usize| matches!(next.log[older - 1][*slot], Some(LogObject::Record(_)));
        let slot = (from..self.slots).find(|slot| !record(slot))? + 1;
        next.create((older, slot), LogObject::Fence);
        let Role::Sealing { fences, .. } = &mut next.nodes[at].role else { return None };
        fences[older - 1] = Some(slot);
        Some(())
    }

    /// With a base that is not the newest any more, the node takes the newest instead, and serves at another
    /// try.
    fn open(&self, next: &mut State, at: usize, adopt: bool) -> Option<()> {
        let node = next.nodes[at].clone();
        let Role::Sealing { epoch, base, fences } = node.role else { return None };
        let stale = base.version != next.manifest.version;
        if stale && self.rules.manifest_compare_and_set && self.rules.publish_before_opening {
            return self.rebase(next, at);
        }
        // Earlier ones have their fences: the base's owner put them before it published, above a base whose
        // successor that is, and nobody trims beyond a fence.
        let mut needed = base.epoch..epoch;
        if needed.any(|older| fences[older - 1].is_none()) {
            return None;
        }
        let mut image = base.image.clone();
        if adopt {
            image = node.fetched?;
            if image.watermark < base.image.watermark && self.rules.adopt_not_below_base {
                return None;
            }
        }
        let from = if self.rules.replay_above_the_adopted { image.watermark } else { base.image.watermark };
        let mut engine = image.clone();
        engine.updates.extend(next.replay(from, epoch));
        engine.watermark = (epoch, 0);
        if self.rules.publish_before_opening {
            next.publish(epoch, image);
        }
        next.gone.extend(
            (0..next.offered_behind.len() as Update).filter(|update| !engine.updates.contains(update)),
        );
        let base = next.manifest.version;
        next.nodes[at] = Node { role: Role::Owner { epoch, base, engine, offered: None }, fetched: None };
        Some(())
    }

    fn rebase(&self, next: &mut State, at: usize) -> Option<()> {
        let newest = next.manifest.clone();
        let (newest_epoch, watermark) = (newest.epoch, newest.image.watermark);
        let Role::Sealing { epoch, base, fences } = &mut next.nodes[at].role else { return None };
        if newest_epoch > *epoch && self.rules.higher_epoch_deposes {
            next.nodes[at].role = Role::Idle;
            return Some(());
        }
        *base = newest;
        if let Some(fence) = fences.get_mut(watermark.0 - 1) {
            let below = fence.is_some_and(|slot| slot <= watermark.1);
            if below && self.rules.fence_above_base_watermark {
                *fence = None;
            }
        }
        Some(())
    }

    fn offer(&self, next: &mut State, at: usize) -> Option<()> {
        let update = next.offered_behind.len() as Update;
        let Role::Owner { epoch, engine, offered, .. } = &mut next.nodes[at].role else { return None };
        let position = (*epoch, engine.watermark.1 + 1);
        // The last slot is kept free for a fence: the model's bound.
        if update == self.updates || position.1 == self.slots {
            return None;
        }
        *offered = Some(update);
        next.in_flight.insert((position, update));
        next.offered_behind.push(next.acknowledged.len());
        Some(())
    }

    fn resolve(&self, next: &mut State, at: usize) -> Option<()> {
        let Role::Owner { epoch, engine, offered, .. } = &next.nodes[at].role else { return None };
        let (update, position) = ((*offered)?, (*epoch, engine.watermark.1 + 1));
        if next.create(position, LogObject::Record(update)) != LogObject::Record(update) {
            self.depose(next, at);
            return Some(());
        }
        let Role::Owner { engine, offered, .. } = &mut next.nodes[at].role else { return None };
        take_in(engine, position, update);
        *offered = None;
        next.acknowledged.push(update);
        Some(())
    }

    fn flush(&self, next: &mut State, at: usize) -> Option<()> {
        let Role::Owner { epoch, base, .. } = next.nodes[at].role else { return None };
        if base != next.manifest.version && self.rules.manifest_compare_and_set {
            self.depose(next, at);
            return Some(());
        }
        let image = next.image_of(at, true)?;
        if image == next.manifest.image {
            return None;
        }
        next.publish(epoch, image);
        next.trim(!self.rules.fences_stay);
        let newest = next.manifest.version;
        let Role::Owner { base, .. } = &mut next.nodes[at].role else { return None };
        *base = newest;
        Some(())
    }

    fn fetch(&self, next: &mut State, at: usize, from: usize) -> Option<()> {
        let image = next.image_of(from, self.rules.show_only_durable)?;
        if next.nodes[at].fetched.as_ref().is_some_and(|had| had.watermark >= image.watermark) {
            return None;
        }
        next.shown.extend(&image.updates);
        next.nodes[at].fetched = Some(image);
        Some(())
    }

    fn depose(&self, next: &mut State, at: usize) {
        let fetched = if self.rules.discard_when_deposed { None } else { next.image_of(at, false) };
        next.nodes[at] = Node { role: Role::Idle, fetched };
    }
}

impl State {
    /// Create-only: what is there afterwards.
    fn create(&mut self, (epoch, slot): Position, object: LogObject) -> LogObject {
        *self.log[epoch - 1][slot - 1].get_or_insert(object)
    }

    fn publish(&mut self, epoch: usize, image: Image) {
        self.manifest = Manifest { version: self.manifest.version + 1, epoch, image };
    }

    /// Deletes the records that the newest manifest has.
    fn trim(&mut self, fences_too: bool) {
        let (epoch, slot) = self.manifest.image.watermark;
        for (at, slots) in self.log.iter_mut().enumerate().take(epoch) {
            let below = if at + 1 < epoch { slots.len() } else { slot };
            for object in &mut slots[..below] {
                if fences_too || *object != Some(LogObject::Fence) {
                    *object = None;
                }
            }
        }
    }

    /// The records above `from` in the epochs below `end`, each up to its fence.
    fn replay(&self, from: Position, end: usize) -> Vec<Update> {
        let mut updates = Vec::new();
        for epoch in from.0..end {
            let below = if epoch == from.0 { from.1 } else { 0 };
            for object in &self.log[epoch - 1][below..] {
                let Some(LogObject::Record(update)) = object else { break };
                updates.push(*update);
            }
        }
        updates
    }

    /// What an opening that begins now would find.
    fn truth(&self) -> Vec<Update> {
        let Image { watermark, mut updates } = self.manifest.image.clone();
        updates.extend(self.replay(watermark, self.log.len() + 1));
        updates
    }

    /// What was acknowledged before an update was offered stands before it.
    fn keeps_order(&self) -> bool {
        let truth = self.truth();
        truth.iter().enumerate().all(|(at, update)| {
            let before = &self.acknowledged[..self.offered_behind[usize::from(*update)]];
            !truth[at..].iter().any(|later| before.contains(later))
        })
    }

    /// What an owner has: all that is durable, or that and what it has offered.
    fn image_of(&self, at: usize, durable: bool) -> Option<Image> {
        let Role::Owner { epoch, engine, offered, .. } = &self.nodes[at].role else { return None };
        let mut image = engine.clone();
        if let Some(update) = offered.filter(|_| !durable) {
            take_in(&mut image, (*epoch, engine.watermark.1 + 1), update);
        }
        Some(image)
    }
}

fn take_in(image: &mut Image, position: Position, update: Update) {
    image.updates.push(update);
    image.watermark = position;
}
