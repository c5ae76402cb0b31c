//! Normalisations of scripts and languages: single characters and short sequences that writers use for the
//! same letter become one. Each is a table of what Lucene's filter of the name does; sources are the same
//! publications (Larkey for Arabic, Bhamidipati and Walid for Indic scripts, the Snowball group's German2 for
//! German).

use crate::definition::FilterDefinition;
use crate::filter::shape::{Plain, Rewriting};
use crate::stage::Filter;
use crate::token::Token;

pub(crate) const DEFINITIONS: &[&FilterDefinition] = &[
    &ARABIC,
    &PERSIAN,
    &SORANI,
    &GERMAN,
    &SCANDINAVIAN,
    &SCANDINAVIAN_FOLDING,
    &NORWEGIAN,
    &ROMANIAN,
    &SERBIAN,
    &GREEK_LOWERCASE,
    &TURKISH_LOWERCASE,
    &IRISH_LOWERCASE,
];

/// A filter that rewrites the characters of each token that is not ASCII.
fn unicode(rewrite: fn(&mut Token)) -> Box<dyn Filter> {
    Box::new(Rewriting(Plain(rewrite)))
}

/// Replaces characters one by one; `None` drops one.
fn map_chars(token: &mut Token, map: fn(char) -> Option<char>) {
    if !token.text.is_ascii() {
        token.text = token.text.chars().filter_map(map).collect();
    }
}

static ARABIC: FilterDefinition = FilterDefinition::new(
    "arabicNormalization",
    "ar.ArabicNormalizationFilterFactory",
    &[],
    "One alef, one yeh, one heh; no tatweel, no short vowels.",
    |_| Ok(unicode(|token| map_chars(token, arabic))),
)
.normalizing();

fn arabic(c: char) -> Option<char> {
    match c {
        '\u{622}' | '\u{623}' | '\u{625}' => Some('\u{627}'),
        '\u{649}' => Some('\u{64a}'),
        '\u{629}' => Some('\u{647}'),
        '\u{640}' | '\u{64b}'..='\u{652}' => None,
        other => Some(other),
    }
}

static PERSIAN: FilterDefinition = FilterDefinition::new(
    "persianNormalization",
    "fa.PersianNormalizationFilterFactory",
    &[],
    "Persian spellings of yeh, keheh and heh become the Arabic ones.",
    |_| Ok(unicode(|token| map_chars(token, persian))),
)
.normalizing();

fn persian(c: char) -> Option<char> {
    match c {
        '\u{6cc}' | '\u{6d2}' => Some('\u{64a}'),
        '\u{6a9}' => Some('\u{643}'),
        '\u{6c0}' | '\u{6c1}' => Some('\u{647}'),
        '\u{654}' => None,
        other => Some(other),
    }
}

static SORANI: FilterDefinition = FilterDefinition::new(
    "soraniNormalization",
    "ckb.SoraniNormalizationFilterFactory",
    &[],
    "One spelling of the letters of Sorani Kurdish.",
    |_| Ok(unicode(sorani)),
)
.normalizing();

fn sorani(token: &mut Token) {
    if token.text.is_ascii() {
        return;
    }
    let mut out: Vec<char> = Vec::new();
    let chars: Vec<char> = token.text.chars().collect();
    for (index, c) in chars.iter().copied().enumerate() {
        match c {
            '\u{64a}' | '\u{649}' => out.push('\u{6cc}'),
            '\u{643}' => out.push('\u{6a9}'),
            '\u{200c}' => match out.last_mut() {
                Some(last) if *last == '\u{647}' => *last = '\u{6d5}',
                _ => {}
            },
            // At the end of a word people type heh for the vowel ae; alone or inside it is the consonant.
            '\u{647}' if index + 1 == chars.len() && index > 0 => out.push('\u{6d5}'),
            '\u{629}' => out.push('\u{6d5}'),
            '\u{6be}' => out.push('\u{647}'),
            // Sorani has no plain r at the start of a word: it is always the rolled one, however it was
            // typed.
            '\u{631}' if out.is_empty() => out.push('\u{695}'),
            '\u{692}' => out.push('\u{695}'),
            '\u{640}' | '\u{64b}'..='\u{652}' => {}
            other if is_format(other) => {}
            other => out.push(other),
        }
    }
    token.text = out.into_iter().collect();
}

