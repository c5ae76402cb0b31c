//! Suggesters over a snapshot: answers as recorded from Solr 9.10.1, and the best entries against a plain
//! search of all.

use std::sync::Arc;

use analysis::Analyzer;
use cluster::finish_suggestions;
use plan::partial::{SuggestPartial, SuggestedEntries};
use plan::{
    AnalyzerSpec, Blend, BuildOn, Contexts, CutDepth, Fall, InfixLookup, Lookup, NextWordLookup, Occur,
    PrefixLookup, Resources, SortedLookup, SuggestAsk, SuggestComponent, SuggestPlan, SuggestSource,
    SuggestWeight, Suggester, Suggestion,
};
use proptest::prelude::*;

use super::entries::SuggestEntry;
use super::infix::{InfixAsk, InfixIndex};
use super::prefix::PrefixIndex;
use super::sorted::SortedIndex;
use super::{Event, Suggesters};
use crate::layout::analyzers::Analyzers;
use crate::layout::bound_schema::BoundSchema;
use crate::snapshot::Snapshot;
use crate::testing::{component, document, schema, snapshot, text};

pub(super) fn analyzer() -> Analyzer {
    let spec = AnalyzerSpec {
        tokenizer: component("standard"),
        filters: vec![component("lowercase")],
        ..AnalyzerSpec::default()
    };
    Analyzer::build(&spec, &Resources::default()).unwrap()
}

pub(super) fn infix(blend: Option<Blend>) -> InfixLookup {
    InfixLookup { all_required: true, highlight: false, blend }
}

pub(super) fn entry(text: &str, weight: i64, contexts: &[&str]) -> SuggestEntry {
    let contexts = contexts.iter().map(|context| (*context).to_owned()).collect();
    SuggestEntry { text: text.to_owned(), weight, payload: None, contexts }
}

fn shelf() -> Vec<SuggestEntry> {
    vec![
        entry("The Sound of Music", 50, &["film", "musical"]),
        entry("Musical Boxes and Clocks", 70, &["toy"]),
        entry("Sunny Garden Chair", 50, &["garden", "house"]),
        entry("A Garden of Music", 30, &["film", "garden"]),
        entry("sound of music", 60, &["musical"]),
    ]
}

/// What one shard's entries show.
fn shown(count: usize, found: SuggestedEntries) -> String {
    text_of(&finish_suggestions(count, SuggestPartial::Entries(found)))
}

pub(super) fn text_of(found: &[Suggestion]) -> String {
    let each: Vec<_> = found.iter().map(|it| format!("{}={}", it.text, it.weight)).collect();
    each.join("; ")
}

#[test]
fn words_anywhere_are_found_by_weight() {
    let index = InfixIndex::build(shelf(), &infix(None), &analyzer()).unwrap();
    let check = |words: &[&str], prefix: Option<&str>, contexts: Option<Contexts>, expected: &str| {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let ask =
            InfixAsk { key: "", words: &words, prefix, all_required: true, contexts: contexts.as_ref() };
        assert_eq!(shown(3, index.lookup(&ask, 3)), expected);
    };
    check(&[], Some("mus"), None, "Musical Boxes and Clocks=70; sound of music=60; The Sound of Music=50");
    check(&["music"], Some("so"), None, "sound of music=60; The Sound of Music=50");
    check(&["music"], None, None, "sound of music=60; The Sound of Music=50; A Garden of Music=30");
    check(&[], None, None, "");
    let is = |context: &str| Contexts::Is(context.to_owned());
    check(&[], Some("s"), Some(is("musical")), "sound of music=60; The Sound of Music=50");
    check(&[], Some("m"), Some(Contexts::Like("f*m".into())), "The Sound of Music=50; A Garden of Music=30");
    let without = |context| Contexts::Clauses(vec![(Occur::MustNot, is(context))]);
    check(&["music"], None, Some(without("film")), "sound of music=60");
    let nested = Contexts::Clauses(vec![(Occur::Must, without("film")), (Occur::Must, is("musical"))]);
    check(&["music"], None, Some(nested), "");
    check(&[], None, Some(is("house")), "Sunny Garden Chair=50");
    check(&[], None, Some(without("house")), "");
}

