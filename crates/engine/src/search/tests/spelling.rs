//! Suggestions over a few segments; the orders were recorded from Solr 9.10.1 over the same words.

use std::sync::Arc;

use meter::{Allowance, Meters};
use plan::{BrokenWords, Checker, NearWords, SpellDictionary, SpellMode, SpellPlan, SpellWord, WordRole};

use crate::search::{self, SearchCaches};
use crate::snapshot::Snapshot;
use crate::testing::{document, schema, snapshot, text};

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
    let (snapshot, caches) = (shelf(), SearchCaches::default());
    let look_up = |words: &_| search::words(&snapshot, words, &caches, &Meters::default());
    let found = cluster::spell_words(plan, &Allowance::default(), &look_up).unwrap();
    let shown = found.iter().map(|finding| {
        let suggestions: Vec<_> =
            finding.suggestions.iter().map(|(word, count)| format!("{word}={count}")).collect();
        format!("{}/{}: {}", finding.word.text, finding.documents, suggestions.join(","))
    });
    assert_eq!(shown.collect::<Vec<_>>().join("; "), expected, "{plan:?}");
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
