//! The original method: each value is cut into fragments of some length as its tokens go by, a fragment
//! scores the boosts of the different words found in it, and the best are shown, best first. The rules are
//! those of Lucene 9.12.3 (`Highlighter`, `QueryScorer`, `TokenGroup`) and of Solr's highlighter around it.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use plan::{HighlightOptions, OriginalOptions, Result};

use super::fragmenter::{Cutter, Cutting};
use super::mark_up;
use super::sought::{LeafKind, Pattern, Sought};
use super::spans::{matches, single};
use super::text::{Text, utf16_len};
use super::tokens::{Token, TokenIndex, TokenReader};
use crate::search::similarity;

/// Tokens that overlap are marked together, at most this many.
const GROUP_TOKENS_MAX: usize = 50;

/// The snippets of the values of a field; `None` when nothing matched.
pub(super) fn snippets(
    values: &[String],
    (reader, cutter): (&mut TokenReader, &mut Cutter),
    sought: &Sought,
    options: &HighlightOptions,
    original: &OriginalOptions,
) -> Result<Option<Vec<String>>> {
    let mut shown: Vec<Fragment> = Vec::new();
    let (mut units_left, mut matches_left) = (options.text_units_max, original.fragments_matched_max);
    for value in values {
        if units_left == 0 || matches_left == 0 {
            break;
        }
        let text = Text::new(value.clone());
        let mut best =
            Marking::new(&text, (&mut *reader, &mut *cutter), sought, (options, original), units_left)?
                .fragments();
        best.truncate(options.snippets);
        if original.merge_contiguous {
            merge_contiguous(&mut best);
            best.retain(|fragment| fragment.score > 0.0);
        }
        for fragment in best.into_iter().filter(|fragment| fragment.score > 0.0 || original.keep_values) {
            matches_left = matches_left.saturating_sub(usize::from(fragment.score > 0.0));
            shown.push(fragment);
        }
        units_left = units_left.saturating_sub(utf16_len(value));
    }
    if !original.keep_values {
        shown.sort_by(|left, right| right.score.total_cmp(&left.score));
        shown.truncate(options.snippets);
    }
    let texts: Vec<String> = shown.into_iter().map(|fragment| fragment.text).collect();
    Ok(Some(texts).filter(|texts| !texts.is_empty()))
}

/// A piece of a value, marked.
struct Fragment {
    /// From where to where in all of the value, marked.
    place: Range<usize>,
    text: String,
    score: f32,
}

/// Joins fragments that touch; they take the place of the better one.
fn merge_contiguous(fragments: &mut Vec<Fragment>) {
    let touching = |fragments: &[Fragment]| {
        let pairs =
            (0..fragments.len()).flat_map(|left| (0..fragments.len()).map(move |right| (left, right)));
        let ends = |at: usize| fragments.get(at).map(|fragment: &Fragment| fragment.place.clone());
        pairs.into_iter().find(|(left, right)| match (ends(*left), ends(*right)) {
            (Some(first), Some(second)) => left != right && first.end == second.start,
            _ => false,
        })
    };
    while let Some((left, right)) = touching(fragments) {
        let second = fragments.remove(right);
        let first = fragments.remove(if right < left { left - 1 } else { left });
        let better = if first.score > second.score { left } else { right };
        let place = better
            .saturating_sub(usize::from(better == left && right < left || better == right && left < right));
        let merged = Fragment {
            place: first.place.start..second.place.end,
            text: first.text + &second.text,
            score: first.score.max(second.score),
        };
        fragments.insert(place.min(fragments.len()), merged);
    }
}

/// One value being marked.
struct Marking<'a> {
    text: &'a Text,
    tokens: Vec<Token>,
    weights: Weights,
    options: &'a HighlightOptions,
    cutting: Cutting,
    units_max: usize,
}

