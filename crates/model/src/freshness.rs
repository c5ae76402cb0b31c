//! Reading the newest: `/get` at an owner that may be none any more, updates that expect a version, and
//! followers that are offered snapshots by owners of several epochs.
//!
//! One document. Owner 0 may be a zombie from the moment at which owner 1 serves; the change of owners itself
//! is `takeover`'s. Versions are 1, 2, 3 … in the order of the log.

use stateright::{Model, Property};

use crate::check::ProtocolModel;
use crate::promise::*;
use crate::rules::rules;

rules! { Freshness {
    /// An owner answers a get after it has looked for a later epoch and found none.
    look_before_get => NO_GET_IS_STALE,
    /// Only a look that began after the request arrived counts for it.
    look_begins_after_arrival => NO_GET_IS_STALE,
    /// An append that was resolved counts as a look if it began after the request arrived.
    append_begins_after_arrival => NO_GET_IS_STALE,
    /// Epochs are never deleted: the look is for one name.
    epochs_stay => NO_GET_IS_STALE,
    /// A record is in the view of gets before its update is acknowledged.
    visible_before_acknowledged => NO_GET_IS_STALE,
    /// A get shows only what is durable.
    get_only_durable => READERS_SEE_ONLY_WHAT_IS_DURABLE,
    /// What an update expects is compared with the newest in the log's order, what is not durable yet
    /// included.
    expect_against_the_logs_order => NO_EXPECTED_VERSION_IS_PASSED_OVER,
    /// A conflict is reported when what it was judged by is durable.
    conflict_waits_for_durable => READERS_SEE_ONLY_WHAT_IS_DURABLE,
    /// Followers order snapshots by epoch first.
    epoch_before_watermark => NO_FOLLOWER_GOES_BACKWARDS,
    /// A follower takes only what is newer than what it has.
    followers_only_forwards => NO_FOLLOWER_GOES_BACKWARDS,
}}

type Version = u8;

pub struct Freshness {
    rules: Rules,
    versions: Version,
    gets: usize,
    /// Updates of one owner that may be unresolved at once.
    window: usize,
}

#[derive(Clone, Debug, Default, Hash, PartialEq, Eq)]
struct Owner {
    /// Serves; a zombie does until it learns that it is none.
    serving: bool,
    /// Offered and not resolved; of these, how many are in the log already.
    pending: usize,
    landed: usize,
    /// The newest that it knows to be durable, and the newest that its gets show.
    durable: Version,
    view: Version,
    /// The version at which its epoch began: slots count from there.
    base: Version,
}

/// A get that waits at owner 0.
#[derive(Clone, Debug, Hash, PartialEq, Eq, PartialOrd, Ord)]
struct Get {
    /// What was acknowledged when it arrived.
    needs: Version,
    /// It was there when the look that is under way began.
    in_look: bool,
    /// An append that is pending began behind its arrival.
    before_append: bool,
    confirmed: bool,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq)]
pub struct State {
    owners: [Owner; 2],
    /// The newest that is durable.
    log: Version,
    acknowledged: Version,
    epoch_2_exists: bool,
    gets: Vec<Get>,
    /// A look is under way, and whether it will find the epoch: what the store said at the earliest moment
    /// possible.
    look: Option<bool>,
    /// Epoch, slot and version.
    follower: (u8, Version, Version),
    /// The newest that anybody was shown.
    shown: Version,
    stale: bool,
    passed_over: bool,
    backwards: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// An update that expects this version of the document.
    Update {
        owner: usize,
        expects: Version,
    },
    /// The oldest pending update that is not in the log gets there; the answer is under way.
    Land(usize),
    Resolve(usize),
    /// The owner takes what is durable into the view of its gets.
    Apply(usize),
    Acknowledge(usize),
    CreateEpoch2,
    /// Owner 1 has fenced, replayed, and serves.
    Serve,
    /// Somebody deletes the epochs' objects (against the rules).
    DeleteEpochs,
    Get,
    BeginLook,
    EndLook,
    AnswerGet(usize),
    /// The follower is offered an owner's snapshot.
    Follow(usize),
}

impl ProtocolModel for Freshness {
    type Rules = Rules;
    const NAME: &'static str = "freshness";

