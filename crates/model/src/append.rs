//! Appending to one epoch's log on an object store: slots, group commits, PUTs that arrive late or twice,
//! answers that get lost, and the fence of a next owner. What becomes of an update here is one of three:
//! durable, refused, unknown.
//!
//! One opening appends, keeping some slots in flight at once; at any moment a next owner may fence its log
//! and replay it. A 5xx or a time-out is an answer that never came: the PUT may have landed or may land
//! later. S3's 409 and a 404 of the look that follows `AlreadyExists` mean that nothing was learnt, so they
//! are no steps of their own.

use std::collections::BTreeSet;

use stateright::{Model, Property};

use crate::check::ProtocolModel;
use crate::promise::*;
use crate::rules::rules;

rules! { Append {
    /// A PUT succeeds only where nothing is.
    create_only => NOTHING_ACKNOWLEDGED_IS_LOST,
    /// `AlreadyExists` with other bytes than one's own means deposed; never success.
    foreign_bytes_depose => NOTHING_ACKNOWLEDGED_IS_LOST,
    /// `AlreadyExists` with one's own bytes means that an earlier try landed: success, not failure.
    own_bytes_are_success => NOTHING_REFUSED_APPEARS,
    /// A group that was offered stays in its slot until that slot is resolved.
    same_slot_until_resolved => NOTHING_IS_APPLIED_TWICE,
    /// A slot is offered the same bytes each time; updates that came since wait for the next slot.
    identical_bytes => NOTHING_ACKNOWLEDGED_IS_LOST,
    /// A slot is acknowledged when it and all below it are durable.
    acknowledge_in_order => NOTHING_ACKNOWLEDGED_IS_LOST,
    /// What was offered and is not resolved in the client's time is reported as unknown, not as refused.
    offered_is_never_refused => NOTHING_REFUSED_APPEARS,
    /// A snapshot is shown when its watermark is durable.
    show_only_durable => READERS_SEE_ONLY_WHAT_IS_DURABLE,
    /// A new owner fences the first free slot, not the first one behind what a listing shows.
    fence_in_first_free_slot => NOTHING_ACKNOWLEDGED_IS_LOST,
    /// A replay ends at the fence; what lies behind it, put there out of order, never was and never will be.
    replay_ends_at_fence => UNKNOWN_IS_FOR_ALL_OR_NONE,
}}

/// The number of an update, in the order in which the owner took them.
type Update = u8;
/// What one slot holds: the updates of one group commit.
type Group = Vec<Update>;

pub struct Append {
    rules: Rules,
    updates: u8,
    slots: usize,
    /// Slots that may be unresolved at once.
    window: usize,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq)]
pub enum LogObject {
    Records(Group),
    Fence,
}

/// What the client was told.
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq)]
pub enum Outcome {
    Waiting,
    Durable,
    Refused,
    Unknown,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq)]
pub struct State {
    log: Vec<Option<LogObject>>,
    /// PUTs that were sent and may still arrive. One that was answered may have been sent before, too.
    in_flight: BTreeSet<(usize, Group)>,
    /// The owner's groups by slot, and whether it knows them to be durable; `None` once deposed or dead.
    owner: Option<Vec<(Group, bool)>>,
    /// By update.
    told: Vec<Outcome>,
    /// What some reader has been shown.
    shown: BTreeSet<Update>,
    /// What the next owner replayed when it had fenced.
    adopted: Option<Group>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// There is no room: an update is told so and not offered.
    Refuse,
    /// An update is put into the next slot.
    Offer,
    /// An update joins the group of a slot that was offered already (against the rules).
    Join(usize),
    /// A group is offered to another slot because its own does not answer (against the rules).
    Skip(usize),
    /// A PUT arrives, and its answer gets lost.
    Land(usize, Group),
    /// The owner offers a slot again and gets the store's answer.
    Resolve(usize),
    /// A client waits no longer for the updates of a slot.
    GiveUp(usize),
    Refresh,
    /// The process ends; its PUTs do not.
    Crash,
    /// The next owner fences the log and replays it.
    Fence,
}

impl ProtocolModel for Append {
    type Rules = Rules;
    const NAME: &'static str = "append";

    fn small(rules: Rules) -> Self {
        Self { rules, updates: 3, slots: 4, window: 2 }
    }

    fn large(rules: Rules) -> Self {
        Self { rules, updates: 5, slots: 6, window: 3 }
    }
}

