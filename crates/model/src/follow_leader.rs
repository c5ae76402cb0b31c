//! A follower that shows what its leader shows, segments of the leader's memory included: how long it may
//! answer by itself, and when a commit may be acknowledged, so that whoever searches behind the
//! acknowledgement sees the commit wherever he asks. Time passes in ticks, of which all count the same.
//!
//! One follower, one shard, whose updates are all durable; a take-over is one step here, which `takeover`
//! takes apart. Which files a snapshot needs and where they come from is `read_published`'s.

use stateright::{Model, Property};

use crate::check::ProtocolModel;
use crate::promise::*;
use crate::rules::rules;

rules! { FollowLeader {
    /// A follower answers by itself only for a while behind its last look at its leader.
    answers_for_a_while => A_COMMIT_IS_SEEN_WHEREVER_ONE_ASKS,
    /// That while counts from the beginning of the look: its answer may have been long on the way.
    counts_from_the_beginning_of_the_look => A_COMMIT_IS_SEEN_WHEREVER_ONE_ASKS,
    /// A leader answers looks only for a while behind its own last look that found the home its own.
    leads_for_a_while => A_COMMIT_IS_SEEN_WHEREVER_ONE_ASKS,
    /// A commit is acknowledged once the follower has it, or when both whiles are over for whoever looked
    /// before it.
    acknowledged_behind_the_follower => A_COMMIT_IS_SEEN_WHEREVER_ONE_ASKS,
    /// Of what it is offered a follower takes what is of a later opening, or of the same and newer.
    follows_only_forwards => NO_FOLLOWER_GOES_BACKWARDS,
}}

type Tick = u8;

/// For how long a follower answers by itself, and a leader by what it knows of its home.
const WHILE: Tick = 1;
const OPENINGS: usize = 2;

pub struct FollowLeader {
    rules: Rules,
    ticks: Tick,
    commits: u8,
}

/// What an opening of the home shows; content counts up with each commit, whoever makes it.
#[derive(Clone, Copy, Debug, Default, Hash, PartialEq, Eq, PartialOrd, Ord)]
struct Shown {
    opening: usize,
    content: u8,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq)]
struct Leader {
    shown: Shown,
    /// When its last look began that found the home its own.
    confirmed: Tick,
    /// Its last commit that is not acknowledged yet, and when that was shown.
    committing: Option<(u8, Tick)>,
}

/// A look on its way: when it began, and what it brings once it was answered.
#[derive(Clone, Debug, Hash, PartialEq, Eq)]
struct Look {
    opening: usize,
    begun: Tick,
    brings: Option<Shown>,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq)]
pub struct State {
    now: Tick,
    /// By opening; the last one that there is has the home.
    leaders: Vec<Leader>,
    has: Shown,
    /// When the last look began whose answer came, by what the follower counts.
    looked: Option<Tick>,
    looks: Vec<Look>,
    /// The newest commit of which a client was told.
    acknowledged: u8,
    went_back: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    Pass,
    TakeOver,
    Commit(usize),
    Acknowledge(usize),
    /// A leader looks whether the home is its own.
    Confirm(usize),
    /// The follower asks a leader, as it was told of it.
    Look(usize),
    Answer(usize),
    Arrive(usize),
    Lose(usize),
}

impl ProtocolModel for FollowLeader {
    type Rules = Rules;
    const NAME: &'static str = "follow_leader";

    fn small(rules: Rules) -> Self {
        Self { rules, ticks: 4, commits: 2 }
    }

    fn large(rules: Rules) -> Self {
        Self { rules, ticks: 7, commits: 3 }
    }
}