fn is_format(c: char) -> bool {
    crate::chars::category(c) == icu_properties::props::GeneralCategory::Format
}

static GERMAN: FilterDefinition = FilterDefinition::new(
    "germanNormalization",
    "de.GermanNormalizationFilterFactory",
    &[],
    "ae, oe and ue as umlauts, umlauts without dots, ß as ss (German2).",
    |_| Ok(unicode(german)),
)
.normalizing();

/// What stood before the character: an `e` after a vowel that `ae`, `oe`, `ue` may spell goes.
#[derive(Clone, Copy, PartialEq)]
enum German {
    Start,
    /// After a or o: a following `e` goes.
    Umlaut,
    /// After a u that may be one: not after q or another vowel.
    UmlautU,
    /// After a vowel or q, which keep a `u` from being one.
    Vowel,
}

fn german(token: &mut Token) {
    let mut out = String::with_capacity(token.text.len() + 2);
    let mut state = German::Start;
    for c in token.text.chars() {
        state = german_step(&mut out, c, state);
    }
    token.text = out;
}

fn german_step(out: &mut String, c: char, state: German) -> German {
    match c {
        'a' | 'o' => {
            out.push(c);
            German::Umlaut
        }
        'u' => {
            out.push(c);
            // `que` and `neue`: behind q or a vowel, `ue` is two sounds and keeps its e.
            if state == German::Start { German::UmlautU } else { German::Vowel }
        }
        'e' => {
            // Otherwise it is the second half of a spelled umlaut and goes.
            if matches!(state, German::Start | German::Vowel) {
                out.push(c);
            }
            German::Vowel
        }
        'i' | 'q' | 'y' => {
            out.push(c);
            German::Vowel
        }
        'ä' => plain(out, "a"),
        'ö' => plain(out, "o"),
        'ü' => plain(out, "u"),
        'ß' => {
            out.push_str("ss");
            German::Start
        }
        other => {
            out.push(other);
            German::Start
        }
    }
}

fn plain(out: &mut String, letter: &str) -> German {
    out.push_str(letter);
    German::Vowel
}

/// Spellings of Scandinavian vowels that a filter may join: pairs of letters, the second in any case, and the
/// letter they stand for.
struct Foldings {
    pairs: &'static [(&'static str, char)],
    singles: fn(char) -> char,
}

fn fold_pairs(token: &mut Token, foldings: &Foldings) {
    let chars: Vec<char> = token.text.chars().collect();
    let mut out = String::with_capacity(token.text.len());
    let mut at = 0;
    while let Some(c) = chars.get(at) {
        // The first letter decides the case of what comes out, so `AE` and `Ae` are one letter.
        let next = chars.get(at + 1).map(char::to_ascii_lowercase);
        let pair = foldings.pairs.iter().find(|(pair, _)| {
            let mut letters = pair.chars();
            letters.next() == Some(*c) && letters.next() == next
        });
        out.push(pair.map_or_else(|| (foldings.singles)(*c), |(_, to)| *to));
        at += if pair.is_some() { 2 } else { 1 };
    }
    token.text = out;
}

static SCANDINAVIAN: FilterDefinition = FilterDefinition::new(
    "scandinavianNormalization",
    "miscellaneous.ScandinavianNormalizationFilterFactory",
    &[],
    "One spelling of å, æ and ø: aa, ae, oe, ä, ö.",
    |_| Ok(unicode(|token| fold_pairs(token, &SCANDINAVIAN_PAIRS))),
)
.normalizing();

