//! Where a field's text holds what is sought: whole matches for a document that the query matches as a whole, or every
//! occurrence of every leaf by itself.

use std::collections::{BTreeMap, BTreeSet};

use super::near::near;
use super::sought::{Leaf, LeafKind, Need, Pattern, PhraseSought, Sought};
use super::tokens::{Token, TokenIndex};
use crate::search::{Place, spans};

/// Something to mark, in units of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Span {
    pub(super) start: usize,
    pub(super) end: usize,
    /// Equal for what counts as one word.
    pub(super) key: usize,
    /// How often it stands in the text, where that is known.
    pub(super) count: usize,
}

/// What the whole query matches; nothing when it does not match. `given` answers for the index.
pub(super) fn whole(
    sought: &Sought,
    tokens: &TokenIndex<'_>,
    given: &mut dyn FnMut(usize) -> plan::Result<bool>,
) -> plan::Result<Vec<Span>> {
    let mut found = Vec::new();
    let mut matching = Matching { sought, tokens, keys: sought.keys(), given };
    if !matching.holds(&sought.need, &mut found)? {
        return Ok(Vec::new());
    }
    found.sort_unstable();
    Ok(found)
}

struct Matching<'a, 'g> {
    sought: &'a Sought,
    tokens: &'a TokenIndex<'a>,
    keys: Vec<usize>,
    given: &'g mut dyn FnMut(usize) -> plan::Result<bool>,
}

impl Matching<'_, '_> {
    /// Whether the document meets `need`; what it is met by is added to `found`.
    fn holds(&mut self, need: &Need, found: &mut Vec<Span>) -> plan::Result<bool> {
        let before = found.len();
        let holds = match need {
            Need::All => true,
            Need::Nothing => false,
            Need::Given(number) => (self.given)(*number)?,
            Need::Leaf(number) => {
                self.add_leaf(*number, found);
                found.len() > before
            }
            Need::Any(parts) => self.count(parts, found)? > 0,
            Need::Boolean { required, optional, prohibited, minimum } => {
                self.count(required, found)? == required.len()
                    && self.count(prohibited, &mut Vec::new())? == 0
                    && self.count(optional, found)? >= *minimum
            }
        };
        if !holds {
            found.truncate(before);
        }
        Ok(holds)
    }

    fn count(&mut self, parts: &[Need], found: &mut Vec<Span>) -> plan::Result<usize> {
        let mut count = 0;
        for part in parts {
            count += usize::from(self.holds(part, found)?);
        }
        Ok(count)
    }

    fn add_leaf(&self, number: usize, found: &mut Vec<Span>) {
        let Some(leaf) = self.sought.leaves.get(number) else { return };
        let key = self.keys.get(number).copied().unwrap_or(number);
        let span = |(start, end)| Span { start, end, key, count: 1 };
        match &leaf.kind {
            LeafKind::Phrase(phrase) => found.extend(phrases(phrase, self.tokens).into_iter().map(span)),
            _ => found.extend(single(leaf, self.tokens).iter().map(|token| span((token.start, token.end)))),
        }
    }
}

/// The tokens of a leaf that is no phrase.
pub(super) fn single<'a>(leaf: &Leaf, tokens: &TokenIndex<'a>) -> Vec<&'a Token> {
    match &leaf.kind {
        LeafKind::Terms(terms) => terms.iter().flat_map(|term| tokens.of(term).iter().copied()).collect(),
        LeafKind::Pattern(pattern) => {
            let texts = tokens.texts().filter(|text| pattern.matches(text));
            texts.flat_map(|text| tokens.of(text).iter().copied()).collect()
        }
        LeafKind::Phrase(_) => Vec::new(),
    }
}

/// Whole phrases, from the start of their first word to the end of their last.
fn phrases(phrase: &PhraseSought, tokens: &TokenIndex<'_>) -> Vec<(usize, usize)> {
    let positions = positions(phrase, tokens);
    let repeated = |place: usize| {
        let terms = |at: usize| phrase.places.get(at).map_or(&[][..], |(_, terms)| terms.as_slice());
        let shares = |other: &usize| terms(*other).iter().any(|term| terms(place).contains(term));
        let first = (0..phrase.places.len()).find(shares)?;
        (phrase.slop > 0 && (0..phrase.places.len()).filter(shares).count() > 1).then_some(first)
    };
    let places: Vec<Place<'_>> = phrase
        .places
        .iter()
        .zip(&positions)
        .enumerate()
        .map(|(at, ((offset, _), positions))| Place { offset: *offset, positions, group: repeated(at) })
        .collect();
    let at = by_position(phrase, tokens);
    let ends = |(first, last)| Some((at.get(&first)?.0, at.get(&last)?.1));
    spans(&places, phrase.slop).into_iter().filter_map(ends).collect()
}

