//! A rebuild of a collection whose shards are with several members, and which ends in one change of a
//! document: `schema.json` names the next *edition*. The lead takes all shards for it and gives them back
//! behind it; whoever is taken for gone meanwhile goes on all the same, and may wake at its last step.
//!
//! A member that is down is one that takes no step: to crash is to forget all at once. The change of the
//! schema may arrive late and outlive who sent it; one of the owners, or a touch, is made at once: a late
//! one that still fits is as one behind which its member paused, or forgot. That a change was made and is
//! told as a conflict, since it was sent twice, is as no answer. To acknowledge and to find the home one's
//! own is one step (`takeover`). Each try makes an edition of its own name. Who lives, and what becomes of
//! single orphans, is `assign_shards`'; that schemas change in other ways meanwhile `change_schema`'s. What
//! is copied before updates are held up is left out, and so are those that follow shards: they fence nothing
//! and acknowledge nothing.

use stateright::{Model, Property};

use crate::check::ProtocolModel;
use crate::promise::*;
use crate::rules::rules;

mod steps;

rules! { RebuildShards {
    /// The owners are changed upon what was read before all else, by whoever gives shards back too.
    owners_by_compare_and_set => NOTHING_ACKNOWLEDGED_IS_LOST,
    /// The version of the schema that the change is made upon is read before the lead is checked.
    before_is_read_ahead_of_the_check => NOTHING_ACKNOWLEDGED_IS_LOST,
    /// Whoever rebuilds looks, before it copies the rest, whether it is still the lead.
    the_lead_is_checked_before_the_copy => NOTHING_ACKNOWLEDGED_IS_LOST,
    /// It then demands the owners to be of the very version that it made: the lead of another's rebuild may
    /// be the same member.
    the_lead_is_checked_by_version => NOTHING_ACKNOWLEDGED_IS_LOST,
    /// Updates wait from the last copy on until it is known which edition is named, those that other members
    /// send as well.
    updates_are_held_up_for_the_rest => NOTHING_ACKNOWLEDGED_IS_LOST,
    /// The next edition is named upon the version that was read before.
    schema_by_compare_and_set => NOTHING_ACKNOWLEDGED_IS_LOST,
    /// Whoever rebuilds and does not know whether the edition is named closes what it has: nobody fences the
    /// edition before any more where it is.
    who_does_not_know_closes => NOTHING_ACKNOWLEDGED_IS_LOST,
    /// It gives nothing back then, but ends the rebuild as one that it does not run.
    who_does_not_know_leaves_it_to_be_ended => NOTHING_ACKNOWLEDGED_IS_LOST,
    /// Whoever is the lead of a rebuild that it does not run touches the schema.
    whoever_takes_over_touches_the_schema => NOTHING_ACKNOWLEDGED_IS_LOST,
    /// It does so before it gives shards back or opens one.
    the_touch_comes_before_anything_opens => NOTHING_ACKNOWLEDGED_IS_LOST,
    /// Whoever runs a rebuild does not end it as if it were another's.
    who_runs_it_does_not_end_it => NOTHING_ACKNOWLEDGED_IS_LOST,
    /// Whoever runs a rebuild opens nothing besides.
    who_runs_it_opens_nothing_else => UPDATES_GO_TO_THE_NAMED_EDITION,
    /// The lead of a rebuild that it does not run gives the shards back.
    the_lead_ends_what_it_does_not_run => EVERY_SHARD_COMES_TO_REST,
    /// Whoever opens a shard reads the schema behind the owners that it goes by.
    schema_is_read_behind_the_owners => UPDATES_GO_TO_THE_NAMED_EDITION,
    /// Whoever opened a shard looks behind its fence at the owners, and serves or closes.
    owners_are_checked_behind_the_fence => UPDATES_GO_TO_THE_NAMED_EDITION,
    /// They are to be of the very version that it went by: a rebuild gives back what it took.
    owners_are_checked_by_version => UPDATES_GO_TO_THE_NAMED_EDITION,
}}

pub struct RebuildShards {
    rules: Rules,
    members: u8,
    shards: u8,
    /// How many are acknowledged of each shard.
    updates: u8,
    rebuilds: u8,
    takeovers: u8,
    /// Crashes, and answers that do not come.
    faults: u8,
}

type Version = u8;
type Edition = u8;

/// The document that says who serves which shard.
#[derive(Clone, Debug, Hash, PartialEq, Eq)]
struct Owners {
    version: Version,
    lead: u8,
    shards: Vec<u8>,
    /// Who served which before the rebuild took all.
    rebuilding: Option<Vec<u8>>,
}

