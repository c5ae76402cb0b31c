//! The rules of `wordDelimiterGraph` and `wordDelimiter`: which parts of a token are given, which are joined,
//! and how parts become tokens of a graph. Both filters read their arguments here. Where a token falls into
//! parts is `word_parts.rs`; the two filters (`word_delimiter.rs`, `word_delimiter_flat.rs`) differ in how
//! they order and place what is laid out here.

use std::cmp::Reverse;
use std::collections::VecDeque;

use crate::args::Args;
use crate::error::Error;
use crate::filter::word_parts::{CharTypes, Part, Splitter, is_alpha, is_digit};
use crate::token::{Token, offset};
use crate::word_set::WordSet;

/// The arguments of either filter.
pub(crate) struct DelimiterRules {
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

pub(crate) fn read_rules(args: &Args<'_>) -> Result<DelimiterRules, Error> {
    let mut types = CharTypes::default();
    for line in args.lines("types")?.unwrap_or_default() {
        types.read_rule(line).map_err(Error::resource)?;
    }
    Ok(DelimiterRules {
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

/// A token to be: a piece of the text, or several pieces joined, between two positions.
#[derive(Clone, Debug)]
pub(crate) struct DelimitedDraft {
    pub(crate) text: String,
    /// Bytes of the term that the piece covers.
    pub(crate) start: usize,
    pub(crate) end: usize,
    from: u32,
    to: u32,
    original: bool,
}

impl DelimitedDraft {
    pub(crate) fn part(term: &str, part: &Part, from: u32) -> Self {
        let text = term.get(part.start..part.end).unwrap_or_default().to_owned();
        DelimitedDraft { text, start: part.start, end: part.end, from, to: from + 1, original: false }
    }

    fn whole(term: &str, to: u32) -> Self {
        DelimitedDraft { text: term.to_owned(), start: 0, end: term.len(), from: 0, to, original: true }
    }
}

/// Parts being joined.
#[derive(Default)]
pub(crate) struct JoinedParts {
    text: String,
    start: usize,
    end: usize,
    from: u32,
    pub(crate) kind: u8,
    pub(crate) count: usize,
}

impl JoinedParts {
    pub(crate) fn add(&mut self, term: &str, part: &Part, position: u32) {
        if self.count == 0 {
            *self =
                JoinedParts { start: part.start, from: position, kind: part.kind, ..JoinedParts::default() };
        }
        self.text.push_str(term.get(part.start..part.end).unwrap_or_default());
        self.end = part.end;
        self.count += 1;
    }

    pub(crate) fn draft(&self, to: u32) -> DelimitedDraft {
        DelimitedDraft {
            text: self.text.clone(),
            start: self.start,
            end: self.end,
            from: self.from,
            to,
            original: false,
        }
    }
}

impl DelimiterRules {
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
    pub(crate) fn lay_out(&self, token: &Token, parts: &[Part], ready: &mut VecDeque<Token>) {
        let mut drafts = self.drafts(token, parts);
        drafts.sort_by_key(|draft| (draft.from, Reverse(draft.to), draft.start, Reverse(draft.end)));
        self.emit(token, &drafts, ready);
    }

    fn drafts(&self, token: &Token, parts: &[Part]) -> Vec<DelimitedDraft> {
        let term = token.text.as_str();
        let mut drafts = Vec::new();
        let mut position = 0;
        if let [part] = parts {
            drafts.push(DelimitedDraft::part(term, part, 0));
            if self.preserves {
                drafts.insert(0, DelimitedDraft::whole(term, 1));
            }
            return drafts;
        }
        let mut run = JoinedParts::default();
        let mut all = JoinedParts::default();
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
                drafts.push(DelimitedDraft::part(term, part, position));
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
            drafts.insert(0, DelimitedDraft::whole(term, position.max(1)));
        }
        drafts
    }

    /// Ends a run of joined parts; a run of one part that was given already is dropped.
    fn flush(&self, run: &mut JoinedParts, position: &mut u32, drafts: &mut Vec<DelimitedDraft>) {
        if run.count != 1 || !self.gives_part(run.kind) {
            if run.from == *position {
                *position += 1;
            }
            drafts.push(run.draft(*position));
        }
        *run = JoinedParts::default();
    }

    fn emit(&self, token: &Token, drafts: &[DelimitedDraft], ready: &mut VecDeque<Token>) {
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
