//! Light stemmers of French, Italian and Portuguese, after Savoy's rules (UniNE). Those of Spanish are in
//! `stem_spanish.rs`, RSLP for Portuguese and Galician is in `rslp.rs`. Pure functions over the letters of
//! one word in lower case, named and wrapped as filters in `stemmers.rs`. Order and least lengths are
//! Lucene's: stems of an index and of a query must agree.

use crate::filter::letters::{Letters, ends, from_end, replace_end};

fn last(word: &[char]) -> Option<char> {
    word.last().copied()
}

fn pop_if(word: &mut Letters, letters: &[char]) {
    if last(word).is_some_and(|c| letters.contains(&c)) {
        word.pop();
    }
}

pub(crate) fn unaccented(c: char) -> char {
    match c {
        'à' | 'á' | 'â' | 'ä' => 'a',
        'ò' | 'ó' | 'ô' | 'ö' => 'o',
        'è' | 'é' | 'ê' | 'ë' => 'e',
        'ù' | 'ú' | 'û' | 'ü' => 'u',
        'ì' | 'í' | 'î' | 'ï' => 'i',
        other => other,
    }
}

pub(crate) fn italian_light(word: &mut Letters) {
    if word.len() < 6 {
        return;
    }
    word.iter_mut().for_each(|c| *c = unaccented(*c));
    let before = from_end(word, 1);
    match last(word) {
        Some('e') => drop_ending(word, matches!(before, Some('i' | 'h'))),
        Some('i') => drop_ending(word, matches!(before, Some('h' | 'i'))),
        Some('a') => drop_ending(word, before == Some('i')),
        Some('o') => drop_ending(word, before == Some('i')),
        _ => {}
    }
}

fn drop_ending(word: &mut Letters, two: bool) {
    word.truncate(word.len() - if two { 2 } else { 1 });
}

pub(crate) fn portuguese_light(word: &mut Letters) {
    if word.len() < 4 {
        return;
    }
    portuguese_suffix(word);
    if word.len() > 3 && last(word) == Some('a') {
        portuguese_feminine(word);
    }
    if word.len() > 4 {
        pop_if(word, &['e', 'a', 'o']);
    }
    for c in word.iter_mut() {
        *c = match *c {
            'à' | 'á' | 'â' | 'ä' | 'ã' => 'a',
            'ò' | 'ó' | 'ô' | 'ö' | 'õ' => 'o',
            'ç' => 'c',
            other => unaccented(other),
        };
    }
}

fn portuguese_suffix(word: &mut Letters) {
    let length = word.len();
    if length > 4 && ends(word, "es") && matches!(from_end(word, 2), Some('r' | 's' | 'l' | 'z')) {
        word.truncate(length - 2);
        return;
    }
    if length > 3 && ends(word, "ns") {
        replace_end(word, 2, "m");
        return;
    }
    if length > 4 && (ends(word, "eis") || ends(word, "éis")) {
        replace_end(word, 3, "el");
        return;
    }
    if length > 4 && ends(word, "ais") {
        replace_end(word, 2, "l");
        return;
    }
    if length > 4 && ends(word, "óis") {
        replace_end(word, 3, "ol");
        return;
    }
    if length > 4 && ends(word, "is") {
        replace_end(word, 1, "l");
        return;
    }
    if length > 3 && (ends(word, "ões") || ends(word, "ães")) {
        replace_end(word, 3, "ão");
        return;
    }
    if length > 6 && ends(word, "mente") {
        word.truncate(length - 5);
        return;
    }
    if length > 3 && last(word) == Some('s') {
        word.pop();
    }
}

fn portuguese_feminine(word: &mut Letters) {
    let length = word.len();
    let long = [("inha", "inho"), ("iaca", "iaco"), ("eira", "eiro")];
    if length > 7 && long.iter().any(|(from, _)| ends(word, from)) {
        replace_end(word, 1, "o");
    } else if length > 6 {
        let six = ["osa", "ica", "ida", "ada", "iva", "ama"];
        if six.iter().any(|from| ends(word, from)) {
            replace_end(word, 1, "o");
        } else if ends(word, "ona") {
            replace_end(word, 3, "ão");
        } else if ends(word, "ora") {
            word.pop();
        } else if ends(word, "esa") {
            replace_end(word, 3, "ês");
        } else if ends(word, "na") {
            replace_end(word, 1, "o");
        }
    }
}

