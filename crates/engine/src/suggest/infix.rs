//! Entries any of whose words begin as asked, by weight. Entries are numbered from the heaviest down, and each word lists
//! the entries that have it in that order: the best ones are the first ones of a few lists, and no list is read further.

use std::collections::BTreeSet;
use std::ops::Range;

use analysis::Analyzer;
use plan::{Contexts, Fall, InfixLookup, Occur, Suggestion};

use super::entries::Entry;
use super::lists::{Lists, ListsBuilder, NumberSet, slice_of};
use super::texts::Texts;

pub(super) struct InfixIndex {
    lookup: InfixLookup,
    analyzer: Analyzer,
    /// Heaviest first, of equal ones as they came.
    texts: Texts,
    weights: Vec<i64>,
    payloads: Option<Texts>,
    words: Lists,
    /// The numbers of each entry's words, and where those of each entry end.
    words_of: (Vec<u32>, Vec<usize>),
    contexts: Lists,
}

/// What is asked of it, after analysis.
pub(super) struct InfixAsk<'a> {
    pub(super) key: &'a str,
    pub(super) words: &'a [String],
    pub(super) prefix: Option<&'a str>,
    pub(super) all_required: bool,
    pub(super) contexts: Option<&'a Contexts>,
}

impl InfixIndex {
    pub(super) fn build(mut entries: Vec<Entry>, lookup: &InfixLookup, analyzer: &Analyzer) -> Self {
        entries.sort_by_key(|entry| std::cmp::Reverse(entry.weight));
        let has_payloads = entries.iter().any(|entry| entry.payload.is_some());
        let mut index = Self {
            lookup: lookup.clone(),
            analyzer: analyzer.clone(),
            texts: Texts::default(),
            weights: Vec::with_capacity(entries.len()),
            payloads: has_payloads.then(Texts::default),
            words: Lists::default(),
            words_of: (Vec::new(), Vec::new()),
            contexts: Lists::default(),
        };
        let (mut words, mut contexts) = (ListsBuilder::default(), ListsBuilder::default());
        let mut stream = analyzer.stream();
        for (entry, number) in entries.iter().zip(0u32..) {
            index.texts.push(entry.text.as_bytes());
            index.weights.push(entry.weight);
            if let Some(payloads) = &mut index.payloads {
                payloads.push(entry.payload.as_deref().unwrap_or_default().as_bytes());
            }
            let mut tokens = stream.start(&entry.text);
            while tokens.advance() {
                words.add(&tokens.token().text, number);
            }
            tokens.finish();
            entry.contexts.iter().for_each(|context| contexts.add(context, number));
        }
        (index.words, index.contexts) = (words.finish(), contexts.finish());
        index.words_of = index.words.turned(entries.len());
        index
    }

