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
    let mut walk = Walk { keys, asked: rest, fuzzy, found: Vec::new() };
    let first = Level { row: (0..=rest.len()).collect(), above: Vec::new(), unit: None };
    walk.below(range, exact, &first);
    walk.found
}

/// Keys that are the same so far.
struct Level {
    /// Edits from what they have so far to each beginning of what was asked.
    row: Vec<usize>,
    /// The row of the level above.
    above: Vec<usize>,
    unit: Option<u32>,
}

struct Walk<'a> {
    keys: &'a Texts,
    asked: &'a [u32],
    fuzzy: FuzzyPrefix,
    found: Vec<Range<usize>>,
}

impl Walk<'_> {
    /// Goes on with the keys of `range`, which agree in their first `depth` bytes. As deep as what was asked is long, and the
    /// edits more.
    fn below(&mut self, range: Range<usize>, depth: usize, level: &Level) {
        let edits_max = self.fuzzy.edits_max;
        if level.row.last().is_some_and(|edits| *edits <= edits_max) {
            return self.found.push(range);
        }
        if level.row.iter().all(|edits| *edits > edits_max) {
            return;
        }
        let mut start = self.keys.first(range.clone(), |key| key.len() > depth);
        while start < range.end {
            let Some((unit, length)) = self.unit(start, depth) else { return };
            let taken: Vec<u8> = self.keys.get(start).get(..depth + length).unwrap_or_default().to_vec();
            let end = self.keys.first(start..range.end, |key| !key.starts_with(&taken));
            let next = self.next(level, unit);
            self.below(start..end, depth + length, &next);
            start = end;
        }
    }

    /// The unit of a key at `depth`, and how many bytes it takes.
    fn unit(&self, key: usize, depth: usize) -> Option<(u32, usize)> {
        let rest = self.keys.get(key).get(depth..)?;
        if !self.fuzzy.characters {
            return rest.first().map(|byte| (u32::from(*byte), 1));
        }
        let character = std::str::from_utf8(rest).ok()?.chars().next()?;
        Some((u32::from(character), character.len_utf8()))
    }

    fn next(&self, level: &Level, unit: u32) -> Level {
        let at = |row: &[usize], column: usize| row.get(column).copied().unwrap_or(usize::MAX / 2);
        let mut row = Vec::with_capacity(self.asked.len() + 1);
        row.push(at(&level.row, 0) + 1);
        let mut before = None;
        for (column, asked) in self.asked.iter().enumerate() {
            let replaced = at(&level.row, column) + usize::from(*asked != unit);
            let mut best = replaced.min(at(&level.row, column + 1) + 1).min(at(&row, column) + 1);
            let swapped = self.fuzzy.transpositions && before == Some(unit) && level.unit == Some(*asked);
            if let (true, Some(two_before)) = (swapped, column.checked_sub(1)) {
                best = best.min(at(&level.above, two_before) + 1);
            }
            row.push(best);
            before = Some(*asked);
        }
        Level { row, above: level.row.clone(), unit: Some(unit) }
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
