//! `korean`: words of Korean by mecab-ko-dic, as Lucene's Nori cuts them. A word that is composed or carries
//! endings is given as its parts (`decompoundMode=discard`), as a whole (`none`) or as both (`mixed`). Each
//! token knows its word of the dictionary for the filters. Solr differs: Lucene 9.12 ships an older release
//! of the dictionary.

mod parts;

use std::borrow::Cow;
use std::sync::Arc;

use icu_properties::CodePointMapData;
use icu_properties::props::{GeneralCategory, Script};
use parts::{Found, Kind, NOUN, read_lengths};

use crate::args::Args;
use crate::chars::{category, is_digit};
use crate::definition::TokenizerDefinition;
use crate::error::Error;
use crate::morphology::{
    Dictionary, Draft, KoreanUserWords, KoreanWord, Language, Link, Morpheme, Search, Trace, USER_WORD_COST,
    Weight, Word, WordClass, char_at, is_punctuation, korean, run_end,
};
use crate::stage::Tokenizer;
use crate::token::Token;

pub(crate) static KOREAN: TokenizerDefinition = TokenizerDefinition::new(
    "korean",
    "ko.KoreanTokenizerFactory",
    &[
        "decompoundMode",
        "outputUnknownUnigrams",
        "discardPunctuation",
        "userDictionary",
        "userDictionaryEncoding",
    ],
    "Words of Korean by dictionary.",
    build,
)
.reading(&["userDictionary"]);

fn build(args: &Args<'_>) -> Result<Box<dyn Tokenizer>, Error> {
    let user = args
        .get("userDictionary")
        .map(|name| KoreanUserWords::read_korean(args.file("userDictionary", name)?));
    let parts = args.get("decompoundMode").unwrap_or("discard");
    let parts = match parts.to_ascii_lowercase().as_str() {
        "none" => Parts::None,
        "discard" => Parts::Alone,
        "mixed" => Parts::Mixed,
        _ => return Err(args.bad("decompoundMode", parts, "is unknown; use none, discard or mixed")),
    };
    let cutter = Cutter {
        parts,
        cuts_unknown: args.flag("outputUnknownUnigrams", false),
        keeps_punctuation: !args.flag("discardPunctuation", true),
        user: user.transpose()?.map(Arc::new),
    };
    Ok(Box::new(Korean { search: Search::new(cutter) }))
}

/// Which of a composed word and its parts are given.
#[derive(Clone, Copy, PartialEq)]
enum Parts {
    None,
    Alone,
    Mixed,
}

struct Korean {
    search: Search<Cutter>,
}

impl Tokenizer for Korean {
    fn reset(&mut self) {
        self.search.reset();
    }

    fn next(&mut self, text: &str, token: &mut Token) -> bool {
        let draft = self.search.next(text);
        draft.map(|draft| draft.write(text, token)).is_some()
    }

    fn fresh(&self) -> Box<dyn Tokenizer> {
        Box::new(Korean { search: Search::new(self.search.language.clone()) })
    }
}

#[derive(Clone)]
struct Cutter {
    parts: Parts,
    cuts_unknown: bool,
    keeps_punctuation: bool,
    user: Option<Arc<KoreanUserWords>>,
}

/// What a word costs more after a blank if it is one that follows another word without.
const BLANK_PENALTY: i32 = 3000;

impl Language for Cutter {
    fn dictionary(&self) -> &'static Dictionary {
        korean()
    }

    fn user_words(&self, text: &str, start: usize, found: &mut dyn FnMut(usize, u32)) {
        if let Some(user) = &self.user {
            user.words_at(text, start, found);
        }
    }

    fn weigh(&self, word: Word, after_blank: bool) -> Weight {
        match word {
            Word::Listed(word) => {
                let penalty =
                    if after_blank && follows_directly(korean().tag(word)) { BLANK_PENALTY } else { 0 };
                let cost = korean().cost(word) + penalty;
                Weight { left: korean().left(word), right: korean().right(word), cost }
            }
            Word::User(number) => {
                let [left, other, open, closed] = korean().user_contexts;
                let last = self.user_word(number).map_or(' ', |word| word.last);
                // Korean particles depend on whether the word before ends in a consonant, so a user's noun
                // needs the right one of two contexts.
                let right = final_consonant(last).map_or(other, |has| if has { closed } else { open });
                Weight { left, right, cost: USER_WORD_COST }
            }
        }
    }

    fn unknown(&self, text: &str, start: usize, known: bool) -> Option<(WordClass, usize)> {
        let first = char_at(text, start)?;
        let mut class = korean().class(first);
        if known && !korean().invokes(class) {
            return None;
        }
        if !korean().groups(class) {
            return Some((class, start + first.len_utf8()));
        }
        let mut script = script(first);
        let (punctuation, digit) = (is_korean_punctuation(first), is_bmp_digit(first));
        let end = run_end(text, start, |c| {
            let own = self::script(c);
            let same = own == script || is_neutral(own) || is_neutral(script);
            let belongs = (same || is_mark(c))
                && is_korean_punctuation(c) == punctuation
                && is_bmp_digit(c) == digit
                && korean().groups(korean().class(c));
            if belongs && is_neutral(script) && !is_neutral(own) {
                script = own;
                class = korean().class(c);
            }
            belongs
        });
        Some((class, end))
    }

    fn unknown_words_wait(&self) -> bool {
        false
    }

    fn is_spaced(&self) -> bool {
        true
    }

    fn trace(&self, trace: Trace<'_>, out: &mut Vec<Draft>) {
        let (mut place, mut index) = (trace.end, trace.index);
        while place > trace.start {
            let Some(link) = trace.link(place, index) else { return };
            self.push(trace.text, place, link, out);
            if self.keeps_punctuation && link.start > link.from {
                let blank = korean().unknown(korean().class(' ')).start;
                out.push(Draft::new(link.from, link.start, Morpheme::Korean(blank)));
            }
            (place, index) = (link.from, link.before);
        }
    }
}

