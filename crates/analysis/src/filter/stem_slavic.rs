//! Light stemmers of Bulgarian, Czech and Russian (Savoy; Dolamic and Savoy) and of Latvian (Kreslins). Pure
//! functions over the letters of one word, named and wrapped as filters in `stemmers.rs`. Words come in lower
//! case and go back as their stems; what is marked as a keyword never gets here. No dictionary stands behind
//! the rules, so a stem need not be a word.

use crate::filter::letters::{Letters, drop_first, ends, from_end, replace_end};

pub(crate) fn bulgarian(word: &mut Letters) {
    if word.len() < 4 {
        return;
    }
    if word.len() > 5 && ends(word, "ища") {
        word.truncate(word.len() - 3);
        return;
    }
    bulgarian_article(word);
    bulgarian_plural(word);
    if word.len() > 3 {
        if ends(word, "я") {
            word.pop();
        }
        if ["а", "о", "е"].iter().any(|end| ends(word, end)) {
            word.pop();
        }
    }
    if word.len() > 4 && ends(word, "ен") {
        replace_end(word, 2, "н");
    }
    if word.len() > 5 && from_end(word, 1) == Some('ъ') {
        let last = from_end(word, 0);
        word.truncate(word.len() - 2);
        word.extend(last);
    }
}

fn bulgarian_article(word: &mut Letters) {
    let length = word.len();
    if length > 6 && ends(word, "ият") {
        word.truncate(length - 3);
    } else if length > 5 && ["ът", "то", "те", "та", "ия"].iter().any(|end| ends(word, end))
        || length > 4 && ends(word, "ят")
    {
        word.truncate(length - 2);
    }
}

fn bulgarian_plural(word: &mut Letters) {
    let length = word.len();
    if length > 6 {
        if ends(word, "овци") {
            word.truncate(length - 3);
            return;
        }
        if ends(word, "ове") {
            word.truncate(length - 3);
            return;
        }
        if ends(word, "еве") {
            replace_end(word, 3, "й");
            return;
        }
    }
    if length > 5 {
        if ends(word, "ища") {
            word.truncate(length - 3);
            return;
        }
        if ends(word, "та") {
            word.truncate(length - 2);
            return;
        }
        if ends(word, "ци") {
            replace_end(word, 2, "к");
            return;
        }
        if ends(word, "зи") {
            replace_end(word, 2, "г");
            return;
        }
        if from_end(word, 2) == Some('е') && from_end(word, 0) == Some('и') {
            let middle = from_end(word, 1);
            word.truncate(length - 3);
            word.push('я');
            word.extend(middle);
            return;
        }
    }
    if length > 4 {
        if ends(word, "си") {
            replace_end(word, 2, "х");
            return;
        }
        if ends(word, "и") {
            word.pop();
        }
    }
}

pub(crate) fn czech(word: &mut Letters) {
    czech_case(word);
    if word.len() > 5 && ["ov", "in", "ův"].iter().any(|end| ends(word, end)) {
        word.truncate(word.len() - 2);
    }
    if !word.is_empty() {
        czech_palatal(word);
    }
}

const CZECH_CASES: &[(usize, &[&str])] = &[
    (7, &["atech"]),
    (6, &["ětem", "etem", "atům"]),
    (
        5,
        &[
            "ech", "ich", "ích", "ého", "ěmi", "emi", "ému", "ěte", "ete", "ěti", "eti", "ího", "iho", "ími",
            "ímu", "imu", "ách", "ata", "aty", "ých", "ama", "ami", "ové", "ovi", "ými",
        ],
    ),
    (4, &["em", "es", "ém", "ím", "ům", "at", "ám", "os", "us", "ým", "mi", "ou"]),
    (3, &["a", "e", "i", "o", "u", "y", "á", "é", "í", "ý", "ě", "ů"]),
];

fn czech_case(word: &mut Letters) {
    for (least, suffixes) in CZECH_CASES {
        if word.len() > *least && drop_first(word, suffixes, 0) {
            return;
        }
    }
}

fn czech_palatal(word: &mut Letters) {
    for (from, to) in [("čt", "ck"), ("št", "sk")] {
        if ends(word, from) {
            replace_end(word, 2, to);
            return;
        }
    }
    match from_end(word, 0) {
        Some('c' | 'č') => replace_end(word, 1, "k"),
        Some('z' | 'ž') => replace_end(word, 1, "h"),
        _ if word.len() > 1 && from_end(word, 1) == Some('e') => {
            let last = from_end(word, 0);
            word.truncate(word.len() - 2);
            word.extend(last);
        }
        _ if word.len() > 2 && from_end(word, 1) == Some('ů') => {
            let last = from_end(word, 0);
            word.truncate(word.len() - 2);
            word.push('o');
            word.extend(last);
        }
        _ => {}
    }
}

