//! `wordDelimiterGraph` and `wordDelimiter`: cut tokens at case changes, digits and punctuation, and join the
//! parts again in several ways. The graph filter gives each combination its true span of positions; the older
//! one puts combinations on the position of a part (`word_delimiter_flat.rs`). Flags and their defaults are
//! Lucene's (`word_delimiter_rules.rs`). Cutting is `word_parts.rs`.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::definition::FilterDefinition;
use crate::filter::word_delimiter_flat::FlatDelimiter;
use crate::filter::word_delimiter_rules::{DelimiterRules, read_rules};
use crate::stage::{Filter, Input};
use crate::token::Token;

pub(crate) const DEFINITIONS: &[&FilterDefinition] = &[&WORD_DELIMITER_GRAPH, &WORD_DELIMITER];

static WORD_DELIMITER_GRAPH: FilterDefinition = FilterDefinition::new(
    "wordDelimiterGraph",
    "miscellaneous.WordDelimiterGraphFilterFactory",
    &[
        "generateWordParts",
        "generateNumberParts",
        "catenateWords",
        "catenateNumbers",
        "catenateAll",
        "splitOnCaseChange",
        "splitOnNumerics",
        "preserveOriginal",
        "stemEnglishPossessive",
        "protected",
        "types",
        "adjustOffsets",
        "ignoreKeywords",
    ],
    "Cuts tokens at case changes, digits and punctuation and joins the parts again, as a token graph.",
    |args| Ok(Box::new(WordDelimiter::new(Arc::new(read_rules(args)?)))),
)
.reading(&["protected", "types"]);

static WORD_DELIMITER: FilterDefinition = FilterDefinition::new(
    "wordDelimiter",
    "miscellaneous.WordDelimiterFilterFactory",
    &[
        "generateWordParts",
        "generateNumberParts",
        "catenateWords",
        "catenateNumbers",
        "catenateAll",
        "splitOnCaseChange",
        "splitOnNumerics",
        "preserveOriginal",
        "stemEnglishPossessive",
        "protected",
        "types",
    ],
    "As `wordDelimiterGraph` without the graph; the graph filter is the better one.",
    |args| Ok(Box::new(FlatDelimiter::new(Arc::new(read_rules(args)?)))),
)
.reading(&["protected", "types"]);

struct WordDelimiter {
    rules: Arc<DelimiterRules>,
    ready: VecDeque<Token>,
    /// Positions of tokens that left nothing.
    skipped: u32,
}

impl WordDelimiter {
    fn new(rules: Arc<DelimiterRules>) -> Self {
        WordDelimiter { rules, ready: VecDeque::new(), skipped: 0 }
    }
}

impl Filter for WordDelimiter {
    fn reset(&mut self) {
        self.ready.clear();
        self.skipped = 0;
    }

    fn next(&mut self, input: &mut Input<'_>, token: &mut Token) -> bool {
        loop {
            if let Some(ready) = self.ready.pop_front() {
                *token = ready;
                return true;
            }
            if !input.next(token) {
                return false;
            }
            token.position_increment += std::mem::take(&mut self.skipped);
            if self.rules.passes(token) {
                return true;
            }
            let parts = self.rules.splitter.split(&token.text);
            if parts.is_empty() && self.rules.preserves {
                return true;
            }
            let before = token.position_increment;
            self.rules.lay_out(token, &parts, &mut self.ready);
            if self.ready.is_empty() {
                self.skipped = before;
            }
        }
    }

    fn fresh(&self) -> Box<dyn Filter> {
        Box::new(WordDelimiter::new(self.rules.clone()))
    }
}
