//! Values of rows, of which the greatest of any range is found without reading the range: of each sixteen the
//! greatest is known, of each sixteen of those again, and so on. So the heaviest rows of ranges come one by
//! one, and a lookup costs what it shows, however many rows there are to choose from.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

/// How many values have their greatest noted, and how many notes theirs. Costs a fifteenth of the rows in
/// notes of 8 bytes.
const FAN: usize = 16;

/// A value and its row. Of equal values the lower row is the greater.
type Peak<V> = (V, Reverse<u32>);

#[derive(Default)]
pub(super) struct Peaks<V> {
    values: Vec<V>,
    /// The greatest of each full [`FAN`] values, of each full [`FAN`] of those, and so on.
    levels: Vec<Vec<Peak<V>>>,
}

impl<V: Copy + Ord> Peaks<V> {
    pub(super) fn of(mut values: Vec<V>) -> Self {
        values.shrink_to_fit();
        let mut levels: Vec<Vec<Peak<V>>> = Vec::new();
        let rows: Vec<Peak<V>> = values.iter().copied().zip((0..).map(Reverse)).collect();
        let mut below = &rows;
        while below.len() >= FAN {
            let above = below.chunks_exact(FAN).filter_map(|peaks| peaks.iter().max().copied());
            levels.push(above.collect());
            below = levels.last().unwrap_or(&rows);
        }
        Self { values, levels }
    }

    pub(super) fn get(&self, row: usize) -> Option<V> {
        self.values.get(row).copied()
    }

    /// The greatest of a range of rows and where it stands, of equal ones the first.
    pub(super) fn highest(&self, rows: Range<usize>) -> Option<(V, usize)> {
        let ends = rows.start.next_multiple_of(FAN).min(rows.end)..(rows.end / FAN * FAN).max(rows.start);
        if ends.start >= ends.end {
            return self.highest_value(rows).map(|(value, Reverse(row))| (value, row as usize));
        }
        let outer = self.highest_value(rows.start..ends.start).max(self.highest_value(ends.end..rows.end));
        let (mut best, mut here) = (outer, ends.start / FAN..ends.end / FAN);
        for level in &self.levels {
            let of = |range: Range<usize>| level.get(range).and_then(|peaks| peaks.iter().max().copied());
            let inner = here.start.next_multiple_of(FAN)..here.end / FAN * FAN;
            if inner.start >= inner.end {
                best = best.max(of(here));
                break;
            }
            best = best.max(of(here.start..inner.start)).max(of(inner.end..here.end));
            here = inner.start / FAN..inner.end / FAN;
        }
        best.map(|(value, Reverse(row))| (value, row as usize))
    }

    fn highest_value(&self, rows: Range<usize>) -> Option<Peak<V>> {
        let numbered = self.values.get(rows.clone())?.iter().copied().zip((rows.start as u32..).map(Reverse));
        numbered.max()
    }

    /// The rows of ranges that do not overlap, the greatest values first, of equal ones the lower row. Each
    /// is looked for when it is asked for.
    pub(super) fn heaviest(&self, ranges: impl IntoIterator<Item = Range<usize>>) -> Heaviest<'_, V> {
        let mut heaviest = Heaviest { peaks: self, open: BinaryHeap::new() };
        ranges.into_iter().for_each(|range| heaviest.open(range));
        heaviest
    }

    pub(super) fn size(&self) -> usize {
        let peaks: usize = self.levels.iter().map(Vec::capacity).sum();
        self.values.capacity() * size_of::<V>() + peaks * size_of::<Peak<V>>()
    }
}

/// See [`Peaks::heaviest`].
pub(super) struct Heaviest<'a, V> {
    peaks: &'a Peaks<V>,
    /// The greatest value of each range not yet gone through, its row, and the range.
    open: BinaryHeap<(V, Reverse<usize>, usize, usize)>,
}

impl<V: Copy + Ord> Heaviest<'_, V> {
    fn open(&mut self, range: Range<usize>) {
        if let Some((value, row)) = self.peaks.highest(range.clone()) {
            self.open.push((value, Reverse(row), range.start, range.end));
        }
    }
}

impl<V: Copy + Ord> Iterator for Heaviest<'_, V> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let (_, Reverse(row), start, end) = self.open.pop()?;
        self.open(start..row);
        self.open(row + 1..end);
        Some(row)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_heaviest_are_those_of_a_sorted_list(
            values in proptest::collection::vec(0u32..50, 0..1000),
            bounds in proptest::collection::vec(0usize..1100, 0..6),
        ) {
            let peaks = Peaks::of(values.clone());
            let mut bounds = bounds;
            bounds.sort_unstable();
            let ranges: Vec<_> = bounds.chunks_exact(2).map(|it| it[0].min(values.len())..it[1].min(values.len())).collect();
            let mut expected: Vec<usize> = ranges.iter().cloned().flatten().collect();
            expected.sort_by_key(|row| (Reverse(values[*row]), *row));
            prop_assert_eq!(peaks.heaviest(ranges).collect::<Vec<_>>(), expected);
        }
    }
}
