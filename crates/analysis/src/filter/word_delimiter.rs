//! `wordDelimiterGraph` and `wordDelimiter`: cut tokens at case changes, digits and punctuation, and join the
//! parts again in several ways. The graph filter gives each combination its true span of positions; the older
//! one puts combinations on the position of a part (`word_delimiter_flat.rs`). Flags and their defaults are
//! Lucene's. Cutting is `word_parts.rs`.

use std::cmp::Reverse;
use std::collections::VecDeque;
use std::sync::Arc;

use crate::args::Args;
use crate::error::Error;
use crate::filter::FilterDefinition;
use crate::filter::word_delimiter_flat::FlatDelimiter;
use crate::filter::word_parts::{CharTypes, Part, Splitter, is_alpha, is_digit};
use crate::stage::{Filter, Input};
use crate::token::{Token, offset};
use crate::word_set::WordSet;

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
);

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
);

/// The arguments of either filter.
pub(crate) struct Rules {
    pub(crate) word_parts: bool,
    pub(crate) number_parts: bool,
    pub(crate) join_words: bool,
    pub(crate) join_numbers: bool,
    pub(crate) join_all: bool,
    pub(crate) preserves: bool,
    adjusts_offsets: bool,
    ignores_keywords: bool,
    pub(crate) splitter: Splitter,
    protected: WordSet,
}

/// Flags are 0 or 1; any other number is on, as in Lucene.
fn bit(args: &Args<'_>, name: &str, default: i32) -> Result<bool, Error> {
    Ok(args.int(name, default)? != 0)
}

fn read_rules(args: &Args<'_>) -> Result<Rules, Error> {
    let mut types = CharTypes::default();
    for line in args.lines("types")?.unwrap_or_default() {
        types.read_rule(line).map_err(Error::resource)?;
    }
    Ok(Rules {
        word_parts: bit(args, "generateWordParts", 1)?,
        number_parts: bit(args, "generateNumberParts", 1)?,
        join_words: bit(args, "catenateWords", 0)?,
        join_numbers: bit(args, "catenateNumbers", 0)?,
        join_all: bit(args, "catenateAll", 0)?,
        preserves: bit(args, "preserveOriginal", 0)?,
        adjusts_offsets: args.flag("adjustOffsets", true),
        ignores_keywords: bit(args, "ignoreKeywords", 0)?,
        splitter: Splitter {
            types,
            on_case_change: bit(args, "splitOnCaseChange", 1)?,
            on_numerics: bit(args, "splitOnNumerics", 1)?,
            drops_possessive: bit(args, "stemEnglishPossessive", 1)?,
        },
        protected: args.words("protected", false)?.unwrap_or_default(),
    })
}

struct WordDelimiter {
    rules: Arc<Rules>,
    ready: VecDeque<Token>,
    /// Positions of tokens that left nothing.
    skipped: u32,
}

impl WordDelimiter {
    fn new(rules: Arc<Rules>) -> Self {
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

/// A token to be: a piece of the text, or several pieces joined, between two positions.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    pub(crate) text: String,
    /// Bytes of the term that the piece covers.
    pub(crate) start: usize,
    pub(crate) end: usize,
    from: u32,
    to: u32,
    original: bool,
}

impl Draft {
    pub(crate) fn part(term: &str, part: &Part, from: u32) -> Self {
        let text = term.get(part.start..part.end).unwrap_or_default().to_owned();
        Draft { text, start: part.start, end: part.end, from, to: from + 1, original: false }
    }

    fn whole(term: &str, to: u32) -> Self {
        Draft { text: term.to_owned(), start: 0, end: term.len(), from: 0, to, original: true }
    }
}

/// Parts being joined.
#[derive(Default)]
pub(crate) struct Joined {
    text: String,
    start: usize,
    end: usize,
    from: u32,
    pub(crate) kind: u8,
    pub(crate) count: usize,
}

impl Joined {
    pub(crate) fn add(&mut self, term: &str, part: &Part, position: u32) {
        if self.count == 0 {
            *self = Joined { start: part.start, from: position, kind: part.kind, ..Joined::default() };
        }
        self.text.push_str(term.get(part.start..part.end).unwrap_or_default());
        self.end = part.end;
        self.count += 1;
    }

