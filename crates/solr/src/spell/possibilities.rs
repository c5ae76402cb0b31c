//! Which combinations of suggestions are the best corrections of a whole query: those whose suggestions stand
//! first in their lists. The order in which combinations are made, what is kept of equally good ones, and how
//! words that overlap are kept apart, is that of Solr's `PossibilityIterator`.

use std::cmp::Ordering;
use std::collections::HashSet;

use plan::{SpellFinding, TieHeap};

/// Suggestions put in place of words, in no more steps than this: a bound on what a request can ask for.
const WORK_MAX: usize = 20_000_000;

/// A suggestion for a word: which finding, and which of its suggestions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Correction {
    pub finding: usize,
    pub suggestion: usize,
}

/// Suggestions that go together.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Possibility {
    pub corrections: Vec<Correction>,
    /// The sum of the suggestions' places in their lists.
    pub rank: usize,
    /// Which of those that were made of one combination.
    pub index: usize,
}

/// The best `count` combinations among the first `evaluations_max`, best first. `overlap` says whether
/// findings may be of the same words.
pub(super) fn possibilities(
    findings: &[SpellFinding],
    count: usize,
    evaluations_max: usize,
    overlap: bool,
) -> Vec<Possibility> {
    let mut best = TieHeap::new(worse_first);
    let mut seen = HashSet::new();
    let (mut evaluations, mut work) = (0, 0);
    for (choice, rank) in Choices::new(findings) {
        for (index, mut corrections) in separate(findings, choice, overlap).into_iter().enumerate() {
            if evaluations >= evaluations_max || work >= WORK_MAX || count == 0 {
                return best.into_descending();
            }
            evaluations += 1;
            work += if overlap { corrections.len().pow(2) } else { corrections.len() } + 1;
            let full = best.len() >= count;
            if full && best.peek().is_some_and(|worst: &Possibility| rank >= worst.rank) {
                continue;
            }
            if !corrects(findings, &corrections) {
                continue;
            }
            if overlap {
                corrections.sort_by_key(|it| findings.get(it.finding).map(|it| it.word.start));
                if !seen.insert(corrections.clone()) {
                    continue;
                }
            }
            best.push(Possibility { corrections, rank, index });
            if best.len() > count
                && let Some(left_out) = best.pop()
            {
                seen.remove(&left_out.corrections);
            }
        }
    }
    best.into_descending()
}

fn worse_first(one: &Possibility, other: &Possibility) -> Ordering {
    other.rank.cmp(&one.rank).then(other.index.cmp(&one.index))
}

/// Whether any word becomes another.
fn corrects(findings: &[SpellFinding], corrections: &[Correction]) -> bool {
    corrections.iter().any(|it| {
        findings.get(it.finding).is_some_and(|finding| {
            finding.suggestions.get(it.suggestion).is_some_and(|(text, _)| *text != finding.word.text)
        })
    })
}

/// All choices of one suggestion for each word that has any, the last word's changing fastest, with their
/// ranks.
struct Choices {
    /// Findings that have suggestions, and how many.
    sizes: Vec<(usize, usize)>,
    /// The next choice; `None` at the end.
    next: Option<Vec<usize>>,
}

impl Choices {
    fn new(findings: &[SpellFinding]) -> Self {
        let sizes = findings.iter().map(|finding| finding.suggestions.len()).enumerate();
        let sizes: Vec<_> = sizes.filter(|(_, size)| *size > 0).collect();
        let next = (!sizes.is_empty()).then(|| vec![0; sizes.len()]);
        Self { sizes, next }
    }
}

impl Iterator for Choices {
    type Item = (Vec<Correction>, usize);

    fn next(&mut self) -> Option<Self::Item> {
        let mut places = self.next.take()?;
        let correction = |((finding, _), place): (&(usize, usize), &usize)| Correction {
            finding: *finding,
            suggestion: *place,
        };
        let choice = self.sizes.iter().zip(&places).map(correction).collect();
        let rank = places.iter().sum();
        for ((_, size), place) in self.sizes.iter().zip(places.iter_mut()).rev() {
            *place += 1;
            if *place < *size {
                self.next = Some(places);
                break;
            }
            *place = 0;
        }
        Some((choice, rank))
    }
}

/// A choice as it is, or where findings overlap, for each of its corrections those that go together with it.
fn separate(findings: &[SpellFinding], choice: Vec<Correction>, overlap: bool) -> Vec<Vec<Correction>> {
    if !overlap || choice.len() == 1 {
        return vec![choice];
    }
    (0..choice.len()).map(|at| compatible(findings, &choice, at)).collect()
}

/// The correction at `first` and those after it, and around to those before it, that overlap with none taken
/// before.
fn compatible(findings: &[SpellFinding], choice: &[Correction], first: usize) -> Vec<Correction> {
    let mut taken: Vec<Correction> = Vec::with_capacity(choice.len());
    for correction in choice.iter().cycle().skip(first).take(choice.len()) {
        if !taken.iter().any(|it| overlaps(findings, *it, *correction)) {
            taken.push(*correction);
        }
    }
    taken
}

/// Whether two corrections are of words that touch.
fn overlaps(findings: &[SpellFinding], one: Correction, other: Correction) -> bool {
    let (Some(one), Some(other)) = (findings.get(one.finding), findings.get(other.finding)) else {
        return false;
    };
    let (one, other) = (&one.word, &other.word);
    (one.start..=one.end).contains(&other.start) || (other.start..=other.end).contains(&one.start)
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::{SpellWord, WordRole};

    fn finding(start: usize, end: usize, suggestions: &[&str]) -> SpellFinding {
        let word = SpellWord { text: "w".into(), start, end, increment: 1, role: WordRole::default() };
        let suggestions = suggestions.iter().map(|text| ((*text).to_owned(), 1)).collect();
        SpellFinding { word, documents: 0, suggestions }
    }

    fn check(findings: &[SpellFinding], count: usize, evaluations: usize, overlap: bool, expected: &str) {
        let found = possibilities(findings, count, evaluations, overlap);
        let shown = found.iter().map(|possibility| {
            let words = possibility.corrections.iter();
            let words = words.map(|it| findings[it.finding].suggestions[it.suggestion].0.as_str());
            format!("{}:{}", possibility.rank, words.collect::<Vec<_>>().join(" "))
        });
        assert_eq!(shown.collect::<Vec<_>>().join(", "), expected);
    }

    #[test]
    fn the_best_combinations_come_first() {
        let two = [finding(0, 1, &["a", "b"]), finding(2, 3, &[]), finding(4, 5, &["x", "y"])];
        check(&two, 10, 100, false, "0:a x, 1:b x, 1:a y, 2:b y");
        check(&two, 1, 100, false, "0:a x");
        check(&two, 10, 2, false, "0:a x, 1:a y");
        check(&two, 0, 100, false, "");
        check(&[finding(0, 1, &["w"])], 10, 100, false, "");
        check(&[], 10, 100, false, "");
    }

    #[test]
    fn overlapping_words_are_kept_apart() {
        let joined = [finding(0, 1, &["a"]), finding(0, 3, &["ab"]), finding(5, 6, &["c"])];
        check(&joined, 10, 100, true, "0:a c, 0:ab c");
    }
}
