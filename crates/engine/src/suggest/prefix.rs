//! Entries that begin as asked, after analysis: sorted by how their token graphs are spelt, so that those that begin alike
//! lie side by side, and the best of a range are found by reading its weights. With edits, several ranges are.

use std::collections::HashSet;
use std::ops::Range;

use analysis::{Analyzer, PathOptions, graph_paths};
use plan::{Error, PrefixLookup, Result, Suggestion};

use super::best::heaviest;
use super::entries::{Entry, Room};
use super::fuzzy::ranges_near;
use super::texts::Texts;

/// Most ways through the token graph of one entry, where the configuration names none.
pub(crate) const PATHS_MAX: usize = 256;

#[derive(Default)]
pub(super) struct PrefixIndex {
    exact_first: bool,
    fuzzy: Option<plan::FuzzyPrefix>,
    /// How entries are spelt, sorted; of equal ones the heaviest first.
    keys: Texts,
    /// Of each key, the weight and the entry.
    weights: Vec<i32>,
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
    /// Without an analyzer entries are spelt as they are. Errors: a weight below 0 or above the greatest `i32`, which Lucene cannot hold either.
    pub(super) fn build(
        entries: &[Entry],
        lookup: &PrefixLookup,
        analyzer: Option<&Analyzer>,
    ) -> Result<Self> {
        let mut index = Self { exact_first: lookup.exact_first, fuzzy: lookup.fuzzy, ..Self::default() };
        index.payloads = entries.iter().any(|entry| entry.payload.is_some()).then(Texts::default);
        let options = options(lookup);
        let mut rows = Vec::with_capacity(entries.len());
        let mut room = Room::default();
        for (entry, number) in entries.iter().zip(0u32..) {
            let weight = i32::try_from(entry.weight).ok().filter(|weight| *weight >= 0);
            let weight = weight.ok_or_else(|| {
                Error::bad_request(format!(
                    "cannot encode value: {}; weights go from 0 to {}",
                    entry.weight,
                    i32::MAX
                ))
            })?;
            index.texts.push(entry.text.as_bytes());
            if let Some(payloads) = &mut index.payloads {
                payloads.push(entry.payload.as_deref().unwrap_or_default().as_bytes());
            }
            let paths = match analyzer {
                Some(analyzer) => {
                    let mut tokens = Vec::new();
                    let ending = analyzer.tokens(&entry.text, &mut |token| tokens.push(token.clone()));
                    graph_paths(&tokens, ending, options)
                }
                None => vec![entry.text.clone()],
            };
            room.take(paths.iter().map(|path| path.len() + size_of::<Row>()).sum())?;
            index.paths_max = index.paths_max.max(paths.len());
            rows.extend(paths.into_iter().map(|key| Row { key, weight, entry: number }));
        }
        let text = |row: &Row| index.texts.get(row.entry as usize);
        rows.sort_by(|a, b| {
            let by_key = a.key.as_bytes().cmp(b.key.as_bytes());
            by_key.then(b.weight.cmp(&a.weight)).then_with(|| text(a).cmp(text(b)))
        });
        let kept = kept(&rows, lookup.forms_max, &index.texts);
        for row in rows.iter().zip(kept).filter_map(|(row, kept)| kept.then_some(row)) {
            index.keys.push(row.key.as_bytes());
            index.weights.push(row.weight);
            index.entries.push(row.entry);
        }
        Ok(index)
    }

    /// `paths` are the ways through the token graph of `key`, which is as it was typed.
    pub(super) fn lookup(&self, key: &str, paths: &[String], count: usize) -> Vec<Suggestion> {
        let exact = if self.exact_first { self.exact(key, paths) } else { None };
        let mut found: Vec<Suggestion> = exact.map(|at| self.suggestion(at)).into_iter().collect();
        let mut ranges: Vec<Range<usize>> = paths.iter().flat_map(|path| self.ranges(path)).collect();
        ranges.sort_by_key(|range| (range.start, range.end));
        let mut seen = HashSet::new();
        for at in self.heaviest(&ranges, count.saturating_mul(self.paths_max.max(1)).saturating_add(1)) {
            if found.len() >= count {
                break;
            }
            let suggestion = self.suggestion(at);
            let is_exact = self.exact_first && suggestion.text == key;
            if !is_exact && seen.insert((suggestion.text.clone(), suggestion.payload.clone())) {
                found.push(suggestion);
            }
        }
        found
    }

    /// The entry whose text is just what was typed.
    fn exact(&self, key: &str, paths: &[String]) -> Option<usize> {
        let of_path = |path: &String| {
            let path = path.as_bytes();
            let range = self.keys.begin_with(path);
            let end = self.keys.first(range.clone(), |known| known.len() > path.len());
            let is_typed = |at: &usize| self.entries.get(*at).is_some_and(|entry| self.is_text(*entry, key));
            (range.start..end).filter(is_typed)
        };
        let weight = |at: &usize| self.weights.get(*at).copied();
        paths.iter().flat_map(of_path).max_by_key(|at| (weight(at), std::cmp::Reverse(*at)))
    }

    fn is_text(&self, entry: u32, text: &str) -> bool {
        self.texts.get(entry as usize) == text.as_bytes()
    }

    fn ranges(&self, path: &str) -> Vec<Range<usize>> {
        match self.fuzzy {
            Some(fuzzy) => ranges_near(&self.keys, path, fuzzy),
            None => vec![self.keys.begin_with(path.as_bytes())],
        }
    }

    /// The `count` heaviest rows of the ranges, which are in order, each once, of equal ones the first.
    fn heaviest(&self, ranges: &[Range<usize>], count: usize) -> Vec<usize> {
        let mut end = 0;
        let fresh = ranges.iter().map(|range| {
            let range = range.start.max(end)..range.end;
            end = end.max(range.end);
            range
        });
        let rows = fresh.flat_map(|range| {
            let weights = self.weights.get(range.clone()).unwrap_or_default();
            weights.iter().copied().zip(range)
        });
        heaviest(rows, count)
    }

    fn suggestion(&self, at: usize) -> Suggestion {
        let entry = self.entries.get(at).map_or(usize::MAX, |entry| *entry as usize);
        Suggestion {
            text: self.texts.text(entry),
            weight: self.weights.get(at).copied().map_or(0, i64::from),
            payload: self.payloads.as_ref().map(|payloads| payloads.text(entry)),
        }
    }

    pub(super) fn size(&self) -> usize {
        let payloads = self.payloads.as_ref().map_or(0, Texts::size);
        let rows = (self.weights.capacity() + self.entries.capacity()) * size_of::<u32>();
        self.keys.size() + self.texts.size() + payloads + rows
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

/// Which of the sorted rows stay: of those with one key each text once, and no more than `forms_max`, counted as Lucene does.
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