    fn small(rules: Rules) -> Self {
        Self { rules, versions: 2, gets: 2, window: 2 }
    }

    fn for_removal(rules: Rules) -> Self {
        Self { versions: 3, ..Self::small(rules) }
    }

    fn large(rules: Rules) -> Self {
        Self { rules, versions: 5, gets: 3, window: 3 }
    }
}

impl Model for Freshness {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![State {
            owners: [Owner { serving: true, ..Owner::default() }, Owner::default()],
            log: 0,
            acknowledged: 0,
            epoch_2_exists: false,
            gets: Vec::new(),
            look: None,
            follower: (1, 0, 0),
            shown: 0,
            stale: false,
            passed_over: false,
            backwards: false,
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        actions.extend([
            Action::CreateEpoch2,
            Action::Serve,
            Action::Get,
            Action::BeginLook,
            Action::EndLook,
        ]);
        if !self.rules.epochs_stay {
            actions.push(Action::DeleteEpochs);
        }
        actions.extend((0..state.gets.len()).map(Action::AnswerGet));
        for owner in [0, 1].into_iter().filter(|owner| state.owners[*owner].serving) {
            let newest = state.owners[owner].durable + state.owners[owner].pending as Version;
            actions.extend(
                (state.owners[owner].durable..=newest).map(|expects| Action::Update { owner, expects }),
            );
            actions.extend([Action::Land(owner), Action::Resolve(owner), Action::Apply(owner)]);
            actions.extend([Action::Acknowledge(owner), Action::Follow(owner)]);
        }
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut next = last.clone();
        match action {
            Action::Update { owner, expects } => self.update(&mut next, owner, expects)?,
            Action::Land(owner) => next.land(owner)?,
            Action::Resolve(owner) => self.resolve(&mut next, owner)?,
            Action::Apply(owner) => next.owners[owner].view = next.owners[owner].durable,
            Action::Acknowledge(owner) => self.acknowledge(&mut next, owner)?,
            Action::CreateEpoch2 if next.owners[1].serving => return None,
            Action::CreateEpoch2 => next.epoch_2_exists = true,
            Action::Serve => next.serve()?,
            Action::DeleteEpochs => next.epoch_2_exists = false,
            Action::Get => self.get(&mut next)?,
            Action::BeginLook => next.begin_look()?,
            Action::EndLook => self.end_look(&mut next)?,
            Action::AnswerGet(at) => self.answer_get(&mut next, at)?,
            Action::Follow(owner) => self.follow(&mut next, owner)?,
        }
        next.gets.sort_unstable();
        (next != *last).then_some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(NO_GET_IS_STALE, |_: &Self, state: &State| !state.stale),
            Property::always(NO_EXPECTED_VERSION_IS_PASSED_OVER, |_: &Self, state: &State| {
                !state.passed_over
            }),
            Property::always(NO_FOLLOWER_GOES_BACKWARDS, |_: &Self, state: &State| !state.backwards),
            Property::always(READERS_SEE_ONLY_WHAT_IS_DURABLE, |_: &Self, state: &State| {
                state.shown <= state.log
            }),
            Property::sometimes(
                "a zombie serves while its successor acknowledges",
                |_: &Self, state: &State| {
                    state.owners[0].serving
                        && state.owners[1].serving
                        && state.acknowledged > state.owners[0].durable
                },
            ),
            Property::sometimes("a zombie's update is lost with it", |_: &Self, state: &State| {
                state.owners[1].serving && state.owners[0].pending > 0
            }),
            Property::sometimes("a get is confirmed by an append alone", |_: &Self, state: &State| {
                state.look.is_none() && state.gets.iter().any(|get| get.confirmed && !get.in_look)
            }),
        ]
    }
}

impl Freshness {
    /// Accepted, or a conflict whose answer says what is there.
    fn update(&self, next: &mut State, at: usize, expects: Version) -> Option<()> {
        let owner = &mut next.owners[at];
        let newest = owner.durable + owner.pending as Version;
        let judged_by = if self.rules.expect_against_the_logs_order { newest } else { owner.durable };
        if expects != judged_by {
            let waits = owner.pending > 0 && self.rules.conflict_waits_for_durable;
            next.shown = if waits { next.shown } else { next.shown.max(newest) };
            return Some(());
        }
        if newest == self.versions || owner.pending == self.window {
            return None;
        }
        next.passed_over |= expects != newest;
        owner.pending += 1;
        if at == 0 {
            next.gets.iter_mut().for_each(|get| get.before_append = true);
        }
        Some(())
    }

