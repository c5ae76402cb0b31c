//! Entries any of whose words begin as asked, by weight. Entries are numbered from the heaviest down, and
//! each word lists the entries that have it in that order: the best ones are the first ones of a few lists,
//! and no list is read further. Of what an entry must have, the rarest is read, and the others are looked for
//! in the entry's own words and contexts.

use std::ops::Range;

use analysis::Analyzer;
use plan::partial::{SuggestedEntries, SuggestedEntry};
use plan::{Contexts, Fall, InfixLookup, Result, Suggestion};

use super::allowed::Allowed;
use super::entries::SuggestEntry;
use super::lists::{Lists, ListsBuilder};
use super::merged::{Merged, Several};
use super::texts::Texts;

pub(super) struct InfixIndex {
    lookup: InfixLookup,
    analyzer: Analyzer,
    /// Heaviest first, of equal ones as they came.
    texts: Texts,
    weights: Vec<i64>,
    payloads: Option<Texts>,
    words: Lists,
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
    /// Errors: more words or contexts than a suggester may take.
    pub(super) fn build(
        mut entries: Vec<SuggestEntry>,
        lookup: &InfixLookup,
        analyzer: &Analyzer,
    ) -> Result<Self> {
        entries.sort_by_key(|entry| std::cmp::Reverse(entry.weight));
        let has_payloads = entries.iter().any(|entry| entry.payload.is_some());
        let (mut texts, mut payloads) = (Texts::default(), has_payloads.then(Texts::default));
        let (mut words, mut contexts) = (ListsBuilder::default(), ListsBuilder::default());
        let mut stream = analyzer.stream();
        for (entry, number) in entries.iter().zip(0u32..) {
            texts.push(entry.text.as_bytes());
            if let Some(payloads) = &mut payloads {
                payloads.push(entry.payload.as_deref().unwrap_or_default().as_bytes());
            }
            let mut tokens = stream.start(&entry.text);
            while tokens.advance() {
                words.add(&tokens.token().text, number)?;
            }
            tokens.finish();
            entry.contexts.iter().try_for_each(|context| contexts.add(context, number))?;
        }
        Ok(Self {
            lookup: lookup.clone(),
            analyzer: analyzer.clone(),
            texts: texts.shrink(),
            weights: entries.iter().map(|entry| entry.weight).collect(),
            payloads: payloads.map(Texts::shrink),
            words: words.finish(entries.len()),
            contexts: contexts.finish(entries.len()),
        })
    }

    /// The first `count` entries as asked; this many times more where their weights are to fall with the
    /// place of a word.
    pub(super) fn lookup(&self, ask: &InfixAsk<'_>, count: usize) -> SuggestedEntries {
        let blend = self.lookup.blend;
        let wanted = count.saturating_mul(blend.map_or(1, |blend| blend.factor));
        let found = self.best(ask, wanted).into_iter().zip(0u32..);
        let list = found.map(|(number, place)| {
            let suggestion = self.suggestion(number);
            let share = blend.map_or(1.0, |blend| self.share(&suggestion.text, ask, blend.by));
            SuggestedEntry { place, share, ..SuggestedEntry::of(suggestion) }
        });
        let blend = blend.map(|blend| blend.factor);
        SuggestedEntries { list: list.collect(), blend, ..SuggestedEntries::default() }
    }

    /// The numbers of the first `count` entries that are as asked.
    fn best(&self, ask: &InfixAsk<'_>, count: usize) -> Vec<u32> {
        let allowed = ask.contexts.map(|contexts| Allowed::of(contexts, &self.contexts));
        let is_let_in =
            |entry: u32| allowed.as_ref().is_none_or(|it| it.admits(self.contexts.texts_of(entry)));
        let found = ask.words.iter().map(|word| self.words.texts.find(word.as_bytes()));
        let found: Vec<Option<u32>> = found.map(|at| at.map(|at| at as u32)).collect();
        let begun = ask.prefix.map(|prefix| self.words.texts.begin_with(prefix.as_bytes()));
        if !ask.all_required {
            let any = Several { texts: found.into_iter().flatten().collect(), range: begun.unwrap_or(0..0) };
            return any.read(&self.words).filter(|entry| is_let_in(*entry)).take(count).collect();
        }
        let Some(whole) = found.into_iter().collect::<Option<Vec<u32>>>() else { return Vec::new() };
        let is_as_asked = |entry: u32| {
            let words = self.words.texts_of(entry);
            let begins = |range| words.iter().any(|word| Range::contains(range, &(*word as usize)));
            whole.iter().all(|word| words.contains(word)) && begun.as_ref().is_none_or(begins)
        };
        let Some(candidates) = self.candidates(&whole, begun.as_ref(), allowed.as_ref()) else {
            return Vec::new();
        };
        candidates.filter(|entry| is_as_asked(*entry) && is_let_in(*entry)).take(count).collect()
    }

    /// Of what every entry must have, that which is read with the least work. `None` where nothing is asked
    /// that could be read.
    fn candidates(
        &self,
        whole: &[u32],
        begun: Option<&Range<usize>>,
        allowed: Option<&Allowed>,
    ) -> Option<Merged<'_>> {
        let whole = whole.iter().map(|word| Several { texts: vec![*word], range: 0..0 });
        let begun = begun.map(|range| Several { texts: Vec::new(), range: range.clone() });
        let by_words = whole.chain(begun).map(|several| (&self.words, several));
        let by_context = allowed.and_then(|allowed| allowed.lists(&self.contexts));
        let all = by_words.chain(by_context.map(|several| (&self.contexts, several)));
        let (lists, several) = all.min_by_key(|(lists, several)| several.cost(lists))?;
        Some(several.read(lists))
    }

    fn suggestion(&self, number: u32) -> Suggestion {
        let at = number as usize;
        Suggestion {
            text: self.texts.text(at),
            weight: self.weights.get(at).copied().unwrap_or(0),
            payload: self.payloads.as_ref().map(|payloads| payloads.text(at)),
        }
    }

    /// How much of an entry's weight its first word found leaves.
    fn share(&self, text: &str, ask: &InfixAsk<'_>, by: Fall) -> f64 {
        if text.starts_with(ask.key) {
            return 1.0;
        }
        let position = f64::from(self.position(text, ask));
        match by {
            Fall::Linear => 1.0 - 0.1 * position,
            Fall::Reciprocal => 1.0 / (position + 1.0),
            Fall::Exponential { exponent } => 1.0 / (position + 1.0).powf(exponent),
            Fall::None => 1.0,
        }
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

    pub(super) fn size(&self) -> usize {
        let payloads = self.payloads.as_ref().map_or(0, Texts::size);
        let lists = self.words.size() + self.contexts.size();
        self.texts.size() + payloads + lists + self.weights.capacity() * size_of::<i64>()
    }
}
