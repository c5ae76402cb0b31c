//! The next word of a text: how often words follow one another in the entries, the longest sequence known first, shorter
//! ones with less and less weight ("stupid backoff"), as Lucene's `FreeTextSuggester` does it.

use std::collections::{HashMap, HashSet};

use analysis::Analyzer;
use plan::{Error, NextWordLookup, Result, Suggestion};

use super::dictionary::Dictionary;
use super::entries::{Entry, Room};
use super::peaks::Peaks;
use super::texts::Texts;

/// What a shorter sequence's weight is multiplied by.
const BACKOFF: f64 = 0.4;
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
    pub(super) fn build(entries: &[Entry], lookup: &NextWordLookup, analyzer: &Analyzer) -> Result<Self> {
        let mut orders = vec![HashMap::<Vec<u8>, u32>::new(); lookup.grams];
        let mut room = Room::default();
        for entry in entries {
            let words = words(analyzer, &entry.text);
            for (length, order) in (1..).zip(&mut orders) {
                for sequence in words.windows(length).filter(|it| it.iter().any(Option::is_some)) {
                    let text = joined(sequence.iter().map(|it| it.as_deref()), lookup.separator);
                    let bytes = text.len() + size_of::<(Vec<u8>, u32)>();
                    let count = order.entry(text).or_default();
                    room.take(if *count == 0 { bytes } else { 0 })?;
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

    pub(super) fn lookup(&self, ask: &NextWordAsk<'_>, count: usize) -> Vec<Suggestion> {
        let beginnings = self.beginnings(ask);
        let (mut found, mut seen, mut share) = (Vec::new(), HashSet::new(), 1.0);
        for (order, beginning) in beginnings.iter().enumerate().rev() {
            let Some(beginning) = beginning else { continue };
            if ask.left_out > 0 && order <= ask.left_out {
                break;
            }
            if let Some(counts) = self.orders.get(order) {
                let range = counts.texts.begin_with(beginning);
                let context = if range.is_empty() { 1 } else { self.context_count(order, beginning) };
                let fresh = |row: &usize| !seen.contains(self.last_word(counts.texts.texts.get(*row)));
                let often: Vec<usize> = counts.counts.heaviest([range]).filter(fresh).take(count).collect();
                for row in often {
                    seen.insert(self.last_word(counts.texts.texts.get(row)));
                    let often = f64::from(counts.counts.get(row).unwrap_or(0));
                    let weight = (i64::MAX as f64 * share * often / context as f64) as i64;
                    found.push(Suggestion { text: counts.texts.texts.text(row), weight, payload: None });
                }
            }
            share *= BACKOFF;
        }
        found.sort_by(|a, b| {
            b.weight.cmp(&a.weight).then_with(|| a.text.encode_utf16().cmp(b.text.encode_utf16()))
        });
        found.truncate(count);
        found
    }

    fn last_word<'a>(&self, sequence: &'a [u8]) -> &'a [u8] {
        sequence.rsplit(|byte| *byte == self.separator).next().unwrap_or_default()
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

    /// How often what stands before the last word occurs.
    fn context_count(&self, order: usize, beginning: &[u8]) -> u64 {
        let Some(end) = beginning.iter().rposition(|byte| *byte == self.separator) else {
            return self.words_total;
        };
        let shorter = order.checked_sub(1).and_then(|order| self.orders.get(order));
        let count = shorter.and_then(|counts| counts.count(beginning.get(..end).unwrap_or_default()));
        count.map_or(self.words_total, u64::from).max(1)
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
