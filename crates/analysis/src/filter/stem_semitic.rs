//! Light stemmers for scripts of Arabic: Arabic itself (Larkey's Light10), Persian, and Sorani Kurdish.

use crate::filter::stemmers::{Letters, drop_first, ends};

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

pub(crate) fn sorani(word: &mut Letters) {
    if word.len() > 5 && ends(word, "دا") {
        word.truncate(word.len() - 2);
    } else if word.len() > 4 && ends(word, "نا") {
        word.pop();
    } else if word.len() > 6 && ends(word, "ەوە") {
        word.truncate(word.len() - 3);
    }
    let possessive = ["مان", "یان", "تان"].iter().any(|end| ends(word, end));
    if word.len() > 6 && possessive {
        word.truncate(word.len() - 3);
    }
    let rules: [(usize, &[&str]); 5] =
        [(6, &["ێکی"]), (7, &["یەکی"]), (5, &["ێک"]), (6, &["یەک"]), (6, &["ەکە"])];
    for (least, suffixes) in rules {
        if word.len() > least && drop_first(word, suffixes, 0) {
            return;
        }
    }
    let late: [(usize, &[&str]); 4] = [(5, &["کە"]), (7, &["ەکان"]), (6, &["کان"]), (7, &["یانی"])];
    for (least, suffixes) in late {
        if word.len() > least && drop_first(word, suffixes, 0) {
            return;
        }
    }
    let last: [(usize, &[&str]); 3] = [(6, &["انی"]), (5, &["یان", "ان"]), (3, &["ی"])];
    for (least, suffixes) in last {
        if word.len() > least && drop_first(word, suffixes, 0) {
            return;
        }
    }
}
