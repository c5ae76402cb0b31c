//! The stemmer for Indonesian of Tala (2003): particles and possessives first, then, unless left out
//! (`stemDerivational=false`), prefixes and suffixes of word formation. A step works only on words of three
//! syllables or more, vowels being counted once at the start and one less after each step.

use crate::args::Args;
use crate::filter::letters::{Letters, ends};

const PARTICLES: &[&str] = &["kah", "lah", "pun"];
const POSSESSIVES: &[&str] = &["ku", "mu", "nya"];

/// Which prefix went; some suffixes stay after some prefixes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Prefix {
    Ber,
    Di,
    Ke,
    Meng,
    Pe,
    Peng,
    Per,
    Ter,
}

/// A prefix as written before some letters, whether a vowel has to follow, and the letter that comes back for
/// it.
type PrefixRule = (&'static str, bool, &'static str, Prefix);

const PREFIXES: &[PrefixRule] = {
    use Prefix::{Di, Ke, Meng, Peng, Ter};
    &[
        ("meng", false, "", Meng),
        ("meny", true, "s", Meng),
        ("men", false, "", Meng),
        ("mem", false, "", Meng),
        ("me", false, "", Meng),
        ("peng", false, "", Peng),
        ("peny", true, "s", Peng),
        ("peny", false, "", Peng),
        ("pen", true, "t", Peng),
        ("pen", false, "", Peng),
        ("pem", false, "", Peng),
        ("di", false, "", Di),
        ("ter", false, "", Ter),
        ("ke", false, "", Ke),
    ]
};

/// Suffixes and the prefixes after which they stay.
const SUFFIXES: &[(&str, &[Prefix])] = &[
    ("kan", &[Prefix::Ke, Prefix::Peng, Prefix::Pe]),
    ("an", &[Prefix::Di, Prefix::Meng, Prefix::Ter]),
    ("i", &[Prefix::Ber, Prefix::Ke, Prefix::Peng]),
];

/// The stemmer that the arguments name.
pub(crate) fn of(args: &Args<'_>) -> fn(&mut Letters) {
    if args.flag("stemDerivational", true) { full } else { inflectional }
}

fn full(letters: &mut Letters) {
    let mut word = Word::new(letters);
    word.inflection();
    word.derivation();
}

fn inflectional(letters: &mut Letters) {
    Word::new(letters).inflection();
}

struct Word<'a> {
    letters: &'a mut Letters,
    syllables: usize,
    prefixes: Vec<Prefix>,
}

fn is_vowel(c: Option<&char>) -> bool {
    matches!(c, Some('a' | 'e' | 'i' | 'o' | 'u'))
}

impl<'a> Word<'a> {
    fn new(letters: &'a mut Letters) -> Self {
        let syllables = letters.iter().filter(|c| is_vowel(Some(c))).count();
        Word { letters, syllables, prefixes: Vec::new() }
    }

    fn is_long(&self) -> bool {
        self.syllables > 2
    }

    fn starts(&self, prefix: &str) -> bool {
        prefix.chars().enumerate().all(|(at, c)| self.letters.get(at) == Some(&c))
    }

    fn is(&self, word: &str) -> bool {
        self.starts(word) && self.letters.len() == word.len()
    }

    fn inflection(&mut self) {
        for endings in [PARTICLES, POSSESSIVES] {
            if self.is_long() {
                self.drop_ending(endings.iter().copied().find(|ending| ends(self.letters, ending)));
            }
        }
    }

    /// A second prefix goes before the suffix, or after it if there was a first one.
    fn derivation(&mut self) {
        if self.first_prefix() {
            if self.suffix() {
                self.second_prefix();
            }
        } else {
            self.second_prefix();
            self.suffix();
        }
    }

    fn drop_ending(&mut self, ending: Option<&str>) -> bool {
        if let Some(ending) = ending {
            self.letters.truncate(self.letters.len() - ending.len());
            self.syllables -= 1;
        }
        ending.is_some()
    }

    fn drop_prefix(&mut self, length: usize, with: &str, prefix: Prefix) {
        self.letters.splice(..length, with.chars());
        self.syllables -= 1;
        self.prefixes.push(prefix);
    }

    fn first_prefix(&mut self) -> bool {
        // Longer prefixes first, and `meny` before `men`: the s that melted into it comes back (`menyapu`,
        // `sapu`).
        let found = PREFIXES.iter().filter(|_| self.is_long()).find(|(prefix, before_vowel, ..)| {
            self.starts(prefix) && (!before_vowel || is_vowel(self.letters.get(prefix.len())))
        });
        if let Some((prefix, _, with, kind)) = found {
            self.drop_prefix(prefix.len(), with, *kind);
        }
        found.is_some()
    }

    fn second_prefix(&mut self) {
        if !self.is_long() {
            return;
        }
        let before_er = !is_vowel(self.letters.get(2)) && self.letters.get(3..5) == Some(&['e', 'r']);
        if self.starts("ber") || self.is("belajar") {
            self.drop_prefix(3, "", Prefix::Ber);
        } else if self.starts("be") && before_er {
            self.drop_prefix(2, "", Prefix::Ber);
        } else if self.starts("per") || self.is("pelajar") {
            self.drop_prefix(3, "", Prefix::Per);
        } else if self.starts("pe") {
            self.drop_prefix(2, "", Prefix::Pe);
        }
    }

    fn suffix(&mut self) -> bool {
        if !self.is_long() {
            return false;
        }
        let found = SUFFIXES.iter().find(|(suffix, keepers)| {
            ends(self.letters, suffix)
                // `polisi`: behind an s the i is part of the word, by Tala's rules.
                && !(*suffix == "i" && ends(self.letters, "si"))
                && !keepers.iter().any(|keeper| self.prefixes.contains(keeper))
        });
        self.drop_ending(found.map(|(suffix, _)| *suffix))
    }
}
