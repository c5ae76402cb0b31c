//! Runs a model breadth first and shortens the way to what it breaks. Owns what is counted and the two
//! assertions of the tests; what is searched is the models' affair. In: a model with its rules; out: that no
//! promise is broken in any state it reaches, or the shortest way to one that is. A rule that is taken away
//! must break a promise, or it is not needed.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::hash::Hash;

use stateright::{Checker, Expectation, HasDiscoveries, Model};

use crate::{Promise, RuleSet};

/// A model of a part of the protocol, in two sizes.
pub trait ProtocolModel: Model<State: ModelState, Action: ModelAction> + Send + Sync + 'static {
    type Rules: RuleSet;
    const NAME: &'static str;

    /// Searched in some seconds: what CI runs.
    fn small(rules: Self::Rules) -> Self;
    /// Searched for what breaks without a rule, which may take more room than CI has time to search whole.
    fn for_removal(rules: Self::Rules) -> Self {
        Self::small(rules)
    }
    /// Searched in some minutes, by hand.
    fn large(rules: Self::Rules) -> Self;
}

/// What the search asks of a state.
pub trait ModelState: Clone + Debug + Hash + PartialEq + Send + Sync {}
impl<T: Clone + Debug + Hash + PartialEq + Send + Sync> ModelState for T {}

/// What the search asks of an action.
pub trait ModelAction: Clone + Debug + PartialEq {}
impl<T: Clone + Debug + PartialEq> ModelAction for T {}

/// What a search saw.
#[derive(Clone, Debug)]
pub struct Explored {
    pub states_unique: usize,
    pub states_generated: usize,
    /// Steps from the beginning to the farthest state.
    pub depth_max: usize,
    /// Promises that do not hold, each with a way there.
    pub broken: Vec<Counterexample>,
    /// Situations that the model is meant to reach and did not: it says less than it seems to.
    pub unreached: Vec<&'static str>,
}

/// The steps that break a promise.
#[derive(Clone, Debug)]
pub struct Counterexample {
    pub promise: Promise,
    /// One line an action.
    pub steps: Vec<String>,
}

/// Searches all states of the model.
pub fn explore<M: ProtocolModel>(model: M, threads: usize) -> Explored {
    let mut sometimes: BTreeSet<&'static str> = BTreeSet::new();
    for property in model.properties() {
        if property.expectation == Expectation::Sometimes {
            sometimes.insert(property.name);
        }
    }
    let checker =
        model.checker().threads(threads).finish_when(HasDiscoveries::AnyFailures).spawn_bfs().join();
    let found = checker.discoveries();
    let mut broken = Vec::new();
    for (promise, path) in &found {
        if !sometimes.contains(promise) {
            let steps = path.clone().into_actions().iter().map(|action| format!("{action:?}")).collect();
            broken.push(Counterexample { promise, steps });
        }
    }
    Explored {
        states_unique: checker.unique_state_count(),
        states_generated: checker.state_count(),
        depth_max: checker.max_depth(),
        broken,
        unreached: sometimes.into_iter().filter(|name| !found.contains_key(name)).collect(),
    }
}

/// A way in which the model breaks `promise`, no step of which can be spared; `None` if all its states keep
/// it.
pub fn counterexample<M: ProtocolModel>(model: M, promise: Promise) -> Option<Counterexample> {
    let wanted = HasDiscoveries::AllOf(BTreeSet::from([promise]));
    let checker = model.checker().finish_when(wanted).spawn_bfs().join();
    let path = checker.discovery(promise)?;
    let steps = shorten(checker.model(), promise, path.into_actions());
    Some(Counterexample { promise, steps: steps.iter().map(|action| format!("{action:?}")).collect() })
}

/// Drops each step that the breach does not need: within a block of states the checker keeps the last breach
/// that it found, not the first.
fn shorten<M: ProtocolModel>(model: &M, promise: Promise, mut steps: Vec<M::Action>) -> Vec<M::Action> {
    let mut at = 0;
    while at < steps.len() {
        let mut fewer = steps.clone();
        fewer.remove(at);
        if ends_broken(model, promise, &fewer) {
            steps = fewer;
            at = 0;
        } else {
            at += 1;
        }
    }
    steps
}

/// Whether these steps can be taken one after the other and the promise is broken behind them.
fn ends_broken<M: ProtocolModel>(model: &M, promise: Promise, steps: &[M::Action]) -> bool {
    let Some(mut state) = model.init_states().pop() else { return false };
    for step in steps {
        let mut possible = Vec::new();
        model.actions(&state, &mut possible);
        if !possible.contains(step) {
            return false;
        }
        match model.next_state(&state, step.clone()) {
            Some(next) => state = next,
            None => return false,
        }
    }
    !(model.property(promise).condition)(model, &state)
}

/// A model whose type is forgotten, so that all can stand in one list.
pub struct Scenario {
    pub name: &'static str,
    /// Searches the small or (`true`) the large model with this many threads.
    pub explore: fn(bool, usize) -> Explored,
    /// Each rule, and what the small model finds without it.
    pub removals: fn() -> Vec<RemovalFound>,
}

/// A rule, the promise that it protects, and the breach without it.
pub type RemovalFound = (&'static str, Promise, Option<Counterexample>);

impl Scenario {
    #[must_use]
    pub fn of<M: ProtocolModel>() -> Self {
        Self { name: M::NAME, explore: explore_sized::<M>, removals: removals::<M> }
    }
}

fn explore_sized<M: ProtocolModel>(large: bool, threads: usize) -> Explored {
    explore(if large { M::large(M::Rules::ALL) } else { M::small(M::Rules::ALL) }, threads)
}

fn removals<M: ProtocolModel>() -> Vec<RemovalFound> {
    let found = |rules, breaks| counterexample(M::for_removal(rules), breaks);
    M::Rules::REMOVALS.iter().map(|one| (one.rule, one.breaks, found(one.rules, one.breaks))).collect()
}

/// The small model with every rule keeps every promise, and reaches what it is meant to reach.
#[cfg(test)]
#[allow(clippy::print_stdout)]
pub fn assert_promises_hold<M: ProtocolModel>() {
    let explored = explore(M::small(M::Rules::ALL), 1);
    println!("{}: {} states, depth {}", M::NAME, explored.states_unique, explored.depth_max);
    assert!(explored.broken.is_empty(), "{:#?}", explored.broken);
    assert!(explored.unreached.is_empty(), "never reached: {:?}", explored.unreached);
}

/// The small model with these rules breaks this promise.
#[cfg(test)]
pub fn assert_breaks<M: ProtocolModel>(rules: M::Rules, promise: Promise) {
    let found = counterexample(M::for_removal(rules), promise);
    assert!(found.is_some(), "without the rule, `{promise}` still holds: not modelled, or not needed");
}