/// The positions of each place's terms, ascending.
fn positions(phrase: &PhraseSought, tokens: &TokenIndex<'_>) -> Vec<Vec<u32>> {
    let of_place = |terms: &Vec<String>| {
        let all = terms.iter().flat_map(|term| tokens.of(term)).map(|token| token.position);
        all.collect::<BTreeSet<_>>().into_iter().collect()
    };
    phrase.places.iter().map(|(_, terms)| of_place(terms)).collect()
}

/// From where to where the terms of a phrase reach that stand at each position.
fn by_position(phrase: &PhraseSought, tokens: &TokenIndex<'_>) -> BTreeMap<u32, (usize, usize)> {
    let mut found: BTreeMap<u32, (usize, usize)> = BTreeMap::new();
    let terms = phrase.places.iter().flat_map(|(_, terms)| terms);
    for token in terms.flat_map(|term| tokens.of(term)) {
        let (start, end) = found.entry(token.position).or_insert((token.start, token.end));
        (*start, *end) = ((*start).min(token.start), (*end).max(token.end));
    }
    found
}

/// Every word that the query names, the words of phrases where the phrase stands.
pub(super) fn words(sought: &Sought, tokens: &TokenIndex<'_>) -> Vec<Span> {
    let mut words = Words::default();
    for leaf in sought.marked() {
        match &leaf.kind {
            LeafKind::Terms(terms) => {
                terms.iter().for_each(|term| words.add(("", term), tokens.of(term).iter().copied()));
            }
            // Lucene reads ranges only with the whole query.
            LeafKind::Pattern(Pattern::Range(..)) => {}
            LeafKind::Pattern(_) => words.add(("pattern", &leaf.label), single(leaf, tokens).into_iter()),
            LeafKind::Phrase(phrase) => {
                let places = standing(phrase, tokens);
                for term in phrase.places.iter().flat_map(|(_, terms)| terms) {
                    let here = tokens.of(term).iter().filter(|token| places.contains(&token.position));
                    words.add(("phrase", term), here.copied());
                }
            }
        }
    }
    words.spans()
}

/// The positions of all words of a phrase that stand together.
pub(super) fn standing(phrase: &PhraseSought, tokens: &TokenIndex<'_>) -> BTreeSet<u32> {
    let matches = matches(phrase, tokens);
    matches.into_iter().flatten().collect()
}

/// For each place where the words of a phrase stand together, their positions.
pub(super) fn matches(phrase: &PhraseSought, tokens: &TokenIndex<'_>) -> Vec<Vec<u32>> {
    let places = phrase.places.len() as u32;
    let last = phrase.places.last().map_or(0, |(place, _)| *place);
    let gaps = (last + 1).saturating_sub(places);
    near(&positions(phrase, tokens), phrase.slop.saturating_add(gaps), phrase.slop == 0)
}

/// Words found, each token of each word once.
#[derive(Default)]
struct Words(BTreeMap<(&'static str, String), BTreeSet<(usize, usize)>>);

impl Words {
    fn add<'t>(&mut self, (kind, word): (&'static str, &str), tokens: impl Iterator<Item = &'t Token>) {
        let found = self.0.entry((kind, word.to_owned())).or_default();
        found.extend(tokens.map(|token| (token.start, token.end)));
    }

    fn spans(self) -> Vec<Span> {
        let mut keys: BTreeMap<String, usize> = BTreeMap::new();
        let mut all = Vec::new();
        for ((_, word), found) in self.0 {
            let next = keys.len();
            let key = *keys.entry(word).or_insert(next);
            let count = found.len();
            all.extend(found.into_iter().map(|(start, end)| Span { start, end, key, count }));
        }
        all.sort_unstable();
        all
    }
}
