//! Filters that protect words from stemmers, or give the stem themselves: `keywordMarker`, `keywordRepeat`,
//! `stemmerOverride`, `protectedTerm`; and `removeDuplicates`, which ends what `keywordRepeat` began. The
//! mark is a field of the token (`Token::keyword`), which stemmers look at and no index stores. Word lists
//! come from the configset through `Args`; `protectedTerm` runs filters of its own, which the registry builds
//! for it.

use std::sync::Arc;

use plan::ComponentSpec;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::args::Args;
use crate::chars::to_lower;
use crate::definition::FilterDefinition;
use crate::error::Error;
use crate::filter::shape::{Keep, Keeping, Rewrite, Rewriting};
use crate::java_regex::JavaRegex;
use crate::stage::{Filter, Input, Tokenizer};
use crate::token::Token;
use crate::word_set::WordSet;

pub(crate) const DEFINITIONS: &[&FilterDefinition] =
    &[&KEYWORD_MARKER, &KEYWORD_REPEAT, &STEMMER_OVERRIDE, &PROTECTED_TERM, &REMOVE_DUPLICATES];

static KEYWORD_MARKER: FilterDefinition = FilterDefinition::new(
    "keywordMarker",
    "miscellaneous.KeywordMarkerFilterFactory",
    &["protected", "pattern", "ignoreCase"],
    "Marks the words of a list, or those that match a pattern, so that stemmers leave them alone.",
    build_marker,
)
.reading(&["protected"]);

static KEYWORD_REPEAT: FilterDefinition = FilterDefinition::new(
    "keywordRepeat",
    "miscellaneous.KeywordRepeatFilterFactory",
    &[],
    "Gives each token twice, first marked as a keyword: the word and its stem are both indexed.",
    |_| Ok(Box::new(Repeat { waiting: None })),
);

static STEMMER_OVERRIDE: FilterDefinition = FilterDefinition::new(
    "stemmerOverride",
    "miscellaneous.StemmerOverrideFilterFactory",
    &["dictionary", "ignoreCase"],
    "Replaces the words of a dictionary by their stems and marks them as keywords.",
    build_override,
)
.reading(&["dictionary"]);

static PROTECTED_TERM: FilterDefinition = FilterDefinition::new(
    "protectedTerm",
    "miscellaneous.ProtectedTermFilterFactory",
    &["protected", "ignoreCase", "wrappedFilters", "*"],
    "Sends all but the words of a list through the filters named by `wrappedFilters`.",
    build_protected,
)
.reading(&["protected"]);

static REMOVE_DUPLICATES: FilterDefinition = FilterDefinition::new(
    "removeDuplicates",
    "miscellaneous.RemoveDuplicatesTokenFilterFactory",
    &[],
    "Drops tokens that repeat one at the same position.",
    |_| Ok(Keeping::boxed(Duplicates::default())),
);

fn build_marker(args: &Args<'_>) -> Result<Box<dyn Filter>, Error> {
    let words = args.words("protected", args.flag("ignoreCase", false))?.unwrap_or_default();
    let pattern = args.get("pattern").map(|_| args.pattern("pattern")).transpose()?;
    Ok(Box::new(Rewriting(Marker { words: Arc::new(words), pattern })))
}

#[derive(Clone)]
struct Marker {
    words: Arc<WordSet>,
    pattern: Option<JavaRegex>,
}

impl Rewrite for Marker {
    fn rewrite(&mut self, token: &mut Token) {
        let matches = |pattern: &JavaRegex| pattern.matches(&token.text);
        if self.words.contains(&token.text) || self.pattern.as_ref().is_some_and(matches) {
            token.keyword = true;
        }
    }
}

struct Repeat {
    waiting: Option<Token>,
}

impl Filter for Repeat {
    fn reset(&mut self) {
        self.waiting = None;
    }

    fn next(&mut self, input: &mut Input<'_>, token: &mut Token) -> bool {
        if let Some(again) = self.waiting.take() {
            *token = again;
            return true;
        }
        if !input.next(token) {
            return false;
        }
        // The marked one goes first and keeps the increment: stemmers behind leave it as it is, and what they
        // make of the other stands at its position.
        self.waiting = Some(Token { position_increment: 0, keyword: false, ..token.clone() });
        token.keyword = true;
        true
    }

    fn fresh(&self) -> Box<dyn Filter> {
        Box::new(Repeat { waiting: None })
    }
}

