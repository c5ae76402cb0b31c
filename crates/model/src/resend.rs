//! Re-sends: a coordinator that got no answer sends its part of an update again, to the same owner or the
//! next, while earlier sends may still arrive. What the owner knows of batch ids decides whether the part is
//! applied once.
//!
//! One log, whose slots and fences `append` and `takeover` hold: here a record is pending, then durable or
//! lost with its owner. A part has two operations, each a record of its own, so that a part may be logged by
//! half.

use std::collections::{BTreeMap, BTreeSet};

use stateright::{Model, Property};

use crate::check::ProtocolModel;
use crate::promise::*;
use crate::rules::rules;

rules! { Resend {
    /// The owner answers a batch id that it knows from its log, and applies nothing again.
    known_batches_are_answered => NOTHING_IS_APPLIED_TWICE,
    /// A batch that is pending is known, too.
    pending_batches_are_known => NOTHING_IS_APPLIED_TWICE,
    /// A replay restores the ids of the records that it reads.
    replay_restores_ids => NOTHING_IS_APPLIED_TWICE,
    /// A manifest carries the ids of the records that it makes superfluous.
    manifest_keeps_ids => NOTHING_IS_APPLIED_TWICE,
    /// If ids were forgotten since the position that the request names, the answer is unknown, and nothing is
    /// applied.
    forgotten_is_unknown => NOTHING_IS_APPLIED_TWICE,
    /// A manifest says up to where ids were forgotten.
    manifest_keeps_forgotten => NOTHING_IS_APPLIED_TWICE,
    /// The position in a re-send is the one that was seen before the first send.
    position_of_first_send => NOTHING_IS_APPLIED_TWICE,
    /// A part that is logged by half is gone on with behind what is logged.
    go_on_behind_what_is_logged => NOTHING_ACKNOWLEDGED_IS_LOST,
    /// What was forgotten is asked first: an owner without room does not refuse what it may have applied.
    forgotten_before_refused => NOTHING_REFUSED_APPEARS,
    /// Refused is reported only when every send was answered so.
    refused_by_every_send => NOTHING_REFUSED_APPEARS,
}}

type BatchId = u8;
/// Operations of a part.
const OPERATIONS: u8 = 2;
/// Records that may be pending at once.
const WINDOW: usize = 2;

pub struct Resend {
    rules: Rules,
    batches: u8,
    sends: u8,
    takeovers: u8,
}

/// What a record carries: a batch and the number of its operation.
type Record = (BatchId, u8);

/// Batch ids with how many of their operations are logged, and the position up to which ids were dropped.
#[derive(Clone, Debug, Default, Hash, PartialEq, Eq)]
struct Known {
    logged: BTreeMap<BatchId, u8>,
    forgotten: usize,
}

#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq, PartialOrd, Ord)]
pub struct Request {
    batch: BatchId,
    /// The length of the log when the coordinator looked.
    seen: usize,
}

#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq)]
enum Outcome {
    Waiting,
    Durable,
    Refused,
    Unknown,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq)]
struct Coordinator {
    first_seen: usize,
    /// Sends that were made, and those of them that were answered.
    sent: u8,
    answered: u8,
    outcome: Outcome,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq)]
pub struct State {
    /// The whole history of durable records; positions are 1, 2, 3 …
    log: Vec<Record>,
    /// Offered by the owner, not yet resolved; in the order of their slots.
    pending: Vec<Record>,
    /// A manifest has the log up to here, and these ids.
    flushed: usize,
    manifest: Known,
    known: Known,
    in_flight: Vec<Request>,
    /// By batch.
    coordinators: Vec<Coordinator>,
    takeovers: u8,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    Send(BatchId),
    GiveUp(BatchId),
    /// A request arrives; the owner does what it can and answers, unless that gets lost.
    Deliver {
        request: Request,
        answer_lost: bool,
    },
    /// The owner has no room: nothing is offered.
    RefuseFull {
        request: Request,
    },
    Resolve,
    /// The owner drops its oldest batch id.
    Forget(BatchId),
    Flush,
    /// The next owner takes over; of the pending records this many had landed before the fence.
    TakeOver {
        landed: usize,
    },
}