#[test]
fn weights_fall_with_the_place() {
    let check = |by: Fall, expected: &str| {
        let index = InfixIndex::build(shelf(), &infix(Some(Blend { by, factor: 10 })), &analyzer()).unwrap();
        let ask =
            InfixAsk { key: "Mus", words: &[], prefix: Some("mus"), all_required: true, contexts: None };
        assert_eq!(shown(3, index.lookup(&ask, 3)), expected);
    };
    check(Fall::Linear, "Musical Boxes and Clocks=70; sound of music=48; The Sound of Music=35");
    check(Fall::Reciprocal, "Musical Boxes and Clocks=70; sound of music=20; The Sound of Music=12");
    check(
        Fall::Exponential { exponent: 3.0 },
        "Musical Boxes and Clocks=70; sound of music=2; The Sound of Music=0",
    );
}

#[test]
fn entries_stand_in_order() {
    let check = |parts: Option<u32>, lowercase: bool, key: &str, expected: &str| {
        let entries = shelf().into_iter().map(|it| SuggestEntry { contexts: Vec::new(), ..it }).collect();
        let index = SortedIndex::build(entries, SortedLookup { parts, lowercase }).unwrap();
        assert_eq!(shown(3, index.lookup(key, 3)), expected);
    };
    check(None, false, "S", "Sunny Garden Chair=50");
    check(None, true, "s", "sound of music=60; sunny garden chair=50");
    check(None, true, "", "");
    check(Some(2), false, "Mus", "Musical Boxes and Clocks=1");
    check(Some(5), false, "sound", "sound of music=3");
    // Of one weight, so of one part.
    check(Some(5), false, "Su", "Sunny Garden Chair=1");
    check(Some(5), false, "The", "The Sound of Music=1");
    let with_payload = SuggestEntry { payload: Some(String::new()), ..entry("a", 1, &[]) };
    let lookup = SortedLookup { parts: None, lowercase: false };
    assert!(SortedIndex::build(vec![with_payload], lookup).is_err());
}

fn suggester(lookup: Lookup, startup: bool) -> Suggester {
    Suggester {
        name: "s".into(),
        source: SuggestSource::Documents {
            field: "a_t".into(),
            weight: Some(SuggestWeight::Field("n_i".into())),
            payload: None,
            context: None,
        },
        lookup,
        field_type: Some("text".into()),
        build_on: BuildOn { commit: true, startup, optimize: false },
    }
}

fn component_of(suggester: Suggester) -> SuggestComponent {
    SuggestComponent { name: "c".into(), suggesters: vec![suggester] }
}

fn next_word(words: &[&str], ended: bool) -> SuggestAsk {
    let words = words.iter().map(|word| (*word).to_owned()).collect();
    SuggestAsk::NextWord { words, ended, left_out: 0 }
}

fn documents(texts: &[&str]) -> Snapshot {
    let docs = texts.iter().enumerate().map(|(number, words)| {
        document(&[("id", vec![text(&number.to_string())]), ("a_t", vec![text(words)])])
    });
    snapshot(&Arc::new(schema()), &[docs.collect()])
}

fn bound_schema(snapshot: &Snapshot) -> BoundSchema {
    let schema = Arc::new(schema());
    let analyzers = Arc::new(Analyzers::of(snapshot.layout()));
    BoundSchema { schema, analyzers, layout: snapshot.layout().clone() }
}

#[test]
fn suggesters_are_built_when_they_should() {
    let plan = |ask| SuggestPlan {
        component: "c".into(),
        suggester: "s".into(),
        ask,
        count: 5,
        depth: CutDepth::Page,
    };
    let ask = || plan(next_word(&["sou"], false));
    let lookup = Lookup::NextWord(NextWordLookup { grams: 2, separator: b' ' });
    let (first, suggesters) = (documents(&["sound of music", "sound of bells"]), Suggesters::default());
    suggesters.declare(&[component_of(suggester(lookup.clone(), false))]);
    suggesters.follow(Event::Opened, &first, &bound_schema(&first));
    assert!(suggesters.suggest(&ask()).unwrap_err().message.contains("not supported at this time"));
    suggesters.follow(Event::Refreshed, &first, &bound_schema(&first));
    let suggest = |plan: SuggestPlan| text_of(&finish_suggestions(5, suggesters.suggest(&plan).unwrap()));
    assert_eq!(suggest(ask()), "sound=3074457345618258432");
    assert_eq!(suggest(plan(next_word(&["sound"], true))), "sound of=9223372036854775807");
    assert!(suggesters.size() > 0);
    suggesters.declare(&[component_of(suggester(lookup, true))]);
    assert!(suggesters.suggest(&ask()).is_err(), "another declaration");
    suggesters.follow(Event::Opened, &first, &bound_schema(&first));
    assert!(suggesters.suggest(&ask()).is_ok());
    suggesters.declare(&[]);
    assert!(suggesters.suggest(&ask()).unwrap_err().message.contains("No suggester named s"));
    assert_eq!(suggesters.size(), 0);
}