impl<'a> Marking<'a> {
    fn new(
        text: &'a Text,
        (reader, cutter): (&mut TokenReader, &mut Cutter),
        sought: &Sought,
        (options, original): (&'a HighlightOptions, &OriginalOptions),
        units_max: usize,
    ) -> Result<Self> {
        let mut tokens = reader.tokens(text, |_| true);
        tokens.retain(|token| token.start < units_max);
        tokens.sort_by_key(|token| token.start);
        let weights = Weights::of(sought, &TokenIndex::new(&tokens));
        let cutting = cutter.cut(&original.fragmenter, options.fragment_units, text)?;
        Ok(Self { text, tokens, weights, options, cutting, units_max })
    }

    /// All fragments, best first, of equal ones the first.
    fn fragments(mut self) -> Vec<Fragment> {
        let tokens = std::mem::take(&mut self.tokens);
        let mut marked = String::new();
        let mut fragments: Vec<Fragment> = Vec::new();
        let (mut begun, mut score, mut last_end) = (0, 0.0, 0);
        let mut found: BTreeSet<&str> = BTreeSet::new();
        let mut group = Group::default();
        let mut position = None;
        for token in &tokens {
            let gap = token.position.saturating_sub(position.unwrap_or(0)) + u32::from(position.is_none());
            position = Some(token.position);
            if group.is_ended_by(token) {
                last_end = self.add_group(&group, last_end, &mut marked);
                group = Group::default();
                if self.cutting.begins(token.end, gap) {
                    let place = begun..marked.len();
                    begun = place.end;
                    fragments.push(Fragment { place, text: String::new(), score });
                    score = 0.0;
                    found.clear();
                }
            }
            let weight = self.weights.of_token(token);
            if weight > 0.0 && found.insert(&token.text) {
                score += weight;
            }
            group.add(token, weight);
        }
        last_end = self.add_group(&group, last_end, &mut marked);
        if last_end < self.text.len() && self.text.len() <= self.units_max {
            mark_up::append(&mut marked, self.text.slice(last_end, self.text.len()), self.options.html);
        }
        fragments.push(Fragment { place: begun..marked.len(), text: String::new(), score });
        for fragment in &mut fragments {
            fragment.text = marked.get(fragment.place.clone()).unwrap_or_default().to_owned();
        }
        fragments.sort_by(|left, right| right.score.total_cmp(&left.score));
        fragments
    }

    /// Writes what stands before the group and the group itself; the result is where it ends.
    fn add_group(&self, group: &Group, last_end: usize, out: &mut String) -> usize {
        if group.tokens == 0 {
            return last_end;
        }
        let html = self.options.html;
        let (start, end) = group.matched;
        if start > last_end {
            mark_up::append(out, self.text.slice(last_end, start), html);
        }
        let tags = Some(&self.options.tags).filter(|_| group.weight > 0.0);
        out.push_str(tags.map_or("", |tags| &tags.before));
        mark_up::append(out, self.text.slice(start, end), html);
        out.push_str(tags.map_or("", |tags| &tags.after));
        last_end.max(end)
    }
}

/// Tokens that overlap.
#[derive(Default)]
struct Group {
    tokens: usize,
    end: usize,
    /// Of those that matched, or of the first.
    matched: (usize, usize),
    weight: f32,
}

impl Group {
    fn is_ended_by(&self, token: &Token) -> bool {
        self.tokens > 0 && token.start >= self.end
    }

    fn add(&mut self, token: &Token, weight: f32) {
        if self.tokens == GROUP_TOKENS_MAX {
            return;
        }
        let (start, end) = self.matched;
        if self.tokens == 0 || (weight > 0.0 && self.weight == 0.0) {
            self.matched = (token.start, token.end);
        } else if weight > 0.0 {
            self.matched = (start.min(token.start), end.max(token.end));
        }
        self.end = self.end.max(token.end);
        self.weight += weight;
        self.tokens += 1;
    }
}

/// What is found for being near weighs less.
fn nearness(kind: &LeafKind, token: &Token) -> f32 {
    match kind {
        LeafKind::Pattern(Pattern::Fuzzy(fuzzy)) => similarity(fuzzy, &token.text),
        _ => 1.0,
    }
}

/// What each word weighs, and where, if it counts only in its phrase.
struct Weights(HashMap<String, (f32, Option<BTreeSet<u32>>)>);

impl Weights {
    fn of(sought: &Sought, tokens: &TokenIndex<'_>) -> Self {
        let mut weights: HashMap<String, (f32, Option<BTreeSet<u32>>)> = HashMap::new();
        for leaf in sought.marked() {
            match &leaf.kind {
                // Lucene's scorer leaves ranges out.
                LeafKind::Pattern(Pattern::Range(..)) => {}
                LeafKind::Terms(_) | LeafKind::Pattern(_) => {
                    for token in single(leaf, tokens) {
                        weights.insert(token.text.clone(), (leaf.boost * nearness(&leaf.kind, token), None));
                    }
                }
                LeafKind::Phrase(phrase) => {
                    let inside: BTreeSet<u32> = matches(phrase, tokens)
                        .iter()
                        .filter_map(|one| Some(*one.iter().min()?..=*one.iter().max()?))
                        .flatten()
                        .collect();
                    for term in phrase.places.iter().flat_map(|(_, terms)| terms) {
                        let known =
                            weights.entry(term.clone()).or_insert((leaf.boost, Some(BTreeSet::new())));
                        if let Some(positions) = &mut known.1 {
                            positions.extend(&inside);
                        }
                    }
                }
            }
        }
        Self(weights)
    }

    fn of_token(&self, token: &Token) -> f32 {
        match self.0.get(&token.text) {
            Some((weight, Some(positions))) if positions.contains(&token.position) => *weight,
            Some((weight, None)) => *weight,
            _ => 0.0,
        }
    }
}