const SCANDINAVIAN_PAIRS: Foldings = Foldings {
    pairs: &[
        ("aa", 'å'),
        ("ao", 'å'),
        ("ae", 'æ'),
        ("oe", 'ø'),
        ("oo", 'ø'),
        ("Aa", 'Å'),
        ("Ao", 'Å'),
        ("Ae", 'Æ'),
        ("Oe", 'Ø'),
        ("Oo", 'Ø'),
    ],
    singles: |c| match c {
        'ä' => 'æ',
        'Ä' => 'Æ',
        'ö' => 'ø',
        'Ö' => 'Ø',
        other => other,
    },
};

static NORWEGIAN: FilterDefinition = FilterDefinition::new(
    "norwegianNormalization",
    "no.NorwegianNormalizationFilterFactory",
    &[],
    "One spelling of å, æ and ø as Norwegians write them: aa, ae, oe, ä, ö.",
    |_| Ok(unicode(|token| fold_pairs(token, &NORWEGIAN_PAIRS))),
)
.normalizing();

const NORWEGIAN_PAIRS: Foldings = Foldings {
    pairs: &[("aa", 'å'), ("ae", 'æ'), ("oe", 'ø'), ("Aa", 'Å'), ("Ae", 'Æ'), ("Oe", 'Ø')],
    singles: SCANDINAVIAN_PAIRS.singles,
};

static SCANDINAVIAN_FOLDING: FilterDefinition = FilterDefinition::new(
    "scandinavianFolding",
    "miscellaneous.ScandinavianFoldingFilterFactory",
    &[],
    "å, ä, æ as a; ö, ø as o; so also aa, ao, ae, oe, oo.",
    |_| Ok(unicode(|token| fold_pairs(token, &FOLDING_PAIRS))),
)
.normalizing();

const FOLDING_PAIRS: Foldings = Foldings {
    pairs: &[
        ("aa", 'a'),
        ("ao", 'a'),
        ("ae", 'a'),
        ("oe", 'o'),
        ("oo", 'o'),
        ("Aa", 'A'),
        ("Ao", 'A'),
        ("Ae", 'A'),
        ("Oe", 'O'),
        ("Oo", 'O'),
    ],
    singles: |c| match c {
        'å' | 'ä' | 'æ' => 'a',
        'Å' | 'Ä' | 'Æ' => 'A',
        'ö' | 'ø' => 'o',
        'Ö' | 'Ø' => 'O',
        other => other,
    },
};

static ROMANIAN: FilterDefinition = FilterDefinition::new(
    "romanianNormalization",
    "ro.RomanianNormalizationFilterFactory",
    &[],
    "Romanian s and t with a cedilla, which old keyboards had, become those with a comma below (since Solr 10).",
    |_| Ok(unicode(|token| map_chars(token, romanian))),
)
.normalizing();

fn romanian(c: char) -> Option<char> {
    Some(match c {
        '\u{15e}' => '\u{218}',
        '\u{15f}' => '\u{219}',
        '\u{162}' => '\u{21a}',
        '\u{163}' => '\u{21b}',
        other => other,
    })
}

static SERBIAN: FilterDefinition = FilterDefinition::new(
    "serbianNormalization",
    "sr.SerbianNormalizationFilterFactory",
    &["haircut"],
    "Serbian Cyrillic as Latin, without marks (`haircut=bald`, the default) or with them (`regular`).",
    |args| match args.choice("haircut", "bald", &["bald", "regular"])? {
        "regular" => Ok(unicode(|token| serbian(token, serbian_letter))),
        _ => Ok(unicode(|token| serbian(token, bald_serbian_letter))),
    },
)
.normalizing();

fn serbian(token: &mut Token, letter: fn(char) -> Option<&'static str>) {
    if token.text.is_ascii() {
        return;
    }
    let mut out = String::with_capacity(token.text.len());
    for c in token.text.chars() {
        match letter(c) {
            Some(latin) => out.push_str(latin),
            None => out.push(c),
        }
    }
    token.text = out;
}

