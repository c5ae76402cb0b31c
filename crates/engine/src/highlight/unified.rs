//! The unified method: a text is cut into passages around its matches, passages are scored like small
//! documents, and the best are shown in the order of the text. The rules and figures are those of Lucene
//! 9.12.3 (`FieldHighlighter`, `PassageScorer`, `DefaultPassageFormatter`).

use std::collections::BTreeMap;

use plan::{Breaks, HighlightOptions, PassageScoring, Tags, UnifiedOptions};

use super::cut::{Cutter, Goal};
use super::mark_up;
use super::spans::Span;
use super::text::{Text, VALUE_SEPARATOR};

#[derive(Default)]
struct Passage {
    start: usize,
    end: usize,
    matches: Vec<Span>,
    score: f32,
}

/// The snippets of a text; `None` when there is nothing to show. `spans` are in order.
pub(super) fn snippets(
    text: &Text,
    spans: &[Span],
    options: &HighlightOptions,
    unified: &UnifiedOptions,
) -> Option<Vec<String>> {
    if text.len() == 0 {
        return None;
    }
    let goal = Goal {
        units: isize::try_from(options.fragment_units).unwrap_or(isize::MAX).min(i32::MAX as isize),
        align: unified.align,
        at_least: unified.at_least,
    };
    let whole = options.fragment_units == 0 || unified.breaks == Breaks::Nowhere;
    let breaks = if whole { Breaks::Nowhere } else { unified.breaks };
    let mut cutter = Cutter::new(text, breaks, Some(goal).filter(|goal| !whole && goal.units > 1));
    let mut passages = best(text, spans, options.snippets, unified.scoring, &mut cutter);
    if passages.is_empty() && unified.default_summary {
        passages = first(options.snippets, &mut cutter);
    }
    if passages.is_empty() {
        return None;
    }
    let ellipsis = unified.ellipsis.as_deref().unwrap_or("\0");
    Some(split(&formatted(text, &passages, options, ellipsis)))
}

/// The passages with the best matches, in the order of the text.
fn best(
    text: &Text,
    spans: &[Span],
    limit: usize,
    scoring: PassageScoring,
    cutter: &mut Cutter<'_>,
) -> Vec<Passage> {
    let len = text.len();
    let mut kept: Vec<Passage> = Vec::new();
    let mut passage = Passage::default();
    let mut last_end = 0;
    for span in spans.iter().filter(|span| span.start >= len || span.end <= len) {
        if span.start >= passage.end {
            keep(&mut kept, std::mem::take(&mut passage), limit, scoring, len);
            if span.start >= len {
                break;
            }
            let (start, end) = (span.start as isize, span.end as isize);
            let center = start + (end - start) / 2;
            let from = cutter.preceding((start + 1).max(center)).max(last_end);
            let to = cutter.following((end - 1).min(center)).min(len as isize);
            last_end = end.max(to);
            passage.start = start.min(from).max(0) as usize;
            passage.end = last_end as usize;
        }
        passage.matches.push(*span);
    }
    keep(&mut kept, passage, limit, scoring, len);
    kept.sort_by_key(|passage| passage.start);
    kept
}

/// Adds a passage if it is one of the best so far; of equal ones the last stay.
fn keep(kept: &mut Vec<Passage>, mut passage: Passage, limit: usize, scoring: PassageScoring, len: usize) {
    if passage.matches.is_empty() {
        return;
    }
    passage.score = score(&passage, scoring, len);
    kept.push(passage);
    if kept.len() > limit {
        let order = |at: &usize| kept.get(*at).map(|passage| (passage.score, passage.start));
        let least = (0..kept.len()).min_by(|left, right| match (order(left), order(right)) {
            (Some(left), Some(right)) => left.0.total_cmp(&right.0).then(left.1.cmp(&right.1)),
            _ => std::cmp::Ordering::Equal,
        });
        kept.swap_remove(least.unwrap_or(0));
    }
}

/// BM25 over the words of a passage, times a bonus for an early one. Words are taken in order of their first
/// match.
fn score(passage: &Passage, scoring: PassageScoring, text_len: usize) -> f32 {
    let PassageScoring { k1, b, pivot } = scoring;
    let mut words: BTreeMap<usize, usize> = BTreeMap::new();
    let mut counted: Vec<(usize, usize)> = Vec::new();
    for span in &passage.matches {
        let at = *words.entry(span.key).or_insert(counted.len());
        match counted.get_mut(at) {
            Some((in_passage, _)) => *in_passage += 1,
            None => counted.push((1, span.count)),
        }
    }
    let documents = 1.0 + text_len as f32 / pivot;
    let norm = k1 * ((1.0 - b) + b * ((passage.end - passage.start) as f32 / pivot));
    let of_word = |(in_passage, in_text): (usize, usize)| {
        let rarity = 1.0 + (f64::from(documents) + 0.5) / (in_text as f64 + 0.5);
        let weight = (k1 + 1.0) * (rarity.ln() as f32);
        in_passage as f32 / (in_passage as f32 + norm) * weight
    };
    let sum: f32 = counted.into_iter().map(of_word).fold(0.0, |sum, part| sum + part);
    sum * (1.0 + 1.0 / (f64::from(pivot + passage.start as f32).ln() as f32))
}

/// The beginning of a text, in passages.
fn first(limit: usize, cutter: &mut Cutter<'_>) -> Vec<Passage> {
    cutter.first();
    let mut passages: Vec<Passage> = Vec::new();
    let mut start = 0;
    while passages.len() < limit {
        let Some(end) = cutter.next() else { break };
        let end = end.max(0) as usize;
        passages.push(Passage { start, end, ..Passage::default() });
        start = end;
    }
    passages
}

fn formatted(text: &Text, passages: &[Passage], options: &HighlightOptions, ellipsis: &str) -> String {
    let Tags { before, after } = &options.tags;
    let html = options.html;
    let mut out = String::new();
    let mut at = 0;
    for passage in passages {
        if passage.start > at && at > 0 {
            out.push_str(ellipsis);
        }
        at = passage.start;
        let mut matches = passage.matches.iter().peekable();
        while let Some(span) = matches.next() {
            mark_up::append(&mut out, text.slice(at, span.start), html);
            let mut end = span.end;
            while let Some(next) = matches.next_if(|next| next.start < end) {
                end = end.max(next.end);
            }
            let end = end.min(passage.end);
            out.push_str(before);
            mark_up::append(&mut out, text.slice(span.start, end), html);
            out.push_str(after);
            at = end;
        }
        mark_up::append(&mut out, text.slice(at, at.max(passage.end)), html);
        at = passage.end;
    }
    out
}

/// Apart where values or passages end, as Java splits: without what is empty at the end.
fn split(text: &str) -> Vec<String> {
    let mut parts: Vec<String> = text.split(VALUE_SEPARATOR).map(str::to_owned).collect();
    while parts.len() > 1 && parts.last().is_some_and(String::is_empty) {
        parts.pop();
    }
    parts
}
