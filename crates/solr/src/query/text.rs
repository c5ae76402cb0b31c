//! Text of an analysed field to a query: no token is no query, one is a term, several at one place are
//! synonyms, several places are a phrase or a boolean query, a token graph becomes alternatives. Shapes
//! follow Lucene's `QueryBuilder`, the lost slop of a quoted graph among them.

use std::sync::Arc;

use analysis::{Boost, Token};
use plan::{Clause, Error, FieldType, Occur, Phrase, PhrasePosition, Query, Result};

/// Most alternatives that one token graph may unfold into.
const PATHS_MAX: usize = 128;

/// Most words of a phrase.
const PLACES_MAX: usize = 1024;

/// How tokens combine.
pub(crate) struct TextQuery<'a> {
    pub field: &'a Arc<str>,
    pub kind: &'a FieldType,
    /// `Must` under `q.op=AND`, else `Should`.
    pub occur: Occur,
    /// Tokens at several places form a phrase.
    pub phrase: bool,
    pub slop: u32,
}

/// A token at its place: from position `start` to `end`.
struct Placed<'a> {
    token: &'a Token,
    start: usize,
    end: usize,
}

impl TextQuery<'_> {
    /// The query for these tokens; `None` when there are none.
    pub(crate) fn build(&self, tokens: &[Token]) -> Result<Option<Query>> {
        let placed = place(tokens);
        if self.phrase {
            check_places(&placed)?;
        }
        let graph = placed.iter().any(|one| one.token.position_length > 1)
            && self.kind.argument("enableGraphQueries") != Some("false");
        match placed.as_slice() {
            [] => Ok(None),
            // A phrase of one word is the word: its score has no phrase in it.
            [one] => Ok(Some(self.term(one.token))),
            all if graph && self.phrase => self.graph_phrase(all).map(Some),
            all if graph => self.graph_boolean(all).map(Some),
            all => Ok(Some(self.flat(all))),
        }
    }

    fn flat(&self, placed: &[Placed<'_>]) -> Query {
        let places: Vec<_> = placed.chunk_by(|a, b| a.start == b.start).collect();
        match places.as_slice() {
            [only] => self.synonyms(only),
            _ if self.phrase => self.phrase_of(&places),
            _ => boolean(places.into_iter().map(|place| self.synonyms(place)), self.occur),
        }
    }

    fn term(&self, token: &Token) -> Query {
        let term = Query::Term { field: self.field.clone(), value: plan::Value::Str(token.text.clone()) };
        if token.boost == Boost::ONE {
            return term;
        }
        Query::Boost { query: Box::new(term), boost: token.boost.factor() }
    }

    /// The tokens of one place, by the type's `synonymQueryStyle`.
    fn synonyms(&self, place: &[Placed<'_>]) -> Query {
        if let [only] = place {
            return self.term(only.token);
        }
        let each = place.iter().map(|one| self.term(one.token));
        match self.kind.argument("synonymQueryStyle").map(str::to_ascii_lowercase).as_deref() {
            Some("as_distinct_terms") => boolean(each, Occur::Should),
            Some("pick_best") => Query::DisjunctionMax { queries: each.collect(), tie_breaker: 0.0 },
            _ => {
                let mut terms: Vec<_> =
                    place.iter().map(|one| (one.token.text.clone(), one.token.boost.factor())).collect();
                // Lucene keeps the terms of a synonym query sorted, which shows in debug output.
                terms.sort_by(|a, b| a.0.cmp(&b.0));
                Query::Synonym { field: self.field.clone(), terms }
            }
        }
    }

    fn phrase_of(&self, places: &[&[Placed<'_>]]) -> Query {
        let positions = places.iter().filter_map(|place| {
            let terms = place.iter().map(|one| one.token.text.clone()).collect();
            Some(PhrasePosition { position: u32::try_from(place.first()?.start).unwrap_or(u32::MAX), terms })
        });
        Query::Phrase(Phrase { field: self.field.clone(), positions: positions.collect(), slop: self.slop })
    }

    fn graph_boolean(&self, placed: &[Placed<'_>]) -> Result<Query> {
        let parts = segments(placed).into_iter().map(|segment| self.segment(segment));
        Ok(boolean(parts.collect::<Result<Vec<_>>>()?, self.occur))
    }

    fn segment(&self, segment: &[Placed<'_>]) -> Result<Query> {
        let end = reach(segment);
        if segment
            .iter()
            .all(|one| Some(one.start) == segment.first().map(|first| first.start) && one.end == end)
        {
            return Ok(self.synonyms(segment));
        }
        let start = segment.first().map_or(0, |one| one.start);
        let alternatives = paths(segment)?.into_iter().map(|path| self.path(&path, start));
        Ok(boolean(alternatives, Occur::Should))
    }

    fn path(&self, path: &[&Placed<'_>], start: usize) -> Query {
        match path {
            [only] => self.term(only.token),
            _ if self.kind.auto_phrase => self.path_phrase(path, start),
            _ => boolean(path.iter().map(|one| self.term(one.token)), Occur::Must),
        }
    }

    /// The path's words one behind the other, with the gaps that lie between its tokens, from position
    /// `start` on.
    fn path_phrase(&self, path: &[&Placed<'_>], start: usize) -> Query {
        let (mut at, mut end) = (0, start);
        let mut positions = Vec::with_capacity(path.len());
        for one in path {
            at += u32::try_from(one.start.saturating_sub(end)).unwrap_or(u32::MAX);
            positions.push(PhrasePosition { position: at, terms: vec![one.token.text.clone()] });
            at = at.saturating_add(1);
            end = one.end;
        }
        // Lucene's builder drops the slop here, which users know as a bug; kept, since answers depend on it.
        Query::Phrase(Phrase { field: self.field.clone(), positions, slop: 0 })
    }

    fn graph_phrase(&self, placed: &[Placed<'_>]) -> Result<Query> {
        let mut phrases = paths(placed)?.into_iter().map(|path| match path.as_slice() {
            [only] => self.term(only.token),
            words => self.path_phrase(words, 0),
        });
        match (phrases.next(), phrases.next()) {
            (Some(only), None) => Ok(only),
            (first, second) => Ok(boolean(first.into_iter().chain(second).chain(phrases), Occur::Should)),
        }
    }
}

/// Each place of a phrase has its own walk over the postings of its terms. Solr differs: it has no such
/// bound.
fn check_places(placed: &[Placed<'_>]) -> Result<()> {
    match placed.chunk_by(|a, b| a.start == b.start).nth(PLACES_MAX) {
        None => Ok(()),
        Some(_) => Err(Error::bad_request(format!("a phrase of more than {PLACES_MAX} words; use fewer"))),
    }
}

fn boolean(queries: impl IntoIterator<Item = Query>, occur: Occur) -> Query {
    let clauses = queries.into_iter().map(|query| Clause { occur, query }).collect();
    Query::Boolean { clauses, minimum_should_match: 0 }
}

/// Tokens with absolute positions. The first token of all stands at its increment less one.
fn place(tokens: &[Token]) -> Vec<Placed<'_>> {
    let mut next = 0usize;
    tokens
        .iter()
        .map(|token| {
            next = next.saturating_add(token.position_increment as usize);
            let start = next.saturating_sub(1);
            Placed { token, start, end: start.saturating_add(token.position_length.max(1) as usize) }
        })
        .collect()
}

fn reach(segment: &[Placed<'_>]) -> usize {
    segment.iter().map(|one| one.end).max().unwrap_or(0)
}

/// Cuts a graph where no token spans.
fn segments<'a, 'b>(placed: &'a [Placed<'b>]) -> Vec<&'a [Placed<'b>]> {
    let (mut cuts, mut from, mut end) = (Vec::new(), 0, 0);
    for (at, one) in placed.iter().enumerate() {
        // No token reaches over this place, so what lies on either side is alternatives of its own: the
        // product of both never has to be written out.
        if at > from && one.start >= end {
            cuts.extend(placed.get(from..at));
            from = at;
        }
        end = end.max(one.end);
    }
    cuts.extend(placed.get(from..));
    cuts
}

/// All ways through a graph, from its first place to its end; places without a token are stepped over.
fn paths<'a, 'b>(placed: &'a [Placed<'b>]) -> Result<Vec<Vec<&'a Placed<'b>>>> {
    let end = reach(placed);
    let first = placed.first().map_or(0, |one| one.start);
    let (mut done, mut open) = (Vec::new(), vec![(first, Vec::new())]);
    while let Some((at, path)) = open.pop() {
        let from = placed.partition_point(|one| one.start < at);
        let Some(next) = placed.get(from).map(|one| one.start).filter(|_| at < end) else {
            done.push(path);
            continue;
        };
        let here: Vec<_> = placed.iter().skip(from).take_while(|one| one.start == next).collect();
        // A stack gives back the last first; turned round, ways come in the order of their tokens.
        for one in here.into_iter().rev() {
            let mut longer = path.clone();
            longer.push(one);
            open.push((one.end, longer));
        }
        if done.len() + open.len() > PATHS_MAX {
            return Err(Error::bad_request(format!(
                "synonyms unfold into more than {PATHS_MAX} alternatives; use fewer words or fewer synonyms"
            )));
        }
    }
    Ok(done)
}
