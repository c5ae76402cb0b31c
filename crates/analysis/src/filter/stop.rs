//! Filters that drop or keep words of a list: `stop`, `keepWord` and `suggestStop`. Without `words`, stop
//! words are Lucene's English list of 33. A dropped word leaves its position as a hole (`shape.rs`), so that
//! a phrase does not close over it. `managedStop` shares the filter and has its list elsewhere
//! (`managed.rs`); `edismax` may leave the stop filters out of a query, which their definitions allow.

use std::sync::Arc;

use crate::args::Args;
use crate::definition::FilterDefinition;
use crate::error::Error;
use crate::filter::shape::{Keep, Keeping};
use crate::stage::{Filter, Input};
use crate::token::Token;
use crate::word_set::WordSet;

pub(crate) const DEFINITIONS: &[&FilterDefinition] = &[&STOP, &KEEP_WORD, &SUGGEST_STOP];

static STOP: FilterDefinition = FilterDefinition::new(
    "stop",
    "core.StopFilterFactory",
    &["words", "format", "ignoreCase"],
    "Drops the words of a list; without `words` Lucene's 33 English ones.",
    build_stop,
)
.reading(&["words"])
.dropping_stop_words();

static KEEP_WORD: FilterDefinition = FilterDefinition::new(
    "keepWord",
    "miscellaneous.KeepWordFilterFactory",
    &["words", "ignoreCase"],
    "Drops all but the words of a list; without `words` it does nothing.",
    build_keep_word,
)
.reading(&["words"]);

static SUGGEST_STOP: FilterDefinition = FilterDefinition::new(
    "suggestStop",
    "org.apache.lucene.search.suggest.analyzing.SuggestStopFilterFactory",
    &["words", "format", "ignoreCase"],
    "As `stop`, but a stop word that ends the text stays: the next letter may make it another word.",
    |args| Ok(SuggestStop::boxed(Arc::new(read_words(args)?))),
)
.reading(&["words"]);

/// Lucene's `EnglishAnalyzer.ENGLISH_STOP_WORDS_SET`.
const ENGLISH: &str = "a an and are as at be but by for if in into is it no not of on or such that the their then \
    there these they this to was will with";

/// Lucene's English stop words, the list of a filter that names none.
pub(crate) fn english(ignore_case: bool) -> WordSet {
    WordSet::new(ENGLISH.split_whitespace().map(str::to_owned), ignore_case)
}

/// The list that `words` and `format` describe, or the English one.
pub(crate) fn read_words(args: &Args<'_>) -> Result<WordSet, Error> {
    let ignore_case = args.flag("ignoreCase", false);
    let listed = match args.get("format") {
        None => args.words("words", ignore_case)?,
        Some(format) if args.get("words").is_none() => {
            return Err(args.bad("format", format, "needs `words`"));
        }
        Some(format) if format.eq_ignore_ascii_case("wordset") => args.words("words", ignore_case)?,
        Some(format) if format.eq_ignore_ascii_case("snowball") => {
            args.snowball_words("words", ignore_case)?
        }
        Some(format) => return Err(args.bad("format", format, "is unknown; use wordset or snowball")),
    };
    Ok(listed.unwrap_or_else(|| english(ignore_case)))
}

fn build_stop(args: &Args<'_>) -> Result<Box<dyn Filter>, Error> {
    Ok(dropping(Arc::new(read_words(args)?)))
}

/// The filter that drops the words of a list.
pub(crate) fn dropping(words: Arc<WordSet>) -> Box<dyn Filter> {
    Keeping::boxed(Listed { words, keeps_listed: false })
}

fn build_keep_word(args: &Args<'_>) -> Result<Box<dyn Filter>, Error> {
    let words = args.words("words", args.flag("ignoreCase", false))?;
    let keeps_listed = words.is_some();
    Ok(Keeping::boxed(Listed { words: Arc::new(words.unwrap_or_default()), keeps_listed }))
}

#[derive(Clone)]
struct Listed {
    words: Arc<WordSet>,
    keeps_listed: bool,
}

impl Keep for Listed {
    #[inline]
    fn keeps(&mut self, token: &Token) -> bool {
        self.words.contains(&token.text) == self.keeps_listed
    }
}

/// Drops stop words but for one at the very end of the text, which becomes a keyword.
struct SuggestStop {
    words: Arc<WordSet>,
}

impl SuggestStop {
    fn boxed(words: Arc<WordSet>) -> Box<dyn Filter> {
        Box::new(SuggestStop { words })
    }
}

impl Filter for SuggestStop {
    fn next(&mut self, input: &mut Input<'_>, token: &mut Token) -> bool {
        if !input.next(token) {
            return false;
        }
        let mut skipped = 0;
        while self.words.contains(&token.text) {
            let mut ahead = Token::default();
            if !input.next(&mut ahead) {
                token.position_increment += skipped;
                token.keyword = true;
                return token.end as usize == input.original_len;
            }
            skipped += token.position_increment;
            *token = ahead;
        }
        token.position_increment += skipped;
        true
    }

    fn fresh(&self) -> Box<dyn Filter> {
        SuggestStop::boxed(self.words.clone())
    }
}
