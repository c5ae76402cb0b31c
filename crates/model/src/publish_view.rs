//! What clients of SolrCloud read in ZooKeeper is a view of the shared truth, written by whoever owns the
//! truth. Owners change: the one before may not know yet, and a write of it may still be on its way. The view
//! may lag; it never goes back.
//!
//! Each opening of the truth has a number, greater than those before. A publisher claims the view with it (a
//! compare-and-set of one node), and each of its writes is a transaction that checks the node it claimed.
//! That only the newest opening changes the truth is the homes' promise, not held here.

use stateright::{Model, Property};

use crate::check::ProtocolModel;
use crate::promise::*;
use crate::rules::rules;

rules! { PublishView {
    /// A write counts only while the claim stands under which it was made.
    writes_check_the_claim => THE_VIEW_GOES_FORWARDS,
    /// Who claims has a greater number than whoever claimed before.
    claims_grow => THE_VIEW_GOES_FORWARDS,
    /// What is published was read behind the opening whose number claims.
    truth_read_behind_opening => THE_VIEW_GOES_FORWARDS,
}}

pub struct PublishView {
    rules: Rules,
    publishers: usize,
    versions: usize,
}

#[derive(Clone, Debug, Default, Hash, PartialEq, Eq)]
struct Publisher {
    /// Its number; 0 before it has one.
    opening: usize,
    /// The version of the truth that it has read.
    has: Option<usize>,
    /// What the claimed node's version was when it claimed.
    claimed: Option<usize>,
    /// A write on its way: the truth it shows, and the claim that it is to check.
    write: Option<(usize, usize)>,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq)]
pub struct State {
    truth: usize,
    openings: usize,
    /// The number in the claimed node, and how often the node was written.
    claim: (usize, usize),
    shown: usize,
    went_back: bool,
    publishers: Vec<Publisher>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    Open(usize),
    Read(usize),
    Change(usize),
    Claim(usize),
    Send(usize),
    /// The write arrives, or is refused.
    Arrive(usize),
}

impl ProtocolModel for PublishView {
    type Rules = Rules;
    const NAME: &'static str = "publish_view";

    fn small(rules: Rules) -> Self {
        Self { rules, publishers: 2, versions: 2 }
    }

    fn large(rules: Rules) -> Self {
        Self { rules, publishers: 4, versions: 4 }
    }
}

impl Model for PublishView {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        let publishers = vec![Publisher::default(); self.publishers];
        vec![State { truth: 0, openings: 0, claim: (0, 0), shown: 0, went_back: false, publishers }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        use Action::*;
        for at in 0..state.publishers.len() {
            actions.extend([Open, Read, Change, Claim, Send, Arrive].map(|action| action(at)));
        }
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut next = last.clone();
        let State { truth, openings, claim, shown, went_back, publishers } = &mut next;
        match action {
            Action::Open(at) => {
                let publisher = &mut publishers[at];
                if publisher.opening > 0 {
                    return None;
                }
                *openings += 1;
                publisher.opening = *openings;
            }
            Action::Read(at) => {
                let publisher = &mut publishers[at];
                let is_early = publisher.opening == 0;
                if publisher.has.is_some() || is_early && self.rules.truth_read_behind_opening {
                    return None;
                }
                publisher.has = Some(*truth);
            }
            Action::Change(at) => {
                let publisher = &mut publishers[at];
                let is_newest = publisher.opening == *openings && publisher.opening > 0;
                if !is_newest || *truth == self.versions || publisher.has.is_none() {
                    return None;
                }
                *truth += 1;
                publisher.has = Some(*truth);
            }
            Action::Claim(at) => {
                let publisher = &mut publishers[at];
                let may_claim = publisher.opening > claim.0 || !self.rules.claims_grow;
                if publisher.opening == 0 || !may_claim {
                    return None;
                }
                *claim = (publisher.opening, (claim.1 + 1).min(self.publishers + 2));
                publisher.claimed = Some(claim.1);
            }
            Action::Send(at) => {
                let publisher = &mut publishers[at];
                if publisher.write.is_some() {
                    return None;
                }
                publisher.write = Some((publisher.has?, publisher.claimed?));
            }
            Action::Arrive(at) => {
                let (version, claimed) = publishers[at].write.take()?;
                if claimed == claim.1 || !self.rules.writes_check_the_claim {
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
            Property::sometimes("a second owner shows the last version", |model: &Self, state: &State| {
                state.shown == model.versions && state.claim.0 > 1
            }),
            Property::sometimes("a write of the owner before is refused", |_: &Self, state: &State| {
                let is_late = |it: &Publisher| it.write.is_some_and(|(_, claimed)| claimed < state.claim.1);
                state.publishers.iter().any(is_late)
            }),
        ]
    }
}