pub(crate) fn french_minimal(word: &mut Letters) {
    if word.len() < 6 {
        return;
    }
    if last(word) == Some('x') {
        if ends(word, "aux") {
            replace_end(word, 2, "l");
        } else {
            word.pop();
        }
        return;
    }
    pop_if(word, &['s']);
    pop_if(word, &['r']);
    pop_if(word, &['e']);
    pop_if(word, &['é']);
    if word.len() > 1 && last(word) == from_end(word, 1) && last(word).is_some_and(char::is_alphabetic) {
        word.pop();
    }
}

pub(crate) fn french_light(word: &mut Letters) {
    if word.len() > 5 && last(word) == Some('x') {
        if from_end(word, 1) == Some('u') && from_end(word, 2) == Some('a') && from_end(word, 3) != Some('e')
        {
            replace_end(word, 2, "lx");
        }
        word.pop();
    }
    if word.len() > 3 {
        pop_if(word, &['x']);
    }
    if word.len() > 3 {
        pop_if(word, &['s']);
    }
    french_suffix(word);
    french_norm(word);
}

/// A suffix, the least length of a word that has it, and what takes its place.
type Suffix = (&'static str, usize, &'static str);

const FRENCH_ADVERBS_AND_NOUNS: &[Suffix] = &[
    ("issement", 9, "ir"),
    ("issant", 8, "ir"),
    ("ement", 6, "e"),
    ("ficatrice", 11, "fier"),
    ("ficateur", 10, "fier"),
    ("catrice", 9, "quer"),
    ("cateur", 8, "quer"),
    ("atrice", 8, "er"),
    ("ateur", 7, "er"),
    ("ième", 5, ""),
    ("teuse", 7, "ter"),
    ("teur", 6, "ter"),
    ("euse", 5, "eu"),
    ("ère", 8, "er"),
    ("ive", 7, "if"),
    ("folle", 4, "fou"),
    ("molle", 4, "mou"),
    ("nnelle", 9, "n"),
    ("nnel", 9, "n"),
    ("ète", 4, "et"),
    ("ique", 8, ""),
    ("esse", 8, "e"),
    ("inage", 7, "in"),
    ("isation", 9, ""),
    ("isateur", 9, ""),
    ("ation", 8, ""),
    ("ition", 8, ""),
];

fn french_suffix(word: &mut Letters) {
    let other_trice = ["ficatrice", "catrice", "atrice"];
    if word.len() > 6
        && ends(word, "trice")
        // Those have rules of their own in the table below, which this replacement would hide.
        && !other_trice.iter().any(|end| word.len() > 8 && ends(word, end))
    {
        replace_end(word, 5, "teur");
    }
    let length = word.len();
    let found =
        FRENCH_ADVERBS_AND_NOUNS.iter().find(|(suffix, least, _)| length > *least && ends(word, suffix));
    let Some((suffix, _, replacement)) = found else { return };
    replace_end(word, suffix.chars().count(), replacement);
    // `activement` is the adverb of `actif`, not of `active`: the feminine goes with the ending.
    if *suffix == "ement" && word.len() > 3 && ends(word, "ive") {
        replace_end(word, 2, "f");
    }
}

fn french_norm(word: &mut Letters) {
    if word.len() > 4 {
        for c in word.iter_mut() {
            *c = match *c {
                'à' | 'á' | 'â' => 'a',
                'ô' => 'o',
                'è' | 'é' | 'ê' => 'e',
                'ù' | 'û' => 'u',
                'î' => 'i',
                'ç' => 'c',
                other => other,
            };
        }
        word.dedup_by(|next, before| next == before && before.is_alphabetic());
    }
    if word.len() > 4 && ends(word, "ie") {
        word.truncate(word.len() - 2);
    }
    if word.len() > 4 {
        pop_if(word, &['r']);
        pop_if(word, &['e']);
        pop_if(word, &['e']);
        if word.len() > 1 && last(word) == from_end(word, 1) && last(word).is_some_and(char::is_alphabetic) {
            word.pop();
        }
    }
}
