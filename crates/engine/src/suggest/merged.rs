//! Several lists of entries read as one, in ascending order. Of a range of texts only those lists are opened
//! whose turn comes, so the first entries of ten thousand words cost no more than those of ten.
//!
//! In: texts by number and a range of them, in a suggester's `lists`; out: numbers of entries, each once, and
//! an estimate of the work, by which `infix` chooses what to walk.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::iter::Copied;
use std::ops::Range;
use std::slice::Iter;

use super::lists::Lists;

/// The lists of some texts.
#[derive(Clone, Debug, Default)]
pub(super) struct Several {
    pub(super) texts: Vec<u32>,
    /// Those of a range beside them.
    pub(super) range: Range<usize>,
}

/// The entries of several lists, ascending, each once.
pub(super) enum Merged<'a> {
    One(Copied<Iter<'a, u32>>),
    Many(Merge<'a>),
}

impl Several {
    /// How much work it is to read them, in numbers of a single list.
    pub(super) fn cost(&self, lists: &Lists) -> usize {
        /// A number of one of many lists takes as long as this many of a single one: some 150 ns to 10,
        /// measured 2026-11-22.
        const MERGING: usize = 16;
        let several = self.texts.iter().map(|text| lists.list(*text as usize).len()).sum::<usize>();
        if self.is_one() { several } else { (several + lists.count(&self.range)).saturating_mul(MERGING) }
    }

    fn is_one(&self) -> bool {
        self.texts.len() == 1 && self.range.is_empty()
    }

    pub(super) fn read<'a>(&self, lists: &'a Lists) -> Merged<'a> {
        match self.texts.as_slice() {
            [text] if self.is_one() => Merged::One(lists.list(*text as usize).iter().copied()),
            texts => Merged::Many(Merge::of(lists, texts, self.range.clone())),
        }
    }
}

impl Iterator for Merged<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        match self {
            Merged::One(list) => list.next(),
            Merged::Many(merge) => merge.next(),
        }
    }
}

pub(super) struct Merge<'a> {
    lists: &'a Lists,
    /// Of each list being read its next number, and what remains of it.
    open: BinaryHeap<Reverse<(u32, &'a [u32])>>,
    /// Of each range of lists not yet opened the least number, the list that begins with it, and the range.
    closed: BinaryHeap<Reverse<(u32, usize, usize, usize)>>,
    last: Option<u32>,
}

impl<'a> Merge<'a> {
    fn of(lists: &'a Lists, texts: &[u32], range: Range<usize>) -> Self {
        let mut merge = Self { lists, open: BinaryHeap::new(), closed: BinaryHeap::new(), last: None };
        texts.iter().for_each(|text| merge.open(lists.list(*text as usize)));
        merge.close(range);
        merge
    }

    fn open(&mut self, list: &'a [u32]) {
        self.open.extend(list.split_first().map(|(first, rest)| Reverse((*first, rest))));
    }

    fn close(&mut self, range: Range<usize>) {
        let first = self.lists.first_of(range.clone());
        self.closed.extend(first.map(|(number, text)| Reverse((number, text, range.start, range.end))));
    }

    /// The next number, those of several lists again and again.
    fn step(&mut self) -> Option<u32> {
        let closed = self.closed.peek().map(|Reverse((number, ..))| *number);
        if let Some(mut top) = self.open.peek_mut()
            && closed.is_none_or(|closed| top.0.0 <= closed)
        {
            let Reverse((number, rest)) = *top;
            match rest.split_first() {
                Some((first, rest)) => *top = Reverse((*first, rest)),
                None => drop(std::collections::binary_heap::PeekMut::pop(top)),
            }
            return Some(number);
        }
        let Reverse((number, text, start, end)) = self.closed.pop()?;
        self.open(self.lists.list(text).get(1..).unwrap_or_default());
        self.close(start..text);
        self.close(text + 1..end);
        Some(number)
    }

    fn next(&mut self) -> Option<u32> {
        loop {
            let number = self.step()?;
            if self.last.replace(number) != Some(number) {
                return Some(number);
            }
        }
    }
}
