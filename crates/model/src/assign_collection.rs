//! A collection belongs to one member, which a document says; its shards' homes belong to whoever fenced them
//! last. Two truths, and the second decides what is acknowledged (`takeover`); here is that they come to
//! agree. A member that is taken for gone loses the collection to another, may be there all the while, and
//! may open what it lost because it read the document before.
//!
//! Who lives is what each member believes: it may be wrong, for a while.

use stateright::{Model, Property};

use crate::check::ProtocolModel;
use crate::promise::*;
use crate::rules::rules;

rules! { AssignCollection {
    /// A collection changes hands by compare-and-set of its document, made upon the version that was judged.
    taken_by_compare_and_set => A_COLLECTION_IS_TAKEN_ONCE,
    /// Whoever is deposed though the document names it opens again, once it has read the document behind
    /// that.
    a_deposed_owner_opens_again => EVERY_COLLECTION_COMES_TO_REST,
    /// Whoever reads that a collection is another's closes it.
    the_former_owner_closes => EVERY_COLLECTION_COMES_TO_REST,
}}

pub struct AssignCollection {
    rules: Rules,
    members: usize,
    /// How often members may be taken for gone.
    scares: usize,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq)]
struct Member {
    /// Whether the others believe that it lives.
    seems_alive: bool,
    /// The document as it was last read: its version and whom it names.
    read: Option<(usize, usize)>,
    /// Whether it has the shards open, and believes that it owns their homes.
    is_open: bool,
    /// Whether it was told that another fenced it.
    is_deposed: bool,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq)]
pub struct State {
    version: usize,
    owner: usize,
    /// Who fenced the homes last.
    home: Option<usize>,
    scares: usize,
    /// Whether two judged one version of the document and both took the collection.
    taken_twice: bool,
    members: Vec<Member>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    Scare(usize),
    Recover(usize),
    Read(usize),
    Take(usize),
    Open(usize),
    /// It writes, or looks, and hears that another fenced it.
    Hear(usize),
    Close(usize),
}

impl AssignCollection {
    /// What members do by themselves, faults aside.
    fn is_step(action: &Action) -> bool {
        !matches!(action, Action::Scare(_))
    }
}

impl ProtocolModel for AssignCollection {
    type Rules = Rules;
    const NAME: &'static str = "assign_collection";

    fn small(rules: Rules) -> Self {
        Self { rules, members: 3, scares: 2 }
    }

    fn large(rules: Rules) -> Self {
        Self { rules, members: 4, scares: 3 }
    }
}

impl Model for AssignCollection {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        let member = Member { seems_alive: true, read: None, is_open: false, is_deposed: false };
        let members = vec![member; self.members];
        vec![State { version: 0, owner: 0, home: None, scares: 0, taken_twice: false, members }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        use Action::*;
        for at in 0..state.members.len() {
            actions.extend([Scare, Recover, Read, Take, Open, Hear, Close].map(|action| action(at)));
        }
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut next = last.clone();
        let State { version, owner, home, scares, taken_twice, members } = &mut next;
        match action {
            Action::Scare(at) => {
                // One of them stays, so that there is somebody to take what is left.
                let others = members.iter().enumerate().filter(|(other, it)| *other != at && it.seems_alive);
                if *scares == self.scares || others.count() == 0 {
                    return None;
                }
                *scares += 1;
                members[at].seems_alive = false;
            }
            Action::Recover(at) => members[at].seems_alive = true,
            Action::Read(at) => members[at].read = Some((*version, *owner)),
            Action::Take(at) => {
                let (seen, of) = members[at].read?;
                if of == at || members[of].seems_alive || !members[at].seems_alive {
                    return None;
                }
                if seen != *version {
                    if self.rules.taken_by_compare_and_set {
                        members[at].read = None;
                        return Some(next);
                    }
                    *taken_twice = true;
                }
                *version += 1;
                *owner = at;
                members[at].read = Some((*version, at));
            }
            Action::Open(at) => {
                let opens_again = members[at].is_deposed && self.rules.a_deposed_owner_opens_again;
                if members[at].read?.1 != at || members[at].is_open && !opens_again {
                    return None;
                }
                *home = Some(at);
                members[at].is_open = true;
                members[at].is_deposed = false;
            }
            Action::Hear(at) => {
                if !members[at].is_open || members[at].is_deposed || *home == Some(at) {
                    return None;
                }
                // What it read before says nothing of whether it is still the owner.
                members[at].read = None;
                members[at].is_deposed = true;
            }
            Action::Close(at) => {
                if members[at].read?.1 == at || !members[at].is_open || !self.rules.the_former_owner_closes {
                    return None;
                }
                members[at].is_open = false;
                members[at].is_deposed = false;
            }
        }
        (next != *last).then_some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(A_COLLECTION_IS_TAKEN_ONCE, |_: &Self, state: &State| !state.taken_twice),
            Property::always(EVERY_COLLECTION_COMES_TO_REST, |model: &Self, state: &State| {
                let mut actions = Vec::new();
                model.actions(state, &mut actions);
                let mut steps = actions.into_iter().filter(Self::is_step);
                let is_at_rest = steps.all(|action| model.next_state(state, action).is_none());
                let is_settled = || {
                    let serving = state.members.iter().enumerate().filter(|(_, it)| it.is_open);
                    let serving: Vec<usize> = serving.map(|(at, _)| at).collect();
                    state.home == Some(state.owner) && serving == [state.owner]
                };
                !is_at_rest || is_settled()
            }),
            Property::sometimes("a former owner fenced the one that took over", |_: &Self, state: &State| {
                state.version > 0 && state.home.is_some_and(|home| home != state.owner)
            }),
            Property::sometimes("all is at rest behind a take-over", |_: &Self, state: &State| {
                let open = state.members.iter().filter(|it| it.is_open).count();
                state.version > 0 && state.home == Some(state.owner) && open == 1
            }),
        ]
    }
}
