//! The end of a collection whose shards are with several members, and its return under the same name: what
//! is made is another by its *birth*. Who makes or drops it may be taken for gone at any step, and goes
//! on all the same; who serves it may have read what it serves by long ago.
//!
//! One shard stands for all. One document, the assignment, says of a name what birth it is, how far that is,
//! who leads and who serves. Homes have no end here, as in `drop_collection`, but fences: an end in which
//! each log ends for good would do instead of the look behind the fence. A PUT that is under way when
//! its home is removed stays as garbage. Who lives is what the list says, right or not.

use stateright::{Model, Property};

use crate::check::ProtocolModel;
use crate::promise::*;
use crate::rules::rules;

rules! { DropShards {
    /// Each change of the assignment, its removal too, is made by compare-and-set upon what was read.
    changed_by_compare_and_set => EVERY_DROP_COMES_TO_REST,
    /// A collection is there when its assignment says so, and gone when that says so: no second document
    /// does.
    there_by_the_assignment => EVERY_SHARD_COMES_TO_REST,
    /// Whoever becomes lead of what is half-dropped goes on with it, and drops what is half-made.
    the_next_lead_finishes => EVERY_DROP_COMES_TO_REST,
    /// The assignment is removed last: nobody else finds what is left.
    the_assignment_goes_last => EVERY_DROP_COMES_TO_REST,
    /// Whoever drops fences each home behind that, before the client is told and anything is removed.
    homes_are_fenced_first => NOTHING_IS_ACKNOWLEDGED_BEHIND_A_DROP,
    /// Whoever opens a home looks at the assignment behind its fence: one that read it before would come
    /// behind the fence of whoever drops.
    looks_behind_its_fence => NOTHING_IS_ACKNOWLEDGED_BEHIND_A_DROP,
    /// A home is of one birth.
    homes_are_of_a_birth => NOTHING_IS_ACKNOWLEDGED_BEHIND_A_DROP,
    /// What is removed is of the birth that was dropped, whatever has its name by then.
    one_birth_is_removed => NOTHING_REACHABLE_IS_DELETED,
    /// Whoever reads of another birth, another owner, a drop or nothing closes what it has.
    the_former_owner_closes => EVERY_DROP_COMES_TO_REST,
    /// A request names the birth, and whoever has another one open refuses.
    requests_name_the_birth => NO_BIRTH_IS_TAKEN_FOR_ANOTHER,
}}

pub struct DropShards {
    rules: Rules,
    members: usize,
    births: usize,
    /// How often members may crash, or the list lose one that is up.
    faults: usize,
}

type Birth = usize;

#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq)]
enum Stage {
    Making,
    Served,
    Dropping,
}

#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq)]
struct Assignment {
    birth: Birth,
    stage: Stage,
    lead: usize,
    owner: usize,
}

/// The versions go on where the document is removed and made again.
type Versioned = (usize, Option<Assignment>);

#[derive(Clone, Copy, Debug, Default, Hash, PartialEq, Eq)]
struct Home {
    /// Who fenced it last, to write.
    owner: Option<usize>,
    /// Whoever dropped it has fenced it.
    is_dropped: bool,
    /// Something is there besides fences.
    is_left: bool,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq)]
struct Member {
    is_up: bool,
    is_listed: bool,
    read: Option<Versioned>,
    open: Option<(Birth, Serving)>,
}

#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq)]
enum Serving {
    /// It fenced the home, and does not serve yet.
    Fenced,
    Open,
    /// Another fenced it, as it was told.
    Deposed,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq)]
pub struct State {
    document: Versioned,
    /// The collection's own document, where that counts.
    described: Option<Birth>,
    homes: Vec<Home>,
    births: usize,
    /// Of which the client was told that they are gone.
    dropped: Vec<bool>,
    faults: usize,
    members: Vec<Member>,
    /// The promise that a step broke.
    broken: Option<Promise>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    Crash(usize),
    /// The list loses a member, which may be up.
    Expire(usize),
    Rejoin(usize),
    Read(usize),
    /// The first step of making a collection, of which the second is to be the owner.
    Claim(usize, usize),
    /// The last step of making it.
    Finish(usize),
    /// The first step of dropping it.
    Drop(usize),
    Fence(usize),
    Remove(usize),
    /// The last step: the assignment is removed and the client told.
    Forget(usize),
    /// A member, as the lead or to become it, assigns what those who are gone had.
    Reassign(usize),
    /// Fences the home by what it read.
    Open(usize),
    /// Looks at the assignment behind that, and serves or does not.
    Look(usize),
    Write(usize),
    /// A search of what is served now comes to a member.
    Ask(usize),
    Close(usize),
}

