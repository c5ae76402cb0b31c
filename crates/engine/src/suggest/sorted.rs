//! Entries that begin as asked, as they stand, by their text: what Lucene's `JaspellLookup`, `TSTLookup` and
//! `FSTCompletionLookup` answer. A sorted dictionary of which a range is shown.
//!
//! In: entries without payloads and contexts; out: the first of a range in order of texts. Analyses nothing
//! and allows no edits: that is `prefix`'s.

use plan::partial::{EntryOrder, SuggestedEntries, SuggestedEntry};
use plan::{Error, Result, SortedLookup, Suggestion};

use super::dictionary::Dictionary;
use super::entries::SuggestEntry;
use super::texts::Texts;

pub(super) struct SortedIndex {
    /// In order, each once.
    texts: Dictionary,
    weights: Vec<i64>,
}

impl SortedIndex {
    /// Of entries with one text the last counts. Errors: entries with payloads or contexts, which there is no
    /// room for in Lucene either.
    pub(super) fn build(entries: Vec<SuggestEntry>, lookup: SortedLookup) -> Result<Self> {
        if entries.iter().any(|entry| entry.payload.is_some()) {
            return Err(Error::bad_request("this suggester doesn't support payloads"));
        }
        if entries.iter().any(|entry| !entry.contexts.is_empty()) {
            return Err(Error::bad_request("this suggester doesn't support contexts"));
        }
        let mut rows: Vec<(String, i64)> =
            entries.into_iter().map(|entry| (entry.text, entry.weight)).collect();
        if let Some(parts) = lookup.parts {
            number_parts(&mut rows, parts);
        }
        if lookup.lowercase {
            rows.iter_mut().for_each(|(text, _)| *text = text.to_lowercase());
        }
        rows.sort_by(|a, b| a.0.cmp(&b.0));
        let (mut texts, mut weights) = (Texts::default(), Vec::with_capacity(rows.len()));
        for (at, (text, weight)) in rows.iter().enumerate() {
            if rows.get(at + 1).is_none_or(|(next, _)| next != text) {
                texts.push(text.as_bytes());
                weights.push(*weight);
            }
        }
        Ok(Self { texts: Dictionary::of(texts), weights })
    }

    /// Nothing begins with nothing.
    pub(super) fn lookup(&self, key: &str, count: usize) -> SuggestedEntries {
        let range = if key.is_empty() { 0..0 } else { self.texts.begin_with(key.as_bytes()) };
        let suggestion = |at: usize| Suggestion {
            text: self.texts.texts.text(at),
            weight: self.weights.get(at).copied().unwrap_or(0),
            payload: None,
        };
        let list = range.take(count).map(|at| SuggestedEntry::of(suggestion(at))).collect();
        SuggestedEntries { list, order: EntryOrder::Text, ..SuggestedEntries::default() }
    }

    pub(super) fn size(&self) -> usize {
        self.texts.size() + self.weights.capacity() * size_of::<i64>()
    }
}

/// Weights become the numbers of their parts, lightest first; equal ones are in one part.
fn number_parts(rows: &mut [(String, i64)], parts: u32) {
    rows.sort_by_key(|(_, weight)| *weight);
    let (count, mut last) = (rows.len().max(1) as u64, None);
    for (row, line) in rows.iter_mut().zip(0u64..) {
        let part = match last {
            Some((weight, part)) if weight == row.1 => part,
            _ => (line * u64::from(parts) / count).cast_signed(),
        };
        last = Some((row.1, part));
        row.1 = part;
    }
}
