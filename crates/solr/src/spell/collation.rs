//! Corrected queries: a combination of suggestions put into the query's text, as Solr's `SpellCheckCollator`
//! does it, and which of them are shown. Trying them out is the handler's. In: findings for each word and the
//! query's text; out: texts to try, in the order of their ranks, and of those that found something what is
//! shown.

use std::collections::VecDeque;

use plan::{SpellFinding, SpellWord};

use super::possibilities::{Correction, Possibility, possibilities};

/// How many corrected queries are wanted, and what is done to find them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CollationBounds {
    pub shown_max: usize,
    /// 0 shows them untried.
    pub tries_max: usize,
    pub evaluations_max: usize,
    /// Whether findings may be of the same words.
    pub overlap: bool,
}

/// A corrected query.
#[derive(Clone, Debug, PartialEq)]
pub struct Collation {
    pub query: String,
    /// 0 where it was not tried.
    pub hits: u64,
    /// Words with what stands in their place.
    pub corrections: Vec<(String, String)>,
    rank: usize,
}

/// Corrected queries, of which some are still to be tried.
#[derive(Debug)]
pub struct Collations {
    waiting: VecDeque<Collation>,
    shown: Vec<Collation>,
    bounds: CollationBounds,
    tried: usize,
    /// Text of trials that is left.
    bytes_left: usize,
}

/// Bytes of corrected queries that are tried, all together: a trial costs what its text does. Solr differs:
/// it tries as many of any length as are asked for.
const TRIED_BYTES_MAX: usize = 1 << 17;

impl Collations {
    pub(super) fn new(query: &str, findings: &[SpellFinding], bounds: CollationBounds) -> Self {
        let count = if bounds.tries_max > 0 { bounds.tries_max } else { bounds.shown_max };
        let found = possibilities(findings, count, bounds.evaluations_max, bounds.overlap);
        let query: Vec<u16> = query.encode_utf16().collect();
        let waiting = found.into_iter().map(|it| collation(&query, findings, it, bounds.overlap)).collect();
        let mut collations =
            Self { waiting, shown: Vec::new(), bounds, tried: 0, bytes_left: TRIED_BYTES_MAX };
        if bounds.tries_max == 0 {
            collations.shown.extend(collations.waiting.drain(..).take(bounds.shown_max));
        }
        collations
    }

    /// The next query to try; tell [`Collations::tried`] how much it finds.
    pub fn next_trial(&self) -> Option<&str> {
        let enough = self.shown.len() >= self.bounds.shown_max || self.tried >= self.bounds.tries_max;
        let next = self.waiting.front().filter(|_| !enough && self.bytes_left > 0);
        next.map(|collation| collation.query.as_str())
    }

    /// The query tried last finds this many documents.
    pub fn tried(&mut self, hits: u64) {
        self.tried += 1;
        let Some(tried) = self.waiting.pop_front() else { return };
        self.bytes_left = self.bytes_left.saturating_sub(tried.query.len());
        self.shown.extend(Some(Collation { hits, ..tried }).filter(|_| hits > 0));
    }

    /// What is shown, best first.
    pub(super) fn into_shown(self) -> Vec<Collation> {
        let mut shown = self.shown;
        shown.sort_by(|a, b| {
            a.rank.cmp(&b.rank).then_with(|| a.query.encode_utf16().cmp(b.query.encode_utf16()))
        });
        shown
    }
}

fn collation(query: &[u16], findings: &[SpellFinding], found: Possibility, overlap: bool) -> Collation {
    let Possibility { corrections, rank, index } = found;
    let texts = corrections.iter().filter_map(|correction: &Correction| {
        let finding = findings.get(correction.finding)?;
        Some((&finding.word, finding.suggestions.get(correction.suggestion)?.0.as_str()))
    });
    let texts: Vec<(&SpellWord, &str)> = texts.collect();
    Collation {
        query: corrected(query, &texts),
        hits: 0,
        corrections: texts.iter().map(|(word, text)| (word.text.clone(), (*text).to_owned())).collect(),
        rank: if overlap { rank * 1000 + index } else { rank },
    }
}

/// The query with words replaced, from left to right. Words that analysis added at the place of another are
/// passed over.
fn corrected(query: &[u16], corrections: &[(&SpellWord, &str)]) -> String {
    let (mut out, mut at) = (Vec::with_capacity(query.len()), 0);
    for (word, text) in corrections.iter().filter(|(word, _)| word.increment > 0 && word.end >= word.start) {
        if word.start < at {
            continue;
        }
        out.extend_from_slice(query.get(at..word.start.min(query.len())).unwrap_or_default());
        out.extend(replacement(query, word, text).encode_utf16());
        at = word.end;
    }
    out.extend_from_slice(query.get(at..).unwrap_or_default());
    String::from_utf16_lossy(&out)
}