impl ProtocolModel for DropShards {
    type Rules = Rules;
    const NAME: &'static str = "drop_shards";

    fn small(rules: Rules) -> Self {
        Self { rules, members: 2, births: 2, faults: 2 }
    }

    fn large(rules: Rules) -> Self {
        Self { rules, members: 3, births: 2, faults: 1 }
    }
}

impl Model for DropShards {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        let member = Member { is_up: true, is_listed: true, read: None, open: None };
        vec![State {
            document: (0, None),
            described: None,
            homes: vec![Home::default(); self.births],
            births: 0,
            dropped: vec![false; self.births],
            faults: 0,
            members: vec![member; self.members],
            broken: None,
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        use Action::*;
        for (at, member) in state.members.iter().enumerate() {
            actions.push(Expire(at));
            if member.is_up {
                actions.extend([Crash, Rejoin, Read, Finish, Drop, Fence, Remove].map(|action| action(at)));
                actions.extend([Forget, Reassign, Open, Look, Write, Ask, Close].map(|action| action(at)));
                actions.extend((0..self.members).map(|owner| Claim(at, owner)));
            }
        }
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut next = last.clone();
        match action {
            Action::Crash(at) => {
                if next.members.iter().filter(|member| member.is_up).count() == 1 {
                    return None;
                }
                next.faults += 1;
                let member = &mut next.members[at];
                (member.is_up, member.read, member.open) = (false, None, None);
            }
            Action::Expire(at) => {
                let member = &mut next.members[at];
                next.faults += usize::from(member.is_up && member.is_listed);
                member.is_listed = false;
            }
            Action::Rejoin(at) => next.members[at].is_listed = true,
            Action::Read(at) => next.members[at].read = Some(next.document),
            Action::Claim(at, owner) => {
                if next.members[at].read?.1.is_some() || next.births == self.births {
                    return None;
                }
                let claimed = Assignment { birth: next.births, stage: Stage::Making, lead: at, owner };
                if self.change(&mut next, at, Some(claimed)) {
                    let home = self.home_of(claimed.birth);
                    next.homes[home] = Home { is_dropped: false, is_left: true, ..next.homes[home] };
                    next.births += 1;
                }
            }
            Action::Finish(at) => {
                let made = next.led(at, Stage::Making)?;
                if !self.rules.there_by_the_assignment {
                    next.described = Some(made.birth);
                }
                self.change(&mut next, at, Some(Assignment { stage: Stage::Served, ..made }));
            }
            Action::Drop(at) => {
                let served = next.led(at, Stage::Served)?;
                if next.described == Some(served.birth) {
                    next.described = None;
                }
                self.change(&mut next, at, Some(Assignment { stage: Stage::Dropping, ..served }));
            }
            Action::Fence(at) => {
                let home = self.home_of(next.led(at, Stage::Dropping)?.birth);
                next.homes[home] = Home { owner: None, is_dropped: true, ..next.homes[home] };
            }
            Action::Remove(at) => self.remove(&mut next, at)?,
            Action::Forget(at) => {
                let birth = next.led(at, Stage::Dropping)?.birth;
                let Home { is_dropped, is_left, .. } = next.homes[self.home_of(birth)];
                let is_early = is_left && self.rules.the_assignment_goes_last;
                if is_early || !is_dropped && self.rules.homes_are_fenced_first {
                    return None;
                }
                if self.change(&mut next, at, None) {
                    next.dropped[birth] = true;
                }
            }
            Action::Reassign(at) => {
                let changed = self.reassigned(&next, at)?;
                self.change(&mut next, at, Some(changed));
            }
            Action::Open(at) => self.open(&mut next, at)?,
            Action::Look(at) => self.look(&mut next, at)?,
            Action::Write(at) => self.write(&mut next, at)?,
            Action::Ask(at) => {
                let (birth, Serving::Open) = next.members[at].open? else { return None };
                if next.served()?.birth != birth && !self.rules.requests_name_the_birth {
                    next.broken = Some(NO_BIRTH_IS_TAKEN_FOR_ANOTHER);
                }
            }
            Action::Close(at) => {
                let (birth, _) = next.members[at].open?;
                next.members[at].read?;
                if next.members[at].named(at) == Some(birth) || !self.rules.the_former_owner_closes {
                    return None;
                }
                next.members[at].open = None;
            }
        }
        (next != *last && next.faults <= self.faults).then_some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(NOTHING_IS_ACKNOWLEDGED_BEHIND_A_DROP, |_: &Self, state: &State| {
                state.broken != Some(NOTHING_IS_ACKNOWLEDGED_BEHIND_A_DROP)
            }),
            Property::always(NOTHING_REACHABLE_IS_DELETED, |_: &Self, state: &State| {
                state.broken != Some(NOTHING_REACHABLE_IS_DELETED)
            }),
            Property::always(NO_BIRTH_IS_TAKEN_FOR_ANOTHER, |_: &Self, state: &State| {
                state.broken != Some(NO_BIRTH_IS_TAKEN_FOR_ANOTHER)
            }),
            Property::always(EVERY_SHARD_COMES_TO_REST, |model: &Self, state: &State| {
                let served = state.served();
                let is_lost = state.described.is_some_and(|birth| served.is_none_or(|it| it.birth != birth));
                let is_settled = served.is_none_or(|it| state.is_settled(model, it));
                !model.is_at_rest(state) || is_settled && !is_lost
            }),
            Property::always(EVERY_DROP_COMES_TO_REST, |model: &Self, state: &State| {
                let served = state.served().map(|it| it.birth);
                let is_half = state.document.1.is_some() && served.is_none();
                let mut others = (0..state.births).filter(|birth| Some(*birth) != served);
                let mut open = state.members.iter().filter_map(|member| member.open);
                let is_left = others.any(|birth| state.homes[model.home_of(birth)].is_left);
                let is_open = open.any(|(birth, _)| Some(birth) != served);
                !model.is_at_rest(state) || !is_half && !is_left && !is_open
            }),
            Property::sometimes("another birth is at rest behind a drop", |model: &Self, state: &State| {
                state.served().is_some_and(|it| it.birth == 1) && state.dropped[0] && model.is_at_rest(state)
            }),
            Property::sometimes("a drop is finished by another", |model: &Self, state: &State| {
                state.dropped[0] && !state.members[0].is_up && model.is_at_rest(state)
            }),
            Property::sometimes("a former birth is open beside the next", |_: &Self, state: &State| {
                let births = |birth| state.members.iter().any(|it| it.open == Some((birth, Serving::Open)));
                births(0) && births(1)
            }),
        ]
    }
}

