//! Where a field's text holds what is sought: whole matches for a document that the query matches as a whole,
//! or every occurrence of every leaf by itself.
//!
//! In: the leaves and needs of a query (`sought`) and the tokens of one text (`tokens`); what the text cannot
//! tell, a callback asks the index. Out: spans in units of the text, with a number for what counts as one
//! word. Choosing passages around them is the methods'.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::near::near;
use super::sought::{Leaf, LeafKind, Need, Pattern, PhraseSought, Sought};
use super::tokens::{Token, TokenIndex};
use crate::search::{PhraseSlot, groups, spans};

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
pub(super) fn whole<'a>(
    sought: &'a Sought,
    tokens: &'a TokenIndex<'a>,
    given: &mut dyn FnMut(usize) -> plan::Result<bool>,
) -> plan::Result<Vec<Span>> {
    let mut found = Vec::new();
    let mut matching = Matching { sought, tokens, keys: HashMap::new(), given };
    if !matching.holds(&sought.need, &mut found)? {
        return Ok(Vec::new());
    }
    found.sort_unstable();
    Ok(found)
}

struct Matching<'a, 'g> {
    sought: &'a Sought,
    tokens: &'a TokenIndex<'a>,
    keys: HashMap<&'a str, usize>,
    given: &'g mut dyn FnMut(usize) -> plan::Result<bool>,
}

impl<'a> Matching<'a, '_> {
    /// Whether the document meets `need`; what it is met by is added to `found`.
    fn holds(&mut self, need: &Need, found: &mut Vec<Span>) -> plan::Result<bool> {
        let before = found.len();
        let holds = match need {
            Need::All => true,
            Need::Nothing => false,
            Need::DocMatch(number) => (self.given)(*number)?,
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

    fn add_leaf(&mut self, number: usize, found: &mut Vec<Span>) {
        let Some(leaf) = self.sought.leaves.get(number) else { return };
        match &leaf.kind {
            LeafKind::Phrase(phrase) => {
                let key = self.key(&leaf.label);
                let span = |(start, end)| Span { start, end, key, count: 1 };
                found.extend(phrases(phrase, self.tokens).into_iter().map(span));
            }
            _ => {
                for token in single(leaf, self.tokens) {
                    // Lucene makes fuzzy queries the terms they mean.
                    let fuzzy = matches!(leaf.kind, LeafKind::Pattern(Pattern::Fuzzy(_)));
                    let key = self.key(if fuzzy { &token.text } else { &leaf.label });
                    found.push(Span { start: token.start, end: token.end, key, count: 1 });
                }
            }
        }
    }

    /// A number for what counts as one word.
    fn key(&mut self, label: &'a str) -> usize {
        let next = self.keys.len();
        *self.keys.entry(label).or_insert(next)
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
    let groups = match phrase.slop {
        0 => vec![None; positions.len()],
        _ => groups(phrase.places.iter().map(|(_, terms)| terms.as_slice())),
    };
    let places: Vec<PhraseSlot<'_>> = phrase
        .places
        .iter()
        .zip(positions.iter().zip(groups))
        .map(|((offset, _), (positions, group))| PhraseSlot { offset: *offset, positions, group })
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
    let (mut alone, mut inside) = (BTreeSet::new(), BTreeMap::new());
    for leaf in sought.marked() {
        match &leaf.kind {
            LeafKind::Terms(terms) => alone.extend(terms.iter().map(String::as_str)),
            // Lucene reads ranges only with the whole query.
            LeafKind::Pattern(Pattern::Range(..)) => {}
            LeafKind::Pattern(_) => words.add(&leaf.label, single(leaf, tokens).into_iter()),
            LeafKind::Phrase(phrase) => {
                let places = standing(phrase, tokens);
                for term in phrase.places.iter().flat_map(|(_, terms)| terms) {
                    let found: &mut BTreeSet<u32> = inside.entry(term.as_str()).or_default();
                    found.extend(&places);
                }
            }
        }
    }
    for (term, places) in inside.into_iter().filter(|(term, _)| !alone.contains(term)) {
        words.add(term, tokens.of(term).iter().copied().filter(|token| places.contains(&token.position)));
    }
    for term in alone {
        words.add(term, tokens.of(term).iter().copied());
    }
    words.spans.sort_unstable();
    words.spans
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

/// Words found so far.
#[derive(Default)]
struct Words {
    spans: Vec<Span>,
    keys: BTreeMap<String, usize>,
}

impl Words {
    fn add<'t>(&mut self, word: &str, tokens: impl Iterator<Item = &'t Token>) {
        let next = self.keys.len();
        let key = *self.keys.entry(word.to_owned()).or_insert(next);
        let found: Vec<&Token> = tokens.collect();
        let count = found.len();
        self.spans.extend(found.into_iter().map(|token| Span {
            start: token.start,
            end: token.end,
            key,
            count,
        }));
    }
}
