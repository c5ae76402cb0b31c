//! The next word of a text: how often words follow one another in the entries. How likely a word is follows
//! from the counts of all shards, and is worked out above them.
//!
//! In: entries, of whose analysed texts all sequences up to a length are counted; out: for the last words of
//! a request the most frequent sequences that go on so, with their counts. Sequences are kept sorted, so what
//! begins alike is a range.

use std::collections::HashMap;

use analysis::Analyzer;
use plan::partial::{NextWords, WordSequences};
use plan::{Error, NextWordLookup, Result};

use super::dictionary::Dictionary;
use super::entries::{SuggestEntry, SuggesterSize};
use super::peaks::Peaks;
use super::texts::Texts;

/// Stands for a word left out in a sequence.
const LEFT_OUT: &str = "_";

pub(super) struct NextWordIndex {
    separator: u8,
    /// Sequences of one word, of two, and so on.
    orders: Vec<Counts>,
    words_total: u64,
}

/// Sequences of one length with how often they occur.
struct Counts {
    texts: Dictionary,
    counts: Peaks<u32>,
}

/// What is asked of it, after analysis.
pub(super) struct NextWordAsk<'a> {
    pub(super) words: &'a [String],
    pub(super) ended: bool,
    pub(super) left_out: usize,
}

impl NextWordIndex {
    pub(super) fn build(
        entries: &[SuggestEntry],
        lookup: &NextWordLookup,
        analyzer: &Analyzer,
    ) -> Result<Self> {
        let mut orders = vec![HashMap::<Vec<u8>, u32>::new(); lookup.grams];
        let mut room = SuggesterSize::default();
        for entry in entries {
            let words = words(analyzer, &entry.text);
            for (length, order) in (1..).zip(&mut orders) {
                for sequence in words.windows(length).filter(|it| it.iter().any(Option::is_some)) {
                    let text = joined(sequence.iter().map(|it| it.as_deref()), lookup.separator);
                    let bytes = text.len() + size_of::<(Vec<u8>, u32)>();
                    let count = order.entry(text).or_default();
                    room.reserve(if *count == 0 { bytes } else { 0 })?;
                    *count = count.saturating_add(1);
                }
            }
        }
        let words_total = orders.first().map_or(0, |words| words.values().copied().map(u64::from).sum());
        if words_total == 0 {
            return Err(Error::bad_request("need at least one suggestion"));
        }
        let orders = orders.into_iter().map(Counts::of).collect();
        Ok(Self { separator: lookup.separator, orders, words_total })
    }

    /// Sequences enough for the first `count` suggestions.
    pub(super) fn lookup(&self, ask: &NextWordAsk<'_>, count: usize) -> NextWords {
        let begun = self.beginnings(ask).into_iter().enumerate().rev();
        let begun = begun.filter_map(|(order, beginning)| Some((order, beginning?)));
        let begun = begun.take_while(|(order, _)| ask.left_out == 0 || *order > ask.left_out);
        // A word that a longer sequence suggests is passed over in shorter ones: as many again are enough.
        let wanted = count.saturating_mul(self.orders.len());
        let sequences = begun.filter_map(|(order, beginning)| {
            let counts = self.orders.get(order)?;
            let context = self.context_count(order, &beginning);
            Some(WordSequences { context, list: counts.most_frequent(&beginning, wanted) })
        });
        NextWords { separator: self.separator, words: self.words_total, sequences: sequences.collect() }
    }

    /// For sequences of each length, how they must begin. After a whole word, each begins with one more.
    fn beginnings(&self, ask: &NextWordAsk<'_>) -> Vec<Option<Vec<u8>>> {
        let words: Vec<Option<&str>> = ask.words.iter().map(|word| Some(word.as_str())).collect();
        let last = |length: usize| {
            let start = words.len().checked_sub(length)?;
            words.get(start..).map(|last| joined(last.iter().copied(), self.separator))
        };
        (0..self.orders.len())
            .map(|order| match (ask.ended, order) {
                (false, _) => last(order + 1),
                // Nothing is begun: single words are not suggested from nothing.
                (true, 0) => None,
                (true, _) => last(order).map(|mut text| {
                    text.push(self.separator);
                    text
                }),
            })
            .collect()
    }

    /// How often what stands before the last word occurs, if anything does and is known.
    fn context_count(&self, order: usize, beginning: &[u8]) -> Option<u64> {
        let end = beginning.iter().rposition(|byte| *byte == self.separator)?;
        let shorter = self.orders.get(order.checked_sub(1)?)?;
        shorter.count(beginning.get(..end).unwrap_or_default()).map(u64::from)
    }

    pub(super) fn size(&self) -> usize {
        self.orders.iter().map(|order| order.texts.size() + order.counts.size()).sum()
    }
}

impl Counts {
    fn of(order: HashMap<Vec<u8>, u32>) -> Self {
        let mut sorted: Vec<_> = order.into_iter().collect();
        sorted.sort_unstable();
        let mut texts = Texts::default();
        sorted.iter().for_each(|(text, _)| texts.push(text));
        let counts = sorted.into_iter().map(|(_, count)| count).collect();
        Self { texts: Dictionary::of(texts), counts: Peaks::of(counts) }
    }

    /// Of the sequences that begin so, the most frequent, of equal ones the first, in order.
    fn most_frequent(&self, beginning: &[u8], wanted: usize) -> Vec<(Vec<u8>, u64)> {
        let mut rows: Vec<usize> =
            self.counts.heaviest([self.texts.begin_with(beginning)]).take(wanted).collect();
        rows.sort_unstable();
        let sequence =
            |row: usize| Some((self.texts.texts.get(row).to_vec(), u64::from(self.counts.get(row)?)));
        rows.into_iter().filter_map(sequence).collect()
    }

    fn count(&self, text: &[u8]) -> Option<u32> {
        self.texts.find(text).and_then(|at| self.counts.get(at))
    }
}

/// The words of a text, `None` for those left out.
fn words(analyzer: &Analyzer, text: &str) -> Vec<Option<String>> {
    let mut words = Vec::new();
    analyzer.tokens(text, &mut |token| {
        for _ in 1..token.position_increment {
            words.push(None);
        }
        words.push(Some(token.text.clone()));
    });
    words
}

fn joined<'a>(words: impl Iterator<Item = Option<&'a str>>, separator: u8) -> Vec<u8> {
    let words: Vec<&[u8]> = words.map(|word| word.unwrap_or(LEFT_OUT).as_bytes()).collect();
    words.join(&separator)
}