/// A shard's home of one edition.
#[derive(Clone, Copy, Debug, Default, Hash, PartialEq, Eq)]
struct Home {
    /// Who fenced it last.
    owner: Option<u8>,
    /// The updates that it has, a bit each.
    has: u8,
}

#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq)]
enum Serving {
    Closed,
    /// Has fenced the home by owners of this version, and does not serve yet.
    Fenced(Edition, Version),
    Open(Edition),
}

/// What one opens by.
#[derive(Clone, Debug, Default, Hash, PartialEq, Eq)]
struct Look {
    owners: Option<Owners>,
    named: Option<Edition>,
}

#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq)]
enum Stage {
    Claimed,
    Fenced,
    Opened,
    /// Has copied the rest.
    Copied,
    /// Has sent the change of the schema, and waits.
    Sent,
    Answered(bool),
    /// Is to give the shards back.
    Ended,
}

#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq)]
struct Rebuild {
    /// What the schema named when the rebuild was claimed.
    from: Edition,
    to: Edition,
    /// The version that it gives the shards back upon.
    owners: Version,
    before: Option<Version>,
    is_lead_checked: bool,
    stage: Stage,
}

/// A rebuild on its way to be ended by a lead that does not run it.
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq)]
struct Ending {
    owners: Version,
    is_touched: bool,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq)]
struct Member {
    look: Look,
    shards: Vec<Serving>,
    rebuild: Option<Rebuild>,
    ending: Option<Ending>,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq)]
pub struct State {
    owners: Owners,
    /// The version of the schema's document, and the edition that it names.
    schema: (Version, Edition),
    /// The changes of the schema that may still arrive: by edition, upon which version.
    sent: Vec<Option<Version>>,
    /// By edition and shard.
    homes: Vec<Vec<Home>>,
    acknowledged: Vec<u8>,
    members: Vec<Member>,
    rebuilds: u8,
    takeovers: u8,
    faults: u8,
    /// An update was acknowledged in an edition that was not named.
    is_astray: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// A rebuild's steps by its member, in their order.
    Claim(u8),
    OpenOld(u8),
    CheckOpened(u8),
    ReadBefore(u8),
    CheckLead(u8),
    CopyRest(u8),
    SendSchema(u8),
    Hear(u8),
    GiveBack(u8),
    /// The change of the schema to this edition arrives.
    Arrive(Edition),
    /// The answer to it does not, or the one to the claim.
    TimeOut(u8),
    /// A member takes the lead for gone.
    TakeOver(u8),
    Crash(u8),
    /// The lead reads of a rebuild that it does not run.
    FindBegun(u8),
    Touch(u8),
    End(u8),
    ReadOwners(u8),
    ReadSchema(u8),
    Open(u8, u8),
    Check(u8, u8),
    /// An update of a shard: acknowledged, or the member hears that another fenced the home.
    Write(u8, u8),
}

impl ProtocolModel for RebuildShards {
    type Rules = Rules;
    const NAME: &'static str = "rebuild_shards";

    fn small(rules: Rules) -> Self {
        Self { rules, members: 2, shards: 1, updates: 1, rebuilds: 1, takeovers: 2, faults: 1 }
    }

    fn for_removal(rules: Rules) -> Self {
        Self { rebuilds: 2, ..Self::small(rules) }
    }

    fn large(rules: Rules) -> Self {
        Self { updates: 2, ..Self::for_removal(rules) }
    }
}

