//! `flattenGraph`: makes a token graph flat, because an index stores no `position_length` that could lead
//! over other tokens. Nodes of the graph are merged so that every path has as many positions as the longest;
//! tokens of the shorter paths reach further. The merging order is that of Lucene's FlattenGraphFilter.

use std::collections::{BTreeMap, VecDeque};

use crate::stage::{Filter, Input};
use crate::token::Token;

use crate::definition::FilterDefinition;

pub(crate) const DEFINITIONS: &[&FilterDefinition] = &[&FLATTEN_GRAPH];

static FLATTEN_GRAPH: FilterDefinition = FilterDefinition::new(
    "flattenGraph",
    "core.FlattenGraphFilterFactory",
    &[],
    "Flattens a token graph before it is indexed.",
    |_| Ok(Box::new(FlattenGraph::default())),
);

/// A node of the graph that comes in: a position at which tokens start.
#[derive(Default)]
struct InNode {
    tokens: VecDeque<Token>,
    /// The flat node that it became part of.
    out: i64,
    /// The furthest node that a token from here reaches.
    reach: i64,
}

/// A position of the flat graph.
#[derive(Default)]
struct OutNode {
    members: Vec<i64>,
    start: Option<u32>,
    end: Option<u32>,
}

#[derive(Default)]
struct FlattenGraph {
    incoming: BTreeMap<i64, InNode>,
    outgoing: BTreeMap<i64, OutNode>,
    /// Where the last token read starts; -1 before the first.
    read_from: i64,
    /// The flat node being given out, and the one that the last token given started at.
    giving: i64,
    given: i64,
    last_start: u32,
    done: bool,
    begun: bool,
}

impl FlattenGraph {
    fn begin(&mut self) {
        *self = FlattenGraph { read_from: -1, given: -1, begun: true, ..FlattenGraph::default() };
    }

    /// Takes a token into the graph.
    fn read(&mut self, token: &Token) {
        self.read_from += i64::from(token.position_increment);
        let from = self.read_from;
        let to = from + i64::from(token.position_length);
        let out = self.source(from, token.start);
        if let Some(source) = self.incoming.get_mut(&from) {
            source.reach = source.reach.max(to);
            source.tokens.push_back(token.clone());
        }
        self.connect(to, out + 1, token.end);
    }

    /// The flat node of a node that a token starts at.
    fn source(&mut self, from: i64, start: u32) -> i64 {
        let out = match self.incoming.get(&from) {
            Some(node) => node.out,
            None => self.enter_hole(from),
        };
        let flat = self.outgoing.entry(out).or_default();
        flat.start = flat.start.max(Some(start));
        out
    }

    /// A node that no token led to: it follows the last flat node.
    fn enter_hole(&mut self, from: i64) -> i64 {
        let last = self.incoming.range(..from).next_back().map(|(id, node)| (*id, node.out));
        let out = match last {
            None => i64::from(from > 0),
            Some((_, out)) => {
                let last_out = self.outgoing.keys().next_back().copied().unwrap_or(out).max(out);
                last_out.max(out) + 1
            }
        };
        self.incoming.insert(from, InNode { out, reach: from, ..InNode::default() });
        self.outgoing.entry(out).or_default().members.push(from);
        out
    }

    /// Notes that a token ends at `to`, which lies at least as far as the flat node `out`.
    fn connect(&mut self, to: i64, out: i64, end: u32) {
        let known = self.incoming.get(&to).map(|node| node.out);
        // A node is only ever pushed to the right: the longest path to it decides, and shorter ones stretch.
        if known.is_none_or(|known| out > known) {
            if let Some(old) = known.and_then(|known| self.outgoing.get_mut(&known)) {
                old.members.retain(|member| *member != to);
            }
            self.outgoing.entry(out).or_default().members.push(to);
            self.incoming.entry(to).or_insert_with(|| InNode { reach: to, ..InNode::default() }).out = out;
        }
        let out = self.incoming.get(&to).map_or(out, |node| node.out);
        let flat = self.outgoing.entry(out).or_default();
        flat.end = Some(flat.end.map_or(end, |known| known.min(end)));
    }

    /// Gives the next token whose nodes cannot change any more.
    fn give(&mut self, token: &mut Token) -> bool {
        loop {
            let Some((&at, flat)) = self.outgoing.range(self.giving..).next() else { return false };
            self.giving = at;
            let reach =
                flat.members.iter().filter_map(|id| self.incoming.get(id)).map(|node| node.reach).max();
            // A token that is still to come may push the nodes from here on to the right; what was given
            // could not be taken back.
            if !self.done && reach.is_none_or(|reach| reach > self.read_from) {
                return false;
            }
            if self.give_from(at, token) {
                return true;
            }
            self.leave(at);
        }
    }

    fn give_from(&mut self, at: i64, token: &mut Token) -> bool {
        let Some(flat) = self.outgoing.get(&at) else { return false };
        let start = flat.start;
        let next = flat.members.iter().copied().find_map(|id| {
            let node = self.incoming.get_mut(&id)?;
            node.tokens.pop_front().map(|token| (id, token))
        });
        let Some((id, given)) = next else { return false };
        let target = id + i64::from(given.position_length);
        *token = given;
        let out = self.incoming.get(&target).map_or(at + 1, |node| node.out);
        token.position_increment = u32::try_from(at - self.given).unwrap_or(0);
        token.position_length = u32::try_from(out - at).unwrap_or(1);
        token.start = self.last_start.max(start.unwrap_or(token.start));
        token.end = self.outgoing.get(&out).and_then(|flat| flat.end).unwrap_or(token.end).max(token.start);
        self.last_start = token.start;
        self.given = at;
        true
    }

    /// Forgets a flat node all of whose tokens were given.
    fn leave(&mut self, at: i64) {
        self.giving = at + 1;
        let kept = self.outgoing.keys().next_back().is_some_and(|last| *last > at);
        if kept && let Some(flat) = self.outgoing.remove(&at) {
            let last = self.read_from;
            // The node of the last token read stays: the next one may stand at the same position.
            flat.members.iter().filter(|id| **id < last).for_each(|id| drop(self.incoming.remove(id)));
        }
    }
}

impl Filter for FlattenGraph {
    fn reset(&mut self) {
        self.begun = false;
    }

    fn next(&mut self, input: &mut Input<'_>, token: &mut Token) -> bool {
        if !self.begun {
            self.begin();
        }
        loop {
            if self.give(token) {
                return true;
            }
            if self.done {
                return false;
            }
            if input.next(token) {
                self.read(token);
            } else {
                self.done = true;
            }
        }
    }

    fn fresh(&self) -> Box<dyn Filter> {
        Box::new(FlattenGraph::default())
    }
}