fn build_override(args: &Args<'_>) -> Result<Box<dyn Filter>, Error> {
    let ignore_case = args.flag("ignoreCase", false);
    let mut stems = FxHashMap::default();
    for line in args.lines("dictionary")?.unwrap_or_default() {
        let (word, stem) = line.split_once('\t').ok_or_else(|| {
            Error::resource(format!("the dictionary line `{line}` has no tab between word and stem"))
        })?;
        let word = if ignore_case { lowered(word) } else { word.to_owned() };
        // The first line for a word counts: Lucene's builder ignores those that repeat it.
        stems.entry(word).or_insert_with(|| stem.to_owned());
    }
    Ok(Box::new(Rewriting(Override { stems: Arc::new(stems), ignore_case })))
}

fn lowered(text: &str) -> String {
    text.chars().map(to_lower).collect()
}

#[derive(Clone)]
struct Override {
    stems: Arc<FxHashMap<String, String>>,
    ignore_case: bool,
}

impl Rewrite for Override {
    fn rewrite(&mut self, token: &mut Token) {
        if token.keyword {
            return;
        }
        let found = if self.ignore_case {
            self.stems.get(&lowered(&token.text))
        } else {
            self.stems.get(&token.text)
        };
        if let Some(stem) = found {
            token.set_text(stem);
            token.keyword = true;
        }
    }
}

fn build_protected(args: &Args<'_>) -> Result<Box<dyn Filter>, Error> {
    args.required("protected")?;
    let words = args.words("protected", args.flag("ignoreCase", false))?.unwrap_or_default();
    let mut wrapped = Vec::new();
    for name in args.list("wrappedFilters") {
        // `synonym-A, synonym-B`: the suffix only tells two uses of one filter apart, whose arguments are
        // prefixed by the whole name.
        let (simple, _) = name.split_once('-').unwrap_or((name, ""));
        let prefix = format!("{name}.");
        let inner = args.iter().filter_map(|(key, value)| {
            let key = key.strip_prefix(&prefix)?;
            Some((key.to_owned(), value.to_owned()))
        });
        let spec = ComponentSpec { name: simple.to_owned(), args: inner.collect() };
        wrapped.push(args.build_filter(&spec)?);
    }
    Ok(Box::new(Protected { words: Arc::new(words), wrapped, ready: Vec::new() }))
}

/// Runs each token that is not protected through filters of its own, as a text of one token.
struct Protected {
    words: Arc<WordSet>,
    wrapped: Vec<Box<dyn Filter>>,
    /// What the filters made of the last token, last one first.
    ready: Vec<Token>,
}

impl Protected {
    fn run(&mut self, token: &Token, input: &Input<'_>) {
        let mut replay = Replay { token: token.clone(), done: false };
        self.wrapped.iter_mut().for_each(|filter| filter.reset());
        let mut inner = Input {
            tokenizer: &mut replay,
            filters: &mut self.wrapped,
            text: input.text,
            // The token's offsets are corrected already; a second correction would move them again.
            offsets: &[],
            original_len: input.original_len,
        };
        let mut out = Token::default();
        while inner.next(&mut out) {
            self.ready.push(out.clone());
        }
        self.ready.reverse();
    }
}

impl Filter for Protected {
    fn reset(&mut self) {
        self.ready.clear();
    }

    fn next(&mut self, input: &mut Input<'_>, token: &mut Token) -> bool {
        loop {
            if let Some(ready) = self.ready.pop() {
                *token = ready;
                return true;
            }
            if !input.next(token) {
                return false;
            }
            if self.words.contains(&token.text) {
                return true;
            }
            self.run(token, input);
        }
    }

    fn fresh(&self) -> Box<dyn Filter> {
        let wrapped = self.wrapped.iter().map(|filter| filter.fresh()).collect();
        Box::new(Protected { words: self.words.clone(), wrapped, ready: Vec::new() })
    }
}

/// One token as a text.
#[derive(Clone)]
struct Replay {
    token: Token,
    done: bool,
}

impl Tokenizer for Replay {
    fn reset(&mut self) {
        self.done = false;
    }

    fn next(&mut self, _text: &str, token: &mut Token) -> bool {
        if self.done {
            return false;
        }
        self.done = true;
        token.copy_from(&self.token);
        true
    }

    fn fresh(&self) -> Box<dyn Tokenizer> {
        Box::new(self.clone())
    }
}

#[derive(Clone, Default)]
struct Duplicates {
    seen: FxHashSet<String>,
}

impl Keep for Duplicates {
    fn reset(&mut self) {
        self.seen.clear();
    }

    fn keeps(&mut self, token: &Token) -> bool {
        if token.position_increment > 0 {
            self.seen.clear();
        }
        if self.seen.contains(&token.text) {
            return token.position_increment > 0;
        }
        self.seen.insert(token.text.clone());
        true
    }
}
