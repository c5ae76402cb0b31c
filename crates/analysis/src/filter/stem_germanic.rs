//! Light stemmers of German, and of Finnish and Hungarian, after Savoy's rules (UniNE). Pure functions over
//! the letters of one word, named and wrapped as filters in `stemmers.rs`. Words come in lower case, as the
//! filters before them leave them; lengths count characters, and each step looks at what the one before left.
//! Which endings go and how long a word has to be are Lucene's, since stems of an index and of a query must
//! agree.

use crate::filter::letters::{Letters, ends, from_end, replace_end};

fn german_unaccented(c: char) -> char {
    match c {
        'ä' | 'à' | 'á' | 'â' => 'a',
        'ö' | 'ò' | 'ó' | 'ô' => 'o',
        'ï' | 'ì' | 'í' | 'î' => 'i',
        'ü' | 'ù' | 'ú' | 'û' => 'u',
        other => other,
    }
}

fn st_ending(c: Option<char>) -> bool {
    matches!(c, Some('b' | 'd' | 'f' | 'g' | 'h' | 'k' | 'l' | 'm' | 'n' | 't'))
}

pub(crate) fn german_light(word: &mut Letters) {
    word.iter_mut().for_each(|c| *c = german_unaccented(*c));
    let length = word.len();
    if length > 5 && ends(word, "ern") {
        word.truncate(length - 3);
    } else if length > 4 && ["em", "en", "er", "es"].iter().any(|end| ends(word, end)) {
        word.truncate(length - 2);
    } else if length > 3 && (ends(word, "e") || ends(word, "s") && st_ending(from_end(word, 1))) {
        word.pop();
    }
    let length = word.len();
    if length > 5 && ends(word, "est") {
        word.truncate(length - 3);
    } else if length > 4
        && (ends(word, "er") || ends(word, "en") || ends(word, "st") && st_ending(from_end(word, 2)))
    {
        word.truncate(length - 2);
    }
}

pub(crate) fn german_minimal(word: &mut Letters) {
    if word.len() < 5 {
        return;
    }
    for c in word.iter_mut() {
        *c = match *c {
            'ä' => 'a',
            'ö' => 'o',
            'ü' => 'u',
            other => other,
        };
    }
    let length = word.len();
    if length > 6 && ends(word, "nen") {
        word.truncate(length - 3);
        return;
    }
    let (last, before) = (from_end(word, 0), from_end(word, 1));
    if length > 5
        && (last == Some('n') && before == Some('e')
            || last == Some('s') && before == Some('e')
            || last == Some('r') && before == Some('e'))
    {
        word.truncate(length - 2);
        return;
    }
    if length > 5 && last == Some('e') && before == Some('s') {
        word.truncate(length - 2);
        return;
    }
    if matches!(last, Some('n' | 'e' | 's' | 'r')) {
        word.pop();
    }
}

fn finnish_vowel(c: Option<char>) -> bool {
    matches!(c, Some('a' | 'e' | 'i' | 'o' | 'u' | 'y'))
}

pub(crate) fn finnish_light(word: &mut Letters) {
    if word.len() < 4 {
        return;
    }
    for c in word.iter_mut() {
        *c = match *c {
            'ä' | 'å' => 'a',
            'ö' => 'o',
            other => other,
        };
    }
    finnish_first(word);
    finnish_second(word);
    finnish_third(word);
    finnish_norm(word);
    finnish_norm_end(word);
}

fn finnish_first(word: &mut Letters) {
    let length = word.len();
    if length > 8 {
        if ends(word, "kin") {
            word.truncate(length - 3);
            finnish_first(word);
            return;
        }
        if ends(word, "ko") {
            word.truncate(length - 2);
            finnish_first(word);
            return;
        }
    }
    if length > 11 {
        if ends(word, "dellinen") {
            word.truncate(length - 8);
            return;
        }
        if ends(word, "dellisuus") {
            word.truncate(length - 9);
        }
    }
}

fn finnish_second(word: &mut Letters) {
    let length = word.len();
    if length > 5 {
        if ["lla", "tse", "sti"].iter().any(|end| ends(word, end)) {
            word.truncate(length - 3);
            return;
        }
        if ends(word, "ni") {
            word.truncate(length - 2);
            return;
        }
        if ends(word, "aa") {
            word.pop();
        }
    }
}

fn finnish_third(word: &mut Letters) {
    let length = word.len();
    if length > 8 {
        if ends(word, "nnen") {
            replace_end(word, 4, "s");
            return;
        }
        if ends(word, "ntena") {
            replace_end(word, 5, "s");
            return;
        }
        if ends(word, "tten") {
            word.truncate(length - 4);
            return;
        }
        if ends(word, "eiden") {
            word.truncate(length - 5);
            return;
        }
    }
    if length > 6 {
        if ["neen", "niin", "seen", "teen", "inen"].iter().any(|end| ends(word, end)) {
            word.truncate(length - 4);
            return;
        }
        if from_end(word, 2) == Some('h')
            && finnish_vowel(from_end(word, 1))
            && from_end(word, 0) == Some('n')
        {
            word.truncate(length - 3);
            return;
        }
        if ends(word, "den") {
            replace_end(word, 3, "s");
            return;
        }
        if ends(word, "ksen") {
            replace_end(word, 4, "s");
            return;
        }
        if ["ssa", "sta", "lla", "lta", "tta", "ksi", "lle"].iter().any(|end| ends(word, end)) {
            word.truncate(length - 3);
            return;
        }
    }
    if length > 5 {
        if ends(word, "na") || ends(word, "ne") {
            word.truncate(length - 2);
            return;
        }
        if ends(word, "nei") {
            word.truncate(length - 3);
            return;
        }
    }
    if length > 4 {
        if ends(word, "ja") || ends(word, "ta") {
            word.truncate(length - 2);
            return;
        }
        if ends(word, "a") {
            word.pop();
            return;
        }
        if ends(word, "n") && finnish_vowel(from_end(word, 1)) {
            word.truncate(length - 2);
            return;
        }
        if ends(word, "n") {
            word.pop();
        }
    }
}

