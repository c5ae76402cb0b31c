//! Char filters that replace fixed strings: `mapping` (rules of a file, the longest match wins), `persian`
//! (the zero-width non-joiner becomes a blank), `cjkWidth`. Rules come from a file of the configset. Offsets
//! lead back through `Rewriter`, character by character, so that a snippet marks the text as it was written.

use rustc_hash::FxHashMap;

use crate::definition::CharFilterDefinition;
use crate::error::Error;
use crate::filter::normal_width;
use crate::filter::unescape;
use crate::offsets::{Filtered, Rewriter};
use crate::stage::CharFilter;

pub(crate) static MAPPING: CharFilterDefinition = CharFilterDefinition::new(
    "mapping",
    "charfilter.MappingCharFilterFactory",
    &["mapping"],
    "Replaces strings by the rules of a file: `\"ä\" => \"ae\"`.",
    |args| {
        let mut rules = FxHashMap::default();
        for line in args.lines("mapping")?.unwrap_or_default() {
            let (from, to) = read_rule(line)?;
            // Two right sides for one left side: Lucene's builder refuses them too, rather than let the last
            // one win.
            if rules.insert(from, to).is_some() {
                return Err(Error::resource(format!(
                    "the mapping rule `{line}` repeats an earlier left side"
                )));
            }
        }
        Ok(Box::new(Mapping::new(rules)))
    },
)
.reading(&["mapping"])
.normalizing();

pub(crate) static PERSIAN: CharFilterDefinition = CharFilterDefinition::new(
    "persian",
    "fa.PersianCharFilterFactory",
    &[],
    "Makes the zero-width non-joiner a blank.",
    |_| Ok(Box::new(Mapping::new([("\u{200c}".to_owned(), " ".to_owned())].into_iter().collect()))),
)
.normalizing();

pub(crate) static CJK_WIDTH: CharFilterDefinition = CharFilterDefinition::new(
    "cjkWidth",
    "cjk.CJKWidthCharFilterFactory",
    &[],
    "Makes full-width ASCII and half-width katakana normal.",
    |_| Ok(Box::new(CjkWidth)),
)
.normalizing();

/// `"from" => "to"` with Java's escapes.
fn read_rule(line: &str) -> Result<(String, String), Error> {
    let bad =
        || Error::resource(format!("cannot read the mapping rule `{line}`; write `\"from\" => \"to\"`"));
    let (left, right) = line.split_once("=>").ok_or_else(bad)?;
    let inner = |side: &str| {
        let quoted = side.trim().strip_prefix('"')?.strip_suffix('"')?;
        unescape(quoted)
    };
    let (from, to) = (inner(left).ok_or_else(bad)?, inner(right).ok_or_else(bad)?);
    if from.is_empty() { Err(bad()) } else { Ok((from, to)) }
}

struct Mapping {
    rules: FxHashMap<String, String>,
    /// For each first character the lengths of the left sides, longest first.
    lengths: FxHashMap<char, Vec<usize>>,
}

impl Mapping {
    fn new(rules: FxHashMap<String, String>) -> Self {
        let mut lengths: FxHashMap<char, Vec<usize>> = FxHashMap::default();
        for from in rules.keys() {
            lengths.entry(from.chars().next().unwrap_or_default()).or_default().push(from.len());
        }
        for list in lengths.values_mut() {
            // Longest first makes the first hit the longest match, which is what Lucene's automaton gives.
            list.sort_unstable_by(|a, b| b.cmp(a));
            list.dedup();
        }
        Mapping { rules, lengths }
    }

    /// The rule with the longest left side that the text starts with.
    fn longest<'a>(&'a self, rest: &'a str, first: char) -> Option<(&'a str, &'a str)> {
        self.lengths.get(&first)?.iter().find_map(|length| {
            // None where the rest is shorter or the cut falls into a character: `find_map` goes on to shorter
            // rules.
            let from = rest.get(..*length)?;
            Some((from, self.rules.get(from)?.as_str()))
        })
    }
}

impl CharFilter for Mapping {
    fn filter(&self, text: &str) -> Filtered {
        let mut out = Rewriter::default();
        let mut kept = 0;
        let mut at = 0;
        while let Some(first) = text.get(at..).and_then(|rest| rest.chars().next()) {
            let rest = text.get(at..).unwrap_or_default();
            let Some((from, to)) = self.longest(rest, first) else {
                at += first.len_utf8();
                continue;
            };
            out.keep(text.get(kept..at).unwrap_or_default());
            out.replace(from, to);
            at += from.len();
            kept = at;
        }
        out.keep(text.get(kept..).unwrap_or_default());
        out.finish()
    }
}

struct CjkWidth;

impl CharFilter for CjkWidth {
    fn filter(&self, text: &str) -> Filtered {
        let mut out = Rewriter::default();
        let mut chars = text.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            // Half-width text spells a voiced letter as two characters; they become one and share its
            // offsets.
            let mark = chars.next_if(|(_, next)| matches!(next, '\u{ff9e}' | '\u{ff9f}'));
            let end = mark.map_or(at + c.len_utf8(), |(mark_at, mark)| mark_at + mark.len_utf8());
            let piece = text.get(at..end).unwrap_or_default();
            if mark.is_none() && !('\u{ff01}'..='\u{ff9f}').contains(&c) {
                out.keep(piece);
            } else {
                out.replace(piece, &normal_width(piece));
            }
        }
        out.finish()
    }
}