impl ProtocolModel for Resend {
    type Rules = Rules;
    const NAME: &'static str = "resend";

    fn small(rules: Rules) -> Self {
        Self { rules, batches: 1, sends: 3, takeovers: 2 }
    }

    fn for_removal(rules: Rules) -> Self {
        Self { rules, batches: 2, sends: 2, takeovers: 1 }
    }

    fn large(rules: Rules) -> Self {
        Self { rules, batches: 2, sends: 3, takeovers: 2 }
    }
}

impl Model for Resend {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![State {
            log: Vec::new(),
            pending: Vec::new(),
            flushed: 0,
            manifest: Known::default(),
            known: Known::default(),
            in_flight: Vec::new(),
            coordinators: Vec::new(),
            takeovers: 0,
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        if state.coordinators.len() < usize::from(self.batches) {
            actions.push(Action::Send(state.coordinators.len() as BatchId));
        }
        for (batch, coordinator) in (0..).zip(&state.coordinators) {
            if coordinator.outcome == Outcome::Waiting {
                actions.push(Action::GiveUp(batch));
                if coordinator.sent < self.sends {
                    actions.push(Action::Send(batch));
                }
            }
        }
        for request in &state.in_flight {
            actions
                .extend([false, true].map(|lost| Action::Deliver { request: *request, answer_lost: lost }));
            actions.push(Action::RefuseFull { request: *request });
        }
        if state.takeovers < self.takeovers {
            actions.extend((0..=state.pending.len()).map(|landed| Action::TakeOver { landed }));
        }
        actions.extend(state.known.logged.keys().map(|batch| Action::Forget(*batch)));
        actions.extend([Action::Resolve, Action::Flush]);
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut next = last.clone();
        match action {
            Action::Send(batch) => self.send(&mut next, batch),
            Action::GiveUp(batch) => next.tell(batch, Outcome::Unknown),
            Action::Deliver { request, answer_lost } => self.deliver(&mut next, request, answer_lost)?,
            Action::RefuseFull { request } => self.refuse_full(&mut next, request)?,
            Action::Resolve => next.resolve(),
            Action::Forget(batch) => next.forget(batch),
            Action::Flush => self.flush(&mut next),
            Action::TakeOver { landed } => self.take_over(&mut next, landed),
        }
        next.in_flight.sort_unstable();
        (next != *last).then_some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(NOTHING_IS_APPLIED_TWICE, |_: &Self, state: &State| {
                state.log.iter().collect::<BTreeSet<_>>().len() == state.log.len()
            }),
            Property::always(NOTHING_ACKNOWLEDGED_IS_LOST, |_: &Self, state: &State| {
                state
                    .told_as(Outcome::Durable)
                    .all(|batch| state.operations_of(batch) == usize::from(OPERATIONS))
            }),
            Property::always(NOTHING_REFUSED_APPEARS, |_: &Self, state: &State| {
                state.told_as(Outcome::Refused).all(|batch| state.operations_of(batch) == 0)
            }),
            Property::sometimes("a re-send is answered behind a take-over", |_: &Self, state: &State| {
                let durable = |one: &Coordinator| one.outcome == Outcome::Durable && one.sent > 1;
                state.takeovers > 0 && state.coordinators.iter().any(durable)
            }),
            Property::sometimes("a part stays logged by half", |_: &Self, state: &State| {
                state.in_flight.is_empty()
                    && state.told_as(Outcome::Unknown).any(|one| state.operations_of(one) == 1)
            }),
        ]
    }
}

impl Resend {
    fn send(&self, next: &mut State, batch: BatchId) {
        let now = next.log.len();
        if usize::from(batch) == next.coordinators.len() {
            let outcome = Outcome::Waiting;
            next.coordinators.push(Coordinator { first_seen: now, sent: 0, answered: 0, outcome });
        }
        let coordinator = &mut next.coordinators[usize::from(batch)];
        coordinator.sent += 1;
        let seen = if self.rules.position_of_first_send { coordinator.first_seen } else { now };
        next.in_flight.push(Request { batch, seen });
    }

