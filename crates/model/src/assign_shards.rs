//! Each shard of a collection has a member of its own; one document names them all, and the *lead*, which
//! changes it. As in `assign_collection` the document says who is to open, and the homes of the shards who
//! may acknowledge (`takeover`); here is that they come to agree for every shard, whoever of members, owners
//! and leads is taken for gone, rightly or not. What a lead does to schemas is in `change_schema`, how a
//! collection ends in `drop_shards`.
//!
//! Who lives is a list elsewhere, which members judge by for as long as they like. Fencing a home and
//! replaying it is one step. That only the lead assigns is not needed for any of this: where whoever met an
//! orphan changed the document by the same reckoning, every promise held too.

use stateright::{Model, Property};

use crate::check::ProtocolModel;
use crate::promise::*;
use crate::rules::rules;

rules! { AssignShards {
    /// The document is changed by compare-and-set upon the version that was judged.
    changed_by_compare_and_set => A_SHARD_IS_TAKEN_ONCE,
    /// Where the lead is gone, another becomes it.
    another_becomes_lead => EVERY_SHARD_COMES_TO_REST,
    /// The next lead is one of all who live, not of those alone that serve a shard of the collection.
    any_living_member_may_lead => EVERY_SHARD_COMES_TO_REST,
    /// The lead gives the shards of all who are gone to others, though it is not gone itself.
    the_lead_gives_orphans_away => EVERY_SHARD_COMES_TO_REST,
    /// Whoever becomes lead assigns all that is orphaned in the same change.
    one_change_for_all => A_CHANGE_OF_OWNERS_HAS_A_CAUSE,
    /// Who lives is read behind the version of the document that is judged by it.
    living_read_behind_the_document => A_CHANGE_OF_OWNERS_HAS_A_CAUSE,
    /// Whoever is not among the living in its own eyes changes nothing.
    the_unlisted_change_nothing => A_CHANGE_OF_OWNERS_HAS_A_CAUSE,
    /// An update is acknowledged by the home alone, whatever the document says.
    the_home_decides => NOTHING_ACKNOWLEDGED_IS_LOST,
    /// Whoever is deposed though the document names it opens again.
    a_deposed_owner_opens_again => EVERY_SHARD_COMES_TO_REST,
    /// It does so by a document that it read behind that.
    deposed_it_reads_again => A_READING_FENCES_ONCE,
    /// Whoever reads that a shard is another's closes it.
    the_former_owner_closes => EVERY_SHARD_COMES_TO_REST,
}}

pub struct AssignShards {
    rules: Rules,
    members: usize,
    shards: usize,
    crashes: usize,
    /// How often the list may lose a member that is up, or one that is down may come back.
    scares: usize,
}

/// What the document says at a version.
#[derive(Clone, Debug, Hash, PartialEq, Eq)]
struct Document {
    version: usize,
    lead: usize,
    owners: Vec<usize>,
}

#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq)]
enum Serving {
    Closed,
    Open,
    /// Another fenced its home, as it was told.
    Deposed,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq)]
struct Shard {
    serving: Serving,
    /// Fenced since the document was read last.
    is_fenced: bool,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq)]
struct Member {
    is_up: bool,
    read: Option<Document>,
    /// Who lived when it looked.
    seen: Option<Vec<bool>>,
    shards: Vec<Shard>,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq)]
pub struct State {
    document: Document,
    /// Who lives, as far as is known.
    listed: Vec<bool>,
    list_changes: usize,
    crashes: usize,
    scares: usize,
    /// Who fenced each shard's home last.
    homes: Vec<Option<usize>>,
    members: Vec<Member>,
    /// The promise that a step broke.
    broken: Option<Promise>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    Crash(usize),
    Restart(usize),
    /// The list loses a member, which may be up.
    Expire(usize),
    Rejoin(usize),
    /// Reads the document, and behind it who lives.
    Read(usize),
    /// Reads who lives alone.
    See(usize),
    /// A member, as the lead or to become it, changes the document by what it read and saw.
    Reassign(usize),
    /// Opens a shard by what it read: fences its home.
    Open(usize, usize),
    /// An update of a shard: acknowledged, or the owner hears that another fenced the home.
    Write(usize, usize),
    Close(usize, usize),
}

impl AssignShards {
    /// What members and the list do by themselves, faults aside: to expire who is down is none.
    fn is_step(state: &State, action: &Action) -> bool {
        match action {
            Action::Crash(_) | Action::Restart(_) => false,
            Action::Expire(at) => !state.members[*at].is_up,
            _ => true,
        }
    }

