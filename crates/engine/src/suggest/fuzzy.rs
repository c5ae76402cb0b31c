//! Beginnings that are a few edits away from what was asked: a walk over the sorted keys as over a tree of their letters,
//! with a row of edit distances for each level, that turns back where nothing can come near enough any more.

use std::ops::Range;

use plan::FuzzyPrefix;

use super::texts::Texts;

/// The keys of which some beginning is near `asked`; ranges in order, none of them twice.
pub(super) fn ranges_near(keys: &Texts, asked: &str, fuzzy: FuzzyPrefix) -> Vec<Range<usize>> {
    let units: Vec<u32> = match fuzzy.characters {
        true => asked.chars().map(u32::from).collect(),
        false => asked.bytes().map(u32::from).collect(),
    };
    if fuzzy.edits_max == 0 || units.len() <= fuzzy.prefix || units.len() < fuzzy.length_min {
        return vec![keys.begin_with(asked.as_bytes())];
    }
    let exact = match fuzzy.characters {
        true => asked.chars().take(fuzzy.prefix).map(char::len_utf8).sum(),
        false => fuzzy.prefix,
    };
    let range = keys.begin_with(asked.as_bytes().get(..exact).unwrap_or_default());
    let rest = units.get(fuzzy.prefix..).unwrap_or_default();
    let mut walk = Walk { keys, asked: rest, fuzzy, units: Vec::new(), rows: Vec::new(), found: Vec::new() };
    walk.rows.push((0..=rest.len()).collect());
    walk.below(range, exact);
    walk.found
}

struct Walk<'a> {
    keys: &'a Texts,
    asked: &'a [u32],
    fuzzy: FuzzyPrefix,
    /// What keys have in common so far, behind the exact beginning.
    units: Vec<u32>,
    /// For each number of units the edits from them to each beginning of what was asked; rows beyond are for use again.
    rows: Vec<Vec<usize>>,
    found: Vec<Range<usize>>,
}

impl Walk<'_> {
    /// Goes on with the keys of `range`, which agree in their first `depth` bytes. As deep as what was asked is long, and the
    /// edits more.
    fn below(&mut self, range: Range<usize>, depth: usize) {
        let edits_max = self.fuzzy.edits_max;
        let row = self.row(self.units.len());
        if row.last().is_some_and(|edits| *edits <= edits_max) {
            return self.found.push(range);
        }
        if row.iter().all(|edits| *edits > edits_max) {
            return;
        }
        let mut start = self.keys.first_near(range.clone(), |key| key.len() > depth);
        while start < range.end {
            let Some((unit, length)) = self.unit(start, depth) else { return };
            let (keys, here) = (self.keys, depth..depth + length);
            let taken = keys.get(start).get(here.clone());
            let end = keys.first_near(start..range.end, |key| key.get(here.clone()) != taken);
            self.units.push(unit);
            self.fill_row();
            self.below(start..end, here.end);
            self.units.pop();
            start = end;
        }
    }

    fn row(&self, units: usize) -> &[usize] {
        self.rows.get(units).map(Vec::as_slice).unwrap_or_default()
    }

    /// The unit of a key at `depth`, and how many bytes it takes.
    fn unit(&self, key: usize, depth: usize) -> Option<(u32, usize)> {
        let rest = self.keys.get(key).get(depth..)?;
        let first = *rest.first()?;
        if !self.fuzzy.characters || first.is_ascii() {
            return Some((u32::from(first), 1));
        }
        let longest = rest.get(..rest.len().min(4)).unwrap_or_default();
        let character = longest.utf8_chunks().next()?.valid().chars().next()?;
        Some((u32::from(character), character.len_utf8()))
    }

    /// The row of all units, from that of all but the last.
    fn fill_row(&mut self) {
        let number = self.units.len();
        let mut row = self.rows.get_mut(number).map(std::mem::take).unwrap_or_default();
        row.clear();
        let at = |row: &[usize], column: usize| row.get(column).copied().unwrap_or(usize::MAX / 2);
        let (above, two_above) = (self.row(number - 1), self.row(number.saturating_sub(2)));
        let (unit, unit_before) = (self.units.last(), self.units.get(number.wrapping_sub(2)));
        row.push(at(above, 0) + 1);
        let mut before = None;
        for (column, asked) in self.asked.iter().enumerate() {
            let replaced = at(above, column) + usize::from(Some(asked) != unit);
            let mut best = replaced.min(at(above, column + 1) + 1).min(at(&row, column) + 1);
            let swapped = self.fuzzy.transpositions && before == unit && unit_before == Some(asked);
            if let (true, Some(two_before)) = (swapped, column.checked_sub(1)) {
                best = best.min(at(two_above, two_before) + 1);
            }
            row.push(best);
            before = Some(asked);
        }
        match self.rows.get_mut(number) {
            Some(place) => *place = row,
            None => self.rows.push(row),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_beginnings_are_found() {
        let mut keys = Texts::default();
        for key in ["garden", "gold", "grand", "sound", "soundproof", "sun", "étude"] {
            keys.push(key.as_bytes());
        }
        let fuzzy =
            FuzzyPrefix { edits_max: 1, transpositions: true, prefix: 1, length_min: 3, characters: false };
        let check = |asked: &str, fuzzy: FuzzyPrefix, expected: &str| {
            let found: Vec<_> =
                ranges_near(&keys, asked, fuzzy).into_iter().flatten().map(|at| keys.text(at)).collect();
            assert_eq!(found.join(" "), expected, "{asked}");
        };
        check("suond", fuzzy, "sound soundproof");
        check("suond", FuzzyPrefix { transpositions: false, ..fuzzy }, "");
        check("gra", fuzzy, "garden grand");
        check("gr", fuzzy, "grand");
        check("xound", fuzzy, "");
        check("xound", FuzzyPrefix { prefix: 0, ..fuzzy }, "sound soundproof");
        check("etude", FuzzyPrefix { prefix: 0, ..fuzzy }, "");
        check("etude", FuzzyPrefix { prefix: 0, characters: true, ..fuzzy }, "étude");
        check("sou", FuzzyPrefix { edits_max: 0, ..fuzzy }, "sound soundproof");
    }
}
