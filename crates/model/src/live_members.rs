//! A change of shared truth (a schema, a configuration) is acknowledged when every live member has it: from
//! then on a client finds it wherever it asks. Members come, go and come back meanwhile.
//!
//! Who is live is what the membership says; a member that is no longer in it, and does not know, may answer
//! by what it had, for nothing in the protocol rests on time. That versions form a chain, and that requests
//! among members name theirs, is `metadata`'s.

use std::collections::BTreeSet;

use stateright::{Model, Property};

use crate::check::ProtocolModel;
use crate::promise::*;
use crate::rules::rules;

rules! { LiveMembers {
    /// A change is acknowledged when every live member has it.
    acknowledged_when_all_have_it => EVERY_LIVE_MEMBER_HAS_IT,
    /// Who is live is asked behind the creation of the version: who came before it has read an older one.
    members_listed_behind_creation => EVERY_LIVE_MEMBER_HAS_IT,
    /// Who joins is a member first, and then reads what it serves by.
    joins_before_it_reads => EVERY_LIVE_MEMBER_HAS_IT,
    /// Who was a member and is one again reads again.
    rejoining_reads_again => EVERY_LIVE_MEMBER_HAS_IT,
}}

pub struct LiveMembers {
    rules: Rules,
    members: usize,
    versions: usize,
}

#[derive(Clone, Debug, Default, Hash, PartialEq, Eq)]
struct Member {
    /// Whether the membership has it.
    is_live: bool,
    was_live: bool,
    /// It answers clients.
    serves: bool,
    /// The version that it has.
    has: usize,
    /// It has read what it is to serve by.
    has_read: bool,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq)]
pub struct State {
    /// The newest version in the chain.
    newest: usize,
    acknowledged: usize,
    /// Whose having it the writer waits for, once it knows who is live.
    awaited: Option<BTreeSet<usize>>,
    members: Vec<Member>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    Create,
    /// The writer asks the membership who is live.
    ListMembers,
    /// The writer hears that a member has the version, or that it is none any more.
    Hear(usize),
    Acknowledge,
    Join(usize),
    Read(usize),
    Serve(usize),
    /// The membership gives it up; it may not know.
    Expire(usize),
}

impl ProtocolModel for LiveMembers {
    type Rules = Rules;
    const NAME: &'static str = "live_members";

    fn small(rules: Rules) -> Self {
        Self { rules, members: 2, versions: 2 }
    }

    fn large(rules: Rules) -> Self {
        Self { rules, members: 4, versions: 3 }
    }
}

impl Model for LiveMembers {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        let members = vec![Member::default(); self.members];
        vec![State { newest: 0, acknowledged: 0, awaited: None, members }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        actions.extend([Action::Create, Action::ListMembers, Action::Acknowledge]);
        for at in 0..state.members.len() {
            let each = [Action::Join, Action::Read, Action::Serve, Action::Expire, Action::Hear];
            actions.extend(each.map(|action| action(at)));
        }
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut next = last.clone();
        match action {
            Action::Create => {
                if next.newest > next.acknowledged || next.newest == self.versions {
                    return None;
                }
                next.newest += 1;
            }
            Action::ListMembers => {
                let is_early = next.newest == next.acknowledged;
                if next.awaited.is_some() || is_early && self.rules.members_listed_behind_creation {
                    return None;
                }
                let live = (0..next.members.len()).filter(|at| next.members[*at].is_live);
                next.awaited = Some(live.collect());
            }
            Action::Hear(at) => {
                let member = &next.members[at];
                if member.is_live && member.has < next.newest || next.newest == next.acknowledged {
                    return None;
                }
                next.awaited.as_mut()?.remove(&at);
            }
            Action::Acknowledge => {
                let all_have_it = next.awaited.as_ref().is_some_and(BTreeSet::is_empty);
                if self.rules.acknowledged_when_all_have_it && !all_have_it {
                    return None;
                }
                next.acknowledged = next.newest;
                next.awaited = None;
            }
            Action::Join(at) => {
                let member = &mut next.members[at];
                if member.is_live {
                    return None;
                }
                let reads_again = match member.was_live {
                    true => self.rules.rejoining_reads_again,
                    false => self.rules.joins_before_it_reads,
                };
                let has_read = member.has_read && !reads_again;
                *member = Member { is_live: true, was_live: true, serves: false, has_read, has: member.has };
            }
            Action::Read(at) => {
                let newest = next.newest;
                let member = &mut next.members[at];
                (member.has, member.has_read) = (newest, true);
            }
            Action::Serve(at) => {
                let member = &mut next.members[at];
                if !(member.is_live && member.has_read) {
                    return None;
                }
                member.serves = true;
            }
            Action::Expire(at) => next.members[at].is_live = false,
        }
        (next != *last).then_some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(EVERY_LIVE_MEMBER_HAS_IT, |_: &Self, state: &State| {
                let mut serving = state.members.iter().filter(|member| member.is_live && member.serves);
                serving.all(|member| member.has >= state.acknowledged)
            }),
            Property::sometimes("all serve by the last version", |model: &Self, state: &State| {
                let has_it =
                    |member: &Member| member.is_live && member.serves && member.has == model.versions;
                state.acknowledged == model.versions && state.members.iter().all(has_it)
            }),
            Property::sometimes("one that is given up holds no change up", |_: &Self, state: &State| {
                let is_given_up = |member: &Member| !member.is_live && member.has < state.acknowledged;
                state.acknowledged > 1 && state.members.iter().any(|it| is_given_up(it) && it.serves)
            }),
        ]
    }
}
