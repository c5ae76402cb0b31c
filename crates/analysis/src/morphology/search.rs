//! The search for the likeliest way to cut a text: a Viterbi search that walks over the text once. As soon as
//! all ways lead through one place the part before it is decided, and its words become tokens; a text in
//! which that never happens is cut by force every 1,024 characters. What differs by language is behind
//! `Language`. The order of trials and the limits are those of Lucene 9.12's Japanese and Korean tokenizers,
//! which take the first of several equally likely ways.

use icu_properties::props::GeneralCategory;

use super::dictionary::{Dictionary, WordClass};
use super::lattice::{Candidate, Lattice, Word};
use super::{Link, Morpheme};
use crate::chars::category;
use crate::token::{KIND_WORD, Token, utf16_len};

/// UTF-16 units after which a part of the text is decided by force.
const GAP_MAX: usize = 1024;

/// UTF-16 units of an unknown word.
pub(crate) const UNKNOWN_LEN_MAX: usize = 1024;

/// What a word adds to the cost of its way, and what it connects to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Weight {
    pub(crate) left: u16,
    pub(crate) right: u16,
    pub(crate) cost: i32,
}

/// What differs by language.
pub(crate) trait Language {
    fn dictionary(&self) -> &'static Dictionary;
    /// Calls `found` with the end and the number of each word of the configset that starts at a place.
    fn user_words(&self, text: &str, start: usize, found: &mut dyn FnMut(usize, u32));
    /// The contexts and the cost of a word; `after_blank` if a blank was skipped before it.
    fn weigh(&self, word: Word, after_blank: bool) -> Weight;
    /// The class and the end of the unknown word at a place; none where it is not tried. `known`: a known
    /// word starts there too.
    fn unknown(&self, text: &str, start: usize, known: bool) -> Option<(WordClass, usize)>;
    /// Whether no unknown word is tried inside another one.
    fn unknown_words_wait(&self) -> bool;
    /// Whether a single blank is part of the word after it, and of several words of the configset that
    /// overlap only the longest ones are tried.
    fn is_spaced(&self) -> bool;
    /// Puts the tokens of the way that ends with a link onto `out`, last token first.
    fn trace(&self, trace: Trace<'_>, out: &mut Vec<Draft>);
}

/// A part of the text whose words are decided.
pub(crate) struct Trace<'a> {
    pub(crate) text: &'a str,
    pub(crate) lattice: &'a mut Lattice,
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Which of the links at `end`.
    pub(crate) index: usize,
}

impl Trace<'_> {
    /// The link by its place and number.
    pub(crate) fn link(&self, place: usize, index: usize) -> Option<Link> {
        self.lattice.links(place).get(index).copied().filter(|link| link.from < place)
    }
}

/// A token to come.
#[derive(Clone, Debug, Default)]
pub(crate) struct Draft {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// The term where it is not the text between `start` and `end`.
    pub(crate) term: Option<String>,
    pub(crate) position_increment: u32,
    pub(crate) position_length: u32,
    pub(crate) morpheme: Morpheme,
}

impl Draft {
    pub(crate) fn new(start: usize, end: usize, morpheme: Morpheme) -> Self {
        Draft { start, end, term: None, position_increment: 1, position_length: 1, morpheme }
    }

    /// Makes this the token.
    pub(crate) fn write(self, text: &str, token: &mut Token) {
        match &self.term {
            Some(term) => {
                token.set_text(term);
                token.place(self.start, self.end, KIND_WORD);
            }
            None => token.set(text, self.start, self.end, KIND_WORD),
        }
        token.position_increment = self.position_increment;
        token.position_length = self.position_length;
        token.morpheme = self.morpheme;
    }
}

/// The search on its way through one text.
pub(crate) struct Search<L> {
    pub(crate) language: L,
    lattice: Lattice,
    /// The next place to look at.
    at: usize,
    /// The part before is decided.
    decided: usize,
    /// UTF-16 units from `decided` to `at`.
    units: usize,
    ended: bool,
    /// Tokens of the last part decided, next one last.
    pending: Vec<Draft>,
}

/// How far words that keep others from being tried reach.
#[derive(Default)]
struct Shadows {
    unknown: usize,
    user: usize,
}

impl<L: Language> Search<L> {
    pub(crate) fn new(language: L) -> Self {
        let mut lattice = Lattice::default();
        lattice.reset();
        Search { language, lattice, at: 0, decided: 0, units: 0, ended: false, pending: Vec::new() }
    }

    /// Prepares for a new text.
    pub(crate) fn reset(&mut self) {
        self.lattice.reset();
        self.pending.clear();
        (self.at, self.decided, self.units, self.ended) = (0, 0, 0, false);
    }

