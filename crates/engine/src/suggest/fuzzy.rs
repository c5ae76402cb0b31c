//! Beginnings that are a few edits away from what was asked: a walk down the dictionary's letters with a row
//! of edit distances for each level, that turns back where nothing can come near enough any more.
//!
//! In: a dictionary, an analysed text, and how many edits are allowed behind which exact beginning; out:
//! ranges of keys, in order and none twice. Which entries of them are shown, by weight, is `prefix`'s.

use std::ops::Range;

use plan::FuzzyPrefix;

use super::dictionary::{Dictionary, Span};

/// The keys of which some beginning is near `asked`; ranges in order, none of them twice.
pub(super) fn ranges_near(keys: &Dictionary, asked: &str, fuzzy: FuzzyPrefix) -> Vec<Range<usize>> {
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
    let begun = keys.descend(asked.as_bytes().get(..exact).unwrap_or_default());
    let asked = units.get(fuzzy.prefix..).unwrap_or_default();
    let asked = FuzzyPattern::new(asked, fuzzy);
    let start = Step { units: 0, last: None, near: asked.start(), near_before: Near::default() };
    let mut walk = Walk { keys, asked: &asked, characters: fuzzy.characters, open: vec![], found: vec![] };
    walk.open.push((start, Character::default(), begun));
    while let Some((step, begun, span)) = walk.open.pop() {
        walk.go_on(&step, begun, &span);
    }
    walk.found.sort_by_key(|range| range.start);
    walk.found
}

struct Walk<'a> {
    keys: &'a Dictionary,
    asked: &'a FuzzyPattern,
    /// Units are characters, not bytes.
    characters: bool,
    /// Keys to go on with, which agree in the units so far and in what is read of the next. Not on the stack:
    /// what was asked may be long, and so may keys.
    open: Vec<(Step, Character, Span)>,
    found: Vec<Range<usize>>,
}

impl Walk<'_> {
    /// One letter on. As deep as what was asked is long, and the edits more.
    fn go_on(&mut self, step: &Step, begun: Character, span: &Span) {
        if begun.missing == 0 && self.asked.is_all(step) {
            return self.found.push(span.texts.clone());
        }
        let (asked, characters) = (self.asked, self.characters);
        let is_any = begun.missing > 0 || asked.is_free(step);
        let wanted = |letter: u8| {
            is_any || (characters && !letter.is_ascii()) || asked.is_near(step, u32::from(letter))
        };
        for (letter, below) in self.keys.children(span, wanted) {
            let character = if characters { begun.followed_by(letter) } else { Character::of(letter) };
            if character.missing > 0 {
                self.open.push((*step, character, below));
                continue;
            }
            let next = asked.follow(step, character.bits);
            if asked.is_any(&next) {
                self.open.push((next, Character::default(), below));
            }
        }
    }
}

/// A character of UTF-8 of which some bytes are read, or none.
#[derive(Clone, Copy, Default)]
struct Character {
    bits: u32,
    missing: u32,
}

impl Character {
    /// A whole one.
    fn of(byte: u8) -> Self {
        Self { bits: u32::from(byte), missing: 0 }
    }

    fn followed_by(self, byte: u8) -> Self {
        if self.missing > 0 {
            return Self { bits: self.bits << 6 | u32::from(byte & 0x3f), missing: self.missing - 1 };
        }
        if byte.is_ascii() {
            return Self::of(byte);
        }
        let length = byte.leading_ones().clamp(2, 4);
        Self { bits: u32::from(byte) & (0x7f >> length), missing: length - 1 }
    }
}

/// Most edits, as in Lucene.
const EDITS_MAX: usize = 2;

/// For no edit, one and two: a bit for each beginning of what was asked that the units so far are near with
/// this many edits. A beginning longer or shorter by more than the edits cannot be near, so with `n` edits
/// the bits are those of `n` units fewer to `n` units more.
type Near = [u8; EDITS_MAX + 1];

/// Units of a key, as far as the walk has come.
#[derive(Clone, Copy)]
struct Step {
    units: usize,
    last: Option<u32>,
    near: Near,
    /// Without the last unit.
    near_before: Near,
}

/// What was asked, to be held against units one by one: Wu and Manber's way of matching with errors (1992),
/// along the diagonal.
struct FuzzyPattern {
    /// Between places that no unit is equal to, so that there are some before the first.
    units: Vec<Option<u32>>,
    length: usize,
    edits_max: usize,
    /// Two units in each other's place are one edit.
    swaps: bool,
}

impl FuzzyPattern {
    fn new(asked: &[u32], fuzzy: FuzzyPrefix) -> Self {
        let edits_max = fuzzy.edits_max.min(EDITS_MAX);
        let mut units = vec![None; edits_max + 1];
        units.extend(asked.iter().copied().map(Some));
        Self { units, length: asked.len(), edits_max, swaps: fuzzy.transpositions }
    }

    /// Of no units: near the beginnings that are no longer than the edits.
    fn start(&self) -> Near {
        let mut near = Near::default();
        let mut longer = 1 << self.edits_max;
        for bits in near.iter_mut().take(self.edits_max + 1) {
            *bits = longer & self.valid(0);
            longer |= longer << 1;
        }
        near
    }

    fn is_any(&self, step: &Step) -> bool {
        step.near.get(self.edits_max).is_some_and(|bits| *bits != 0)
    }

