//! Suggestions as they are shown: cut, with the weights that the place of a word leaves them, and next words
//! by how often they follow what was typed.
//!
//! In: the merged entries or counts of all shards; out: the first suggestions with their weights, as Lucene's
//! suggesters compute them. Finding entries is the engine's (`suggest`).

use std::cmp::{Ordering, Reverse};
use std::collections::HashSet;

use plan::Suggestion;
use plan::partial::{NextWords, SuggestPartial, SuggestedEntries, SuggestedEntry, WordSequences};

/// What a shorter sequence's weight is multiplied by.
const BACKOFF: f64 = 0.4;

/// The first `count` suggestions.
pub fn finish_suggestions(count: usize, merged: SuggestPartial) -> Vec<Suggestion> {
    match merged {
        SuggestPartial::Entries(entries) => first(count, entries),
        SuggestPartial::NextWords(words) => next_words(count, &words),
    }
}

fn first(count: usize, entries: SuggestedEntries) -> Vec<Suggestion> {
    let list = entries.list.into_iter();
    match entries.blend {
        None => list.take(count).map(|entry| entry.suggestion).collect(),
        Some(factor) => blended(count, list.take(count.saturating_mul(factor))),
    }
}

/// The best by what is left of their weights.
fn blended(count: usize, entries: impl Iterator<Item = SuggestedEntry>) -> Vec<Suggestion> {
    let mut blended: Vec<Suggestion> = Vec::new();
    for suggestion in entries.map(with_share) {
        if blended.len() >= count {
            // As in Solr, one that is no heavier than the last does not take its place, whatever its text.
            if blended.last().is_none_or(|last| last.weight >= suggestion.weight) {
                continue;
            }
            blended.pop();
        }
        if let Err(at) = blended.binary_search_by(|known| blended_order(known, &suggestion)) {
            blended.insert(at, suggestion);
        }
    }
    blended
}

fn with_share(entry: SuggestedEntry) -> Suggestion {
    /// Smaller weights are made larger first, lest nothing be left of them.
    const WEIGHT_SMALL: i64 = 10;
    let mut weight = if entry.suggestion.weight == 0 { 1 } else { entry.suggestion.weight };
    if weight.abs() < WEIGHT_SMALL {
        weight *= WEIGHT_SMALL;
    }
    Suggestion { weight: (weight as f64 * entry.share) as i64, ..entry.suggestion }
}

/// Heaviest first, then by text and payload backwards.
fn blended_order(one: &Suggestion, other: &Suggestion) -> Ordering {
    let rest = |it: &Suggestion| (it.text.encode_utf16().collect::<Vec<_>>(), it.payload.clone());
    other.weight.cmp(&one.weight).then_with(|| rest(other).cmp(&rest(one)))
}

/// The longest sequence known first, shorter ones with less and less weight ("stupid backoff"), as Lucene's
/// `FreeTextSuggester` does it. Each word once.
fn next_words(count: usize, words: &NextWords) -> Vec<Suggestion> {
    let (mut found, mut seen, mut share) = (Vec::new(), HashSet::new(), 1.0);
    for WordSequences { context, list } in &words.sequences {
        let context = context.unwrap_or(words.words).max(1);
        let last_word = |text: &[u8]| text.rsplit(|byte| *byte == words.separator).next().map(<[u8]>::to_vec);
        let mut often: Vec<&(Vec<u8>, u64)> =
            list.iter().filter(|(text, _)| !seen.contains(&last_word(text))).collect();
        often.sort_by_key(|(_, often)| Reverse(*often));
        for (text, often) in often.into_iter().take(count) {
            seen.insert(last_word(text));
            let weight = (i64::MAX as f64 * share * *often as f64 / context as f64) as i64;
            found.push(Suggestion {
                text: String::from_utf8_lossy(text).into_owned(),
                weight,
                payload: None,
            });
        }
        share *= BACKOFF;
    }
    found.sort_by(|a, b| {
        b.weight.cmp(&a.weight).then_with(|| a.text.encode_utf16().cmp(b.text.encode_utf16()))
    });
    found.truncate(count);
    found
}
