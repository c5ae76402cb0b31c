//! A word as light stemmers see it: letters whose endings are looked at, taken off and replaced. No language
//! is known here; each has its own `stem_*.rs`, all of them are `stemmers.rs`. Letters are characters, not
//! bytes or UTF-16 units: all lengths in stemmers count so.

/// A word's letters, to be changed in place.
pub(crate) type Letters = Vec<char>;

/// Whether a word ends in a suffix.
pub(crate) fn ends(word: &[char], suffix: &str) -> bool {
    let mut letters = word.iter().rev();
    suffix.chars().rev().all(|c| letters.next() == Some(&c))
}

/// Takes off the first suffix of the list that the word has, if more than `keep` letters or just as many
/// stay.
pub(crate) fn drop_first(word: &mut Letters, suffixes: &[&str], keep: usize) -> bool {
    for suffix in suffixes {
        let length = suffix.chars().count();
        if word.len() >= keep + length && ends(word, suffix) {
            word.truncate(word.len() - length);
            return true;
        }
    }
    false
}

/// The letter at an index from the end, 0 the last.
pub(crate) fn from_end(word: &[char], back: usize) -> Option<char> {
    word.iter().rev().nth(back).copied()
}

/// Replaces the last letters.
pub(crate) fn replace_end(word: &mut Letters, drop: usize, with: &str) {
    word.truncate(word.len().saturating_sub(drop));
    word.extend(with.chars());
}