    /// The next token.
    pub(crate) fn next(&mut self, text: &str) -> Option<Draft> {
        loop {
            match self.pending.pop() {
                None if !self.ended => self.forward(text),
                draft => return draft,
            }
        }
    }

    /// Walks on until some tokens are decided or the text ends.
    fn forward(&mut self, text: &str) {
        let mut shadows = Shadows::default();
        while let Some(c) = char_at(text, self.at) {
            let links = self.lattice.links(self.at).len();
            if links == 0 {
                self.step(c);
                continue;
            }
            if links == 1 && self.at > self.decided && self.lattice.reach() <= self.at {
                self.decide(text, self.at, 0);
            } else if self.units >= GAP_MAX {
                self.decide_by_force(text);
            } else {
                self.extend(text, c, &mut shadows);
                continue;
            }
            if !self.pending.is_empty() {
                return;
            }
        }
        self.ended = true;
        let index = self.lattice.cheapest(self.at, &self.language.dictionary().costs, Some(0));
        if let Some(index) = index.filter(|_| self.at > self.decided) {
            self.decide(text, self.at, index);
        }
    }

    fn step(&mut self, c: char) {
        self.at += c.len_utf8();
        self.units += c.len_utf16();
    }

    /// Decides the part before a place, all ways to which end with one link.
    fn decide(&mut self, text: &str, end: usize, index: usize) {
        let trace = Trace { text, lattice: &mut self.lattice, start: self.decided, end, index };
        self.language.trace(trace, &mut self.pending);
        self.lattice.forget(end);
        self.lattice.rebase(end);
        self.decided = end;
        self.units = 0;
    }

    /// Decides for the way that is the cheapest so far, though another one may turn out to be cheaper.
    fn decide_by_force(&mut self, text: &str) {
        let Some(end) = self.lattice.prune(self.at) else {
            self.units = 0;
            return;
        };
        self.at = end;
        self.decide(text, end, 0);
    }

    /// Puts the words that start here into the lattice and moves on.
    fn extend(&mut self, text: &str, first: char, shadows: &mut Shadows) {
        let from = self.at;
        let start = self.word_start(text, from, first);
        if start > from {
            self.step(first);
        }
        let (lattice, language) = (&mut self.lattice, &self.language);
        let dictionary = language.dictionary();
        let mut add = |end: usize, word: Word| {
            let Weight { left, right, cost } = language.weigh(word, start > from);
            lattice.add(&dictionary.costs, &Candidate { from, start, end, word, left, right, cost });
        };
        let mut known = false;
        let mut longest = None;
        language.user_words(text, start, &mut |end, word| {
            known = true;
            longest = Some((end, word));
            if !language.is_spaced() {
                add(end, Word::User(word));
            }
        });
        if let Some((end, word)) = longest.filter(|(end, _)| language.is_spaced() && *end > shadows.user) {
            add(end, Word::User(word));
            shadows.user = end;
        }
        if !known {
            dictionary.words_at(text, start, |end, words| {
                known = true;
                words.for_each(|word| add(end, Word::Listed(word)));
            });
        }
        if !(language.unknown_words_wait() && shadows.unknown > from)
            && let Some((class, end)) = language.unknown(text, start, known)
        {
            dictionary.unknown(class).for_each(|word| add(end, Word::Listed(word)));
            shadows.unknown = end;
        }
        if let Some(c) = char_at(text, start) {
            self.step(c);
        }
    }

    /// Where the words of a place start: after its blank, if it is one and the language says so.
    fn word_start(&self, text: &str, from: usize, first: char) -> usize {
        let next = from + first.len_utf8();
        let is_blank = self.language.is_spaced() && category(first) == GeneralCategory::SpaceSeparator;
        if is_blank && next < text.len() { next } else { from }
    }
}

/// The character at a place.
pub(crate) fn char_at(text: &str, place: usize) -> Option<char> {
    text.get(place..)?.chars().next()
}

/// The end of a run of characters that starts at a place, no longer than an unknown word may be.
pub(crate) fn run_end(text: &str, start: usize, mut belongs: impl FnMut(char) -> bool) -> usize {
    let rest = text.get(start..).unwrap_or_default();
    let mut units = 0;
    let mut end = start;
    for c in rest.chars() {
        if end > start && (units >= UNKNOWN_LEN_MAX || !belongs(c)) {
            break;
        }
        units += c.len_utf16();
        end += c.len_utf8();
    }
    end
}

/// The length of a piece of the text in UTF-16 units.
pub(crate) fn units(text: &str, start: usize, end: usize) -> usize {
    text.get(start..end).map_or(0, utf16_len)
}
