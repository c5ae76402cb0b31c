//! What clients of SolrCloud read in ZooKeeper is a view of the shared truth. Every member changes the truth
//! and writes the view; one may be paused with a write on its way, or write what it read long ago. The view
//! may lag; it never goes back.
//!
//! A member that finds the view other than the truth claims it (a compare-and-set of one node, which counts
//! claims), reads the truth, and writes in transactions that check the node as it claimed it. Whoever changed
//! the truth since claims behind the change, so that a claim that still stands has read it.

use stateright::{Model, Property};

use crate::check::ProtocolModel;
use crate::promise::*;
use crate::rules::rules;

rules! { PublishView {
    /// A write counts only while the claim stands under which it was made.
    writes_check_the_claim => THE_VIEW_GOES_FORWARDS,
    /// What is published was read behind the claim under which it is written.
    truth_read_behind_claim => THE_VIEW_GOES_FORWARDS,
}}

pub struct PublishView {
    rules: Rules,
    members: usize,
    versions: usize,
    claims: usize,
}

#[derive(Clone, Debug, Default, Hash, PartialEq, Eq)]
struct Member {
    /// The version of the truth that it has read.
    has: Option<usize>,
    /// How often the node had been claimed when it did.
    claimed: Option<usize>,
    /// A write on its way: the truth it shows, and the claim that it is to check.
    write: Option<(usize, usize)>,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq)]
pub struct State {
    truth: usize,
    claims: usize,
    shown: usize,
    went_back: bool,
    members: Vec<Member>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    Change(usize),
    Claim(usize),
    Read(usize),
    Send(usize),
    /// The write arrives, or is refused.
    Arrive(usize),
}

impl ProtocolModel for PublishView {
    type Rules = Rules;
    const NAME: &'static str = "publish_view";

    fn small(rules: Rules) -> Self {
        Self { rules, members: 2, versions: 2, claims: 3 }
    }

    fn large(rules: Rules) -> Self {
        Self { rules, members: 3, versions: 3, claims: 5 }
    }
}

impl Model for PublishView {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        let members = vec![Member::default(); self.members];
        vec![State { truth: 0, claims: 0, shown: 0, went_back: false, members }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        use Action::*;
        for at in 0..state.members.len() {
            actions.extend([Change, Claim, Read, Send, Arrive].map(|action| action(at)));
        }
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut next = last.clone();
        let State { truth, claims, shown, went_back, members } = &mut next;
        match action {
            Action::Change(at) => {
                if *truth == self.versions {
                    return None;
                }
                *truth += 1;
                members[at].has = Some(*truth);
            }
            Action::Claim(at) => {
                if *claims == self.claims {
                    return None;
                }
                *claims += 1;
                members[at].claimed = Some(*claims);
                if self.rules.truth_read_behind_claim {
                    members[at].has = None;
                }
            }
            Action::Read(at) => members[at].has = Some(*truth),
            Action::Send(at) => {
                let member = &mut members[at];
                if member.write.is_some() {
                    return None;
                }
                member.write = Some((member.has?, member.claimed?));
            }
            Action::Arrive(at) => {
                let (version, claimed) = members[at].write.take()?;
                if claimed == *claims || !self.rules.writes_check_the_claim {
                    *went_back |= version < *shown;
                    *shown = version;
                }
            }
        }
        (next != *last).then_some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(THE_VIEW_GOES_FORWARDS, |_: &Self, state: &State| !state.went_back),
            Property::sometimes("a second member shows the last version", |model: &Self, state: &State| {
                state.shown == model.versions && state.claims > 1
            }),
            Property::sometimes("a write under an older claim is refused", |_: &Self, state: &State| {
                let is_late = |it: &Member| it.write.is_some_and(|(_, claimed)| claimed < state.claims);
                state.members.iter().any(is_late)
            }),
        ]
    }
}