impl Model for RebuildShards {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        let spread: Vec<u8> = (0..self.shards).map(|shard| (shard + 1) % self.members).collect();
        let home = |owner: &u8| Home { owner: Some(*owner), has: 0 };
        let mut homes = vec![vec![Home::default(); spread.len()]; usize::from(self.rebuilds)];
        homes.insert(0, spread.iter().map(home).collect());
        let member = |at: u8| {
            let serving = |owner: &u8| if *owner == at { Serving::Open(0) } else { Serving::Closed };
            let shards = spread.iter().map(serving).collect();
            Member { look: Look::default(), shards, rebuild: None, ending: None }
        };
        vec![State {
            members: (0..self.members).map(member).collect(),
            owners: Owners { version: 0, lead: 0, shards: spread, rebuilding: None },
            schema: (0, 0),
            sent: vec![None; homes.len()],
            homes,
            acknowledged: vec![0; usize::from(self.shards)],
            rebuilds: 0,
            takeovers: 0,
            faults: 0,
            is_astray: false,
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        use Action::*;
        actions.extend((1..=state.rebuilds).map(Arrive));
        for at in 0..self.members {
            actions.extend([Claim, OpenOld, CheckOpened, ReadBefore, CheckLead].map(|action| action(at)));
            actions.extend([CopyRest, SendSchema, Hear, GiveBack, TimeOut].map(|action| action(at)));
            actions.extend([TakeOver, Crash, FindBegun, Touch, End].map(|action| action(at)));
            actions.extend([ReadOwners, ReadSchema].map(|action| action(at)));
            for shard in 0..self.shards {
                actions.extend([Open, Check, Write].map(|action| action(at, shard)));
            }
        }
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        use Action::*;
        let mut next = last.clone();
        match action {
            Claim(at) => self.claim(&mut next, at)?,
            Arrive(edition) => self.arrive(&mut next, edition)?,
            TakeOver(at) => next.take_over(at)?,
            Crash(at) => {
                next.faults += 1;
                next.members[usize::from(at)] = Member::new(self.shards);
            }
            FindBegun(at) => self.find_begun(&mut next, at)?,
            Touch(at) => {
                let ending = next.members[usize::from(at)].ending.as_mut()?;
                if ending.is_touched || !self.rules.whoever_takes_over_touches_the_schema {
                    return None;
                }
                ending.is_touched = true;
                next.schema.0 += 1;
            }
            End(at) => self.end(&mut next, at)?,
            ReadOwners(at) => self.read_owners(&mut next, at)?,
            ReadSchema(at) => {
                let look = &mut next.members[usize::from(at)].look;
                let comes_first = look.owners.is_none() && self.rules.schema_is_read_behind_the_owners;
                if comes_first || look.named.is_some() {
                    return None;
                }
                look.named = Some(next.schema.1);
            }
            Open(at, shard) => self.open(&mut next, at, shard)?,
            Check(at, shard) => self.check(&mut next, at, shard)?,
            Write(at, shard) => self.write(&mut next, at, shard)?,
            step => self.step(&mut next, &step)?,
        }
        (next != *last && next.takeovers <= self.takeovers && next.faults <= self.faults).then_some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(NOTHING_ACKNOWLEDGED_IS_LOST, |_: &Self, state: &State| {
                let named = &state.homes[usize::from(state.schema.1)];
                named.iter().zip(&state.acknowledged).all(|(home, count)| home.has == (1 << count) - 1)
            }),
            Property::always(UPDATES_GO_TO_THE_NAMED_EDITION, |_: &Self, state: &State| !state.is_astray),
            Property::always(EVERY_SHARD_COMES_TO_REST, |model: &Self, state: &State| {
                !model.is_at_rest(state) || state.is_settled()
            }),
            Property::sometimes(
                "a rebuild is served by all behind an update",
                |model: &Self, state: &State| {
                    let is_all = state.acknowledged.iter().all(|count| *count == model.updates);
                    state.schema.1 > 0 && is_all && state.owners.lead == 0 && model.is_at_rest(state)
                },
            ),
            Property::sometimes(
                "a rebuild whose lead is gone ends as it was",
                |model: &Self, state: &State| {
                    state.schema == (1, 0) && state.owners.lead == 1 && model.is_at_rest(state)
                },
            ),
            Property::sometimes("a rebuild whose lead is gone is accepted", |model: &Self, state: &State| {
                state.schema == (2, 1) && state.owners.lead == 1 && model.is_at_rest(state)
            }),
            Property::sometimes("a late change of the schema is refused", |_: &Self, state: &State| {
                let is_refused =
                    |it: &Member| it.rebuild.is_some_and(|it| it.stage == Stage::Answered(false));
                state.members.iter().any(is_refused)
            }),
        ]
    }
}

impl RebuildShards {
    fn is_at_rest(&self, state: &State) -> bool {
        let mut actions = Vec::new();
        self.actions(state, &mut actions);
        let is_step = |action: &Action| {
            !matches!(action, Action::Claim(_) | Action::TakeOver(_) | Action::Crash(_) | Action::TimeOut(_))
        };
        // An update that is acknowledged is the client's step.
        let is_done = |next: Option<State>| next.is_none_or(|next| next.acknowledged != state.acknowledged);
        actions.into_iter().filter(is_step).all(|action| is_done(self.next_state(state, action)))
    }
}

impl State {
    /// Whether each shard is served by whom the owners name, in the edition that the schema names, and by
    /// nobody else.
    fn is_settled(&self) -> bool {
        let homes = &self.homes[usize::from(self.schema.1)];
        let is_served = |(shard, owner): (usize, &u8)| {
            let serving = |(at, member): (usize, &Member)| {
                let is_owner = at == usize::from(*owner);
                member.shards[shard] == if is_owner { Serving::Open(self.schema.1) } else { Serving::Closed }
            };
            homes[shard].owner == Some(*owner) && self.members.iter().enumerate().all(serving)
        };
        self.owners.rebuilding.is_none() && self.owners.shards.iter().enumerate().all(is_served)
    }
}
