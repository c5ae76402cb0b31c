//! Entries that begin as asked, after analysis: sorted by how their token graphs are spelt, so that those
//! that begin alike lie side by side, and the best of a range are found by its peaks. With edits, several
//! ranges are.

use std::collections::HashSet;
use std::ops::Range;

use analysis::{Analyzer, PathOptions, graph_paths};
use plan::partial::{SuggestedEntries, SuggestedEntry};
use plan::{Error, PrefixLookup, Result, Suggestion};

use super::dictionary::Dictionary;
use super::entries::{SuggestEntry, SuggesterSize};
use super::fuzzy::ranges_near;
use super::peaks::Peaks;
use super::texts::Texts;

/// Most ways through the token graph of one entry, where the configuration names none.
pub(crate) const PATHS_MAX: usize = 256;

pub(super) struct PrefixIndex {
    exact_first: bool,
    fuzzy: Option<plan::FuzzyPrefix>,
    /// How entries are spelt, sorted; of equal ones the heaviest first.
    keys: Dictionary,
    /// Of each key, the weight and the entry.
    weights: Peaks<i32>,
    entries: Vec<u32>,
    texts: Texts,
    payloads: Option<Texts>,
    /// Most keys of one entry.
    paths_max: usize,
}

/// A key on its way into the index.
struct Row {
    key: String,
    weight: i32,
    entry: u32,
}

impl PrefixIndex {
    /// Without an analyzer entries are spelt as they are. Errors: a weight below 0 or above the greatest
    /// `i32`, which Lucene cannot hold either.
    pub(super) fn build(
        entries: &[SuggestEntry],
        lookup: &PrefixLookup,
        analyzer: Option<&Analyzer>,
    ) -> Result<Self> {
        let mut texts = Texts::default();
        let mut payloads = entries.iter().any(|entry| entry.payload.is_some()).then(Texts::default);
        let mut paths_max = 0;
        let options = options(lookup);
        let mut rows = Vec::with_capacity(entries.len());
        let mut room = SuggesterSize::default();
        for (entry, number) in entries.iter().zip(0u32..) {
            let weight = weight(entry)?;
            texts.push(entry.text.as_bytes());
            if let Some(payloads) = &mut payloads {
                payloads.push(entry.payload.as_deref().unwrap_or_default().as_bytes());
            }
            let paths = analyzer
                .map_or_else(|| vec![entry.text.clone()], |analyzer| spelt(analyzer, &entry.text, options));
            room.reserve(paths.iter().map(|path| path.len() + size_of::<Row>()).sum())?;
            paths_max = paths_max.max(paths.len());
            rows.extend(paths.into_iter().map(|key| Row { key, weight, entry: number }));
        }
        let text = |row: &Row| texts.get(row.entry as usize);
        rows.sort_by(|a, b| {
            let by_key = a.key.as_bytes().cmp(b.key.as_bytes());
            by_key.then(b.weight.cmp(&a.weight)).then_with(|| text(a).cmp(text(b)))
        });
        let kept = kept(&rows, lookup.forms_max, &texts);
        let rows = rows.iter().zip(kept).filter_map(|(row, kept)| kept.then_some(row));
        let mut keys = Texts::default();
        rows.clone().for_each(|row| keys.push(row.key.as_bytes()));
        Ok(Self {
            exact_first: lookup.exact_first,
            fuzzy: lookup.fuzzy,
            keys: Dictionary::of(keys),
            weights: Peaks::of(rows.clone().map(|row| row.weight).collect()),
            entries: rows.map(|row| row.entry).collect(),
            texts: texts.shrink(),
            payloads: payloads.map(Texts::shrink),
            paths_max,
        })
    }

    /// `paths` are the ways through the token graph of `key`, which is as it was typed.
    pub(super) fn lookup(&self, key: &str, paths: &[String], count: usize) -> SuggestedEntries {
        let exact = if self.exact_first { self.exact(key, paths) } else { None };
        let exact = exact.map(|at| SuggestedEntry { exact: true, ..self.suggested(at) });
        let mut found: Vec<SuggestedEntry> = exact.into_iter().collect();
        let mut seen = HashSet::new();
        for row in self.weights.heaviest(self.ranges(paths)) {
            if found.len() >= count {
                break;
            }
            let entry = self.entry(row);
            let is_exact = self.exact_first && self.texts.get(entry) == key.as_bytes();
            // Entries that are spelt in one way only stand here once.
            if !is_exact && (self.paths_max <= 1 || seen.insert(self.shown(entry))) {
                found.push(self.suggested(row));
            }
        }
        SuggestedEntries { list: found, ..SuggestedEntries::default() }
    }