const RUSSIAN: &[(usize, &[&str])] = &[
    (6, &["иями", "оями"]),
    (
        5,
        &[
            "иям", "иях", "оях", "ями", "оям", "оьв", "ами", "его", "ему", "ери", "ими", "ого", "ому", "ыми",
            "оев",
        ],
    ),
    (
        4,
        &[
            "ая", "яя", "ях", "юю", "ах", "ею", "их", "ия", "ию", "ьв", "ою", "ую", "ям", "ых", "ея", "ам",
            "ем", "ей", "ём", "ев", "ий", "им", "ое", "ой", "ом", "ов", "ые", "ый", "ым", "ми",
        ],
    ),
];

pub(crate) fn russian_light(word: &mut Letters) {
    russian_case(word);
    if word.len() <= 3 {
        return;
    }
    match from_end(word, 0) {
        Some('ь' | 'и') => {
            word.pop();
        }
        Some('н') if from_end(word, 1) == Some('н') => {
            word.pop();
        }
        _ => {}
    }
}

fn russian_case(word: &mut Letters) {
    for (least, suffixes) in RUSSIAN {
        if word.len() > *least && drop_first(word, suffixes, 0) {
            return;
        }
    }
    if word.len() > 3 && from_end(word, 0).is_some_and(|c| "аеийоуыья".contains(c)) {
        word.pop();
    }
}

/// Suffix, least number of vowels in the word, and whether consonants before it are palatalised back.
type LatvianSuffix = (&'static str, usize, bool);

const LATVIAN: &[LatvianSuffix] = &[
    ("ajiem", 3, false),
    ("ajai", 3, false),
    ("ajam", 2, false),
    ("ajām", 2, false),
    ("ajos", 2, false),
    ("ajās", 2, false),
    ("iem", 2, true),
    ("ajā", 2, false),
    ("ais", 2, false),
    ("ai", 2, false),
    ("ei", 2, false),
    ("ām", 1, false),
    ("am", 1, false),
    ("ēm", 1, false),
    ("īm", 1, false),
    ("im", 1, false),
    ("um", 1, false),
    ("us", 1, true),
    ("as", 1, false),
    ("ās", 1, false),
    ("es", 1, false),
    ("os", 1, true),
    ("ij", 1, false),
    ("īs", 1, false),
    ("ēs", 1, false),
    ("is", 1, false),
    ("ie", 1, false),
    ("u", 1, true),
    ("a", 1, true),
    ("i", 1, true),
    ("e", 1, false),
    ("ā", 1, false),
    ("ē", 1, false),
    ("ī", 1, false),
    ("ū", 1, false),
    ("o", 1, false),
    ("s", 0, false),
    ("š", 0, false),
];

pub(crate) fn latvian(word: &mut Letters) {
    let vowels = word.iter().filter(|c| "aāiīeēuūo".contains(**c)).count();
    let found = LATVIAN.iter().find(|(suffix, least, _)| {
        let length = suffix.chars().count();
        vowels > *least && word.len() >= length + 3 && ends(word, suffix)
    });
    let Some((suffix, _, palatalizes)) = found else { return };
    let dropped = suffix.chars().count();
    word.truncate(word.len() - dropped);
    if *palatalizes {
        let last = suffix.chars().next();
        latvian_unpalatalize(word, last == Some('u') && dropped == 1 || *suffix == "us");
    }
}

fn latvian_unpalatalize(word: &mut Letters, after_u: bool) {
    if after_u {
        if ends(word, "kš") {
            replace_end(word, 2, "kst");
            return;
        }
        if ends(word, "ņņ") {
            replace_end(word, 2, "nn");
            return;
        }
    }
    for (from, to) in [
        ("pj", "p"),
        ("bj", "b"),
        ("mj", "m"),
        ("vj", "v"),
        ("šņ", "sn"),
        ("žņ", "zn"),
        ("šļ", "sl"),
        ("žļ", "zl"),
        ("ļņ", "ln"),
        ("ļļ", "ll"),
    ] {
        if ends(word, from) {
            replace_end(word, 2, to);
            return;
        }
    }
    let letter = match from_end(word, 0) {
        Some('č') => "c",
        Some('ļ') => "l",
        Some('ņ') => "n",
        _ => return,
    };
    replace_end(word, 1, letter);
}
