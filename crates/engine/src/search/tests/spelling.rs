//! Suggestions over a few segments; the orders were recorded from Solr 9.10.1 over the same words.

use std::cell::Cell;
use std::sync::Arc;

use meter::{Allowance, Limits, Meters};
use plan::{
    BrokenWords, Checker, Fuzzy, NearWords, SpellDictionary, SpellMode, SpellPlan, SpellWord, WordRole,
    WordsPlan,
};

use crate::search::{self, SearchCaches};
use crate::snapshot::Snapshot;
use crate::testing::{StillClock, document, schema, snapshot, text};

fn shelf() -> Snapshot {
    let doc = |id: &str, words: &str| document(&[("id", vec![text(id)]), ("a_t", vec![text(words)])]);
    let batches = [
        vec![doc("1", "the sound of music"), doc("2", "garden guard"), doc("3", "sunny garden chair")],
        vec![doc("4", "sunflower seeds"), doc("5", "sun flower"), doc("6", "a garden of music")],
    ];
    snapshot(&Arc::new(schema()), &batches)
}

pub(super) fn words(text: &str) -> Vec<SpellWord> {
    let mut start = 0;
    let word = |word: &str| {
        let found = SpellWord {
            text: word.to_owned(),
            start,
            end: start + word.len(),
            increment: 1,
            role: WordRole::default(),
        };
        start += word.len() + 1;
        found
    };
    text.split(' ').map(word).collect()
}

fn plan(text: &str, checkers: Vec<Checker>) -> SpellPlan {
    let dictionary =
        |checker| SpellDictionary { name: "d".into(), field: "a_t".into(), field_type: None, checker };
    SpellPlan {
        schema_version: None,
        dictionaries: checkers.into_iter().map(dictionary).collect(),
        words: words(text),
        count: 5,
        alternatives: 0,
        mode: SpellMode::Unknown,
        accuracy: None,
    }
}

fn check(plan: &SpellPlan, expected: &str) {
    check_within(usize::MAX, plan, expected);
}

/// Expects what is found when the allowance is used up after this many look-ups.
fn check_within(look_ups: usize, plan: &SpellPlan, expected: &str) {
    let (snapshot, caches) = (shelf(), SearchCaches::default());
    let meters = Meters { allowance: short_allowance(), ..Meters::default() };
    let done = Cell::new(0);
    let look_up = |words: &_| {
        let found = search::words(&snapshot, words, &caches, &meters);
        done.set(done.get() + 1);
        meters.allowance.take_bytes(usize::from(done.get() == look_ups));
        found
    };
    let found = cluster::spell_words(plan, &meters.allowance, &look_up).unwrap();
    assert!(done.get() <= look_ups, "looked up {} times", done.get());
    let shown = found.iter().map(|finding| {
        let suggestions: Vec<_> =
            finding.suggestions.iter().map(|(word, count)| format!("{word}={count}")).collect();
        format!("{}/{}: {}", finding.word.text, finding.documents, suggestions.join(","))
    });
    assert_eq!(shown.collect::<Vec<_>>().join("; "), expected, "{look_ups}: {plan:?}");
}

/// Used up by the first byte.
fn short_allowance() -> Allowance {
    let limits = Limits { memory_bytes: Some(0), ..Limits::default() };
    Allowance::new(limits, Arc::new(StillClock::default()), 0)
}

fn near() -> NearWords {
    NearWords { query_frequency_max: 0.9, ..NearWords::default() }
}

#[test]
fn near_words_are_suggested() {
    let checkers = |near| vec![Checker::Near(near)];
    check(&plan("gardn musik of", checkers(near())), "gardn/0: garden=3,guard=1; musik/0: music=2");
    check(&plan("garden", checkers(near())), "");
    check(&plan("gard", checkers(NearWords { edits_max: 1, ..near() })), "gard/0: guard=1");
    check(&plan("gard", checkers(NearWords { accuracy: 0.9, ..near() })), "gard/0: ");
    check(&plan("gard", checkers(NearWords { frequency_min: 1.0, ..near() })), "gard/0: garden=3");
    check(&plan("gardn", checkers(NearWords { length_min: 6, ..near() })), "gardn/0: ");
    let known = SpellPlan { alternatives: 3, mode: SpellMode::Always, ..plan("garden", checkers(near())) };
    check(&known, "garden/3: garden=3");
    check(&SpellPlan { count: 1, ..plan("gardn", checkers(near())) }, "gardn/0: garden=3");
}

#[test]
fn words_are_torn_and_joined() {
    let broken = BrokenWords { combine: true, tear: true, changes_max: 2, ..BrokenWords::default() };
    let checkers = || vec![Checker::Broken(broken.clone())];
    check(&plan("gardenchair", checkers()), "gardenchair/0: garden chair=3");
    check(&plan("soundofmusic", checkers()), "soundofmusic/0: sound of music=2");
    check(&plan("sun flower", checkers()), "sun/1: ; flower/1: ");
    let always = SpellPlan { mode: SpellMode::Always, ..plan("sun flower", checkers()) };
    check(&always, "sun flower/1: sunflower=1; sun/1: ; flower/1: ");
    let both = || vec![Checker::Near(near()), Checker::Broken(broken.clone())];
    check(&plan("gardenchair musik", both()), "gardenchair/0: garden chair=3; musik/0: music=2");
}

#[test]
fn what_is_known_when_the_allowance_is_used_up_is_told() {
    let near = plan("gardn musik of", vec![Checker::Near(near())]);
    check_within(1, &near, "");
    check_within(2, &near, "gardn/0: garden=3; musik/0: music=2");
    check_within(3, &near, "gardn/0: garden=3,guard=1; musik/0: music=2");
    let broken = BrokenWords { combine: true, tear: true, changes_max: 2, ..BrokenWords::default() };
    let broken =
        |words| SpellPlan { mode: SpellMode::Always, ..plan(words, vec![Checker::Broken(broken.clone())]) };
    check_within(1, &broken("sun flower"), "sun flower/1: sunflower=1; sun/1: ; flower/1: ");
    check_within(2, &broken("gardenchair"), "gardenchair/0: garden chair=3");
}

#[test]
fn no_words_are_looked_up_when_the_allowance_is_used_up() {
    let (snapshot, caches) = (shelf(), SearchCaches::default());
    let meters = Meters { allowance: short_allowance(), ..Meters::default() };
    let (field, exact) = (Arc::from("a_t"), vec!["garden".to_owned()]);
    let near = vec![Fuzzy::new(Arc::clone(&field), "gardn".to_owned(), 1)];
    let words = WordsPlan { schema_version: None, field, exact, near };
    let looked_up = || {
        let found = search::words(&snapshot, &words, &caches, &meters).unwrap();
        (found.exact.len(), found.near.len())
    };
    assert_eq!(looked_up(), (1, 1));
    meters.allowance.take_bytes(1);
    assert_eq!(looked_up(), (0, 0));
}
