//! The `fastVector` method: fragments are laid around the terms and phrases found, their ends moved to where
//! the text may be cut, and the best are shown, best first. Solr reads what it needs from term vectors; here
//! the text is analysed again. The rules are those of Lucene 9.12.3 (`BaseFragListBuilder`,
//! `WeightedFieldFragList`, `BaseFragmentsBuilder`).

use std::collections::HashSet;

use analysis::{Boundaries as Cuts, BoundaryKind};
use plan::{Boundaries, Breaks, FastVectorOptions, FragmentList, HighlightOptions, Tags};

use super::mark_up;
use super::phrase_list::{Found, phrases};
use super::phrase_map::QueryPhrases;
use super::sought::Sought;
use super::text::{Text, VALUE_SEPARATOR, utf16_len};
use super::tokens::TokenReader;

/// What stands before the first match of a fragment at first.
const MARGIN: usize = 6;

/// How far from its end a fragment's boundary is looked for.
const WINDOW: usize = 4096;

struct Fragment<'f, 't> {
    start: usize,
    end: usize,
    found: Vec<&'f Found<'t>>,
    weight: f32,
}

/// The snippets of a text; `None` when nothing matched. `rarity` is what a term weighs.
pub(super) fn snippets(
    text: &Text,
    reader: &mut TokenReader,
    sought: &Sought,
    options: &HighlightOptions,
    fast: &FastVectorOptions,
    rarity: &dyn Fn(&str) -> plan::Result<f32>,
) -> plan::Result<Option<Vec<String>>> {
    let tokens = reader.tokens(text, |token| sought.wants(token));
    let found = phrases(&tokens, &QueryPhrases::of(sought, !options.phrases), fast.phrases_max);
    let mut fragments = match fast.fragments {
        FragmentList::Single => single(&found),
        _ => laid_out(&found, options.fragment_units),
    };
    if fast.fragments == FragmentList::Weighted {
        for fragment in &mut fragments {
            fragment.weight = weight(fragment, rarity)?;
        }
    }
    fragments.sort_by(|left, right| right.weight.total_cmp(&left.weight).then(left.start.cmp(&right.start)));
    fragments.truncate(options.snippets);
    let mut shown = text.as_str().replace(VALUE_SEPARATOR, &fast.separator.to_string());
    shown.push(fast.separator);
    let shown = Text::new(shown);
    let mut writer = Writer { text, shown: &shown, options, fast, read: 0 };
    let snippets: Vec<String> = fragments.iter().map(|fragment| writer.write(fragment)).collect();
    Ok(Some(snippets).filter(|snippets| !snippets.is_empty()))
}

/// The whole text.
fn single<'f, 't>(found: &'f [Found<'t>]) -> Vec<Fragment<'f, 't>> {
    if found.is_empty() {
        return Vec::new();
    }
    vec![Fragment { start: 0, end: usize::MAX, found: found.iter().collect(), weight: 0.0 }]
}

/// Fragments one behind the other, each with its matches in the middle.
fn laid_out<'f, 't>(found: &'f [Found<'t>], units: usize) -> Vec<Fragment<'f, 't>> {
    let mut fragments = Vec::new();
    let mut rest = found.iter().peekable();
    let mut free = 0;
    while let Some(first) = rest.next() {
        if first.start() < free {
            continue;
        }
        let begin = first.start();
        let mut end = first.end();
        let span_end = end.max(begin.saturating_sub(MARGIN).max(free).saturating_add(units));
        let fits = |one: &Found<'_>, end: usize| one.pieces.len() <= 1 || end.saturating_sub(begin) <= units;
        let mut inside: Vec<&Found<'_>> = Vec::from_iter(fits(first, end).then_some(first));
        while let Some(next) = rest.next_if(|next| next.end() <= span_end) {
            end = next.end();
            inside.extend(fits(next, end).then_some(next));
        }
        if inside.is_empty() {
            continue;
        }
        let len = end.saturating_sub(begin);
        let start = begin.saturating_sub(units.saturating_sub(len) / 2).max(free);
        free = start.saturating_add(len.max(units));
        let weight = inside.iter().map(|one| one.boost).sum();
        fragments.push(Fragment { start, end: free, found: inside, weight });
    }
    fragments
}