impl Cutter {
    /// The tokens of one word, last one first.
    fn push(&self, text: &str, end: usize, link: Link, out: &mut Vec<Draft>) {
        let word = Found { text, start: link.start, end };
        if let Word::Listed(number) = link.word
            && self.cuts_unknown
            && korean().is_unknown(number)
        {
            let single = |(at, c): (usize, char)| {
                let start = link.start + at;
                Draft::new(start, start + c.len_utf8(), Morpheme::Korean(korean().single()))
            };
            out.extend(word.surface().char_indices().rev().map(single));
            return;
        }
        let kind = self.kind(link.word);
        let whole = Draft::new(link.start, end, morpheme(link.word));
        if kind == Kind::Simple || self.parts == Parts::None {
            if self.keeps_punctuation || !char_at(text, link.start).is_some_and(is_korean_punctuation) {
                out.push(whole);
            }
            return;
        }
        let mut parts = self.parts(&word, link.word, kind);
        if parts.is_empty() {
            out.push(whole);
            return;
        }
        let count = u32::try_from(parts.len()).unwrap_or(u32::MAX);
        if let Some(first) = parts.first_mut().filter(|_| self.parts == Parts::Mixed) {
            first.position_increment = 0;
        }
        out.extend(parts.into_iter().rev());
        if self.parts == Parts::Mixed {
            out.push(Draft { position_length: count, ..whole });
        }
    }

    fn user_word(&self, number: u32) -> Option<&KoreanWord> {
        self.user.as_ref()?.value(number)
    }

    fn kind(&self, word: Word) -> Kind {
        match word {
            Word::Listed(word) => match korean().form(word) {
                // Numbers as the packed dictionary has them, which `examples/build_dictionary` writes.
                1 => Kind::Compound,
                2 => Kind::Inflected,
                3 => Kind::Analysed,
                _ => Kind::Simple,
            },
            Word::User(number) => {
                let parts = self.user_word(number).and_then(|word| word.parts.as_ref());
                if parts.is_some() { Kind::Compound } else { Kind::Simple }
            }
        }
    }

    /// The parts of a word in order.
    fn parts(&self, word: &Found<'_>, of: Word, kind: Kind) -> Vec<Draft> {
        match of {
            Word::User(number) => {
                let lengths = self.user_word(number).and_then(|word| word.parts.as_ref());
                let parts = lengths.into_iter().flatten().map(|length| (Cow::Borrowed(NOUN), *length));
                word.pieces(parts.collect(), true)
            }
            Word::Listed(number) if kind == Kind::Inflected => word.restored(korean().detail(number)),
            Word::Listed(number) => {
                word.pieces(read_lengths(korean().detail(number)), kind == Kind::Compound)
            }
        }
    }
}

fn morpheme(word: Word) -> Morpheme {
    match word {
        Word::Listed(word) => Morpheme::Korean(word),
        Word::User(_) => Morpheme::KoreanPart(Cow::Borrowed(NOUN)),
    }
}

/// Whether words of this part of speech are written together with the word before: endings, particles, the
/// copula and suffixes.
fn follows_directly(tag: &str) -> bool {
    tag.starts_with(['E', 'J']) || matches!(tag, "VCP" | "XSA" | "XSN" | "XSV")
}

/// Whether a Hangul syllable ends with a consonant.
fn final_consonant(c: char) -> Option<bool> {
    let hangul = korean().class(c) == korean().class('가');
    hangul.then(|| u32::from(c).wrapping_sub(0xac00) % 28 != 0)
}

/// As `is_punctuation`, and the letter that is written for the middle dot.
fn is_korean_punctuation(c: char) -> bool {
    c == '\u{318d}' || is_punctuation(c)
}

fn is_bmp_digit(c: char) -> bool {
    c.len_utf16() == 1 && is_digit(c)
}

fn is_mark(c: char) -> bool {
    c.len_utf16() == 1 && category(c) == GeneralCategory::NonspacingMark
}

/// The script of the character's first UTF-16 unit.
fn script(c: char) -> Script {
    if c.len_utf16() == 1 { CodePointMapData::<Script>::new().get(c) } else { Script::Unknown }
}

fn is_neutral(script: Script) -> bool {
    matches!(script, Script::Common | Script::Inherited)
}
