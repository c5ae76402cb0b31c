//! `kStem`: Krovetz' stemmer for English (1993), which takes endings off only as far as a dictionary knows
//! the rest, so that stems are words. The dictionary is data, `data/kstem_words.txt`. The rules run in a
//! fixed order until one ends at a word of the dictionary; a rule that finds none leaves the word as it was
//! or, for frequent endings, as its best guess.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::definition::FilterDefinition;
use crate::filter::shape::{Plain, Rewriting};
use crate::token::Token;

pub(crate) const DEFINITIONS: &[&FilterDefinition] = &[&K_STEM];

static K_STEM: FilterDefinition = FilterDefinition::new(
    "kStem",
    "en.KStemFilterFactory",
    &[],
    "Krovetz' stemmer for English, by dictionary; for words in lower case.",
    |_| {
        Ok(Box::new(Rewriting(Plain(|token: &mut Token| {
            if !token.keyword {
                stem(&mut token.text);
            }
        }))))
    },
);

/// What the dictionary says of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DictionaryEntry {
    /// It is a stem.
    Stem,
    /// It is a stem that past tenses and participles are not taken back to by an `e`: `caste` is not that of
    /// `casted`.
    Exception,
    /// Its stem is another word.
    Root(&'static str),
}

static DICTIONARY: LazyLock<FxHashMap<&'static str, DictionaryEntry>> = LazyLock::new(|| {
    let mut dictionary = FxHashMap::default();
    for line in include_str!("../../data/kstem_words.txt").lines().filter(|line| !line.starts_with('#')) {
        if let Some(words) = line.strip_prefix("! ") {
            dictionary.extend(words.split(' ').map(|word| (word, DictionaryEntry::Exception)));
        } else if let Some(pairs) = line.strip_prefix("> ") {
            let pairs = pairs.split(' ').filter_map(|pair| pair.split_once(':'));
            dictionary.extend(pairs.map(|(word, root)| (word, DictionaryEntry::Root(root))));
        } else {
            dictionary.extend(line.split(' ').map(|word| (word, DictionaryEntry::Stem)));
        }
    }
    dictionary
});

/// Words of this many letters have stems.
const LENGTHS: std::ops::Range<usize> = 3..50;

/// The rules in their order.
const RULES: &[fn(&mut Word)] = &[
    Word::plural,
    Word::past_tense,
    Word::participle,
    Word::ity,
    Word::ness,
    Word::ion,
    Word::er_and_or,
    Word::ly,
    Word::al,
    Word::ive,
    Word::ize,
    Word::ment,
    Word::ble,
    Word::ism,
    Word::ic,
    Word::ncy,
    Word::nce,
];

fn stem(text: &mut String) {
    // Krovetz' own bounds: two letters have no ending to lose, and a word of fifty is no word.
    if !LENGTHS.contains(&text.len()) {
        return;
    }
    let mut word = match DICTIONARY.get(text.as_str()) {
        Some(DictionaryEntry::Root(root)) => {
            *text = (*root).to_owned();
            return;
        }
        Some(_) => return,
        // The rules count bytes as letters; a digit, a hyphen or an accent means that it is no plain word.
        None if text.bytes().all(|byte| byte.is_ascii_lowercase()) => {
            Word { text: std::mem::take(text), found: None }
        }
        None => return,
    };
    for rule in RULES {
        rule(&mut word);
        if word.found.is_some() {
            break;
        }
    }
    *text = match word.found {
        Some(DictionaryEntry::Root(root)) => root.to_owned(),
        _ => word.text,
    };
}

/// A word on its way, ASCII letters only.
struct Word {
    text: String,
    /// What the dictionary said when it was last asked.
    found: Option<DictionaryEntry>,
}

impl Word {
    /// The length of what stands before an ending, which has to be shorter than the word.
    fn before(&self, ending: &str) -> Option<usize> {
        let length = self.text.len().checked_sub(ending.len())?;
        (length > 0 && self.text.ends_with(ending)).then_some(length)
    }

    /// The length of what stands before one of the vowels and an ending; nothing may.
    fn before_vowel_and(&self, ending: &str, vowels: &str) -> Option<usize> {
        let vowel = self.text.strip_suffix(ending)?.chars().next_back()?;
        vowels.contains(vowel).then(|| self.text.len() - ending.len() - 1)
    }

    /// Whether the first `length` letters end so.
    fn stem_ends(&self, length: usize, ending: &str) -> bool {
        self.text.get(..length).is_some_and(|stem| stem.ends_with(ending))
    }

