//! RSLP, the stemmer of Orengo and Huyck (2001) for Portuguese and its adaptation to Galician: steps of
//! suffix rules, of which each step applies at most one. The rules are data, `data/rslp_*.txt`: a line `=
//! STEP LEAST MATCHING [ENDING…]` starts a step for words of at least LEAST letters that have one of the
//! endings, if any are given; each other line is a rule `SUFFIX LEAST REPLACEMENT [EXCEPTION…]` with the
//! least number of letters before the suffix and `-` for an empty replacement. MATCHING says whether
//! exceptions are `whole` words or `ending`s of them.

use std::sync::LazyLock;

use crate::filter::letters::{Letters, ends, replace_end};

static PORTUGUESE: LazyLock<Rslp> =
    LazyLock::new(|| Rslp::read(include_str!("../../data/rslp_portuguese.txt")));
static GALICIAN: LazyLock<Rslp> = LazyLock::new(|| Rslp::read(include_str!("../../data/rslp_galician.txt")));

pub(crate) fn portuguese(word: &mut Letters) {
    for step in ["Plural", "Adverb", "Feminine", "Augmentative"] {
        PORTUGUESE.apply(step, word);
    }
    if !PORTUGUESE.apply("Noun", word) && !PORTUGUESE.apply("Verb", word) {
        PORTUGUESE.apply("Vowel", word);
    }
    word.iter_mut().for_each(|c| *c = without_mark(*c));
}

pub(crate) fn galician(word: &mut Letters) {
    for step in ["Plural", "Unification", "Adverb"] {
        GALICIAN.apply(step, word);
    }
    // Until nothing changes, as Lucene's stemmer of Galician does and that of Portuguese does not.
    while GALICIAN.apply("Augmentative", word) {}
    if !GALICIAN.apply("Noun", word) {
        GALICIAN.apply("Verb", word);
    }
    GALICIAN.apply("Vowel", word);
    for c in word.iter_mut() {
        if matches!(c, 'á' | 'é' | 'ê' | 'í' | 'ó' | 'ú') {
            *c = without_mark(*c);
        }
    }
}

/// The step for plurals alone.
pub(crate) fn portuguese_minimal(word: &mut Letters) {
    PORTUGUESE.apply("Plural", word);
}

/// The step for plurals alone.
pub(crate) fn galician_minimal(word: &mut Letters) {
    GALICIAN.apply("Plural", word);
}

fn without_mark(c: char) -> char {
    match c {
        'à'..='å' => 'a',
        'ç' => 'c',
        'è'..='ë' => 'e',
        'ì'..='ï' => 'i',
        'ñ' => 'n',
        'ò'..='ö' => 'o',
        'ù'..='ü' => 'u',
        'ý' | 'ÿ' => 'y',
        other => other,
    }
}

/// The rules of a language.
struct Rslp {
    steps: Vec<Step>,
}

struct Step {
    name: &'static str,
    word_least: usize,
    endings: Vec<&'static str>,
    whole_exceptions: bool,
    rules: Vec<Rule>,
}

struct Rule {
    suffix: &'static str,
    suffix_len: usize,
    stem_least: usize,
    replacement: &'static str,
    exceptions: Vec<&'static str>,
}

impl Rslp {
    /// Lines that are no rules are passed over; a test reads every line of both files.
    fn read(data: &'static str) -> Self {
        let mut steps: Vec<Step> = Vec::new();
        for line in data.lines().filter(|line| !line.starts_with('#')) {
            match line.strip_prefix("= ") {
                Some(header) => steps.extend(read_step(header)),
                None => steps.last_mut().into_iter().for_each(|step| step.rules.extend(read_rule(line))),
            }
        }
        Rslp { steps }
    }

    /// Applies the first rule of a step that fits, and says whether the word became shorter or longer.
    fn apply(&self, step: &str, word: &mut Letters) -> bool {
        let before = word.len();
        if let Some(step) = self.steps.iter().find(|candidate| candidate.name == step) {
            step.apply(word);
        }
        word.len() != before
    }
}

fn read_step(header: &'static str) -> Option<Step> {
    let mut columns = header.split(' ');
    Some(Step {
        name: columns.next()?,
        word_least: columns.next()?.parse().ok()?,
        whole_exceptions: columns.next()? == "whole",
        endings: columns.collect(),
        rules: Vec::new(),
    })
}

fn read_rule(line: &'static str) -> Option<Rule> {
    let mut columns = line.split(' ');
    let suffix = columns.next()?;
    Some(Rule {
        suffix,
        suffix_len: suffix.chars().count(),
        stem_least: columns.next()?.parse().ok()?,
        replacement: columns.next().map(|replacement| if replacement == "-" { "" } else { replacement })?,
        exceptions: columns.collect(),
    })
}

impl Step {
    fn apply(&self, word: &mut Letters) {
        if word.len() < self.word_least {
            return;
        }
        if !self.endings.is_empty() && !self.endings.iter().any(|ending| ends(word, ending)) {
            return;
        }
        if let Some(rule) = self.rules.iter().find(|rule| self.fits(rule, word)) {
            replace_end(word, rule.suffix_len, rule.replacement);
        }
    }

    fn fits(&self, rule: &Rule, word: &[char]) -> bool {
        let is_exception = |exception: &&str| {
            ends(word, exception) && (!self.whole_exceptions || exception.chars().count() == word.len())
        };
        word.len() >= rule.suffix_len + rule.stem_least
            && ends(word, rule.suffix)
            && !rule.exceptions.iter().any(is_exception)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_a_rule() {
        for (rules, data) in [
            (&*PORTUGUESE, include_str!("../../data/rslp_portuguese.txt")),
            (&*GALICIAN, include_str!("../../data/rslp_galician.txt")),
        ] {
            let read: usize = rules.steps.iter().map(|step| 1 + step.rules.len()).sum();
            assert_eq!(read, data.lines().filter(|line| !line.starts_with('#')).count());
        }
    }
}
