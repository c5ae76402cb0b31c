//! Which entries have which words or contexts: lists of entries' numbers by text, and sets of numbers.

use std::collections::HashMap;
use std::ops::Range;

use super::texts::Texts;

/// For each text of a sorted dictionary the numbers of entries, ascending.
#[derive(Default)]
pub(super) struct Lists {
    pub(super) texts: Texts,
    /// Where each list ends.
    ends: Vec<usize>,
    numbers: Vec<u32>,
}

#[derive(Default)]
pub(super) struct ListsBuilder {
    lists: HashMap<String, Vec<u32>>,
}

impl ListsBuilder {
    /// Numbers come in ascending order.
    pub(super) fn add(&mut self, text: &str, number: u32) {
        if let Some(list) = self.lists.get_mut(text) {
            if list.last() != Some(&number) {
                list.push(number);
            }
            return;
        }
        self.lists.insert(text.to_owned(), vec![number]);
    }

    pub(super) fn finish(self) -> Lists {
        let mut sorted: Vec<_> = self.lists.into_iter().collect();
        sorted.sort_unstable();
        let mut lists = Lists::default();
        for (text, list) in sorted {
            lists.texts.push(text.as_bytes());
            lists.numbers.extend_from_slice(&list);
            lists.ends.push(lists.numbers.len());
        }
        lists
    }
}

impl Lists {
    pub(super) fn of(&self, text: &str) -> &[u32] {
        self.texts.find(text.as_bytes()).map_or(&[], |at| self.list(at))
    }

    /// Of texts that match a pattern, see [`plan::Contexts::Like`].
    pub(super) fn like(&self, pattern: &str) -> impl Iterator<Item = &[u32]> {
        let matches = move |at: &usize| plan::glob_matches(pattern, &self.texts.text(*at));
        (0..self.texts.len()).filter(matches).map(|at| self.list(at))
    }

    pub(super) fn list(&self, at: usize) -> &[u32] {
        slice_of(&self.numbers, &self.ends, at)
    }

    /// How many numbers the lists of a range have.
    pub(super) fn count(&self, range: &Range<usize>) -> usize {
        let end =
            |at: usize| at.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        end(range.end).saturating_sub(end(range.start))
    }

    /// For each of so many entries the texts whose lists have it, ascending, and where they end.
    pub(super) fn turned(&self, entries: usize) -> (Vec<u32>, Vec<usize>) {
        let mut ends = vec![0usize; entries + 1];
        for number in &self.numbers {
            if let Some(count) = ends.get_mut(*number as usize + 1) {
                *count += 1;
            }
        }
        for at in 1..ends.len() {
            let before = ends.get(at - 1).copied().unwrap_or(0);
            if let Some(end) = ends.get_mut(at) {
                *end += before;
            }
        }
        // Each entry's next free place; at last its end, which is where the next entry's began.
        let mut texts = vec![0u32; self.numbers.len()];
        for (at, text) in (0..self.texts.len()).zip(0u32..) {
            for number in self.list(at) {
                let Some(place) = ends.get_mut(*number as usize) else { continue };
                if let Some(slot) = texts.get_mut(*place) {
                    *slot = text;
                }
                *place += 1;
            }
        }
        ends.truncate(entries);
        (texts, ends)
    }

    pub(super) fn size(&self) -> usize {
        let ends = self.ends.capacity() * size_of::<usize>();
        self.texts.size() + ends + self.numbers.capacity() * size_of::<u32>()
    }
}

/// The part `at` of `all`, of parts that end at `ends`.
pub(super) fn slice_of<'a>(all: &'a [u32], ends: &[usize], at: usize) -> &'a [u32] {
    let start = at.checked_sub(1).and_then(|before| ends.get(before)).copied().unwrap_or(0);
    let end = ends.get(at).copied().unwrap_or(start);
    all.get(start..end).unwrap_or_default()
}

/// A set of entries' numbers, a bit each.
pub(super) struct NumberSet {
    words: Vec<u64>,
}

impl NumberSet {
    pub(super) fn empty(entries: usize) -> Self {
        Self { words: vec![0; entries.div_ceil(64)] }
    }

    pub(super) fn of<'a>(entries: usize, lists: impl IntoIterator<Item = &'a [u32]>) -> Self {
        let mut set = Self::empty(entries);
        for number in lists.into_iter().flatten() {
            if let Some(word) = set.words.get_mut(*number as usize / 64) {
                *word |= 1 << (number % 64);
            }
        }
        set
    }

    pub(super) fn or(mut self, other: &NumberSet) -> Self {
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word |= other);
        self
    }

    pub(super) fn and(mut self, other: &NumberSet) -> Self {
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word &= other);
        self
    }

    pub(super) fn without(mut self, other: &NumberSet) -> Self {
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word &= !other);
        self
    }

    pub(super) fn complement(mut self, entries: usize) -> Self {
        self.words.iter_mut().for_each(|word| *word = !*word);
        if let (Some(last), rest @ 1..) = (self.words.last_mut(), entries % 64) {
            *last &= (1 << rest) - 1;
        }
        self
    }

    pub(super) fn contains(&self, number: u32) -> bool {
        self.words.get(number as usize / 64).is_some_and(|word| word & (1 << (number % 64)) != 0)
    }

    /// In ascending order.
    pub(super) fn iter(&self) -> impl Iterator<Item = u32> {
        self.words.iter().zip(0u32..).flat_map(|(word, at)| {
            (0..64).filter(move |bit| word & (1 << bit) != 0).map(move |bit| at * 64 + bit)
        })
    }
}