    /// What a member makes of what it read and saw; `None` where nothing is its to change.
    fn judge(&self, at: usize, read: &Document, seen: &[bool]) -> Option<Document> {
        if !seen[at] && self.rules.the_unlisted_change_nothing {
            return None;
        }
        let is_asked = |member: &usize| {
            seen[*member] && (self.rules.any_living_member_may_lead || read.owners.contains(member))
        };
        let becomes_lead = !seen[read.lead]
            && self.rules.another_becomes_lead
            && (0..self.members).find(is_asked) == Some(at);
        if read.lead != at && !becomes_lead {
            return None;
        }
        let lead = if becomes_lead { at } else { read.lead };
        let mut next = Document { version: read.version + 1, lead, owners: read.owners.clone() };
        let gives_away =
            if becomes_lead { self.rules.one_change_for_all } else { self.rules.the_lead_gives_orphans_away };
        for shard in 0..self.shards {
            if !seen[next.owners[shard]] && gives_away {
                let load = |member: &usize| next.owners.iter().filter(|owner| *owner == member).count();
                let living = (0..self.members).filter(|member| seen[*member]);
                next.owners[shard] = living.min_by_key(load)?;
            }
        }
        (next.lead != read.lead || next.owners != read.owners).then_some(next)
    }

    fn reassign(&self, next: &mut State, at: usize) -> Option<()> {
        let Member { read, seen, .. } = &next.members[at];
        let (read, seen) = (read.as_ref()?, seen.as_ref()?);
        let mut changed = self.judge(at, read, seen)?;
        if read.version != next.document.version {
            if self.rules.changed_by_compare_and_set {
                next.members[at].forget_reading();
                return Some(());
            }
            next.broken = Some(A_SHARD_IS_TAKEN_ONCE);
            changed.version = next.document.version + 1;
        }
        next.members[at].shards.iter_mut().for_each(|shard| shard.is_fenced = false);
        next.members[at].read = Some(changed.clone());
        next.document = changed;
        Some(())
    }

    fn open(&self, next: &mut State, at: usize, shard: usize) -> Option<()> {
        let member = &mut next.members[at];
        let it = &mut member.shards[shard];
        let opens = match it.serving {
            Serving::Closed => true,
            Serving::Open => false,
            Serving::Deposed => self.rules.a_deposed_owner_opens_again,
        };
        if member.read.as_ref()?.owners[shard] != at || !opens {
            return None;
        }
        if it.is_fenced {
            next.broken = Some(A_READING_FENCES_ONCE);
        }
        *it = Shard { serving: Serving::Open, is_fenced: true };
        next.homes[shard] = Some(at);
        Some(())
    }

    fn write(&self, next: &mut State, at: usize, shard: usize) -> Option<()> {
        let member = &mut next.members[at];
        if member.shards[shard].serving != Serving::Open || next.homes[shard] == Some(at) {
            return None;
        }
        if !self.rules.the_home_decides {
            next.broken = Some(NOTHING_ACKNOWLEDGED_IS_LOST);
            return Some(());
        }
        member.shards[shard].serving = Serving::Deposed;
        if self.rules.deposed_it_reads_again {
            member.forget_reading();
        }
        Some(())
    }

    fn close(&self, next: &mut State, at: usize, shard: usize) -> Option<()> {
        let member = &mut next.members[at];
        let it = &mut member.shards[shard];
        let is_closed = it.serving == Serving::Closed;
        if member.read.as_ref()?.owners[shard] == at || is_closed || !self.rules.the_former_owner_closes {
            return None;
        }
        it.serving = Serving::Closed;
        Some(())
    }
}

impl ProtocolModel for AssignShards {
    type Rules = Rules;
    const NAME: &'static str = "assign_shards";

    fn small(rules: Rules) -> Self {
        Self { rules, members: 3, shards: 2, crashes: 1, scares: 1 }
    }

    fn for_removal(rules: Rules) -> Self {
        Self::large(rules)
    }

    fn large(rules: Rules) -> Self {
        Self { scares: 2, ..Self::small(rules) }
    }
}

