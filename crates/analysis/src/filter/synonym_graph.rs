//! `synonymGraph`: puts synonyms beside the words they stand for, as a correct graph: a replacement of
//! several words runs through positions of its own, and `position_length` says how far each token reaches.
//! Node numbers follow Lucene's filter: inner nodes of the replacements first, in the order of the rules,
//! then those of the original.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::Arc;

use crate::stage::{Filter, Input};
use crate::synonym_map::{SynonymMap, SynonymOutput};
use crate::token::{KIND_SYNONYM, Token};

/// The filter with the tokens it has read ahead and those it has yet to give.
pub(crate) struct SynonymGraph {
    map: Arc<SynonymMap>,
    ahead: VecDeque<Token>,
    ready: VecDeque<Token>,
    /// The node at which the last token given starts; -1 before the first.
    last_node: i64,
    /// The node at which the next match starts.
    next_node: i64,
    spare: Vec<Token>,
}

/// A match: how many tokens, and what they become.
#[derive(Clone, Copy)]
struct Match {
    len: usize,
    node: u32,
}

impl SynonymGraph {
    pub(crate) fn new(map: Arc<SynonymMap>) -> Self {
        SynonymGraph {
            map,
            ahead: VecDeque::new(),
            ready: VecDeque::new(),
            last_node: -1,
            next_node: 0,
            spare: Vec::new(),
        }
    }

    /// Makes sure that `ahead` holds more than `index` tokens; false at the end of the text.
    fn read_to(&mut self, index: usize, input: &mut Input<'_>) -> bool {
        while self.ahead.len() <= index {
            let mut token = self.spare.pop().unwrap_or_default();
            if !input.next(&mut token) {
                self.spare.push(token);
                return false;
            }
            self.ahead.push_back(token);
        }
        true
    }

    /// The longest match that starts at the first token ahead.
    fn longest(&mut self, input: &mut Input<'_>) -> Option<Match> {
        let mut node = 0;
        let mut best = None;
        let mut len = 0;
        while self.read_to(len, input) {
            let Some(token) = self.ahead.get(len) else { break };
            let Some(next) = self.map.step(node, &token.text) else { break };
            node = next;
            len += 1;
            if self.map.entry(node).is_some() {
                best = Some(Match { len, node });
            }
        }
        best
    }

    /// Lays the replacements and, if it stays, the original out between two nodes.
    fn lay_out(&mut self, matched: Match) {
        let map = self.map.clone();
        let Some(entry) = map.entry(matched.node) else { return };
        let originals: Vec<Token> = self.ahead.drain(..matched.len).collect();
        let start = originals.first().map_or(0, |token| token.start);
        let end = originals.last().map_or(0, |token| token.end);
        let plan = Layout::new(entry, matched.len, self.next_node);
        for step in plan.steps() {
            let mut token = match step.output {
                Some(word) => synonym(word, start, end),
                None => originals.get(step.index).cloned().unwrap_or_default(),
            };
            token.position_increment = distance(self.last_node, step.from);
            token.position_length = distance(step.from, step.to);
            self.last_node = step.from;
            self.ready.push_back(token);
        }
        self.next_node = plan.end;
        self.spare.extend(originals);
    }
}

fn distance(from: i64, to: i64) -> u32 {
    u32::try_from(to - from).unwrap_or(0)
}

fn synonym(word: &str, start: u32, end: u32) -> Token {
    Token { text: word.to_owned(), start, end, kind: Cow::Borrowed(KIND_SYNONYM), ..Token::default() }
}

/// The nodes of one match.
struct Layout<'a> {
    entry: &'a SynonymOutput,
    /// The inner nodes of each path: the replacements, then the original.
    paths: Vec<Vec<i64>>,
    start: i64,
    end: i64,
}

/// One token of a layout: a word of a replacement, or the original token at `index`.
struct Step<'a> {
    output: Option<&'a str>,
    index: usize,
    from: i64,
    to: i64,
}

impl<'a> Layout<'a> {
    fn new(entry: &'a SynonymOutput, original_len: usize, start: i64) -> Self {
        let mut fresh = start + 1;
        let original = entry.keeps_original.then_some(original_len);
        let mut paths = Vec::new();
        for len in entry.outputs.iter().map(Vec::len).chain(original) {
            let inner = i64::try_from(len.saturating_sub(1)).unwrap_or(0);
            paths.push((fresh..fresh + inner).collect());
            fresh += inner;
        }
        Layout { entry, paths, start, end: fresh }
    }

    /// First the first token of each path, then the rest of each path.
    fn steps(&self) -> Vec<Step<'a>> {
        let mut steps: Vec<Step<'a>> = (0..self.paths.len()).filter_map(|path| self.step(path, 0)).collect();
        for (path, inner) in self.paths.iter().enumerate() {
            steps.extend((1..=inner.len()).filter_map(|at| self.step(path, at)));
        }
        steps
    }

    fn step(&self, path: usize, at: usize) -> Option<Step<'a>> {
        let inner = self.paths.get(path)?;
        let from = if at == 0 { self.start } else { *inner.get(at - 1)? };
        let to = inner.get(at).copied().unwrap_or(self.end);
        let output = match self.entry.outputs.get(path) {
            Some(words) => Some(&**words.get(at)?),
            None => None,
        };
        Some(Step { output, index: at, from, to })
    }
}

impl Filter for SynonymGraph {
    fn reset(&mut self) {
        self.ahead.clear();
        self.ready.clear();
        self.last_node = -1;
        self.next_node = 0;
    }

    fn next(&mut self, input: &mut Input<'_>, token: &mut Token) -> bool {
        loop {
            if let Some(ready) = self.ready.pop_front() {
                *token = ready;
                return true;
            }
            if !self.read_to(0, input) {
                return false;
            }
            if let Some(matched) = self.longest(input) {
                self.lay_out(matched);
                continue;
            }
            let Some(first) = self.ahead.pop_front() else { return false };
            self.spare.push(std::mem::replace(token, first));
            self.last_node += i64::from(token.position_increment);
            self.next_node = self.last_node + i64::from(token.position_length);
            return true;
        }
    }

    fn fresh(&self) -> Box<dyn Filter> {
        Box::new(SynonymGraph::new(self.map.clone()))
    }
}