    /// Whether the units are near all that was asked.
    fn is_all(&self, step: &Step) -> bool {
        let all =
            (self.length + self.edits_max).checked_sub(step.units).filter(|bit| *bit <= 2 * self.edits_max);
        all.is_some_and(|bit| step.near.get(self.edits_max).is_some_and(|bits| bits & (1 << bit) != 0))
    }

    /// Whether there may be one more edit.
    fn is_free(&self, step: &Step) -> bool {
        let fewer = self.edits_max.checked_sub(1).and_then(|edits| step.near.get(edits));
        fewer.is_some_and(|bits| *bits != 0)
    }

    /// Whether a unit was asked hereabouts: without another edit only such may follow.
    fn is_near(&self, step: &Step, unit: u32) -> bool {
        let near = self.units.get(step.units..).unwrap_or_default();
        near.iter().take(2 * self.edits_max + 2).any(|asked| *asked == Some(unit))
    }

    /// One unit more.
    fn follow(&self, step: &Step, unit: u32) -> Step {
        let equal = self.equal(step.units + 1, unit);
        let swapped = match step.last {
            Some(last) if self.swaps => self.equal(step.units, unit) & self.equal(step.units + 1, last),
            _ => 0,
        };
        let valid = self.valid(step.units + 1);
        let (mut near, mut fewer) = (Near::default(), None);
        let both = step.near.iter().zip(&step.near_before);
        for (bits, (now, before)) in near.iter_mut().zip(both).take(self.edits_max + 1) {
            // With one edit fewer: replaced, too many, missing, or swapped.
            let edited = fewer.map_or(0, |(now, before, next): (u8, u8, u8)| {
                now | now >> 1 | next | next << 1 | before & swapped
            });
            *bits = (now & equal | edited) & valid;
            fewer = Some((*now, *before, *bits));
        }
        Step { units: step.units + 1, last: Some(unit), near, near_before: step.near }
    }

    /// The bits of the units asked that are equal to one, from the place `start` on.
    fn equal(&self, start: usize, unit: u32) -> u8 {
        let near = self.units.iter().skip(start).take(2 * self.edits_max + 1);
        near.enumerate().fold(0, |bits, (at, asked)| bits | u8::from(*asked == Some(unit)) << at)
    }

    /// The bits of this many units that stand for beginnings there are.
    fn valid(&self, units: usize) -> u8 {
        let width = 2 * self.edits_max + 1;
        let first = self.edits_max.saturating_sub(units);
        let end = (self.length + self.edits_max + 1).saturating_sub(units).min(width);
        (1u8 << end).saturating_sub(1) & (u8::MAX << first)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::texts::Texts;
    use super::*;

    #[test]
    fn near_beginnings_are_found() {
        let mut texts = Texts::default();
        for key in ["garden", "gold", "grand", "sound", "soundproof", "sun", "étude"] {
            texts.push(key.as_bytes());
        }
        let keys = Dictionary::of(texts);
        let fuzzy =
            FuzzyPrefix { edits_max: 1, transpositions: true, prefix: 1, length_min: 3, characters: false };
        let check = |asked: &str, fuzzy: FuzzyPrefix, expected: &str| {
            let found: Vec<_> = ranges_near(&keys, asked, fuzzy)
                .into_iter()
                .flatten()
                .map(|at| keys.texts.text(at))
                .collect();
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

    /// Edits between two texts, those of neighbours swapped among them, by the whole table.
    fn edits(one: &[char], other: &[char], swaps: bool) -> usize {
        let mut table = vec![vec![0; other.len() + 1]; one.len() + 1];
        for (row, column) in
            (0..=one.len()).flat_map(|row| (0..=other.len()).map(move |column| (row, column)))
        {
            table[row][column] = if row == 0 || column == 0 {
                row + column
            } else {
                let replaced = table[row - 1][column - 1] + usize::from(one[row - 1] != other[column - 1]);
                let edits = replaced.min(table[row - 1][column] + 1).min(table[row][column - 1] + 1);
                let swapped = swaps
                    && row > 1
                    && column > 1
                    && (one[row - 1], one[row - 2]) == (other[column - 2], other[column - 1]);
                if swapped { edits.min(table[row - 2][column - 2] + 1) } else { edits }
            };
        }
        table[one.len()][other.len()]
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn near_beginnings_are_those_of_the_whole_table(
            keys in proptest::collection::btree_set("[abé]{0,7}", 0..120),
            asked in "[abé]{1,6}",
            (edits_max, prefix, swaps) in (1usize..3, 0usize..2, any::<bool>()),
        ) {
            let fuzzy = FuzzyPrefix { edits_max, transpositions: swaps, prefix, length_min: 1, characters: true };
            let asked_units: Vec<char> = asked.chars().collect();
            let near = |key: &&String| {
                let key: Vec<char> = key.chars().collect();
                if asked_units.len() <= prefix {
                    return key.starts_with(&asked_units);
                }
                let (exact, rest) = asked_units.split_at(prefix);
                key.starts_with(exact)
                    && (prefix..=key.len()).any(|end| edits(&key[prefix..end], rest, swaps) <= edits_max)
            };
            let expected: Vec<&String> = keys.iter().filter(near).collect();
            let mut texts = Texts::default();
            keys.iter().for_each(|key| texts.push(key.as_bytes()));
            let keys = Dictionary::of(texts);
            let found: Vec<String> = ranges_near(&keys, &asked, fuzzy).into_iter().flatten().map(|at| keys.texts.text(at)).collect();
            prop_assert_eq!(found.iter().collect::<Vec<_>>(), expected);
        }
    }
}
