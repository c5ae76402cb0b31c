//! Which entries have which words or contexts: lists of entries' numbers by text, and the texts of each
//! entry. `merged` reads several lists as one.
//!
//! Built once with a suggester, in order of entries, and never changed. `infix` finds words and contexts in
//! it; entries are numbered best first, so the first of a list are its best.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::Range;

use plan::Result;

use super::dictionary::Dictionary;
use super::entries::SuggesterSize;
use super::peaks::Peaks;
use super::texts::{Texts, part};

/// For each text of a dictionary the numbers of entries, ascending.
pub(super) struct Lists {
    pub(super) texts: Dictionary,
    /// Where each list ends.
    ends: Vec<u32>,
    numbers: Vec<u32>,
    /// The first number of each list, so that of many texts the list that begins first is found without
    /// reading all.
    heads: Peaks<Reverse<u32>>,
    /// Of each entry the numbers of its texts, ascending, and where they end.
    by_entry: (Vec<u32>, Vec<u32>),
}

#[derive(Default)]
pub(super) struct ListsBuilder {
    lists: HashMap<String, Vec<u32>>,
    room: SuggesterSize,
}

impl ListsBuilder {
    /// Numbers come in ascending order. Errors: more than a suggester may take.
    pub(super) fn add(&mut self, text: &str, number: u32) -> Result<()> {
        if let Some(list) = self.lists.get_mut(text) {
            if list.last() == Some(&number) {
                return Ok(());
            }
            list.push(number);
            return self.room.reserve(size_of::<u32>());
        }
        self.lists.insert(text.to_owned(), vec![number]);
        self.room.reserve(text.len() + size_of::<(String, Vec<u32>)>())
    }

    /// Of this many entries.
    pub(super) fn finish(self, entries: usize) -> Lists {
        let mut sorted: Vec<_> = self.lists.into_iter().collect();
        sorted.sort_unstable();
        let (mut texts, mut numbers, mut ends) = (Texts::default(), Vec::new(), Vec::new());
        for (text, list) in &sorted {
            texts.push(text.as_bytes());
            numbers.extend_from_slice(list);
            ends.push(numbers.len() as u32);
        }
        numbers.shrink_to_fit();
        ends.shrink_to_fit();
        let heads = sorted.iter().filter_map(|(_, list)| list.first().copied().map(Reverse)).collect();
        let by_entry = by_entry(sorted.iter().map(|(_, list)| list.as_slice()), entries);
        Lists { texts: Dictionary::of(texts), ends, numbers, heads: Peaks::of(heads), by_entry }
    }
}

/// For each of this many entries the lists that have it, ascending, and where those end.
fn by_entry<'a>(lists: impl Iterator<Item = &'a [u32]> + Clone, entries: usize) -> (Vec<u32>, Vec<u32>) {
    let mut ends = vec![0u32; entries + 1];
    for number in lists.clone().flatten() {
        if let Some(count) = ends.get_mut(*number as usize + 1) {
            *count += 1;
        }
    }
    let mut total = 0;
    for end in &mut ends {
        total += *end;
        *end = total;
    }
    // Each entry's next free place; at last its end, which is where the next entry's began.
    let mut texts = vec![0u32; total as usize];
    for (list, text) in lists.zip(0u32..) {
        for number in list {
            let Some(place) = ends.get_mut(*number as usize) else { continue };
            if let Some(slot) = texts.get_mut(*place as usize) {
                *slot = text;
            }
            *place += 1;
        }
    }
    ends.truncate(if total == 0 { 0 } else { entries });
    ends.shrink_to_fit();
    (texts, ends)
}

impl Lists {
    pub(super) fn list(&self, at: usize) -> &[u32] {
        self.numbers.get(part(&self.ends, at)).unwrap_or_default()
    }

    /// The numbers of the texts that an entry has.
    pub(super) fn texts_of(&self, entry: u32) -> &[u32] {
        let (texts, ends) = &self.by_entry;
        texts.get(part(ends, entry as usize)).unwrap_or_default()
    }

    /// Of a range of texts the one whose list begins first, and with what.
    pub(super) fn first_of(&self, range: Range<usize>) -> Option<(u32, usize)> {
        self.heads.highest(range).map(|(Reverse(number), text)| (number, text))
    }

    /// How many numbers the lists of a range have.
    pub(super) fn count(&self, range: &Range<usize>) -> usize {
        let first = part(&self.ends, range.start).start;
        range.end.checked_sub(1).map_or(0, |last| part(&self.ends, last).end.saturating_sub(first))
    }

    pub(super) fn size(&self) -> usize {
        let (texts, ends) = &self.by_entry;
        let numbers = self.ends.capacity() + self.numbers.capacity() + texts.capacity() + ends.capacity();
        self.texts.size() + self.heads.size() + numbers * size_of::<u32>()
    }
}