    /// A part with something left to log appends one record and stays where it is, until all of it is logged.
    fn deliver(&self, next: &mut State, request: Request, answer_lost: bool) -> Option<()> {
        let batch = request.batch;
        if next.is_pending(batch) && self.rules.pending_batches_are_known {
            return None;
        }
        let known = next.known.logged.get(&batch).copied();
        let logged = known.filter(|_| self.rules.known_batches_are_answered).unwrap_or(0);
        let done = logged == OPERATIONS || (logged > 0 && !self.rules.go_on_behind_what_is_logged);
        if done {
            return next.answer(request, answer_lost, Outcome::Durable);
        }
        if known.is_none() && self.rules.forgotten_is_unknown && next.known.forgotten > request.seen {
            return next.answer(request, answer_lost, Outcome::Unknown);
        }
        // The step that appends has no answer to lose.
        if answer_lost || next.pending.len() == WINDOW {
            return None;
        }
        next.pending.push((batch, logged));
        Some(())
    }

    /// What is known by its id was offered already, and is never refused.
    fn refuse_full(&self, next: &mut State, request: Request) -> Option<()> {
        let batch = request.batch;
        if next.known.logged.contains_key(&batch) || next.is_pending(batch) {
            return None;
        }
        if self.rules.forgotten_before_refused && next.known.forgotten > request.seen {
            return None;
        }
        next.take_request(request)?;
        let coordinator = &mut next.coordinators[usize::from(batch)];
        coordinator.answered += 1;
        if coordinator.answered == coordinator.sent || !self.rules.refused_by_every_send {
            next.tell(batch, Outcome::Refused);
        }
        Some(())
    }

    fn flush(&self, next: &mut State) {
        next.flushed = next.log.len();
        next.manifest = next.known.clone();
        if !self.rules.manifest_keeps_ids {
            next.manifest.logged.clear();
        }
        if !self.rules.manifest_keeps_forgotten {
            next.manifest.forgotten = 0;
        }
    }

    fn take_over(&self, next: &mut State, landed: usize) {
        next.takeovers += 1;
        (0..landed).for_each(|_| next.resolve());
        next.pending.clear();
        next.known = next.manifest.clone();
        if self.rules.replay_restores_ids {
            let replayed = next.log[next.flushed..].iter();
            next.known.logged.extend(replayed.map(|(batch, operation)| (*batch, operation + 1)));
        }
    }
}

impl State {
    fn resolve(&mut self) {
        if !self.pending.is_empty() {
            let (batch, operation) = self.pending.remove(0);
            self.log.push((batch, operation));
            self.known.logged.insert(batch, operation + 1);
        }
    }

    fn is_pending(&self, batch: BatchId) -> bool {
        self.pending.iter().any(|(of, _)| *of == batch)
    }

    fn forget(&mut self, batch: BatchId) {
        self.known.logged.remove(&batch);
        let last = self.log.iter().rposition(|(of, _)| *of == batch).map_or(0, |at| at + 1);
        self.known.forgotten = self.known.forgotten.max(last);
    }

    fn answer(&mut self, request: Request, lost: bool, outcome: Outcome) -> Option<()> {
        self.take_request(request)?;
        if !lost {
            self.coordinators[usize::from(request.batch)].answered += 1;
            self.tell(request.batch, outcome);
        }
        Some(())
    }

    fn take_request(&mut self, request: Request) -> Option<()> {
        let at = self.in_flight.iter().position(|one| *one == request)?;
        self.in_flight.remove(at);
        Some(())
    }

    fn tell(&mut self, batch: BatchId, outcome: Outcome) {
        let told = &mut self.coordinators[usize::from(batch)].outcome;
        if *told == Outcome::Waiting {
            *told = outcome;
        }
    }

    fn told_as(&self, outcome: Outcome) -> impl Iterator<Item = BatchId> {
        let all = (0..).zip(&self.coordinators);
        all.filter(move |(_, coordinator)| coordinator.outcome == outcome).map(|(batch, _)| batch)
    }

    fn operations_of(&self, batch: BatchId) -> usize {
        self.log.iter().filter(|(of, _)| *of == batch).count()
    }
}