fn finnish_norm(word: &mut Letters) {
    if word.len() > 5 && ends(word, "hde") {
        replace_end(word, 3, "ksi");
    }
    if word.len() > 4 && (ends(word, "ei") || ends(word, "at")) {
        word.truncate(word.len() - 2);
        return;
    }
    if word.len() > 3 && matches!(from_end(word, 0), Some('t' | 's' | 'j' | 'e' | 'a' | 'i')) {
        word.pop();
    }
}

fn finnish_norm_end(word: &mut Letters) {
    if word.len() > 8 && matches!(from_end(word, 0), Some('e' | 'o' | 'u')) {
        word.pop();
    }
    if word.len() > 4 {
        if ends(word, "i") {
            word.pop();
        }
        if word.len() > 4 {
            word.dedup_by(|next, before| next == before && matches!(before, 'k' | 'p' | 't'));
        }
    }
}

pub(crate) fn hungarian_light(word: &mut Letters) {
    for c in word.iter_mut() {
        *c = match *c {
            'á' => 'a',
            'ë' | 'é' => 'e',
            'í' => 'i',
            'ó' | 'ő' | 'õ' | 'ö' => 'o',
            'ú' | 'ű' | 'ũ' | 'û' | 'ü' => 'u',
            other => other,
        };
    }
    hungarian_case(word);
    hungarian_possessive(word);
    hungarian_plural(word);
    if word.len() > 3 && matches!(from_end(word, 0), Some('a' | 'e' | 'i' | 'o')) {
        word.pop();
    }
}

fn hungarian_vowel(c: Option<char>) -> bool {
    matches!(c, Some('a' | 'e' | 'i' | 'o' | 'u' | 'y'))
}

fn hungarian_case(word: &mut Letters) {
    let length = word.len();
    if length > 6 && ends(word, "kent") {
        word.truncate(length - 4);
        return;
    }
    if length > 5 {
        if ["nak", "nek", "val", "vel", "ert", "rol", "ban", "ben", "bol", "nal", "nel", "hoz", "hez", "tol"]
            .iter()
            .any(|end| ends(word, end))
        {
            word.truncate(length - 3);
            return;
        }
        if (ends(word, "al") || ends(word, "el"))
            && !hungarian_vowel(from_end(word, 2))
            && from_end(word, 2) == from_end(word, 3)
        {
            word.truncate(length - 3);
            return;
        }
    }
    if length > 4 {
        if ["at", "et", "ot", "va", "ve", "ra", "re", "ba", "be", "ul", "ig"]
            .iter()
            .any(|end| ends(word, end))
        {
            word.truncate(length - 2);
            return;
        }
        if ["on", "en"].iter().any(|end| ends(word, end)) && !hungarian_vowel(from_end(word, 2)) {
            word.truncate(length - 2);
            return;
        }
        match from_end(word, 0) {
            Some('t' | 'n') => {
                word.pop();
            }
            Some('a' | 'e')
                if from_end(word, 1) == from_end(word, 2) && !hungarian_vowel(from_end(word, 1)) =>
            {
                word.truncate(length - 2);
            }
            _ => {}
        }
    }
}

fn hungarian_possessive(word: &mut Letters) {
    let length = word.len();
    let consonant = |back: usize| !hungarian_vowel(from_end(word, back));
    if length > 6 {
        if consonant(4) && (ends(word, "atok") || ends(word, "otok") || ends(word, "etek")) {
            word.truncate(length - 4);
            return;
        }
        if ends(word, "itek") || ends(word, "itok") {
            word.truncate(length - 4);
            return;
        }
    }
    if length > 5 {
        if consonant(3) && ["unk", "tok", "tek"].iter().any(|end| ends(word, end)) {
            word.truncate(length - 3);
            return;
        }
        if hungarian_vowel(from_end(word, 3)) && ends(word, "juk") {
            word.truncate(length - 3);
            return;
        }
        if ends(word, "ink") {
            word.truncate(length - 3);
            return;
        }
    }
    if length > 4 {
        if consonant(2) && ["am", "em", "om", "ad", "ed", "od", "uk"].iter().any(|end| ends(word, end)) {
            word.truncate(length - 2);
            return;
        }
        if hungarian_vowel(from_end(word, 2)) && ["nk", "ja", "je"].iter().any(|end| ends(word, end)) {
            word.truncate(length - 2);
            return;
        }
        if ["im", "id", "ik"].iter().any(|end| ends(word, end)) {
            word.truncate(length - 2);
            return;
        }
    }
    if length > 3 {
        match from_end(word, 0) {
            Some('a' | 'e') if consonant(1) => {
                word.pop();
            }
            Some('m' | 'd') if hungarian_vowel(from_end(word, 1)) => {
                word.pop();
            }
            Some('i') => {
                word.pop();
            }
            _ => {}
        }
    }
}

fn hungarian_plural(word: &mut Letters) {
    if word.len() > 3 && ends(word, "k") {
        let joined = matches!(from_end(word, 1), Some('a' | 'o' | 'e')) && word.len() > 4;
        word.truncate(word.len() - if joined { 2 } else { 1 });
    }
}