impl DropShards {
    fn home_of(&self, birth: Birth) -> usize {
        if self.rules.homes_are_of_a_birth { birth } else { 0 }
    }

    /// Whether the document was changed; where it was not, it is to be read again.
    fn change(&self, next: &mut State, at: usize, to: Option<Assignment>) -> bool {
        let is_newest = next.members[at].read == Some(next.document);
        if !is_newest && self.rules.changed_by_compare_and_set {
            next.members[at].read = None;
            return false;
        }
        next.document = (next.document.0 + 1, to);
        next.members[at].read = Some(next.document);
        true
    }

    fn remove(&self, next: &mut State, at: usize) -> Option<()> {
        let birth = next.led(at, Stage::Dropping)?.birth;
        if !next.homes[self.home_of(birth)].is_dropped && self.rules.homes_are_fenced_first {
            return None;
        }
        next.homes[self.home_of(birth)].is_left = false;
        let served = next.served().filter(|it| it.birth != birth);
        let is_hit = served.is_some_and(|it| next.homes[self.home_of(it.birth)].is_left);
        if is_hit && !self.rules.one_birth_is_removed {
            next.broken = Some(NOTHING_REACHABLE_IS_DELETED);
        }
        Some(())
    }

    /// What a member makes of the assignment that it read.
    fn reassigned(&self, state: &State, at: usize) -> Option<Assignment> {
        let assigned = state.members[at].read?.1?;
        let is_listed = |member: usize| state.members[member].is_listed;
        let next_lead = (0..self.members).find(|member| is_listed(*member))?;
        let lead = if is_listed(assigned.lead) { assigned.lead } else { next_lead };
        if lead != at {
            return None;
        }
        if assigned.stage != Stage::Served && !self.rules.the_next_lead_finishes {
            return None;
        }
        let stage = match assigned.stage {
            Stage::Making if assigned.lead != at => Stage::Dropping,
            stage => stage,
        };
        let owner = if is_listed(assigned.owner) { assigned.owner } else { next_lead };
        let changed = Assignment { lead, stage, owner, ..assigned };
        (changed != assigned).then_some(changed)
    }