fn serbian_letter(c: char) -> Option<&'static str> {
    const CYRILLIC: &str = "абвгдђежзијклљмнњопрстћуфхцчџш";
    const LATIN: [&str; 30] = [
        "a", "b", "v", "g", "d", "đ", "e", "ž", "z", "i", "j", "k", "l", "lj", "m", "n", "nj", "o", "p", "r",
        "s", "t", "ć", "u", "f", "h", "c", "č", "dž", "š",
    ];
    let index = CYRILLIC.chars().position(|letter| letter == c)?;
    LATIN.get(index).copied()
}

fn bald_serbian_letter(c: char) -> Option<&'static str> {
    match c {
        'ђ' | 'đ' => Some("dj"),
        'ж' | 'ž' => Some("z"),
        'ћ' | 'ć' | 'ч' | 'č' => Some("c"),
        'џ' => Some("dz"),
        'ш' | 'š' => Some("s"),
        other => serbian_letter(other),
    }
}

static GREEK_LOWERCASE: FilterDefinition = FilterDefinition::new(
    "greekLowercase",
    "el.GreekLowerCaseFilterFactory",
    &[],
    "Greek in lower case, without accents and with one sigma.",
    |_| Ok(unicode(|token| token.text = token.text.chars().map(greek).collect())),
)
.normalizing();

fn greek(c: char) -> char {
    match c {
        'ς' => 'σ',
        'Ά' | 'ά' => 'α',
        'Έ' | 'έ' => 'ε',
        'Ή' | 'ή' => 'η',
        'Ί' | 'Ϊ' | 'ί' | 'ϊ' | 'ΐ' => 'ι',
        'Ύ' | 'Ϋ' | 'ύ' | 'ϋ' | 'ΰ' => 'υ',
        'Ό' | 'ό' => 'ο',
        'Ώ' | 'ώ' => 'ω',
        // An unassigned code point in the middle of the capitals, which Lucene's table maps as if it were
        // final sigma.
        '\u{3a2}' => 'ς',
        other => crate::chars::to_lower(other),
    }
}

static TURKISH_LOWERCASE: FilterDefinition = FilterDefinition::new(
    "turkishLowercase",
    "tr.TurkishLowerCaseFilterFactory",
    &[],
    "Lower case in which I becomes ı and İ becomes i.",
    |_| Ok(unicode(turkish)),
)
.normalizing();

fn turkish(token: &mut Token) {
    const DOT_ABOVE: char = '\u{307}';
    let mut out = String::with_capacity(token.text.len());
    let mut chars = token.text.chars().peekable();
    let mut after_i = false;
    while let Some(c) = chars.next() {
        let is_i = c == 'I';
        match c {
            DOT_ABOVE if after_i => continue,
            'I' => {
                // I with a dot may come as two characters, other marks between them; only then is it the
                // dotted letter.
                let marks: Vec<char> = chars.clone().take_while(|c| is_mark(*c)).collect();
                out.push(if marks.contains(&DOT_ABOVE) { 'i' } else { 'ı' });
            }
            other => out.push(crate::chars::to_lower(other)),
        }
        after_i = is_i || after_i && is_mark(c);
    }
    token.text = out;
}

fn is_mark(c: char) -> bool {
    crate::chars::category(c) == icu_properties::props::GeneralCategory::NonspacingMark
}

static IRISH_LOWERCASE: FilterDefinition = FilterDefinition::new(
    "irishLowercase",
    "ga.IrishLowerCaseFilterFactory",
    &[],
    "Lower case that parts the prefixes n and t from a capital vowel (nAthair: n-athair).",
    |_| Ok(unicode(irish)),
)
.normalizing();

fn irish(token: &mut Token) {
    let mut chars = token.text.chars();
    let first = chars.next();
    let second = chars.next();
    let parts = matches!(first, Some('n' | 't'))
        && matches!(second, Some('A' | 'E' | 'I' | 'O' | 'U' | 'Á' | 'É' | 'Í' | 'Ó' | 'Ú'));
    if parts {
        // Before lower-casing, which would hide that `nAthair` has a prefix and `nathair` (a snake) has none.
        token.text.insert(1, '-');
    }
    crate::chars::lower_in_place(&mut token.text);
}