impl Model for FollowLeader {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        let leader = Leader { shown: Shown::default(), confirmed: 0, committing: None };
        vec![State {
            now: 0,
            leaders: vec![leader],
            has: Shown::default(),
            looked: None,
            looks: Vec::new(),
            acknowledged: 0,
            went_back: false,
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        use Action::*;
        actions.extend([Pass, TakeOver]);
        for leader in 0..state.leaders.len() {
            actions.extend([Commit, Acknowledge, Confirm, Look].map(|action| action(leader)));
        }
        for look in 0..state.looks.len() {
            actions.extend([Answer, Arrive, Lose].map(|action| action(look)));
        }
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut next = last.clone();
        let (now, newest) = (next.now, next.leaders.len() - 1);
        match action {
            Action::Pass if now < self.ticks => next.now += 1,
            Action::TakeOver if newest + 1 < OPENINGS => {
                // Whatever is durable is shown by the opening.
                let shown = Shown { opening: newest + 1, content: next.content() };
                next.leaders.push(Leader { shown, confirmed: now, committing: None });
            }
            Action::Commit(leader) => {
                let content = next.content() + 1;
                let it = &mut next.leaders[leader];
                // A deposed one cannot append.
                if leader != newest || it.committing.is_some() || content > self.commits {
                    return None;
                }
                it.shown.content = content;
                it.committing = Some((content, now));
            }
            Action::Acknowledge(leader) => {
                let (content, shown_at) = next.leaders[leader].committing?;
                let is_waited_for = now > shown_at + 2 * WHILE;
                let is_there = next.has.content >= content;
                if self.rules.acknowledged_behind_the_follower && !is_there && !is_waited_for {
                    return None;
                }
                next.leaders[leader].committing = None;
                next.acknowledged = next.acknowledged.max(content);
            }
            Action::Confirm(leader) if leader == newest => next.leaders[leader].confirmed = now,
            Action::Look(opening) if next.looks.len() < 2 => {
                next.looks.push(Look { opening, begun: now, brings: None });
            }
            Action::Answer(look) => {
                let look = &mut next.looks[look];
                let leader = &next.leaders[look.opening];
                let leads = !self.rules.leads_for_a_while || now <= leader.confirmed + WHILE;
                if look.brings.is_some() || !leads {
                    return None;
                }
                look.brings = Some(leader.shown);
            }
            Action::Arrive(look) => {
                let Look { begun, brings, .. } = next.looks.remove(look);
                self.arrive(&mut next, brings?, begun);
            }
            Action::Lose(look) => drop(next.looks.remove(look)),
            _ => return None,
        }
        (next != *last).then_some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(A_COMMIT_IS_SEEN_WHEREVER_ONE_ASKS, |model: &Self, state: &State| {
                !model.answers(state) || state.has.content >= state.acknowledged
            }),
            Property::always(NO_FOLLOWER_GOES_BACKWARDS, |_: &Self, state: &State| !state.went_back),
            Property::sometimes(
                "a follower answers what a later opening committed",
                |model: &Self, state| {
                    model.answers(state) && state.has.opening == 1 && state.has.content == model.commits
                },
            ),
            Property::sometimes(
                "a commit is acknowledged without the follower",
                |_: &Self, state: &State| state.acknowledged > state.has.content,
            ),
            Property::sometimes("a deposed leader is followed", |model: &Self, state: &State| {
                model.answers(state) && state.leaders.len() > state.has.opening + 1
            }),
        ]
    }
}

impl FollowLeader {
    /// Whether the follower answers by itself.
    fn answers(&self, state: &State) -> bool {
        let is_in_time = |looked: Tick| !self.rules.answers_for_a_while || state.now <= looked + WHILE;
        state.looked.is_some_and(is_in_time)
    }

    fn arrive(&self, next: &mut State, brings: Shown, begun: Tick) {
        let brings = match self.rules.follows_only_forwards {
            // A deposed one knows nothing of what a later opening committed.
            true if brings.opening < next.has.opening => return,
            // Of one opening another look was faster.
            true => brings.max(next.has),
            false => brings,
        };
        next.went_back |= brings < next.has;
        next.has = brings;
        let looked = if self.rules.counts_from_the_beginning_of_the_look { begun } else { next.now };
        next.looked = next.looked.max(Some(looked));
    }
}

impl State {
    /// All that is durable.
    fn content(&self) -> u8 {
        self.leaders.iter().map(|leader| leader.shown.content).max().unwrap_or_default()
    }
}