#[test]
fn unknown_types_and_odd_weights_are_told() {
    let snapshot = documents(&["a"]);
    let lookup = Lookup::NextWord(NextWordLookup { grams: 1, separator: b' ' });
    let odd = Suggester { field_type: Some("nosuch".into()), ..suggester(lookup, false) };
    let suggesters = Suggesters::default();
    suggesters.declare(&[component_of(odd)]);
    let failure = suggesters.build("c", "s", &snapshot, &bound_schema(&snapshot)).unwrap_err();
    assert!(failure.message.contains("`nosuch`"), "{failure}");
    let negative = PrefixIndex::build(&[entry("a", -1, &[])], &prefix(), Some(&analyzer()));
    assert!(negative.err().unwrap().message.contains("cannot encode value: -1"));
}

pub(super) fn prefix() -> PrefixLookup {
    PrefixLookup {
        exact_first: true,
        separated: true,
        holes: false,
        forms_max: 256,
        paths_max: None,
        fuzzy: None,
    }
}

#[test]
fn beginnings_are_found_by_weight() {
    let index = PrefixIndex::build(&shelf(), &prefix(), Some(&analyzer())).unwrap();
    let check = |key: &str, path: &str, count: usize, expected: &str| {
        let paths = [path.replace(' ', "\u{1f}")];
        assert_eq!(shown(count, index.lookup(key, &paths, count)), expected, "{key}");
    };
    check("s", "s", 5, "sound of music=60; Sunny Garden Chair=50");
    check("s", "s", 1, "sound of music=60");
    check("Sunny Garden Chair", "sunny garden chair", 2, "Sunny Garden Chair=50");
    check("garden", "garden", 5, "");
}

/// Texts of a few words of a few letters, so that they meet often.
pub(super) fn texts() -> impl Strategy<Value = Vec<(String, i64)>> {
    proptest::collection::vec(("[ab]{1,3}( [ab]{1,3}){0,2}", 0i64..5), 0..40)
}

const CONTEXT_SETS: [&[&str]; 5] = [&["a"], &["a", "b"], &[], &["ab"], &["b", "c"]];

fn contexts() -> impl Strategy<Value = Contexts> {
    let is = proptest::sample::select(vec!["a", "b", "ab", "d"]).prop_map(|it| Contexts::Is(it.to_owned()));
    let one = prop_oneof![4 => is, 1 => Just(Contexts::Like("a*".into())), 1 => Just(Contexts::Nothing)];
    one.prop_recursive(2, 8, 3, |inner| {
        let occur = proptest::sample::select(vec![Occur::Must, Occur::Should, Occur::MustNot]);
        proptest::collection::vec((occur, inner), 1..4).prop_map(Contexts::Clauses)
    })
}

fn excludes_only(contexts: &Contexts) -> bool {
    matches!(contexts, Contexts::Clauses(clauses) if clauses.iter().all(|(occur, _)| *occur == Occur::MustNot))
}

