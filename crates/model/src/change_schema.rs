//! A change of a collection's schema or configuration whose shards are with several members: when it may be
//! acknowledged, and which batches a shard then takes. That versions form a chain although answers get lost
//! is `metadata`'s, who reads for clients `live_members`'.
//!
//! Nobody is named here: any member may open any shard at any time, as one with an old assignment does
//! (`assign_shards`), and two leads may change the schema at once. No edit is a mere addition; for one
//! that is, a batch of an older version is as good (ADR 16). To acknowledge an update and to find that the
//! home is one's own is one step, which `takeover` takes apart.

use std::collections::BTreeSet;

use stateright::{Model, Property};

use crate::check::ProtocolModel;
use crate::promise::*;
use crate::rules::rules;

rules! { ChangeSchema {
    /// A version is created upon the one that the change was made of.
    created_by_compare_and_set => NO_CHANGE_IS_LOST,
    /// Whoever opens a shard reads the schema behind its fence.
    read_behind_the_fence => EVERY_OWNER_HAS_IT,
    /// Who is asked takes the version up before it answers.
    taken_up_before_the_answer => EVERY_OWNER_HAS_IT,
    /// It answers for a shard behind a look, begun since it was asked, that found the home its own.
    answers_behind_a_look_at_the_home => EVERY_OWNER_HAS_IT,
    /// A change is acknowledged when there is an answer for every shard.
    acknowledged_when_every_shard_has_it => EVERY_OWNER_HAS_IT,
    /// A batch names its version; a shard that is older reads the document first.
    an_older_shard_reads_first => NOBODY_USES_AN_OLDER_SCHEMA,
    /// A batch of an older version than the shard's is refused, and resolved anew.
    an_older_batch_is_refused => NOTHING_IS_DONE_BY_A_REPLACED_SCHEMA,
}}

pub struct ChangeSchema {
    rules: Rules,
    members: usize,
    shards: usize,
    leads: usize,
}

type Version = usize;

#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq)]
enum Serving {
    Closed,
    /// Has read the schema without having fenced the home.
    Read(Version),
    /// Has fenced the home, and not read the schema yet.
    Fenced,
    Open(Version),
}

/// Who makes one change.
#[derive(Clone, Debug, Hash, PartialEq, Eq)]
enum Lead {
    /// Has read this version, or nothing.
    Idle(Option<Version>),
    /// Has created it, and these shards' members have answered.
    Asking(Version, BTreeSet<usize>),
    Acknowledged(Version),
}

#[derive(Clone, Debug, Hash, PartialEq, Eq)]
pub struct State {
    /// Whose change each version is, that of version 0 nobody's.
    chain: Vec<Option<usize>>,
    leads: Vec<Lead>,
    /// Who fenced each shard's home last.
    homes: Vec<Option<usize>>,
    /// By member and shard.
    members: Vec<Vec<Serving>>,
    used_older: bool,
    used_replaced: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    ReadBase(usize),
    Create(usize),
    /// A member answers a lead for a shard.
    Answer {
        lead: usize,
        member: usize,
        shard: usize,
    },
    Acknowledge(usize),
    Read(usize, usize),
    Fence(usize, usize),
    /// Reads the newest version: the last step of opening, or of its own accord.
    TakeUp(usize, usize),
    /// A batch made by this version comes to a member's shard.
    Batch(usize, usize, Version),
    Crash(usize),
}

impl ProtocolModel for ChangeSchema {
    type Rules = Rules;
    const NAME: &'static str = "change_schema";

    fn small(rules: Rules) -> Self {
        Self { rules, members: 2, shards: 2, leads: 2 }
    }

    fn large(rules: Rules) -> Self {
        Self { rules, members: 3, shards: 2, leads: 2 }
    }
}

