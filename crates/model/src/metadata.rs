//! Shared truth as a chain of versions: two writers that change one document (a schema), a member that
//! resolves and replays by it, and the view of it that clients read elsewhere.
//!
//! Each writer has one change to make, and knows it by its id. An answer may get lost, as everywhere.

use std::collections::BTreeSet;

use stateright::{Model, Property};

use crate::check::ProtocolModel;
use crate::promise::*;
use crate::rules::rules;

rules! { Metadata {
    /// A version is created once, as the successor of the version that the change was made upon.
    create_only => NO_CHANGE_IS_LOST,
    /// Who finds the version taken looks for its own change there before it makes it again.
    own_change_is_recognised => NOTHING_IS_APPLIED_TWICE,
    /// A log record names its schema's version; who replays it with an older one fetches first.
    record_names_schema => NOBODY_USES_AN_OLDER_SCHEMA,
    /// A request names the version that it needs; a member that has an older one fetches first.
    request_names_schema => NOBODY_USES_AN_OLDER_SCHEMA,
    /// The view is written only with a version above the one that it has.
    view_only_forwards => THE_VIEW_GOES_FORWARDS,
}}

type Change = usize;
/// The changes in the document.
type Body = Vec<Change>;

pub struct Metadata {
    rules: Rules,
    writers: usize,
    records: usize,
}

#[derive(Clone, Debug, Default, Hash, PartialEq, Eq)]
struct Writer {
    /// The version that it has read, and its body.
    base: usize,
    body: Body,
    offered: bool,
    acknowledged: bool,
    /// The version that it will write into the view.
    to_view: Option<usize>,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq)]
pub struct State {
    /// Version 0 first.
    chain: Vec<Body>,
    in_flight: BTreeSet<(usize, Body)>,
    writers: Vec<Writer>,
    /// The version that the member has.
    member: usize,
    /// Each record's version of the schema.
    log: Vec<usize>,
    used_older: bool,
    view: usize,
    view_went_back: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    Offer(usize),
    Land(usize, Body),
    Resolve(usize),
    ReadForView(usize),
    WriteView(usize),
    /// The member reads the newest version of its own accord.
    Reload,
    /// A request resolved against this version reaches the member, which logs it.
    Update(usize),
    /// A member that has an older version (it comes back, it is the next owner) replays the log.
    Replay(usize),
}

impl ProtocolModel for Metadata {
    type Rules = Rules;
    const NAME: &'static str = "metadata";

    fn small(rules: Rules) -> Self {
        Self { rules, writers: 2, records: 2 }
    }

    fn large(rules: Rules) -> Self {
        Self { rules, writers: 3, records: 3 }
    }
}

impl Model for Metadata {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![State {
            chain: vec![Body::new()],
            in_flight: BTreeSet::new(),
            writers: vec![Writer::default(); self.writers],
            member: 0,
            log: Vec::new(),
            used_older: false,
            view: 0,
            view_went_back: false,
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        actions.extend(state.in_flight.iter().map(|(version, body)| Action::Land(*version, body.clone())));
        for (at, writer) in state.writers.iter().enumerate() {
            if !writer.acknowledged {
                actions.push(if writer.offered { Action::Resolve(at) } else { Action::Offer(at) });
            }
            actions.push(if writer.to_view.is_some() {
                Action::WriteView(at)
            } else {
                Action::ReadForView(at)
            });
        }
        actions.push(Action::Reload);
        for version in 0..state.chain.len() {
            actions.extend([Action::Update(version), Action::Replay(version)]);
        }
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut next = last.clone();
        match action {
            Action::Offer(at) => {
                let writer = &mut next.writers[at];
                writer.body.push(at);
                writer.offered = true;
                next.in_flight.insert((writer.base + 1, writer.body.clone()));
            }
            Action::Land(version, body) => {
                next.in_flight.remove(&(version, body.clone()));
                self.create(&mut next, version, body);
            }
            Action::Resolve(at) => self.resolve(&mut next, at),
            Action::ReadForView(at) => next.writers[at].to_view = Some(next.chain.len() - 1),
            Action::WriteView(at) => self.write_view(&mut next, at)?,
            Action::Reload => next.member = next.chain.len() - 1,
            Action::Update(needs) => self.update(&mut next, needs)?,
            Action::Replay(had) => {
                let newest = next.log.iter().copied().max()?;
                let used = if self.rules.record_names_schema { had.max(newest) } else { had };
                next.used_older |= used < newest;
                next.member = used;
            }
        }
        (next != *last).then_some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(NO_CHANGE_IS_LOST, |_: &Self, state: &State| {
                let mut changes = (0..).zip(&state.writers).filter(|(_, writer)| writer.acknowledged);
                changes.all(|(change, _)| state.newest().contains(&change))
            }),
            Property::always(NOTHING_IS_APPLIED_TWICE, |_: &Self, state: &State| {
                state.newest().iter().collect::<BTreeSet<_>>().len() == state.newest().len()
            }),
            Property::always(NOBODY_USES_AN_OLDER_SCHEMA, |_: &Self, state: &State| !state.used_older),
            Property::always(THE_VIEW_GOES_FORWARDS, |_: &Self, state: &State| !state.view_went_back),
            Property::sometimes("both changes are made and seen", |model: &Self, state: &State| {
                state.writers.iter().all(|writer| writer.acknowledged) && state.view == model.writers
            }),
        ]
    }
}

impl Metadata {
    fn create(&self, next: &mut State, version: usize, body: Body) {
        if version == next.chain.len() {
            next.chain.push(body);
        } else if !self.rules.create_only {
            next.chain[version] = body;
        }
    }

    fn resolve(&self, next: &mut State, at: usize) {
        let Writer { base, body, .. } = next.writers[at].clone();
        // With an answer of its own a try knows whether it was the one that created the version.
        let taken = next.chain.len() > base + 1 && self.rules.create_only;
        self.create(next, base + 1, body);
        let (base, newest) = (next.chain.len() - 1, next.newest().clone());
        let own = self.rules.own_change_is_recognised && newest.contains(&at);
        let writer = &mut next.writers[at];
        if !taken || own {
            writer.acknowledged = true;
        } else {
            *writer = Writer { base, body: newest, offered: false, ..writer.clone() };
        }
    }

    fn write_view(&self, next: &mut State, at: usize) -> Option<()> {
        let version = next.writers[at].to_view.take()?;
        if version > next.view || !self.rules.view_only_forwards {
            next.view_went_back |= version < next.view;
            next.view = version;
        }
        Some(())
    }

    fn update(&self, next: &mut State, needs: usize) -> Option<()> {
        if next.log.len() == self.records {
            return None;
        }
        if self.rules.request_names_schema {
            next.member = next.member.max(needs);
        }
        next.used_older |= next.member < needs;
        next.log.push(next.member);
        Some(())
    }
}

impl State {
    fn newest(&self) -> &Body {
        self.chain.last().expect("a chain has a first version")
    }
}
