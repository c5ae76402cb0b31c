//! `wordDelimiter`: the older filter, whose output is no graph. Parts step on by one position, combinations
//! stay on the position of the part they begin with. Its accounting of positions, odd corners included, is
//! Lucene's.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::filter::word_delimiter_rules::{DelimitedDraft, DelimiterRules, JoinedParts};
use crate::filter::word_parts::Part;
use crate::stage::{Filter, Input};
use crate::token::{Token, offset};

/// The filter with the tokens it has yet to give.
pub(crate) struct FlatDelimiter {
    rules: Arc<DelimiterRules>,
    ready: VecDeque<Token>,
    /// Positions that the next token given steps on.
    pending: u32,
    /// Whether nothing was given yet.
    first: bool,
    steps: Steps,
}

/// Where in the parts of one token we are.
#[derive(Default)]
struct Steps {
    gave: bool,
    gave_after_original: bool,
}

impl FlatDelimiter {
    pub(crate) fn new(rules: Arc<DelimiterRules>) -> Self {
        FlatDelimiter { rules, ready: VecDeque::new(), pending: 0, first: true, steps: Steps::default() }
    }

    /// How far the next piece steps on; a combination stays where the part before it is.
    fn step(&mut self, combination: bool) -> u32 {
        let pending = self.pending;
        if self.steps.gave {
            self.pending = 0;
            return if combination { 0 } else { pending.max(1) };
        }
        self.steps.gave = true;
        if !self.steps.gave_after_original {
            self.steps.gave_after_original = true;
            return 0;
        }
        self.pending = 0;
        pending.max(1)
    }

    fn piece(&mut self, token: &Token, draft: &DelimitedDraft, combination: bool) -> Token {
        let mut piece = Token { text: draft.text.clone(), ..token.clone() };
        piece.position_increment = self.step(combination);
        if token.end - token.start == offset(token.text.len()) {
            piece.start = token.start + offset(draft.start);
            piece.end = token.start + offset(draft.end);
        }
        piece
    }

    fn take(&mut self, token: &Token, parts: &[Part]) {
        self.steps = Steps { gave: false, gave_after_original: !self.rules.preserves };
        if self.rules.preserves {
            let position_increment = std::mem::take(&mut self.pending);
            self.ready.push_back(Token { position_increment, ..token.clone() });
            self.first = false;
        }
        if let [part] = parts {
            let piece = self.piece(token, &DelimitedDraft::part(&token.text, part, 0), false);
            self.ready.push_back(piece);
            self.first = false;
            return;
        }
        let mut pieces = self.pieces(token, parts);
        pieces.sort_by(|a, b| a.start.cmp(&b.start).then(b.position_increment.cmp(&a.position_increment)));
        for mut piece in pieces {
            if self.first && piece.position_increment == 0 {
                piece.position_increment = 1;
            }
            self.first = false;
            self.ready.push_back(piece);
        }
    }

    fn pieces(&mut self, token: &Token, parts: &[Part]) -> Vec<Token> {
        let rules = self.rules.clone();
        let term = token.text.as_str();
        let mut pieces = Vec::new();
        let mut run = JoinedParts::default();
        let mut all = JoinedParts::default();
        let mut last_run = 0;
        for part in parts {
            if run.count > 0 && run.kind & part.kind == 0 {
                last_run = run.count;
                pieces.extend(self.flush(token, &mut run));
                self.steps.gave = false;
            }
            if rules.joins(part.kind) {
                run.add(term, part, 0);
            }
            if rules.join_all {
                all.add(term, part, 0);
            }
            if rules.gives_part(part.kind) {
                pieces.push(self.piece(token, &DelimitedDraft::part(term, part, 0), false));
            }
        }
        if run.count > 0 {
            last_run = run.count;
            pieces.extend(self.flush(token, &mut run));
        }
        if all.count > last_run {
            pieces.push(self.piece(token, &all.draft(0), true));
        }
        pieces
    }

    fn flush(&mut self, token: &Token, run: &mut JoinedParts) -> Option<Token> {
        let run = std::mem::take(run);
        let given = run.count == 1 && self.rules.gives_part(run.kind);
        (!given).then(|| self.piece(token, &run.draft(0), true))
    }
}

impl Filter for FlatDelimiter {
    fn reset(&mut self) {
        *self = FlatDelimiter::new(self.rules.clone());
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
            self.pending += token.position_increment;
            if self.rules.passes(token) {
                token.position_increment = std::mem::take(&mut self.pending);
                self.first = false;
                return true;
            }
            let parts = self.rules.splitter.split(&token.text);
            if parts.is_empty() && !self.rules.preserves {
                if token.position_increment == 1 && !self.first {
                    self.pending -= 1;
                }
                continue;
            }
            self.take(token, &parts);
        }
    }

    fn fresh(&self) -> Box<dyn Filter> {
        Box::new(FlatDelimiter::new(self.rules.clone()))
    }
}
