//! Cutting a long Japanese word: the lattice under the word is weighed again with a penalty on every long
//! word, and if the cheapest way then costs no more than the word with its own penalty, its words take the
//! word's place. The lengths and penalties are Kuromoji's: 3,000 for each kanji over two, 1,700 for each
//! character over seven.

use super::weights::weigh;
use crate::morphology::{Candidate, Link, Trace, Weight, Word, japanese, units};

const KANJI_LEN: usize = 2;
const KANJI_PENALTY: i32 = 3000;
const OTHER_LEN: usize = 7;
const OTHER_PENALTY: i32 = 1700;

/// The last word of the way through the parts of a word, if that way is cheap enough.
pub(super) fn rescore(
    trace: &mut Trace<'_>,
    end: usize,
    whole: Link,
    next_left: Option<u16>,
) -> Option<Link> {
    let penalty = penalty(trace.text, whole.from, end);
    if penalty == 0 {
        return None;
    }
    let costs = &japanese().costs;
    let cost_before = |link: &Link| link.cost + next_left.map_or(0, |left| costs.between(link.right, left));
    // The penalty is not part of the lattice's own costs: a long word wins the first round, and only then is
    // asked whether its parts are nearly as likely.
    let limit = cost_before(&whole) + penalty;
    weigh_again(trace, whole.from, end, whole.before);
    let index = trace.lattice.cheapest(end, costs, next_left)?;
    let part = trace.link(end, index)?;
    (cost_before(&part) <= limit && part.from != whole.from).then_some(part)
}

/// What a word of this length costs more.
fn penalty(text: &str, start: usize, end: usize) -> i32 {
    let length = units(text, start, end);
    let over =
        |limit: usize, each: i32| i32::try_from(length - limit).unwrap_or(i32::MAX).saturating_mul(each);
    if length <= KANJI_LEN {
        0
    } else if text.get(start..end).is_some_and(|word| word.chars().all(|c| japanese().is_kanji(c))) {
        over(KANJI_LEN, KANJI_PENALTY)
    } else if length > OTHER_LEN {
        over(OTHER_LEN, OTHER_PENALTY)
    } else {
        0
    }
}

/// Drops the links that reach over `start`, and all costs between `start` and `end` are counted again with
/// penalties, from one link at `start` on.
fn weigh_again(trace: &mut Trace<'_>, start: usize, end: usize, before: usize) {
    let mut words = take_words(trace, start, end);
    for place in start..end {
        let Some(from_here) = words.get_mut(place - start).map(std::mem::take) else { continue };
        if trace.lattice.links(place).is_empty() {
            continue;
        }
        for (to, word) in from_here {
            let penalty = penalty(trace.text, place, to);
            if place == start {
                push_first(trace, place, to, word, before, penalty);
            } else {
                let penalty = if matches!(word, Word::User(_)) { 0 } else { penalty };
                let Weight { left, right, cost } = weigh(word);
                let cost = cost + penalty;
                let candidate = Candidate { from: place, start: place, end: to, word, left, right, cost };
                trace.lattice.add(&japanese().costs, &candidate);
            }
        }
    }
}

/// A word at the beginning of the compound comes after what the compound came after.
fn push_first(trace: &mut Trace<'_>, start: usize, end: usize, word: Word, before: usize, penalty: i32) {
    let Some(link) = trace.lattice.links(start).get(before).copied() else { return };
    let Weight { left, right, cost } = weigh(word);
    let cost = link.cost + cost + japanese().costs.between(link.right, left) + penalty;
    trace.lattice.push(end, Link { cost, right, from: start, start, before, word });
}

/// Empties the places after `start` up to `end` and returns the words that start at each place from `start`
/// on.
fn take_words(trace: &mut Trace<'_>, start: usize, end: usize) -> Vec<Vec<(usize, Word)>> {
    let mut words = vec![Vec::new(); end - start];
    for place in (start + 1..=end).rev() {
        let Some(links) = trace.lattice.links_mut(place) else { continue };
        for link in links.drain(..) {
            if let Some(here) = link.from.checked_sub(start).and_then(|at| words.get_mut(at)) {
                here.push((place, link.word));
            }
        }
    }
    words
}