    /// The text and the payload of an entry.
    fn shown(&self, entry: usize) -> (&[u8], &[u8]) {
        (self.texts.get(entry), self.payloads.as_ref().map_or(&[], |payloads| payloads.get(entry)))
    }

    /// The entry whose text is just what was typed.
    fn exact(&self, key: &str, paths: &[String]) -> Option<usize> {
        let of_path = |path: &String| {
            let range = self.keys.begin_with(path.as_bytes());
            let end = self.keys.texts.first_near(range.clone(), |known| known.len() > path.len());
            let is_typed = |row: &usize| self.texts.get(self.entry(*row)) == key.as_bytes();
            (range.start..end).filter(is_typed)
        };
        paths.iter().flat_map(of_path).max_by_key(|row| (self.weights.get(*row), std::cmp::Reverse(*row)))
    }

    fn entry(&self, row: usize) -> usize {
        self.entries.get(row).map_or(usize::MAX, |entry| *entry as usize)
    }

    /// The rows that begin as one of `paths`, none of them twice.
    fn ranges(&self, paths: &[String]) -> Vec<Range<usize>> {
        let of_path = |path: &String| match self.fuzzy {
            Some(fuzzy) => ranges_near(&self.keys, path, fuzzy),
            None => vec![self.keys.begin_with(path.as_bytes())],
        };
        let mut ranges: Vec<Range<usize>> = paths.iter().flat_map(of_path).collect();
        // Of two that overlap one holds the other: both are all that begins in one way.
        ranges.sort_by_key(|range| (range.start, std::cmp::Reverse(range.end)));
        ranges.dedup_by(|next, last| next.start < last.end);
        ranges
    }

    fn suggested(&self, at: usize) -> SuggestedEntry {
        let entry = self.entry(at);
        let suggestion = Suggestion {
            text: self.texts.text(entry),
            weight: self.weights.get(at).map_or(0, i64::from),
            payload: self.payloads.as_ref().map(|payloads| payloads.text(entry)),
        };
        SuggestedEntry { key: self.keys.texts.text(at), ..SuggestedEntry::of(suggestion) }
    }

    pub(super) fn size(&self) -> usize {
        let payloads = self.payloads.as_ref().map_or(0, Texts::size);
        let entries = self.entries.capacity() * size_of::<u32>();
        self.keys.size() + self.weights.size() + entries + self.texts.size() + payloads
    }
}

/// How entries are spelt.
fn options(lookup: &PrefixLookup) -> PathOptions {
    PathOptions {
        holes: lookup.holes,
        separated: lookup.separated,
        paths_max: lookup.paths_max.unwrap_or(PATHS_MAX).min(PATHS_MAX),
    }
}

fn spelt(analyzer: &Analyzer, text: &str, options: PathOptions) -> Vec<String> {
    let mut tokens = Vec::new();
    let ending = analyzer.tokens(text, &mut |token| tokens.push(token.clone()));
    graph_paths(&tokens, ending, options)
}

fn weight(entry: &SuggestEntry) -> Result<i32> {
    let weight = i32::try_from(entry.weight).ok().filter(|weight| *weight >= 0);
    weight.ok_or_else(|| {
        let message = format!("cannot encode value: {}; weights go from 0 to {}", entry.weight, i32::MAX);
        Error::bad_request(message)
    })
}

/// Which of the sorted rows stay: of those with one key each text once, and no more than `forms_max`, counted
/// as Lucene does.
fn kept(rows: &[Row], forms_max: usize, texts: &Texts) -> Vec<bool> {
    let mut seen: HashSet<&[u8]> = HashSet::new();
    let mut kept = Vec::with_capacity(rows.len());
    let (mut key, mut repeated) = (None, 0);
    for row in rows {
        if key == Some(row.key.as_str()) {
            repeated += 1;
        } else {
            (key, repeated) = (Some(row.key.as_str()), 0);
            seen.clear();
        }
        kept.push(repeated < forms_max && seen.insert(texts.get(row.entry as usize)));
    }
    kept
}