/// As the classic parser's clauses hold of one entry.
fn admits(contexts: &Contexts, has: &[String], is_outermost: bool) -> bool {
    let of = |wanted: Occur, clauses: &[(Occur, Contexts)]| -> Vec<bool> {
        let clauses = clauses.iter().filter(|(occur, _)| *occur == wanted);
        clauses.map(|(_, inner)| admits(inner, has, false)).collect()
    };
    match contexts {
        Contexts::Nothing => false,
        Contexts::Is(context) => has.contains(context),
        Contexts::Like(pattern) => has.iter().any(|it| plan::glob_matches(pattern, it)),
        Contexts::Clauses(clauses) => {
            let (must, should) = (of(Occur::Must, clauses), of(Occur::Should, clauses));
            let found = match (must.is_empty(), should.is_empty()) {
                (false, _) => must.iter().all(|it| *it),
                (true, false) => should.contains(&true),
                (true, true) => is_outermost,
            };
            found && !of(Occur::MustNot, clauses).contains(&true)
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_best_are_those_of_a_plain_search(texts in texts(), word in "[ab]{1,3}", begun in "[ab]{1,2}", count in 1usize..6, all in any::<bool>()) {
        let entries: Vec<SuggestEntry> = texts.iter().map(|(text, weight)| entry(text, *weight, &[])).collect();
        let index = InfixIndex::build(entries, &infix(None), &analyzer()).unwrap();
        let words = [word.clone()];
        let ask = InfixAsk { key: "", words: &words, prefix: Some(&begun), all_required: all, contexts: None };
        let mut expected: Vec<_> = texts
            .iter()
            .filter(|(text, _)| {
                let has = text.split(' ').any(|it| it == word);
                let begins = text.split(' ').any(|it| it.starts_with(&begun));
                if all { has && begins } else { has || begins }
            })
            .collect();
        expected.sort_by_key(|(_, weight)| std::cmp::Reverse(*weight));
        let expected: Vec<_> = expected.into_iter().take(count).map(|(text, weight)| format!("{text}={weight}")).collect();
        prop_assert_eq!(shown(count, index.lookup(&ask, count)), expected.join("; "));
    }

    #[test]
    fn contexts_let_in_what_a_plain_search_would(texts in texts(), contexts in contexts(), begun in "[ab]{0,1}", count in 1usize..6) {
        let entries: Vec<SuggestEntry> = texts
            .iter()
            .zip(0..)
            .map(|((text, weight), number)| entry(text, *weight, CONTEXT_SETS[number % CONTEXT_SETS.len()]))
            .collect();
        let mut expected = entries.clone();
        let is_exclusion = excludes_only(&contexts);
        expected.retain(|entry| {
            let is_let_in = admits(&contexts, &entry.contexts, true);
            let begins = entry.text.split(' ').any(|word| word.starts_with(&begun));
            if begun.is_empty() { is_let_in && !is_exclusion } else { is_let_in && begins }
        });
        expected.sort_by_key(|entry| std::cmp::Reverse(entry.weight));
        let expected: Vec<_> = expected.iter().take(count).map(|it| format!("{}={}", it.text, it.weight)).collect();
        let index = InfixIndex::build(entries, &infix(None), &analyzer()).unwrap();
        let prefix = Some(begun.as_str()).filter(|begun| !begun.is_empty());
        let ask = InfixAsk { key: "", words: &[], prefix, all_required: true, contexts: Some(&contexts) };
        prop_assert_eq!(shown(count, index.lookup(&ask, count)), expected.join("; "));
    }

    #[test]
    fn the_best_beginnings_are_those_of_a_plain_search(texts in texts(), begun in "[ab]{1,2}", count in 1usize..6) {
        let entries: Vec<SuggestEntry> = texts.iter().map(|(text, weight)| entry(text, *weight, &[])).collect();
        let lookup = PrefixLookup { exact_first: false, ..prefix() };
        let index = PrefixIndex::build(&entries, &lookup, Some(&analyzer())).unwrap();
        let mut best: Vec<(&str, i64)> = Vec::new();
        for (text, weight) in texts.iter().filter(|(text, _)| text.starts_with(&begun)) {
            match best.iter_mut().find(|(known, _)| known == text) {
                Some((_, known)) => *known = (*known).max(*weight),
                None => best.push((text, *weight)),
            }
        }
        best.sort_by_key(|(text, weight)| (std::cmp::Reverse(*weight), text.replace(' ', "\u{1f}")));
        let expected: Vec<_> = best.into_iter().take(count).map(|(text, weight)| format!("{text}={weight}")).collect();
        prop_assert_eq!(shown(count, index.lookup(&begun, std::slice::from_ref(&begun), count)), expected.join("; "));
    }
}