impl Model for AssignShards {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![State {
            document: Document { version: 0, lead: 0, owners: vec![0; self.shards] },
            listed: vec![true; self.members],
            list_changes: 0,
            crashes: 0,
            scares: 0,
            homes: vec![None; self.shards],
            members: vec![Member::new(self.shards); self.members],
            broken: None,
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        use Action::*;
        for (at, member) in state.members.iter().enumerate() {
            actions.push(Expire(at));
            if !member.is_up {
                actions.push(Restart(at));
                continue;
            }
            actions.extend([Crash, Rejoin, Read, See, Reassign].map(|action| action(at)));
            for shard in 0..self.shards {
                actions.extend([Open, Write, Close].map(|action| action(at, shard)));
            }
        }
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut next = last.clone();
        match action {
            Action::Crash(at) => {
                let up = next.members.iter().filter(|member| member.is_up).count();
                if next.crashes == self.crashes || up == 1 {
                    return None;
                }
                next.crashes += 1;
                next.members[at] = Member { is_up: false, ..Member::new(self.shards) };
            }
            Action::Restart(at) => {
                next.scare(self.scares)?;
                next.members[at].is_up = true;
            }
            Action::Expire(at) => {
                if next.members[at].is_up && next.listed[at] {
                    next.scare(self.scares)?;
                }
                next.list(at, false);
            }
            Action::Rejoin(at) => next.list(at, true),
            Action::Read(at) => {
                // If the document changes before the list is read, it is as if it had been read before that.
                let had = next.members[at].seen.take();
                next.members[at].forget_reading();
                let kept = had.filter(|_| !self.rules.living_read_behind_the_document);
                next.members[at].seen = Some(kept.unwrap_or_else(|| next.listed.clone()));
                next.members[at].read = Some(next.document.clone());
            }
            Action::See(at) => {
                if self.rules.living_read_behind_the_document {
                    return None;
                }
                next.members[at].seen = Some(next.listed.clone());
            }
            Action::Reassign(at) => self.reassign(&mut next, at)?,
            Action::Open(at, shard) => self.open(&mut next, at, shard)?,
            Action::Write(at, shard) => self.write(&mut next, at, shard)?,
            Action::Close(at, shard) => self.close(&mut next, at, shard)?,
        }
        (next != *last).then_some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(A_SHARD_IS_TAKEN_ONCE, |_: &Self, state: &State| {
                state.broken != Some(A_SHARD_IS_TAKEN_ONCE)
            }),
            Property::always(A_READING_FENCES_ONCE, |_: &Self, state: &State| {
                state.broken != Some(A_READING_FENCES_ONCE)
            }),
            Property::always(NOTHING_ACKNOWLEDGED_IS_LOST, |_: &Self, state: &State| {
                state.broken != Some(NOTHING_ACKNOWLEDGED_IS_LOST)
            }),
            Property::always(A_CHANGE_OF_OWNERS_HAS_A_CAUSE, |_: &Self, state: &State| {
                state.document.version <= state.list_changes
            }),
            Property::always(EVERY_SHARD_COMES_TO_REST, |model: &Self, state: &State| {
                !model.is_at_rest(state) || (0..model.shards).all(|shard| state.is_settled(shard))
            }),
            Property::sometimes("all is at rest behind the loss of a lead", |model: &Self, state: &State| {
                state.document.lead != 0 && !state.members[0].is_up && model.is_at_rest(state)
            }),
            Property::sometimes("a former owner fenced the one that took over", |_: &Self, state: &State| {
                let Document { version, owners, .. } = &state.document;
                *version > 0
                    && state.homes.iter().zip(owners).any(|(home, owner)| home.is_some_and(|it| it != *owner))
            }),
            Property::sometimes("a change is judged upon an older version", |model: &Self, state: &State| {
                (0..model.members).any(|at| model.is_late(state, at))
            }),
            Property::sometimes("one was told of each of two shards", |_: &Self, state: &State| {
                state.members.iter().any(|it| it.shards.iter().all(|it| it.serving == Serving::Deposed))
            }),
        ]
    }
}

impl AssignShards {
    /// Whether a member would change what another has changed meanwhile.
    fn is_late(&self, state: &State, at: usize) -> bool {
        let Member { read: Some(read), seen: Some(seen), .. } = &state.members[at] else { return false };
        read.version < state.document.version && self.judge(at, read, seen).is_some()
    }

    fn is_at_rest(&self, state: &State) -> bool {
        let mut actions = Vec::new();
        self.actions(state, &mut actions);
        let mut steps = actions.into_iter().filter(|action| Self::is_step(state, action));
        steps.all(|action| self.next_state(state, action).is_none())
    }
}

impl Member {
    fn new(shards: usize) -> Self {
        let shard = Shard { serving: Serving::Closed, is_fenced: false };
        Self { is_up: true, read: None, seen: None, shards: vec![shard; shards] }
    }

    fn forget_reading(&mut self) {
        (self.read, self.seen) = (None, None);
        self.shards.iter_mut().for_each(|shard| shard.is_fenced = false);
    }
}

impl State {
    fn scare(&mut self, scares_max: usize) -> Option<()> {
        self.scares += 1;
        (self.scares <= scares_max).then_some(())
    }

    fn list(&mut self, at: usize, is_listed: bool) {
        self.list_changes += usize::from(self.listed[at] != is_listed);
        self.listed[at] = is_listed;
    }

    /// Whether the one that the document names lives, owns the home, and is the only one to have it open.
    fn is_settled(&self, shard: usize) -> bool {
        let owner = self.document.owners[shard];
        let serving = |member: &Member| member.shards[shard].serving;
        let others = self.members.iter().enumerate().filter(|(at, _)| *at != owner);
        let is_served = self.members[owner].is_up && serving(&self.members[owner]) == Serving::Open;
        let is_closed = others.map(|(_, member)| serving(member)).all(|it| it == Serving::Closed);
        is_served && self.homes[shard] == Some(owner) && is_closed
    }
}
