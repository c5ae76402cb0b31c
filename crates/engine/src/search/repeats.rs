//! Places of a phrase that share a term. In a document they must stand on different words (`sloppy`), and
//! with each more of them there is more to try, so that a phrase that is searched with slop may repeat a word
//! only so often.

use std::collections::HashMap;
use std::hash::Hash;

/// Solr differs: it has no such bound, and tries on.
pub(crate) const REPEATS_MAX: usize = 64;

/// Places that share a term, directly or through others, by the number of the first of them.
pub(crate) fn groups<'t, T: Eq + Hash + 't>(places: impl Iterator<Item = &'t [T]>) -> Vec<Option<usize>> {
    let mut first_of: HashMap<&T, usize> = HashMap::new();
    let mut earlier: Vec<usize> = Vec::new();
    for (at, terms) in places.enumerate() {
        earlier.push(at);
        for term in terms {
            let known = *first_of.entry(term).or_insert(at);
            let (one, other) = (root(&mut earlier, known), root(&mut earlier, at));
            if let Some(later) = earlier.get_mut(one.max(other)) {
                *later = one.min(other);
            }
        }
    }
    let roots: Vec<usize> = (0..earlier.len()).map(|at| root(&mut earlier, at)).collect();
    let mut counts = vec![0usize; roots.len()];
    for root in &roots {
        counts.get_mut(*root).into_iter().for_each(|count| *count += 1);
    }
    roots.iter().map(|root| counts.get(*root).is_some_and(|count| *count > 1).then_some(*root)).collect()
}

/// Whether a group has more places than [`REPEATS_MAX`].
pub(crate) fn are_too_many(groups: &[Option<usize>]) -> bool {
    let mut counts: HashMap<usize, usize> = HashMap::new();
    groups.iter().flatten().for_each(|group| *counts.entry(*group).or_default() += 1);
    counts.values().any(|count| *count > REPEATS_MAX)
}

/// The first place of a place's group; what was walked over is shortened.
fn root(earlier: &mut [usize], mut at: usize) -> usize {
    while let Some(next) = earlier.get(at).copied().filter(|next| *next != at) {
        let beyond = earlier.get(next).copied().unwrap_or(next);
        earlier.get_mut(at).into_iter().for_each(|place| *place = beyond);
        at = next;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_that_share_a_term_are_a_group() {
        let check = |phrase: &str, expected: &[Option<usize>]| {
            let places: Vec<Vec<char>> = phrase.split(' ').map(|place| place.chars().collect()).collect();
            assert_eq!(groups(places.iter().map(Vec::as_slice)), expected, "{phrase}");
        };
        check("a b c", &[None, None, None]);
        check("a b a", &[Some(0), None, Some(0)]);
        check("a b c b a", &[Some(0), Some(1), None, Some(1), Some(0)]);
        check("a b ab c", &[Some(0), Some(0), Some(0), None]);
        check("ab c bd d", &[Some(0), None, Some(0), Some(0)]);
        check("c a b ab c", &[Some(0), Some(1), Some(1), Some(1), Some(0)]);
    }

    #[test]
    fn repeats_have_a_bound() {
        let check = |count: usize, expected: bool| {
            let places = vec![["a"]; count];
            assert_eq!(are_too_many(&groups(places.iter().map(<[_; 1]>::as_slice))), expected, "{count}");
        };
        check(0, false);
        check(REPEATS_MAX, false);
        check(REPEATS_MAX + 1, true);
        check(100_000, true);
    }
}
