//! The terms and phrases of a query that stand in a text, longest first, for the `fastVector` method. The
//! rules are those of Lucene 9.12.3 (`FieldTermStack`, `FieldPhraseList`).
//!
//! In: those tokens of a text that the query names, and the query as a tree of words (`phrase_map`); out:
//! what was found, with its pieces of the text, its boost and the number of its tags. Laying fragments around
//! them is `fast_vector`'s.

use std::collections::VecDeque;

use super::phrase_map::{End, PhraseMap, QueryPhrases};
use super::tokens::Token;

/// A term or phrase found.
#[derive(Debug)]
pub(super) struct Found<'t> {
    /// Pieces of the text: one, unless words of a phrase stand apart.
    pub(super) pieces: Vec<(usize, usize)>,
    pub(super) words: Vec<&'t str>,
    pub(super) boost: f32,
    pub(super) number: usize,
}

impl<'t> Found<'t> {
    fn new(words: &[&'t Token], end: End) -> Self {
        let mut pieces: Vec<(usize, usize)> = Vec::new();
        let mut before: Option<u32> = None;
        for word in words {
            match pieces.last_mut() {
                Some(piece) if before.is_some_and(|before| word.position.saturating_sub(before) == 1) => {
                    piece.1 = word.end;
                }
                _ => pieces.push((word.start, word.end)),
            }
            before = Some(word.position);
        }
        let words = words.iter().map(|word| word.text.as_str()).collect();
        Self { pieces, words, boost: end.boost, number: end.number }
    }

    pub(super) fn start(&self) -> usize {
        self.pieces.first().map_or(0, |(start, _)| *start)
    }

    pub(super) fn end(&self) -> usize {
        self.pieces.last().map_or(0, |(_, end)| *end)
    }

    fn overlaps(&self, other: &Self) -> bool {
        self.start() < other.end() && other.start() < self.end()
    }
}

/// What of the query stands in the tokens, at most `limit`. Tokens are those that the query names.
pub(super) fn phrases<'t>(tokens: &'t [Token], query: &QueryPhrases<'_>, limit: usize) -> Vec<Found<'t>> {
    let mut stack = places(tokens);
    let mut found: Vec<Found<'t>> = Vec::new();
    while found.len() < limit {
        let Some(place) = stack.pop_front() else { break };
        let Some((token, map)) = choose(&place, |word| query.begins(word)) else { continue };
        let mut words = vec![token];
        let mut map = map;
        while let Some(place) = stack.pop_front() {
            match choose(&place, |word| map.then(word)) {
                Some((token, next)) => {
                    words.push(token);
                    map = next;
                }
                None => {
                    stack.push_front(place);
                    break;
                }
            }
        }
        if let Some(end) = longest(&mut words, map, query, &mut stack) {
            add(&mut found, Found::new(&words, end));
        }
    }
    found
}

/// Tokens by position.
fn places(tokens: &[Token]) -> VecDeque<Vec<&Token>> {
    let mut sorted: Vec<&Token> = tokens.iter().collect();
    sorted.sort_by(|left, right| (left.position, &left.text).cmp(&(right.position, &right.text)));
    sorted.chunk_by(|left, right| left.position == right.position).map(<[_]>::to_vec).collect()
}

fn choose<'t, 'm>(
    place: &[&'t Token],
    next: impl Fn(&str) -> Option<&'m PhraseMap>,
) -> Option<(&'t Token, &'m PhraseMap)> {
    place.iter().find_map(|token| Some((*token, next(&token.text)?)))
}

/// Gives words back until what is left is a term or phrase of the query.
fn longest<'t>(
    words: &mut Vec<&'t Token>,
    map: &PhraseMap,
    query: &QueryPhrases<'_>,
    stack: &mut VecDeque<Vec<&'t Token>>,
) -> Option<End> {
    let mut end = map.end.filter(|end| is_valid(words, *end));
    while end.is_none() && words.len() > 1 {
        stack.push_front(words.pop().into_iter().collect());
        let map = query.find(words.iter().map(|word| word.text.as_str()));
        end = map.and_then(|map| map.end).filter(|end| is_valid(words, *end));
    }
    end
}

/// Whether words stand as close to each other as the phrase allows.
fn is_valid(words: &[&Token], end: End) -> bool {
    words.windows(2).all(|pair| match pair {
        [left, right] => {
            (i64::from(right.position) - i64::from(left.position) - 1).abs() <= i64::from(end.slop)
        }
        _ => true,
    })
}

/// Joins what is found to an earlier one on the same text.
fn add<'t>(found: &mut Vec<Found<'t>>, one: Found<'t>) {
    // Earlier ones end before later ones begin, all but the last few.
    match found.iter_mut().rev().take(64).find(|known| known.overlaps(&one)) {
        Some(known) => {
            known.words.extend(one.words);
            known.boost += one.boost;
        }
        None => found.push(one),
    }
}