/// By the rarity of its different words, and a little by how many there are.
fn weight(fragment: &Fragment<'_, '_>, rarity: &dyn Fn(&str) -> plan::Result<f32>) -> plan::Result<f32> {
    let mut known: HashSet<&str> = HashSet::new();
    let (mut weights, mut words) = (Vec::new(), 0u16);
    for one in &fragment.found {
        let mut sum = 0.0;
        for word in &one.words {
            if known.insert(word) {
                sum += rarity(word)? * one.boost;
            }
            words = words.saturating_add(1);
        }
        weights.push(sum);
    }
    let norm = f32::from(words) * (1.0 / (f64::from(words).sqrt() as f32));
    Ok(weights.into_iter().map(|weight| weight * norm).fold(0.0, |sum, weight| sum + weight))
}

struct Writer<'a> {
    /// The text, values between separators of ours.
    text: &'a Text,
    /// The same, with the separators that are shown, one behind the last value too.
    shown: &'a Text,
    options: &'a HighlightOptions,
    fast: &'a FastVectorOptions,
    /// How much of the text was looked at, whole values with what is behind them: boundaries are looked for
    /// no further.
    read: usize,
}

impl Writer<'_> {
    fn write(&mut self, fragment: &Fragment<'_, '_>) -> String {
        let whole = self.text.len() + 1;
        while self.read < fragment.end.min(whole) {
            let rest = self.text.slice(self.read, self.text.len());
            let value = rest.find(VALUE_SEPARATOR).map(|byte| units_before(rest, byte));
            self.read = value.map_or(whole, |units| self.read + units + 1);
        }
        let last = self.read.saturating_sub(1);
        let end = if last < fragment.end { last } else { self.end(fragment.end) };
        let start = self.start(fragment.start);
        let mut out = String::new();
        let mut at = start;
        for one in &fragment.found {
            let Some(tags) = self.fast.tags.get(one.number % self.fast.tags.len().max(1)) else { continue };
            let Tags { before, after } = tags;
            for (from, to) in &one.pieces {
                self.append(&mut out, at, *from);
                out.push_str(before);
                self.append(&mut out, *from, *to);
                out.push_str(after);
                at = *to;
            }
        }
        self.append(&mut out, at, end);
        out
    }

    fn append(&self, out: &mut String, from: usize, to: usize) {
        mark_up::append(out, self.shown.slice(from, to), self.options.html);
    }

    /// Where a fragment that begins at `at` is cut.
    fn start(&self, at: usize) -> usize {
        if at == 0 || at > self.read {
            return at;
        }
        match &self.fast.boundaries {
            Boundaries::Near { characters, units_max } => {
                let before = self.shown.slice(at.saturating_sub(*units_max), at);
                let mut units = 0;
                for c in before.chars().rev() {
                    if characters.contains(c) {
                        return at - units;
                    }
                    units += c.len_utf16();
                }
                if units == at { 0 } else { at }
            }
            Boundaries::Breaks(breaks) => {
                let from = at.saturating_sub(WINDOW);
                let before = self.shown.slice(from, at);
                let cut = cuts(*breaks, before).preceding(before.len());
                cut.map_or(at, |byte| from + units_before(before, byte))
            }
        }
    }

    /// Where a fragment that ends at `at` is cut.
    fn end(&self, at: usize) -> usize {
        match &self.fast.boundaries {
            Boundaries::Near { characters, units_max } => {
                let behind = self.shown.slice(at, at.saturating_add(*units_max).min(self.read));
                let mut units = 0;
                for c in behind.chars() {
                    if characters.contains(c) {
                        return at + units;
                    }
                    units += c.len_utf16();
                }
                at
            }
            Boundaries::Breaks(breaks) => {
                let behind = self.shown.slice(at, at.saturating_add(WINDOW).min(self.read));
                let cut = cuts(*breaks, behind).following(0);
                cut.map_or(at, |byte| at + units_before(behind, byte))
            }
        }
    }
}

fn units_before(text: &str, byte: usize) -> usize {
    utf16_len(text.get(..byte).unwrap_or_default())
}

fn cuts(breaks: Breaks, text: &str) -> Cuts {
    let kind = match breaks {
        Breaks::Sentence => BoundaryKind::Sentence,
        Breaks::Line => BoundaryKind::Line,
        Breaks::Character => BoundaryKind::Character,
        _ => BoundaryKind::Word,
    };
    Cuts::new(kind, text)
}
