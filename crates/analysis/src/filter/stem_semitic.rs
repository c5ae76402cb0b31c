//! Light stemmers for scripts of Arabic: Arabic itself (Larkey's Light10), Persian, and Sorani Kurdish. Pure
//! functions over the letters of one word, named and wrapped as filters in `stemmers.rs`. Normalising comes
//! before (`normalize.rs`), or prefixes and suffixes are not met. Lengths count characters and are Lucene's:
//! stems of an index and of a query must agree.

use crate::filter::letters::{Letters, ends};

const ARABIC_PREFIXES: &[(&str, usize)] =
    &[("ال", 4), ("وال", 5), ("بال", 5), ("كال", 5), ("فال", 5), ("لل", 4), ("و", 4)];

const ARABIC_SUFFIXES: &[&str] = &["ها", "ان", "ات", "ون", "ين", "يه", "ية", "ه", "ة", "ي"];

fn starts(word: &[char], prefix: &str) -> bool {
    let mut letters = word.iter();
    prefix.chars().all(|c| letters.next() == Some(&c))
}

pub(crate) fn arabic(word: &mut Letters) {
    let prefix = ARABIC_PREFIXES.iter().find(|(prefix, least)| word.len() >= *least && starts(word, prefix));
    if let Some((prefix, _)) = prefix {
        word.drain(..prefix.chars().count());
    }
    for suffix in ARABIC_SUFFIXES {
        let length = suffix.chars().count();
        if word.len() >= length + 2 && ends(word, suffix) {
            word.truncate(word.len() - length);
        }
    }
}

pub(crate) fn persian(word: &mut Letters) {
    for suffix in ["ات", "ان", "ترين", "تر", "يي", "ي", "ها"] {
        let length = suffix.chars().count();
        if word.len() >= length + 2 && ends(word, suffix) {
            word.truncate(word.len() - length);
        }
    }
}

/// Endings of Sorani: the length that a word must exceed, the ending, and how many of its letters go.
type SoraniEnding = (usize, &'static str, usize);

/// Postpositions and possessive pronouns, of each group at most one.
const SORANI_CLITICS: &[&[SoraniEnding]] =
    &[&[(5, "دا", 2), (4, "نا", 1), (6, "ەوە", 3)], &[(6, "مان", 3), (6, "یان", 3), (6, "تان", 3)]];

/// Articles and demonstratives, singular and plural; then what is left of the linking vowel.
const SORANI_ARTICLES: &[SoraniEnding] = &[
    (6, "ێکی", 3),
    (7, "یەکی", 4),
    (5, "ێک", 2),
    (6, "یەک", 3),
    (6, "ەکە", 3),
    (5, "کە", 2),
    (7, "ەکان", 4),
    (6, "کان", 3),
    (7, "یانی", 4),
    (6, "انی", 3),
    (6, "یان", 3),
    (5, "ان", 2),
    (7, "یانە", 4),
    (6, "انە", 3),
    (5, "ایە", 2),
    (5, "ەیە", 2),
    (4, "ە", 1),
    (4, "ی", 1),
];

pub(crate) fn sorani(word: &mut Letters) {
    SORANI_CLITICS.iter().for_each(|group| drop_sorani(word, group));
    drop_sorani(word, SORANI_ARTICLES);
}

fn drop_sorani(word: &mut Letters, endings: &[SoraniEnding]) {
    let found = endings.iter().find(|(length, ending, _)| word.len() > *length && ends(word, ending));
    word.truncate(word.len() - found.map_or(0, |(_, _, drop)| *drop));
}