impl Model for ChangeSchema {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![State {
            chain: vec![None],
            leads: vec![Lead::Idle(None); self.leads],
            homes: vec![None; self.shards],
            members: vec![vec![Serving::Closed; self.shards]; self.members],
            used_older: false,
            used_replaced: false,
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        use Action::*;
        for lead in 0..self.leads {
            actions.extend([ReadBase, Create, Acknowledge].map(|action| action(lead)));
        }
        for member in 0..self.members {
            actions.push(Crash(member));
            for shard in 0..self.shards {
                actions.extend([Read, Fence, TakeUp].map(|action| action(member, shard)));
                actions.extend((0..state.chain.len()).map(|version| Batch(member, shard, version)));
                actions.extend((0..self.leads).map(|lead| Answer { lead, member, shard }));
            }
        }
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut next = last.clone();
        let newest = next.chain.len() - 1;
        match action {
            Action::ReadBase(lead) => {
                let Lead::Idle(base) = &mut next.leads[lead] else { return None };
                *base = Some(newest);
            }
            Action::Create(lead) => self.create(&mut next, lead)?,
            Action::Answer { lead, member, shard } => self.answer(&mut next, lead, (member, shard))?,
            Action::Acknowledge(lead) => {
                let Lead::Asking(version, answered) = &next.leads[lead] else { return None };
                if answered.len() < self.shards && self.rules.acknowledged_when_every_shard_has_it {
                    return None;
                }
                next.leads[lead] = Lead::Acknowledged(*version);
            }
            Action::Read(member, shard) => match &mut next.members[member][shard] {
                it @ (Serving::Closed | Serving::Read(_)) if !self.rules.read_behind_the_fence => {
                    *it = Serving::Read(newest);
                }
                _ => return None,
            },
            Action::Fence(member, shard) => {
                let it = &mut next.members[member][shard];
                *it = match *it {
                    Serving::Read(version) => Serving::Open(version),
                    Serving::Closed if self.rules.read_behind_the_fence => Serving::Fenced,
                    _ => return None,
                };
                next.homes[shard] = Some(member);
            }
            Action::TakeUp(member, shard) => match &mut next.members[member][shard] {
                it @ (Serving::Fenced | Serving::Open(_)) => *it = Serving::Open(newest),
                _ => return None,
            },
            Action::Batch(member, shard, version) => self.batch(&mut next, (member, shard), version)?,
            Action::Crash(member) => next.members[member].fill(Serving::Closed),
        }
        (next != *last).then_some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(NO_CHANGE_IS_LOST, |_: &Self, state: &State| {
                let mut leads = state.leads.iter().enumerate();
                leads.all(|(at, lead)| match lead {
                    Lead::Acknowledged(_) => state.chain.contains(&Some(at)),
                    _ => true,
                })
            }),
            Property::always(EVERY_OWNER_HAS_IT, |model: &Self, state: &State| {
                (0..model.shards).all(|shard| match state.owner(shard) {
                    Some(Serving::Open(version)) => version >= state.acknowledged(),
                    _ => true,
                })
            }),
            Property::always(NOBODY_USES_AN_OLDER_SCHEMA, |_: &Self, state: &State| !state.used_older),
            Property::always(NOTHING_IS_DONE_BY_A_REPLACED_SCHEMA, |_: &Self, state: &State| {
                !state.used_replaced
            }),
            Property::sometimes("both changes are acknowledged and served", |model: &Self, state: &State| {
                let is_newest = |shard| state.owner(shard) == Some(Serving::Open(model.leads));
                state.acknowledged() == model.leads && (0..model.shards).all(is_newest)
            }),
            Property::sometimes("a deposed owner has an older version", |_: &Self, state: &State| {
                let is_older =
                    |it: &Serving| matches!(it, Serving::Open(version) if *version < state.acknowledged());
                state.members.iter().flatten().any(is_older)
            }),
        ]
    }
}

impl ChangeSchema {
    fn create(&self, next: &mut State, lead: usize) -> Option<()> {
        let Lead::Idle(base) = &mut next.leads[lead] else { return None };
        let version = base.take()? + 1;
        if version == next.chain.len() {
            next.chain.push(Some(lead));
        } else if self.rules.created_by_compare_and_set {
            return Some(());
        } else {
            next.chain[version] = Some(lead);
        }
        next.leads[lead] = Lead::Asking(version, BTreeSet::new());
        Some(())
    }

    fn answer(&self, next: &mut State, lead: usize, (member, shard): (usize, usize)) -> Option<()> {
        let Serving::Open(has) = next.members[member][shard] else { return None };
        let Lead::Asking(version, answered) = &mut next.leads[lead] else { return None };
        if has < *version && self.rules.taken_up_before_the_answer {
            return None;
        }
        if next.homes[shard] != Some(member) && self.rules.answers_behind_a_look_at_the_home {
            next.members[member][shard] = Serving::Closed;
            return Some(());
        }
        answered.insert(shard);
        Some(())
    }

    fn batch(&self, next: &mut State, (member, shard): (usize, usize), named: Version) -> Option<()> {
        let Serving::Open(has) = next.members[member][shard] else { return None };
        if next.homes[shard] != Some(member) {
            next.members[member][shard] = Serving::Closed;
            return Some(());
        }
        if has < named && self.rules.an_older_shard_reads_first {
            next.members[member][shard] = Serving::Open(next.chain.len() - 1);
            return Some(());
        }
        if has > named && self.rules.an_older_batch_is_refused {
            return None;
        }
        next.used_older |= has < named;
        next.used_replaced |= named < next.acknowledged();
        Some(())
    }
}

impl State {
    /// The newest version that a client was told of.
    fn acknowledged(&self) -> Version {
        let told = self.leads.iter().map(|lead| match lead {
            Lead::Acknowledged(version) => *version,
            _ => 0,
        });
        told.max().unwrap_or_default()
    }

    /// What the owner of a shard's home serves it by.
    fn owner(&self, shard: usize) -> Option<Serving> {
        self.homes[shard].map(|member| self.members[member][shard])
    }
}
