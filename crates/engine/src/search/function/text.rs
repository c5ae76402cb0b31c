//! How alike two texts are, from 0 to 1, as Lucene's spell checker measures it: Jaro and Winkler's,
//! Levenshtein's, and that of n-grams (Kondrak, 2005). Characters count as Java's UTF-16 units do.
//!
//! Serves `strdist()` a batch at a time, and whoever has two texts at hand. Which terms are near a word in
//! the index is found by an automaton instead (`search/near_terms.rs`).

use plan::StringMeasure;
use tantivy::DocId;

use super::values::SingleValues;

pub(super) fn distances<V: SingleValues>(
    measure: StringMeasure,
    arguments: &mut [V],
    docs: &[DocId],
    out: &mut [f32],
) {
    let [one, other] = arguments else { return out.fill(0.0) };
    one.remember(docs);
    other.remember(docs);
    for (out, doc) in out.iter_mut().zip(docs) {
        *out = match (one.text(*doc), other.text(*doc)) {
            (Some(one), Some(other)) => alike(measure, &one, &other),
            _ => 0.0,
        };
    }
}

/// As a text and another, see [`StringMeasure`].
pub fn alike(measure: StringMeasure, one: &str, other: &str) -> f32 {
    let units = |text: &str| -> Vec<u16> { text.encode_utf16().collect() };
    let (one, other) = (units(one), units(other));
    match measure {
        StringMeasure::JaroWinkler => jaro_winkler(&one, &other),
        StringMeasure::Levenshtein => levenshtein(&one, &other),
        StringMeasure::NGram(length) => ngram(&one, &other, length),
    }
}

/// Matching characters within half the longer text, transpositions, and a prize for a common beginning from
/// 0.7 on.
fn jaro_winkler(one: &[u16], other: &[u16]) -> f32 {
    const PRIZE_FROM: f32 = 0.7;
    let (short, long) = if one.len() > other.len() { (other, one) } else { (one, other) };
    let reach = (long.len() / 2).saturating_sub(1);
    let mut taken = vec![false; long.len()];
    let mut matched_short = Vec::new();
    for (at, unit) in short.iter().enumerate() {
        let (from, to) = (at.saturating_sub(reach), (at + reach + 1).min(long.len()));
        let free =
            (from..to).find(|place| !taken.get(*place).unwrap_or(&true) && long.get(*place) == Some(unit));
        if let Some(taken) = free.and_then(|place| taken.get_mut(place)) {
            *taken = true;
            matched_short.push(*unit);
        }
    }
    let matched_long = long.iter().zip(&taken).filter(|(_, taken)| **taken).map(|(unit, _)| unit);
    let swapped = matched_short.iter().zip(matched_long).filter(|(one, other)| one != other).count() / 2;
    let matched = matched_short.len() as f32;
    if matched == 0.0 {
        return 0.0;
    }
    let (one_length, other_length) = (one.len() as f32, other.len() as f32);
    let jaro = (matched / one_length + matched / other_length + (matched - swapped as f32) / matched) / 3.0;
    if jaro < PRIZE_FROM {
        return jaro;
    }
    let prefix = short.iter().zip(long).take_while(|(one, other)| one == other).count();
    jaro + 0.1f32.min(1.0 / long.len() as f32) * prefix as f32 * (1.0 - jaro)
}

/// The edits that make one of the other, as a share of the longer.
fn levenshtein(one: &[u16], other: &[u16]) -> f32 {
    if one.is_empty() || other.is_empty() {
        return if one.len() == other.len() { 1.0 } else { 0.0 };
    }
    let mut row: Vec<usize> = (0..=one.len()).collect();
    for (at, unit) in other.iter().enumerate() {
        let mut diagonal = at;
        let mut left = at + 1;
        for (cell, against) in row.iter_mut().skip(1).zip(one) {
            let edits = (diagonal + usize::from(unit != against)).min(left + 1).min(*cell + 1);
            diagonal = std::mem::replace(cell, edits);
            left = edits;
        }
        if let Some(first) = row.first_mut() {
            *first = at + 1;
        }
    }
    let edits = row.last().copied().unwrap_or_default();
    1.0 - edits as f32 / one.len().max(other.len()) as f32
}

/// Kondrak's distance: edits between positions, each weighed by how much of the n-grams that end there
/// differs.
fn ngram(one: &[u16], other: &[u16], length: usize) -> f32 {
    if one.is_empty() || other.is_empty() {
        return if one.len() == other.len() { 1.0 } else { 0.0 };
    }
    if one.len() < length || other.len() < length {
        let equal = one.iter().zip(other).filter(|(one, other)| one == other).count();
        return equal as f32 / one.len().max(other.len()) as f32;
    }
    // Before the beginning stands a character that no text has; it matches nothing and does not count.
    let padded: Vec<u16> = std::iter::repeat_n(0, length - 1).chain(one.iter().copied()).collect();
    let mut row: Vec<f32> = (0..=one.len()).map(|at| at as f32).collect();
    for at in 1..=other.len() {
        let gram: Vec<u16> = (0..length)
            .map(|offset| {
                let place = (at + offset).checked_sub(length);
                place.and_then(|place| other.get(place)).copied().unwrap_or(0)
            })
            .collect();
        let (mut diagonal, mut left) = ((at - 1) as f32, at as f32);
        for (cell, against) in row.iter_mut().skip(1).zip(padded.windows(length)) {
            let edits = (left + 1.0).min(*cell + 1.0).min(diagonal + unlike(against, &gram));
            diagonal = std::mem::replace(cell, edits);
            left = edits;
        }
        if let Some(first) = row.first_mut() {
            *first = at as f32;
        }
    }
    let edits = row.last().copied().unwrap_or_default();
    1.0 - edits / one.len().max(other.len()) as f32
}

/// The share of two n-grams that differs; where both lie before the beginning nothing counts.
fn unlike(one: &[u16], other: &[u16]) -> f32 {
    let (mut counted, mut differ) = (one.len(), 0);
    for (one, other) in one.iter().zip(other) {
        if one != other {
            differ += 1;
        } else if *one == 0 {
            counted -= 1;
        }
    }
    differ as f32 / counted as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Recorded from Solr 9.10.1.
    #[test]
    fn likeness_is_lucenes() {
        let check = |measure, one: &str, other: &str, expected: f32| {
            let found = alike(measure, one, other);
            assert!((found - expected).abs() < 1e-6, "{one} {other}: {found}, not {expected}");
        };
        for (name, jaro, edits, bigrams, trigrams) in
            [("Ash", 0.933_333_34, 0.75, 0.625, 0.666_666_6), ("Ash Tree", 0.766_666_65, 0.25, 0.3125, 0.375)]
        {
            check(StringMeasure::JaroWinkler, name, "Asch", jaro);
            check(StringMeasure::Levenshtein, name, "Asch", edits);
            check(StringMeasure::NGram(2), name, "Asch", bigrams);
            check(StringMeasure::NGram(3), name, "Asch", trigrams);
        }
        check(StringMeasure::JaroWinkler, "Elm", "Asch", 0.0);
    }
}