/// What stands in a word's place. Where it becomes several, they are required or prohibited as it was.
fn replacement(query: &[u16], word: &SpellWord, text: &str) -> String {
    let before = word.start.checked_sub(1).and_then(|at| query.get(at)).copied();
    match before.and_then(|unit| char::from_u32(unit.into())) {
        Some('+') => behind_spaces(text, "+"),
        Some('-') => behind_spaces(text, "-"),
        _ if word.role.in_boolean && text.contains(' ') => format!("({})", behind_spaces(text, "AND ")),
        _ => text.to_owned(),
    }
}

/// The text with something put behind its spaces. As in Solr, a space that follows another too closely is
/// passed over: no farther from it than all that was put in so far is long.
fn behind_spaces(text: &str, put_in: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut next, mut reach) = (0, 1);
    for (at, character) in text.chars().enumerate() {
        out.push(character);
        if character == ' ' && at >= next {
            out.push_str(put_in);
            reach += put_in.len();
            next = at + reach;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::WordRole;

    fn word(start: usize, end: usize, role: WordRole) -> SpellWord {
        SpellWord { text: "w".into(), start, end, increment: 1, role }
    }

    #[test]
    fn words_are_replaced_in_place() {
        let check = |query: &str, corrections: &[(SpellWord, &str)], expected: &str| {
            let units: Vec<u16> = query.encode_utf16().collect();
            let corrections: Vec<_> = corrections.iter().map(|(word, text)| (word, *text)).collect();
            assert_eq!(corrected(&units, &corrections), expected);
        };
        let plain = |start, end| word(start, end, WordRole::default());
        let operand = |start, end| word(start, end, WordRole { in_boolean: true, ..WordRole::default() });
        check("gardn musik", &[(plain(0, 5), "garden"), (plain(6, 11), "music")], "garden music");
        check("étud^2 köhn", &[(plain(0, 4), "étude"), (plain(7, 11), "köln")], "étude^2 köln");
        check("+soundofmusic", &[(plain(1, 13), "sound of music")], "+sound +of +music");
        check("ab AND cd", &[(operand(0, 2), "a b"), (operand(7, 9), "cde")], "(a AND b) AND cde");
        check("x AND y", &[(operand(0, 1), "sound of music")], "(sound AND of music) AND y");
        check("a b", &[(plain(0, 3), "ab"), (plain(2, 3), "x")], "ab");
        check("a", &[(plain(7, 9), "b")], "ab");
    }

    #[test]
    fn what_finds_nothing_is_not_shown() {
        let finding = SpellFinding {
            word: word(0, 1, WordRole::default()),
            documents: 0,
            suggestions: vec![("b".into(), 1), ("c".into(), 1), ("d".into(), 1)],
        };
        let bounds = CollationBounds { shown_max: 2, tries_max: 3, evaluations_max: 9, overlap: false };
        let mut collations = Collations::new("a", std::slice::from_ref(&finding), bounds);
        let mut tried = Vec::new();
        while let Some(query) = collations.next_trial().map(str::to_owned) {
            collations.tried(if query == "b" { 0 } else { 7 });
            tried.push(query);
        }
        assert_eq!(tried, ["b", "c", "d"]);
        let shown: Vec<_> = collations.into_shown().into_iter().map(|it| (it.query, it.hits)).collect();
        assert_eq!(shown, [("c".to_owned(), 7), ("d".to_owned(), 7)]);
        let untried = Collations::new("a", &[finding], CollationBounds { tries_max: 0, ..bounds });
        assert!(untried.next_trial().is_none() && untried.into_shown().len() == 2);
    }

    #[test]
    fn long_queries_are_tried_fewer_times() {
        let suggestions = (0..1000).map(|number| (format!("b{number}"), 1)).collect();
        let finding = SpellFinding { word: word(0, 1, WordRole::default()), documents: 0, suggestions };
        let bounds =
            CollationBounds { shown_max: 1000, tries_max: 1000, evaluations_max: 5000, overlap: false };
        let tries = |query: &str| {
            let mut collations = Collations::new(query, std::slice::from_ref(&finding), bounds);
            let mut tries = 0;
            while collations.next_trial().is_some() {
                collations.tried(1);
                tries += 1;
            }
            tries
        };
        assert_eq!(tries("a"), 1000);
        assert_eq!(tries(&format!("a {}", "x".repeat(1 << 14))), 8);
    }
}
