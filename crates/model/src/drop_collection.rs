//! Dropping a collection while an owner of one of its shards may be a zombie: the record that ends the log,
//! and what may be deleted behind it.
//!
//! One epoch's log with three slots. The owner appends; whoever drops ends the log, deletes, and tells its
//! client so.

use stateright::{Model, Property};

use crate::check::ProtocolModel;
use crate::promise::*;
use crate::rules::rules;

rules! { DropCollection {
    /// Each log is ended by a terminal record before anything is deleted.
    end_before_deletion => NOTHING_IS_ACKNOWLEDGED_BEHIND_A_DROP,
    /// Terminal records, like fences, are never deleted: a PUT that is under way must find its name taken.
    ends_stay => NOTHING_IS_ACKNOWLEDGED_BEHIND_A_DROP,
    /// The end is put into the first free slot.
    end_in_first_free_slot => NOTHING_IS_ACKNOWLEDGED_BEHIND_A_DROP,
}}

pub struct DropCollection {
    rules: Rules,
    slots: usize,
}

#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq)]
enum LogObject {
    Record,
    End,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq)]
pub struct State {
    log: Vec<Option<LogObject>>,
    /// The slot that the owner is at, and whether it has offered it; `None` once it knows that it is none.
    owner: Option<(usize, bool)>,
    /// What it has offered came behind the drop. What landed before the end may be acknowledged later.
    offered_behind: bool,
    ended: bool,
    dropped: bool,
    acknowledged_behind: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    Offer,
    /// The owner's PUT arrives and its answer gets lost.
    Land,
    Resolve,
    End,
    /// What the log holds is deleted, and the client is told that the collection is gone.
    Delete,
}

impl ProtocolModel for DropCollection {
    type Rules = Rules;
    const NAME: &'static str = "drop_collection";

    fn small(rules: Rules) -> Self {
        Self { rules, slots: 3 }
    }

    fn large(rules: Rules) -> Self {
        Self { rules, slots: 8 }
    }
}

impl Model for DropCollection {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![State {
            log: vec![None; self.slots],
            owner: Some((0, false)),
            offered_behind: false,
            ended: false,
            dropped: false,
            acknowledged_behind: false,
        }]
    }

    fn actions(&self, _: &State, actions: &mut Vec<Action>) {
        actions.extend([Action::Offer, Action::Land, Action::Resolve, Action::End, Action::Delete]);
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut next = last.clone();
        match action {
            Action::Offer => {
                let (slot, offered) = next.owner.filter(|(slot, _)| slot + 1 < self.slots)?;
                if offered {
                    return None;
                }
                next.owner = Some((slot, true));
                next.offered_behind = next.dropped;
            }
            Action::Land => {
                let (slot, _) = next.owner.filter(|(_, offered)| *offered)?;
                next.log[slot].get_or_insert(LogObject::Record);
            }
            Action::Resolve => next.resolve()?,
            Action::End => {
                let first = next.log.iter().position(Option::is_none)?;
                let at = if self.rules.end_in_first_free_slot { first } else { self.slots - 1 };
                next.log[at] = Some(LogObject::End);
                next.ended = true;
            }
            Action::Delete => {
                if self.rules.end_before_deletion && !next.ended {
                    return None;
                }
                let stays = |object: &LogObject| *object == LogObject::End && self.rules.ends_stay;
                next.log.iter_mut().for_each(|object| *object = object.filter(stays));
                next.dropped = true;
            }
        }
        (next != *last).then_some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(NOTHING_IS_ACKNOWLEDGED_BEHIND_A_DROP, |_: &Self, state: &State| {
                !state.acknowledged_behind
            }),
            Property::sometimes("a zombie meets the end", |_: &Self, state: &State| {
                state.dropped && state.owner.is_none()
            }),
        ]
    }
}

impl State {
    fn resolve(&mut self) -> Option<()> {
        let (slot, _) = self.owner.filter(|(_, offered)| *offered)?;
        if *self.log[slot].get_or_insert(LogObject::Record) == LogObject::End {
            self.owner = None;
        } else {
            self.owner = Some((slot + 1, false));
            self.acknowledged_behind |= self.offered_behind;
        }
        Some(())
    }
}
