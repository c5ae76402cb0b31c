//! Small rewrites of single tokens: `apostrophe`, `classic`, `elision`, `reverseString`, `decimalDigit`,
//! `capitalization`, `asciiFolding` is a file of its own. None of them looks at a neighbour, changes a
//! position or an offset, or drops a token: a rewrite that does is a file of its own. Word lists come from
//! the configset through `Args`.

use std::sync::Arc;

use crate::args::Args;
use crate::chars::{digit_value, to_lower, to_upper};
use crate::definition::FilterDefinition;
use crate::error::Error;
use crate::filter::shape::{Plain, Rewrite, Rewriting};
use crate::stage::Filter;
use crate::token::Token;
use crate::word_set::WordSet;

pub(crate) const DEFINITIONS: &[&FilterDefinition] =
    &[&APOSTROPHE, &CLASSIC, &ELISION, &REVERSE_STRING, &DECIMAL_DIGIT, &CAPITALIZATION];

static APOSTROPHE: FilterDefinition = FilterDefinition::new(
    "apostrophe",
    "tr.ApostropheFilterFactory",
    &[],
    "Drops an apostrophe and all that follows it (Turkish suffixes).",
    |_| Ok(Box::new(Rewriting(Plain(cut_apostrophe)))),
);

static CLASSIC: FilterDefinition = FilterDefinition::new(
    "classic",
    "classic.ClassicFilterFactory",
    &[],
    "After the classic tokenizer: drops 's and the dots of acronyms.",
    |_| Ok(Box::new(Rewriting(Plain(classic)))),
);

static ELISION: FilterDefinition = FilterDefinition::new(
    "elision",
    "util.ElisionFilterFactory",
    &["articles", "ignoreCase"],
    "Drops elided articles (l'avion) of a list; without `articles` the French ones.",
    build_elision,
)
.reading(&["articles"])
.normalizing();

static REVERSE_STRING: FilterDefinition = FilterDefinition::new(
    "reverseString",
    "reverse.ReverseStringFilterFactory",
    &[],
    "Reverses each token.",
    |_| Ok(Box::new(Rewriting(Plain(|token: &mut Token| token.text = token.text.chars().rev().collect())))),
);

static DECIMAL_DIGIT: FilterDefinition = FilterDefinition::new(
    "decimalDigit",
    "core.DecimalDigitFilterFactory",
    &[],
    "Turns digits of any script into 0 to 9.",
    |_| Ok(Box::new(Rewriting(Plain(decimal_digits)))),
)
.normalizing();

static CAPITALIZATION: FilterDefinition = FilterDefinition::new(
    "capitalization",
    "miscellaneous.CapitalizationFilterFactory",
    &[
        "onlyFirstWord",
        "keep",
        "forceFirstLetter",
        "minWordLength",
        "maxWordCount",
        "maxTokenLength",
        "okPrefix",
        "keepIgnoreCase",
    ],
    "Capitalises words for display.",
    build_capitalization,
);

fn cut_apostrophe(token: &mut Token) {
    if let Some(at) = token.text.find(['\'', '\u{2019}']) {
        token.text.truncate(at);
    }
}

fn classic(token: &mut Token) {
    match &*token.kind {
        "<APOSTROPHE>" if token.text.ends_with("'s") || token.text.ends_with("'S") => {
            token.text.truncate(token.text.len() - 2);
        }
        "<ACRONYM>" => token.text.retain(|c| c != '.'),
        _ => {}
    }
}

/// The articles of Lucene's `FrenchAnalyzer.DEFAULT_ARTICLES`.
const FRENCH_ARTICLES: &str = "l m t qu n s j d c jusqu quoiqu lorsqu puisqu";

fn build_elision(args: &Args<'_>) -> Result<Box<dyn Filter>, Error> {
    let listed = args.words("articles", args.flag("ignoreCase", false))?;
    let french = || WordSet::new(FRENCH_ARTICLES.split_whitespace().map(str::to_owned), true);
    Ok(Box::new(Rewriting(Elision { articles: Arc::new(listed.unwrap_or_else(french)) })))
}

#[derive(Clone)]
struct Elision {
    articles: Arc<WordSet>,
}

impl Rewrite for Elision {
    fn rewrite(&mut self, token: &mut Token) {
        let Some(at) = token.text.find(['\'', '\u{2019}']) else { return };
        let article = token.text.get(..at).unwrap_or_default();
        if self.articles.contains(article) {
            let mark = token.text.get(at..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
            token.text.drain(..at + mark);
        }
    }
}

fn decimal_digits(token: &mut Token) {
    if token.text.is_ascii() {
        return;
    }
    let digit = |c: char| match digit_value(c) {
        Some(value) => char::from(b'0' + value),
        None => c,
    };
    token.text = token.text.chars().map(digit).collect();
}

fn build_capitalization(args: &Args<'_>) -> Result<Box<dyn Filter>, Error> {
    let keep_list = args.get("keep").map(|words| {
        let words = words.split_whitespace().map(str::to_owned);
        WordSet::new(words, args.flag("keepIgnoreCase", false))
    });
    let prefixes = args.get("okPrefix").unwrap_or_default().split_whitespace().map(str::to_owned).collect();
    Ok(Box::new(Rewriting(Capitalization {
        only_first_word: args.flag("onlyFirstWord", true),
        force_first_letter: args.flag("forceFirstLetter", true),
        word_units_min: args.count("minWordLength", 0, 0)?,
        words_max: args.count("maxWordCount", i32::MAX, 1)?,
        token_units_max: args.count("maxTokenLength", i32::MAX, 1)?,
        keep: Arc::new(keep_list.unwrap_or_default()),
        prefixes,
    })))
}

#[derive(Clone)]
struct Capitalization {
    only_first_word: bool,
    force_first_letter: bool,
    word_units_min: usize,
    words_max: usize,
    token_units_max: usize,
    keep: Arc<WordSet>,
    prefixes: Arc<[String]>,
}

impl Rewrite for Capitalization {
    fn rewrite(&mut self, token: &mut Token) {
        let mut chars: Vec<char> = token.text.chars().collect();
        if self.only_first_word {
            self.word(&mut chars, 0);
        } else {
            // There is one blank fewer than there are words: as many blanks as `maxWordCount` are one word
            // too many.
            let spaces = chars.iter().filter(|c| is_blank(**c)).count();
            if spaces >= self.words_max || chars.len() > self.token_units_max {
                return;
            }
            chars
                .split_mut(|c| is_blank(*c))
                .filter(|word| !word.is_empty())
                .enumerate()
                .for_each(|(index, word)| self.word(word, index));
        }
        token.text = chars.into_iter().collect();
    }
}

/// The Java filter splits words at blanks up to the space.
fn is_blank(c: char) -> bool {
    c <= ' ' || c == '.'
}

impl Capitalization {
    fn word(&self, word: &mut [char], index: usize) {
        if self.only_first_word && index > 0 {
            word.iter_mut().for_each(|c| *c = to_lower(*c));
            return;
        }
        let text: String = word.iter().collect();
        if self.keep.contains(&text) {
            if index == 0 && self.force_first_letter {
                word.iter_mut().take(1).for_each(|c| *c = to_upper(*c));
            }
            return;
        }
        if word.len() < self.word_units_min {
            return;
        }
        if self.prefixes.iter().any(|prefix| text.starts_with(prefix.as_str())) {
            return;
        }
        word.iter_mut().skip(1).for_each(|c| *c = to_lower(*c));
        word.iter_mut().take(1).for_each(|c| *c = to_upper(*c));
    }
}
