//! Laws of parts: entries split over shards in any way and merged in any order suggest what one shard with
//! all of them suggests.

use std::collections::BTreeMap;

use plan::partial::{Merge, SameTexts, SuggestPartial, SuggestedEntries};
use plan::{Blend, Fall, NextWordLookup, PrefixLookup, SortedLookup};
use proptest::prelude::*;

use super::entries::SuggestEntry;
use super::infix::{InfixAsk, InfixIndex};
use super::next_word::{NextWordAsk, NextWordIndex};
use super::prefix::PrefixIndex;
use super::sorted::SortedIndex;
use super::tests::{analyzer, entry, infix, prefix, text_of, texts};

/// By entry its shard, and pairs of shards to merge.
type Split = (Vec<usize>, Vec<usize>);

fn split() -> impl Strategy<Value = Split> {
    (prop::collection::vec(0usize..7, 40), prop::collection::vec(0usize..7, 6))
}

/// What shards show together; the only one shows what it shows alone.
fn together(
    count: usize,
    entries: &[SuggestEntry],
    (shards, pairs): &Split,
    look_up: impl Fn(Vec<SuggestEntry>) -> SuggestPartial,
) -> (String, String) {
    let shown = |found: SuggestPartial| text_of(&cluster::finish_suggestions(count, found));
    let held = |shard: usize| -> Vec<SuggestEntry> {
        entries
            .iter()
            .zip(shards.iter().cycle())
            .filter(|(_, at)| **at == shard)
            .map(|(it, _)| it.clone())
            .collect()
    };
    let mut parts: Vec<SuggestPartial> =
        (0..7).map(held).filter(|held| !held.is_empty()).map(&look_up).collect();
    let mut pairs = pairs.iter().cycle();
    while parts.len() > 1 {
        let at = pairs.next().unwrap() % (parts.len() - 1);
        let (own, other) = (parts.remove(at), parts.remove(at));
        parts.insert(at, if at.is_multiple_of(2) { own.merge(other) } else { other.merge(own) });
    }
    (shown(parts.pop().unwrap_or_default()), shown(look_up(entries.to_vec())))
}

fn entries(texts: &[(String, i64)]) -> Vec<SuggestEntry> {
    texts.iter().map(|(text, weight)| entry(text, *weight, &[])).collect()
}

/// Of all shards: nothing is cut where others could add to it.
const ALL: usize = usize::MAX;

fn find_infix(entries: Vec<SuggestEntry>, blend: Option<Blend>) -> SuggestedEntries {
    let index = InfixIndex::build(entries, &infix(blend), &analyzer()).unwrap();
    index.lookup(
        &InfixAsk { key: "a", words: &[], prefix: Some("a"), all_required: true, contexts: None },
        ALL,
    )
}

fn find_prefix(entries: &[SuggestEntry], exact_first: bool) -> SuggestedEntries {
    let lookup = PrefixLookup { exact_first, ..prefix() };
    let index = PrefixIndex::build(entries, &lookup, Some(&analyzer())).unwrap();
    index.lookup("ab", &["ab".to_owned()], ALL)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    /// Of entries that weigh the same, which comes first is up to their documents' order, which shards do not
    /// share.
    #[test]
    fn words_anywhere(texts in texts(), split in split(), count in 1usize..6, factor in prop::option::of(1usize..4)) {
        let mut entries = entries(&texts);
        (0..).zip(&mut entries).for_each(|(number, entry)| entry.weight = number * 17 % 41);
        let blend = factor.map(|factor| Blend { by: Fall::Reciprocal, factor });
        let find = |held| SuggestPartial::Entries(find_infix(held, blend).from_source(SameTexts::Each));
        let (many, one) = together(count, &entries, &split, find);
        prop_assert_eq!(many, one);
    }

    #[test]
    fn beginnings(texts in texts(), split in split(), count in 1usize..6, exact_first in any::<bool>()) {
        let find = |held: Vec<SuggestEntry>| {
            SuggestPartial::Entries(find_prefix(&held, exact_first).from_source(SameTexts::Heaviest))
        };
        let (many, one) = together(count, &entries(&texts), &split, find);
        prop_assert_eq!(many, one);
    }

    #[test]
    fn entries_in_order(texts in texts(), split in split(), count in 1usize..6) {
        let mut entries = entries(&texts);
        // Of one text the last entry counts, and which is the last is up to the order of documents.
        entries.iter_mut().for_each(|entry| entry.weight = entry.text.len() as i64);
        let find = |held: Vec<SuggestEntry>| {
            let index = SortedIndex::build(held, SortedLookup { parts: None, lowercase: false }).unwrap();
            SuggestPartial::Entries(index.lookup("a", ALL).from_source(SameTexts::Heaviest))
        };
        let (many, one) = together(count, &entries, &split, find);
        prop_assert_eq!(many, one);
    }

    #[test]
    fn next_words(texts in texts(), split in split(), count in 1usize..6, (words, ended) in (prop::collection::vec("[ab]{1,2}", 1..3), any::<bool>())) {
        let ask = NextWordAsk { words: &words, ended, left_out: 0 };
        let find = |held: Vec<SuggestEntry>| {
            let index = NextWordIndex::build(&held, &NextWordLookup { grams: 2, separator: b' ' }, &analyzer());
            index.map_or_else(|_| SuggestPartial::default(), |index| SuggestPartial::NextWords(index.lookup(&ask, ALL)))
        };
        let (many, one) = together(count, &entries(&texts), &split, find);
        prop_assert_eq!(many, one);
    }

    /// The terms of a field: each shard counts its own.
    #[test]
    fn counted_terms(texts in texts(), split in split(), count in 1usize..6, begins in any::<bool>()) {
        let counted = |held: Vec<SuggestEntry>| -> Vec<SuggestEntry> {
            let mut counts: BTreeMap<String, i64> = BTreeMap::new();
            held.into_iter().for_each(|it| *counts.entry(it.text).or_default() += it.weight);
            counts.into_iter().map(|(text, weight)| entry(&text, weight, &[])).collect()
        };
        let find = |held: Vec<SuggestEntry>| {
            let terms = counted(held);
            let found = if begins { find_prefix(&terms, true) } else { find_infix(terms, None) };
            SuggestPartial::Entries(found.from_source(SameTexts::Sum))
        };
        let (many, one) = together(count, &entries(&texts), &split, find);
        prop_assert_eq!(many, one);
    }
}