    fn letter(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    /// Makes the word its first `length` letters and an ending.
    fn set(&mut self, length: usize, ending: &str) {
        self.text.truncate(length);
        self.text.push_str(ending);
    }

    /// Asks the dictionary for the word as it is.
    fn look_up(&mut self) -> bool {
        self.found = DICTIONARY.get(self.text.as_str()).copied();
        self.found.is_some()
    }

    /// Makes the word its first `length` letters and an ending, if the dictionary has that.
    fn try_with(&mut self, length: usize, ending: &str) -> bool {
        let rest = self.text.get(length..).unwrap_or_default().to_owned();
        self.set(length, ending);
        let known = self.look_up();
        if !known {
            self.set(length, &rest);
        }
        known
    }

    /// The same for the first ending that makes a known word.
    fn try_any(&mut self, length: usize, endings: &[&str]) -> bool {
        endings.iter().any(|ending| self.try_with(length, ending))
    }

    /// As `try_with` for a word that is no exception.
    fn try_regular(&mut self, length: usize, ending: &str) -> bool {
        let before = self.text.clone();
        if self.try_with(length, ending) && self.found == Some(DictionaryEntry::Exception) {
            self.text = before;
            self.found = None;
        }
        self.found.is_some()
    }

    /// Makes the word something whether or not the dictionary has it.
    fn settle(&mut self, length: usize, ending: &str) {
        self.set(length, ending);
        self.look_up();
    }

    fn is_consonant(&self, at: usize) -> bool {
        match self.letter(at) {
            None | Some(b'a' | b'e' | b'i' | b'o' | b'u') => false,
            Some(b'y') => at == 0 || !self.is_consonant(at - 1),
            Some(_) => true,
        }
    }

    /// Whether the first `length` letters end in a consonant twice.
    fn doubles(&self, length: usize) -> bool {
        length >= 2 && self.letter(length - 1) == self.letter(length - 2) && self.is_consonant(length - 1)
    }

    fn has_vowel(&self, length: usize) -> bool {
        (0..length).any(|at| !self.is_consonant(at))
    }

    fn plural(&mut self) {
        let length = self.text.len();
        if let Some(stem) = self.before("ies") {
            if !self.try_with(stem, "ie") {
                self.settle(stem, "y");
            }
        } else if let Some(stem) = self.before("es") {
            let tries_e = stem > 1 && !self.stem_ends(stem, "ss");
            if tries_e && self.try_with(stem, "e") || self.try_with(stem, "") {
                return;
            }
            self.set(stem, "e");
            if !tries_e {
                self.look_up();
            }
        } else if length > 3
            && self.text.ends_with('s')
            && !self.text.ends_with("ss")
            && self.before("ous").is_none()
        {
            self.settle(length - 1, "");
        }
    }

    fn past_tense(&mut self) {
        if self.text.len() <= 4 {
            return;
        }
        if let Some(stem) = self.before("ied") {
            if !self.try_with(stem, "ie") {
                self.settle(stem, "y");
            }
        } else if let Some(stem) = self.before("ed").filter(|stem| self.has_vowel(*stem)) {
            if self.try_regular(stem, "e") || self.try_with(stem, "") {
                return;
            }
            if self.doubles(stem) {
                if !self.try_with(stem - 1, "") {
                    self.set(stem, "");
                }
            // Words that begin with `un` keep their ending: a rule of Krovetz' own, which catches `under…`
            // too.
            } else if !self.text.starts_with("un") {
                self.set(stem, "e");
            }
        }
    }

    fn participle(&mut self) {
        if self.text.len() <= 5 {
            return;
        }
        let Some(stem) = self.before("ing").filter(|stem| self.has_vowel(*stem)) else { return };
        if self.try_regular(stem, "e") || self.try_with(stem, "") {
            return;
        }
        if self.doubles(stem) {
            if !self.try_with(stem - 1, "") {
                self.set(stem, "");
            }
        } else if stem > 1 && self.is_consonant(stem - 1) && self.is_consonant(stem - 2) {
            self.set(stem, "");
        } else {
            self.set(stem, "e");
        }
    }

    fn ity(&mut self) {
        let Some(stem) = self.before("ity") else { return };
        if self.try_any(stem, &["", "e"]) {
            return;
        }
        if self.stem_ends(stem, "il") {
            self.settle(stem - 2, "le");
        } else if self.stem_ends(stem, "iv") {
            self.settle(stem, "e");
        } else if self.stem_ends(stem, "al") {
            self.settle(stem, "");
        } else if !self.look_up() {
            self.set(stem, "");
        }
    }

    fn ness(&mut self) {
        let Some(stem) = self.before("ness") else { return };
        if self.stem_ends(stem, "i") {
            self.settle(stem - 1, "y");
        } else {
            self.settle(stem, "");
        }
    }

    fn ion(&mut self) {
        let Some(stem) = self.before("ion") else { return };
        if let Some(before) = self.before("ization") {
            self.settle(before, "ize");
            return;
        }
        let endings: &[(&str, &[&str])] =
            &[("ition", &["e"]), ("ation", &["ate", "e", ""]), ("ication", &["y"])];
        for (ending, replacements) in endings {
            if let Some(before) = self.before(ending)
                && self.try_any(before, replacements)
            {
                return;
            }
        }
        self.try_any(stem, &["e", ""]);
    }

    fn er_and_or(&mut self) {
        if let Some(stem) = self.before("izer") {
            self.settle(stem, "ize");
            return;
        }
        let (stem, vowel) = match (self.before("er"), self.before("or")) {
            (Some(stem), _) => (stem, "e"),
            (_, Some(stem)) => (stem, "o"),
            _ => return,
        };
        let after_i = self.stem_ends(stem, "i");
        if self.doubles(stem) && self.try_with(stem - 1, "")
            || after_i && self.try_with(stem - 1, "y")
            || self.stem_ends(stem, "e") && self.try_with(stem - 1, "")
        {
            return;
        }
        self.try_any(stem, &[if after_i { "e" } else { vowel }, "", "e"]);
    }

    fn ly(&mut self) {
        let Some(stem) = self.before("ly") else { return };
        if self.try_any(stem, &["le", ""]) {
            return;
        }
        if self.stem_ends(stem, "al") {
            self.set(stem, "");
        } else if self.stem_ends(stem, "ab") {
            self.set(stem, "le");
        } else if !(self.stem_ends(stem, "i") && self.try_with(stem - 1, "y")) {
            self.set(stem, "");
        }
    }

    fn al(&mut self) {
        if self.text.len() < 4 {
            return;
        }
        let Some(stem) = self.before("al") else { return };
        if self.try_with(stem, "")
            || self.doubles(stem) && self.try_with(stem - 1, "")
            || self.try_any(stem, &["e", "um"])
        {
            return;
        }
        if self.stem_ends(stem, "ic") {
            if !self.try_any(stem - 2, &["", "y"]) {
                self.settle(stem, "");
            }
        } else if self.stem_ends(stem, "i") && !self.try_with(stem - 1, "") {
            self.look_up();
        }
    }

    /// The rule also stops at a word without the ending that the rules before made and that is a stem.
    fn ive(&mut self) {
        let Some(stem) = self.before("ive") else {
            self.found = DICTIONARY
                .get(self.text.as_str())
                .copied()
                .filter(|entry| *entry != DictionaryEntry::Exception);
            return;
        };
        if self.try_any(stem, &["", "e"]) || self.stem_ends(stem, "at") && self.try_any(stem - 2, &["e", ""])
        {
            return;
        }
        self.try_with(stem, "ion");
    }

    fn ize(&mut self) {
        let Some(stem) = self.before("ize") else { return };
        if self.try_with(stem, "") || self.doubles(stem) && self.try_with(stem - 1, "") {
            return;
        }
        self.try_with(stem, "e");
    }

    fn ment(&mut self) {
        if let Some(stem) = self.before("ment") {
            self.try_with(stem, "");
        }
    }

    fn ble(&mut self) {
        let Some(stem) = self.before_vowel_and("ble", "ai") else { return };
        if self.try_with(stem, "") || self.doubles(stem) && self.try_with(stem - 1, "") {
            return;
        }
        self.try_any(stem, &["e", "ate"]);
    }

    fn ism(&mut self) {
        if let Some(stem) = self.before("ism") {
            self.settle(stem, "");
        }
    }

    fn ic(&mut self) {
        if let Some(stem) = self.before("ic") {
            self.try_any(stem, &["ical", "y", "e", ""]);
        }
    }

    fn ncy(&mut self) {
        let Some(stem) = self.before_vowel_and("ncy", "ea") else { return };
        if !self.try_with(stem + 1, "nt") {
            self.settle(stem + 1, "nce");
        }
    }

    fn nce(&mut self) {
        let Some(stem) = self.before_vowel_and("nce", "ea") else { return };
        self.try_any(stem, &["e", ""]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stems_are_words() {
        let rows = [
            ("agencies", "agency"),
            ("hopping", "hop"),
            ("casted", "cast"),
            ("nationality", "nationality"),
            ("going", "go"),
            ("organizers", "organize"),
            ("x1s", "x1s"),
        ];
        for (word, expected) in rows {
            let mut text = word.to_owned();
            stem(&mut text);
            assert_eq!(text, expected, "{word}");
        }
    }
}