    fn open(&self, next: &mut State, at: usize) -> Option<()> {
        let birth = next.members[at].named(at)?;
        let (None | Some((_, Serving::Deposed))) = next.members[at].open else { return None };
        next.homes[self.home_of(birth)].owner = Some(at);
        next.members[at].open = Some((birth, Serving::Fenced));
        if !self.rules.looks_behind_its_fence {
            self.serve(next, at, birth);
        }
        Some(())
    }

    fn look(&self, next: &mut State, at: usize) -> Option<()> {
        let (birth, Serving::Fenced) = next.members[at].open? else { return None };
        next.members[at].read = Some(next.document);
        if next.members[at].named(at) == Some(birth) {
            self.serve(next, at, birth);
        } else {
            next.members[at].open = None;
        }
        Some(())
    }

    fn serve(&self, next: &mut State, at: usize, birth: Birth) {
        next.homes[self.home_of(birth)].is_left = true;
        next.members[at].open = Some((birth, Serving::Open));
    }

    /// An update: acknowledged, or the owner hears that another fenced the home.
    fn write(&self, next: &mut State, at: usize) -> Option<()> {
        let (birth, Serving::Open) = next.members[at].open? else { return None };
        if next.homes[self.home_of(birth)].owner == Some(at) {
            if next.dropped[birth] {
                next.broken = Some(NOTHING_IS_ACKNOWLEDGED_BEHIND_A_DROP);
            }
        } else {
            next.members[at].open = Some((birth, Serving::Deposed));
            next.members[at].read = None;
        }
        Some(())
    }

    fn is_at_rest(&self, state: &State) -> bool {
        let mut actions = Vec::new();
        self.actions(state, &mut actions);
        let is_step = |action: &Action| match action {
            Action::Crash(_) | Action::Claim(..) | Action::Drop(_) => false,
            Action::Expire(at) => !state.members[*at].is_up,
            _ => true,
        };
        actions.into_iter().filter(is_step).all(|action| self.next_state(state, action).is_none())
    }
}

impl Member {
    /// The birth that it is to serve, by what it read.
    fn named(&self, at: usize) -> Option<Birth> {
        let is_own = |it: &Assignment| it.owner == at && it.stage == Stage::Served;
        Some(self.read?.1.filter(is_own)?.birth)
    }
}

impl State {
    fn served(&self) -> Option<Assignment> {
        self.document.1.filter(|it| it.stage == Stage::Served)
    }

    /// What a member leads at this stage, by what it read.
    fn led(&self, at: usize, stage: Stage) -> Option<Assignment> {
        self.members[at].read?.1.filter(|it| it.lead == at && it.stage == stage)
    }

    fn is_settled(&self, model: &DropShards, served: Assignment) -> bool {
        let open = self.members.iter().enumerate().filter_map(|(at, it)| Some((at, it.open?)));
        let open: Vec<_> = open.collect();
        let home = self.homes[model.home_of(served.birth)].owner;
        let is_alive = self.members[served.owner].is_up;
        is_alive && home == Some(served.owner) && open == [(served.owner, (served.birth, Serving::Open))]
    }
}