    /// The oldest pending update gets its slot, or the owner meets the fence.
    fn resolve(&self, next: &mut State, at: usize) -> Option<()> {
        if next.owners[at].pending == 0 {
            return None;
        }
        if next.owners[at].landed == 0 && next.land(at).is_none() {
            next.retire_owner_0();
            return Some(());
        }
        let owner = &mut next.owners[at];
        owner.pending -= 1;
        owner.landed -= 1;
        owner.durable += 1;
        // With several pending the last of them is the one that may have begun behind a get.
        let last = owner.pending == 0;
        if at == 0 {
            for get in &mut next.gets {
                get.confirmed |= (get.before_append && last) || !self.rules.append_begins_after_arrival;
            }
        }
        Some(())
    }

    fn acknowledge(&self, next: &mut State, at: usize) -> Option<()> {
        let owner = &next.owners[at];
        if self.rules.visible_before_acknowledged && owner.view != owner.durable {
            return None;
        }
        next.acknowledged = next.acknowledged.max(owner.durable);
        Some(())
    }

    fn get(&self, next: &mut State) -> Option<()> {
        if next.gets.len() == self.gets || !next.owners[0].serving {
            return None;
        }
        let needs = next.acknowledged;
        let confirmed = !self.rules.look_before_get;
        next.gets.push(Get { needs, in_look: false, before_append: false, confirmed });
        Some(())
    }

    fn end_look(&self, next: &mut State) -> Option<()> {
        if next.look.take()? {
            next.retire_owner_0();
            return Some(());
        }
        for get in &mut next.gets {
            get.confirmed |= get.in_look || !self.rules.look_begins_after_arrival;
            get.in_look = false;
        }
        Some(())
    }

    fn answer_get(&self, next: &mut State, at: usize) -> Option<()> {
        let get = next.gets.remove(at);
        if !get.confirmed {
            return None;
        }
        let owner = &next.owners[0];
        let unresolved = if self.rules.get_only_durable { 0 } else { owner.pending as Version };
        let value = owner.view + unresolved;
        next.shown = next.shown.max(value);
        next.stale |= value < get.needs;
        Some(())
    }

    fn follow(&self, next: &mut State, at: usize) -> Option<()> {
        let owner = &next.owners[at];
        let offered = (at as u8 + 1, owner.view - owner.base, owner.view);
        let had = next.follower;
        let newer = if self.rules.epoch_before_watermark { offered > had } else { offered.1 > had.1 };
        if self.rules.followers_only_forwards && !newer {
            return None;
        }
        next.backwards |= offered.2 < had.2;
        next.follower = offered;
        Some(())
    }
}

impl State {
    fn serve(&mut self) -> Option<()> {
        if !self.epoch_2_exists || self.owners[1].serving {
            return None;
        }
        let (view, durable) = (self.log, self.log);
        self.owners[1] = Owner { serving: true, durable, view, base: self.log, ..Owner::default() };
        Some(())
    }

    /// `None` behind the fence.
    fn land(&mut self, at: usize) -> Option<()> {
        let fenced = at == 0 && self.owners[1].serving;
        let owner = &mut self.owners[at];
        if fenced || owner.landed == owner.pending {
            return None;
        }
        owner.landed += 1;
        self.log += 1;
        Some(())
    }

    fn begin_look(&mut self) -> Option<()> {
        if self.look.is_some() || !self.owners[0].serving || self.gets.is_empty() {
            return None;
        }
        self.look = Some(self.epoch_2_exists);
        self.gets.iter_mut().for_each(|get| get.in_look = true);
        Some(())
    }

    /// It has learnt that it is deposed; those who wait are sent elsewhere.
    fn retire_owner_0(&mut self) {
        self.owners[0].serving = false;
        self.gets.clear();
        self.look = None;
    }
}