    pub(crate) fn draft(&self, to: u32) -> Draft {
        Draft {
            text: self.text.clone(),
            start: self.start,
            end: self.end,
            from: self.from,
            to,
            original: false,
        }
    }
}

impl Rules {
    /// Whether the token is one word as it stands, or is to be left alone.
    pub(crate) fn passes(&self, token: &Token) -> bool {
        self.ignores_keywords && token.keyword
            || self.protected.contains(&token.text)
            || self.splitter.is_single(&token.text)
    }

    pub(crate) fn gives_part(&self, kind: u8) -> bool {
        self.word_parts && is_alpha(kind) || self.number_parts && is_digit(kind)
    }

    pub(crate) fn joins(&self, kind: u8) -> bool {
        self.join_words && is_alpha(kind) || self.join_numbers && is_digit(kind)
    }

    /// Turns the parts of one token into tokens.
    fn lay_out(&self, token: &Token, parts: &[Part], ready: &mut VecDeque<Token>) {
        let mut drafts = self.drafts(token, parts);
        drafts.sort_by_key(|draft| (draft.from, Reverse(draft.to), draft.start, Reverse(draft.end)));
        self.emit(token, &drafts, ready);
    }

    fn drafts(&self, token: &Token, parts: &[Part]) -> Vec<Draft> {
        let term = token.text.as_str();
        let mut drafts = Vec::new();
        let mut position = 0;
        if let [part] = parts {
            drafts.push(Draft::part(term, part, 0));
            if self.preserves {
                drafts.insert(0, Draft::whole(term, 1));
            }
            return drafts;
        }
        let mut run = Joined::default();
        let mut all = Joined::default();
        for part in parts {
            if run.count > 0 && run.kind & part.kind == 0 {
                self.flush(&mut run, &mut position, &mut drafts);
            }
            if self.joins(part.kind) {
                run.add(term, part, position);
            }
            if self.join_all {
                all.add(term, part, position);
            }
            if self.gives_part(part.kind) {
                drafts.push(Draft::part(term, part, position));
                position += 1;
            }
        }
        let run_count = run.count;
        if run.count > 0 {
            self.flush(&mut run, &mut position, &mut drafts);
        }
        if all.count > run_count {
            if all.from == position {
                position += 1;
            }
            drafts.push(all.draft(position));
        }
        if self.preserves {
            drafts.insert(0, Draft::whole(term, position.max(1)));
        }
        drafts
    }

    /// Ends a run of joined parts; a run of one part that was given already is dropped.
    fn flush(&self, run: &mut Joined, position: &mut u32, drafts: &mut Vec<Draft>) {
        if run.count != 1 || !self.gives_part(run.kind) {
            if run.from == *position {
                *position += 1;
            }
            drafts.push(run.draft(*position));
        }
        *run = Joined::default();
    }

    fn emit(&self, token: &Token, drafts: &[Draft], ready: &mut VecDeque<Token>) {
        let same_length = token.end - token.start == offset(token.text.len());
        let adjusts = self.adjusts_offsets && same_length;
        let mut position = 0;
        for (index, draft) in drafts.iter().enumerate() {
            let mut piece = Token { text: draft.text.clone(), ..token.clone() };
            let before = if index == 0 { token.position_increment } else { 0 };
            piece.position_increment = draft.from - position + before;
            piece.position_length = draft.to - draft.from;
            position = draft.from;
            if adjusts && !draft.original {
                piece.start = token.start + offset(draft.start);
                piece.end = token.start + offset(draft.end);
            }
            ready.push_back(piece);
        }
    }
}