impl Model for Append {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![State {
            log: vec![None; self.slots],
            in_flight: BTreeSet::new(),
            owner: Some(Vec::new()),
            told: Vec::new(),
            shown: BTreeSet::new(),
            adopted: None,
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        actions.extend(state.in_flight.iter().map(|(slot, group)| Action::Land(*slot, group.clone())));
        if state.adopted.is_none() {
            actions.push(Action::Fence);
        }
        let Some(groups) = &state.owner else { return };
        actions.extend([Action::Crash, Action::Refresh]);
        let unresolved: Vec<usize> = (0..groups.len()).filter(|slot| !groups[*slot].1).collect();
        let room = unresolved.len() < self.window && groups.len() < self.slots;
        if state.told.len() < usize::from(self.updates) {
            actions.push(if room { Action::Offer } else { Action::Refuse });
        }
        for slot in unresolved {
            actions.extend([Action::Resolve(slot), Action::GiveUp(slot)]);
            if !self.rules.identical_bytes && state.told.len() < usize::from(self.updates) {
                actions.push(Action::Join(slot));
            }
            if !self.rules.same_slot_until_resolved && room {
                actions.push(Action::Skip(slot));
            }
        }
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut next = last.clone();
        match action {
            Action::Refuse => next.told.push(Outcome::Refused),
            Action::Offer => next.offer_next_slot(vec![next.told.len() as Update]),
            Action::Join(slot) => next.join(slot),
            Action::Skip(slot) => next.offer_next_slot(next.owner.as_ref()?[slot].0.clone()),
            Action::Land(slot, group) => self.land(&mut next, slot, group),
            Action::Resolve(slot) => self.resolve(&mut next, slot),
            Action::GiveUp(slot) => self.give_up(&mut next, slot),
            Action::Refresh => self.refresh(&mut next),
            Action::Crash => next.depose(),
            Action::Fence => self.fence(&mut next)?,
        }
        (next != *last).then_some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(NOTHING_ACKNOWLEDGED_IS_LOST, |model: &Self, state: &State| {
                let truth = model.truth(state);
                state.told_as(Outcome::Durable).all(|update| truth.contains(&update))
            }),
            Property::always(NOTHING_REFUSED_APPEARS, |model: &Self, state: &State| {
                let truth = model.truth(state);
                !state.told_as(Outcome::Refused).any(|update| truth.contains(&update))
            }),
            Property::always(UNKNOWN_IS_FOR_ALL_OR_NONE, |model: &Self, state: &State| {
                state.adopted.as_ref().is_none_or(|adopted| *adopted == model.replay(&state.log))
            }),
            Property::always(NOTHING_IS_APPLIED_TWICE, |model: &Self, state: &State| {
                let truth = model.truth(state);
                truth.iter().collect::<BTreeSet<_>>().len() == truth.len()
            }),
            Property::always(READERS_SEE_ONLY_WHAT_IS_DURABLE, |model: &Self, state: &State| {
                let truth = model.truth(state);
                state.shown.iter().all(|update| truth.contains(update))
            }),
            Property::sometimes("a fence fills a hole below a record", |_: &Self, state: &State| {
                let fence = state.log.iter().position(|object| *object == Some(LogObject::Fence));
                fence.is_some_and(|at| state.log[at..].iter().flatten().count() > 1)
            }),
            Property::sometimes("an unknown update turns out durable", |model: &Self, state: &State| {
                let adopted = state.adopted.is_some();
                adopted && state.told_as(Outcome::Unknown).any(|update| model.truth(state).contains(&update))
            }),
            Property::sometimes("an unknown update turns out to be none", |model: &Self, state: &State| {
                let adopted = state.adopted.is_some();
                adopted && state.told_as(Outcome::Unknown).any(|update| !model.truth(state).contains(&update))
            }),
        ]
    }
}

impl Append {
    fn land(&self, next: &mut State, slot: usize, group: Group) {
        next.in_flight.remove(&(slot, group.clone()));
        if next.log[slot].is_none() || !self.rules.create_only {
            next.log[slot] = Some(LogObject::Records(group));
        }
    }