    pub(super) fn lookup(&self, ask: &InfixAsk<'_>, count: usize) -> Vec<Suggestion> {
        let Some(blend) = self.lookup.blend else {
            return self.best(ask, count).into_iter().map(|number| self.suggestion(number)).collect();
        };
        let mut blended: Vec<Suggestion> = Vec::new();
        for number in self.best(ask, count.saturating_mul(blend.factor)) {
            let suggestion = self.blended(number, ask, blend.by);
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

    /// The numbers of the first `count` entries that are as asked.
    fn best(&self, ask: &InfixAsk<'_>, count: usize) -> Vec<u32> {
        let allowed = ask.contexts.map(|contexts| self.allowed(contexts));
        let passes = |number: u32| allowed.as_ref().is_none_or(|allowed| allowed.contains(number));
        let whole: Vec<&[u32]> = ask.words.iter().map(|word| self.words.of(word)).collect();
        let beginnings = ask.prefix.map(|prefix| self.words.texts.begin_with(prefix.as_bytes()));
        match beginnings {
            None if whole.is_empty() => match (&allowed, ask.contexts) {
                (Some(allowed), Some(contexts)) if ask.all_required && !excludes_only(contexts) => {
                    allowed.iter().take(count).collect()
                }
                _ => Vec::new(),
            },
            beginnings if !ask.all_required => {
                let begun = beginnings.into_iter().flatten().map(|word| self.words.list(word));
                first_of_any(whole.into_iter().chain(begun), count, &passes)
            }
            Some(beginnings) if whole.is_empty() => {
                first_of_any(beginnings.map(|word| self.words.list(word)), count, &passes)
            }
            Some(beginnings) => self.begun(whole, beginnings, count, &passes),
            None => first_of_all(whole, count, &passes),
        }
    }

    /// The first entries that have all `whole` words and one of a range of `beginnings`. Of the two the one that fewer entries
    /// have is gone through.
    fn begun(
        &self,
        whole: Vec<&[u32]>,
        beginnings: Range<usize>,
        count: usize,
        passes: &dyn Fn(u32) -> bool,
    ) -> Vec<u32> {
        let shortest = whole.iter().map(|list| list.len()).min().unwrap_or(0);
        if self.words.count(&beginnings) < shortest {
            let mut begun: Vec<u32> = beginnings.flat_map(|word| self.words.list(word)).copied().collect();
            begun.sort_unstable();
            begun.dedup();
            let lists = whole.into_iter().chain([begun.as_slice()]).collect();
            return first_of_all(lists, count, passes);
        }
        let begins =
            |number: u32| self.words_of(number).iter().any(|word| beginnings.contains(&(*word as usize)));
        first_of_all(whole, count, &|number| passes(number) && begins(number))
    }

    fn words_of(&self, number: u32) -> &[u32] {
        let (words, ends) = &self.words_of;
        slice_of(words, ends, number as usize)
    }

    fn suggestion(&self, number: u32) -> Suggestion {
        let at = number as usize;
        Suggestion {
            text: self.texts.text(at),
            weight: self.weights.get(at).copied().unwrap_or(0),
            payload: self.payloads.as_ref().map(|payloads| payloads.text(at)),
        }
    }

    /// With the weight that its first word found leaves it.
    fn blended(&self, number: u32, ask: &InfixAsk<'_>, by: Fall) -> Suggestion {
        /// Smaller weights are made larger first, lest nothing be left of them.
        const WEIGHT_SMALL: i64 = 10;
        let mut suggestion = self.suggestion(number);
        let share = if suggestion.text.starts_with(ask.key) {
            1.0
        } else {
            let position = f64::from(self.position(&suggestion.text, ask));
            match by {
                Fall::Linear => 1.0 - 0.1 * position,
                Fall::Reciprocal => 1.0 / (position + 1.0),
                Fall::Exponential { exponent } => 1.0 / (position + 1.0).powf(exponent),
                Fall::None => 1.0,
            }
        };
        let mut weight = if suggestion.weight == 0 { 1 } else { suggestion.weight };
        if weight.abs() < WEIGHT_SMALL {
            weight *= WEIGHT_SMALL;
        }
        suggestion.weight = (weight as f64 * share) as i64;
        suggestion
    }

    /// Of the first word that was found.
    fn position(&self, text: &str, ask: &InfixAsk<'_>) -> i32 {
        let (mut position, mut found) = (-1i32, i32::MAX);
        self.analyzer.tokens(text, &mut |token| {
            position = position.saturating_add(i32::try_from(token.position_increment).unwrap_or(i32::MAX));
            let begins = ask.prefix.is_some_and(|prefix| token.text.starts_with(prefix));
            if begins || ask.words.contains(&token.text) {
                found = found.min(position);
            }
        });
        found
    }

    fn allowed(&self, contexts: &Contexts) -> NumberSet {
        let found = self.of_contexts(contexts);
        if excludes_only(contexts) { found.complement(self.weights.len()) } else { found }
    }

    /// Of clauses that only exclude, what they exclude.
    fn of_contexts(&self, contexts: &Contexts) -> NumberSet {
        let entries = self.weights.len();
        match contexts {
            Contexts::Nothing => NumberSet::empty(entries),
            Contexts::Is(context) => NumberSet::of(entries, [self.contexts.of(context)]),
            Contexts::Like(pattern) => NumberSet::of(entries, self.contexts.like(pattern)),
            Contexts::Clauses(clauses) => {
                let of = |wanted: &[Occur], join: fn(NumberSet, &NumberSet) -> NumberSet| {
                    let clauses = clauses.iter().filter(|(occur, _)| wanted.contains(occur));
                    let sets = clauses.map(|(_, contexts)| self.nested(contexts));
                    sets.reduce(|all, one| join(all, &one))
                };
                let required = of(&[Occur::Must, Occur::Filter], NumberSet::and);
                let found = required.or_else(|| of(&[Occur::Should], NumberSet::or));
                let excluded = of(&[Occur::MustNot], NumberSet::or);
                match (found, excluded) {
                    (Some(found), Some(excluded)) => found.without(&excluded),
                    (Some(only), None) | (None, Some(only)) => only,
                    (None, None) => NumberSet::empty(entries),
                }
            }
        }
    }

    /// Inside other clauses, those that only exclude find nothing.
    fn nested(&self, contexts: &Contexts) -> NumberSet {
        if excludes_only(contexts) {
            return NumberSet::empty(self.weights.len());
        }
        self.of_contexts(contexts)
    }

    pub(super) fn size(&self) -> usize {
        let payloads = self.payloads.as_ref().map_or(0, Texts::size);
        let lists = self.words.size() + self.contexts.size();
        let words_of =
            self.words_of.0.capacity() * size_of::<u32>() + self.words_of.1.capacity() * size_of::<usize>();
        self.texts.size() + payloads + lists + words_of + self.weights.capacity() * size_of::<i64>()
    }
}

fn excludes_only(contexts: &Contexts) -> bool {
    matches!(contexts, Contexts::Clauses(clauses)
        if !clauses.is_empty() && clauses.iter().all(|(occur, _)| *occur == Occur::MustNot))
}

/// Heaviest first, then by text and payload backwards.
fn blended_order(one: &Suggestion, other: &Suggestion) -> std::cmp::Ordering {
    let rest = |it: &Suggestion| (it.text.encode_utf16().collect::<Vec<_>>(), it.payload.clone());
    other.weight.cmp(&one.weight).then_with(|| rest(other).cmp(&rest(one)))
}

/// The least numbers that are in any list.
fn first_of_any<'a>(
    lists: impl Iterator<Item = &'a [u32]>,
    count: usize,
    passes: &dyn Fn(u32) -> bool,
) -> Vec<u32> {
    let mut found = BTreeSet::new();
    for list in lists {
        for number in list {
            if found.len() >= count && found.last().is_none_or(|last| number >= last) {
                break;
            }
            if passes(*number) && found.insert(*number) && found.len() > count {
                found.pop_last();
            }
        }
    }
    found.into_iter().collect()
}

/// The least numbers that are in all lists.
fn first_of_all(mut lists: Vec<&[u32]>, count: usize, passes: &dyn Fn(u32) -> bool) -> Vec<u32> {
    lists.sort_by_key(|list| list.len());
    let Some((shortest, others)) = lists.split_first() else { return Vec::new() };
    let in_others = |number: &u32| others.iter().all(|list| list.binary_search(number).is_ok());
    shortest.iter().filter(|number| in_others(number) && passes(**number)).take(count).copied().collect()
}