    /// One more PUT of a slot, this time with an answer.
    fn resolve(&self, next: &mut State, slot: usize) {
        let Some(groups) = &mut next.owner else { return };
        let group = groups[slot].0.clone();
        if next.log[slot].is_none() || !self.rules.create_only {
            next.log[slot] = Some(LogObject::Records(group.clone()));
            groups[slot].1 = true;
        } else if next.log[slot].as_ref().is_some_and(|object| self.is_own(object, &group)) {
            groups[slot].1 = true;
            if !self.rules.own_bytes_are_success {
                next.tell(&group, Outcome::Refused);
            }
        } else if self.rules.foreign_bytes_depose {
            return next.depose();
        } else {
            groups[slot].1 = true;
        }
        self.acknowledge(next, slot);
    }

    fn is_own(&self, object: &LogObject, group: &Group) -> bool {
        match object {
            LogObject::Fence => false,
            LogObject::Records(found) if self.rules.identical_bytes => found == group,
            // A name for the group is not enough where its bytes may differ.
            LogObject::Records(found) => found.first() == group.first(),
        }
    }

    fn acknowledge(&self, next: &mut State, slot: usize) {
        let Some(groups) = next.owner.clone() else { return };
        let durable = groups.iter().take_while(|(_, resolved)| *resolved).count();
        for (at, (group, resolved)) in groups.iter().enumerate() {
            if at < durable || (!self.rules.acknowledge_in_order && at == slot && *resolved) {
                next.tell(group, Outcome::Durable);
            }
        }
    }

    fn give_up(&self, next: &mut State, slot: usize) {
        let Some(group) = next.owner.as_ref().map(|groups| groups[slot].0.clone()) else { return };
        let told = if self.rules.offered_is_never_refused { Outcome::Unknown } else { Outcome::Refused };
        next.tell(&group, told);
    }

    fn refresh(&self, next: &mut State) {
        let Some(groups) = &next.owner else { return };
        let cut = groups.iter().take_while(|(_, resolved)| *resolved || !self.rules.show_only_durable);
        let shown: Vec<Update> = cut.flat_map(|(group, _)| group.clone()).collect();
        next.shown.extend(shown);
    }

    /// `None` if the log has no slot left for a fence: the model's bound, not the protocol's.
    fn fence(&self, next: &mut State) -> Option<()> {
        let free = if self.rules.fence_in_first_free_slot {
            next.log.iter().position(Option::is_none)
        } else {
            Some(next.log.iter().rposition(Option::is_some).map_or(0, |last| last + 1))
        };
        *next.log.get_mut(free?)? = Some(LogObject::Fence);
        next.adopted = Some(self.replay(&next.log));
        Some(())
    }

    /// What an opening that begins now would find.
    fn truth(&self, state: &State) -> Group {
        state.adopted.clone().unwrap_or_else(|| self.replay(&state.log))
    }

    fn replay(&self, log: &[Option<LogObject>]) -> Group {
        let mut updates = Group::new();
        for object in log {
            match object {
                Some(LogObject::Records(group)) => updates.extend(group),
                _ if self.rules.replay_ends_at_fence => break,
                _ => {}
            }
        }
        updates
    }
}

impl State {
    fn offer_next_slot(&mut self, group: Group) {
        let Some(groups) = &mut self.owner else { return };
        self.in_flight.insert((groups.len(), group.clone()));
        for update in &group {
            if usize::from(*update) == self.told.len() {
                self.told.push(Outcome::Waiting);
            }
        }
        groups.push((group, false));
    }

    fn join(&mut self, slot: usize) {
        let Some(groups) = &mut self.owner else { return };
        groups[slot].0.push(self.told.len() as Update);
        self.in_flight.insert((slot, groups[slot].0.clone()));
        self.told.push(Outcome::Waiting);
    }

    /// The owner drops its engine's state; all that it offered and did not see resolved is unknown.
    fn depose(&mut self) {
        self.owner = None;
        for told in &mut self.told {
            if *told == Outcome::Waiting {
                *told = Outcome::Unknown;
            }
        }
    }

    /// Clients listen once: the first word stands.
    fn tell(&mut self, group: &Group, outcome: Outcome) {
        for update in group {
            let told = &mut self.told[usize::from(*update)];
            if *told == Outcome::Waiting {
                *told = outcome;
            }
        }
    }

    fn told_as(&self, outcome: Outcome) -> impl Iterator<Item = Update> {
        let all = self.told.iter().enumerate();
        all.filter(move |(_, told)| **told == outcome).map(|(update, _)| update as Update)
    }
}
