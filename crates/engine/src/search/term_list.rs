//! The terms of a field in their order, from the dictionaries of all segments at once, with their counts: as
//! many as a plan lets a shard cut. What is shown of them, and in which order, is decided where those of all
//! shards are together.

use std::cmp::Reverse;

use fancy_regex::Regex;
use plan::partial::TermCounts;
use plan::{CutDepth, Error, Result, TermCount, TermsPlan};
use tantivy::schema::Field;

use super::each_term::{Infos, each_term};
use crate::layout::InvertedKind;
use crate::search::context::SearchContext;

/// Terms of one field in one answer, with a limit or without: one so high that nothing is ever pruned let all
/// terms of a field into memory (2026-11).
const LISTED_MAX: usize = 1 << 21;
/// This many more than twice those that are kept are collected before they are sorted.
const PRUNED_LEAST: usize = 1024;

pub(super) fn list(context: &SearchContext<'_>, plan: &TermsPlan) -> Result<TermCounts> {
    list_within(LISTED_MAX, context, plan)
}

/// Errors: `BadRequest` where more than `listed_max` would have to be held.
fn list_within(listed_max: usize, context: &SearchContext<'_>, plan: &TermsPlan) -> Result<TermCounts> {
    let none = TermCounts::default();
    let Some(layout) = context.layout.field(&plan.field) else { return Ok(none) };
    let kind = layout.inverted_kind;
    let texts =
        matches!(kind, Some(InvertedKind::Text { .. } | InvertedKind::Term { .. } | InvertedKind::Key));
    let Some(field) = layout.inverted.filter(|_| texts) else { return Ok(none) };
    let (accept, cut) = (Accept::new(plan)?, Cut::of(plan));
    let mut listed: Vec<TermCount> = Vec::new();
    each_listed(context, field, plan, &mut |term, infos| {
        if cut.first.is_some_and(|first| listed.len() >= first) {
            return Ok(false);
        }
        let documents = infos.iter().map(|(_, info)| u64::from(info.doc_freq)).sum();
        if (!cut.by_counts || plan.lists(documents)) && accept.takes(term) {
            let occurrences = match plan.occurrences {
                true => Some(occurrences(field, infos)?),
                false => None,
            };
            listed.push(TermCount { term: term.to_owned(), documents, occurrences });
            if let Some(kept) = cut.most_frequent
                && listed.len() >= kept.saturating_mul(2).saturating_add(PRUNED_LEAST)
            {
                keep_most_frequent(&mut listed, kept);
            }
            // Whatever the cut: a limit may be so high that nothing is ever pruned.
            if listed.len() > listed_max {
                return Err(too_many(listed_max));
            }
        }
        Ok(true)
    })?;
    if let Some(kept) = cut.most_frequent {
        keep_most_frequent(&mut listed, kept);
    }
    Ok(TermCounts(listed))
}

/// What of its terms a shard gives back.
struct Cut {
    /// No more than this many.
    first: Option<usize>,
    /// No more than this many, and no others than the most frequent. Those that cannot get among them go from
    /// time to time: a field may have more terms than fit in memory.
    most_frequent: Option<usize>,
    /// Whether bounds on counts are judged by those of this shard.
    by_counts: bool,
}

impl Cut {
    fn of(plan: &TermsPlan) -> Self {
        let whole = plan.depth == CutDepth::Whole;
        // A term that is among the first of all shards is among the first of each that has it: this many are
        // enough, unless some of those before it are left out when all counts are known.
        let in_order = !plan.by_count && (!whole || (plan.lists(1) && plan.count_max.is_none()));
        Self {
            first: plan.limit.filter(|_| in_order),
            most_frequent: plan.limit.filter(|_| plan.by_count && !whole),
            by_counts: !whole,
        }
    }
}

/// Those of most documents, of equal ones the first, in order of terms.
fn keep_most_frequent(listed: &mut Vec<TermCount>, kept: usize) {
    if listed.len() > kept {
        listed.sort_by_key(|count| Reverse(count.documents));
        listed.truncate(kept);
        listed.sort_unstable_by(|left, right| left.term.cmp(&right.term));
    }
}

fn too_many(listed_max: usize) -> Error {
    Error::bad_request(format!(
        "more than `{listed_max}` terms of one field; set a lower `terms.limit`, and go on from the last with `terms.lower`"
    ))
}

/// What a term must be besides in the range.
struct Accept<'a> {
    plan: &'a TermsPlan,
    expressions: Vec<Regex>,
}

impl<'a> Accept<'a> {
    fn new(plan: &'a TermsPlan) -> Result<Self> {
        let compile = |text: &String| {
            Regex::new(&format!("^(?:{text})$")).map_err(|failure| {
                Error::bad_request(format!("`terms.regex` holds `{text}`, which is no expression: {failure}"))
            })
        };
        Ok(Self { plan, expressions: plan.expressions.iter().map(compile).collect::<Result<_>>()? })
    }

    fn takes(&self, term: &str) -> bool {
        let plan = self.plan;
        plan.lower.as_ref().is_none_or(|(lower, included)| *included || term != lower)
            && plan.among.as_ref().is_none_or(|among| among.iter().any(|one| one == term))
            && self.expressions.iter().all(|expression| expression.is_match(term).unwrap_or(false))
    }
}

/// Calls `take` with each term from the lower bound to the upper, until it says no.
fn each_listed<'a>(
    context: &SearchContext<'a>,
    field: Field,
    plan: &TermsPlan,
    take: &mut dyn FnMut(&str, &Infos<'a, '_>) -> Result<bool>,
) -> Result<()> {
    let prefix = plan.prefix.as_deref().unwrap_or_default();
    // As in Solr, a lower bound before the prefix ends the list at once.
    let start = plan.lower.as_ref().map_or(prefix, |(lower, _)| lower);
    let ended = |term: &[u8]| {
        let past = plan.upper.as_ref().is_some_and(|(upper, included)| match included {
            true => term > upper.as_bytes(),
            false => term >= upper.as_bytes(),
        });
        past || !term.starts_with(prefix.as_bytes())
    };
    each_term(context, field, start.as_bytes(), &mut |term, infos| match std::str::from_utf8(term) {
        _ if ended(term) => Ok(false),
        Ok(term) => take(term, infos),
        Err(_) => Ok(true),
    })
}

fn occurrences(field: Field, infos: &Infos<'_, '_>) -> Result<u64> {
    let mut sum = 0;
    for (segment, info) in infos {
        let mut blocks = segment.view.postings().blocks(segment.reader, field, info)?;
        blocks.for_each_with_freqs(0, segment.max_doc(), |_, freqs| {
            sum += freqs.iter().map(|freq| u64::from(*freq)).sum::<u64>();
        });
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use plan::ErrorKind;

    use super::*;
    use crate::search::SearchCaches;
    use crate::snapshot::Snapshot;
    use crate::testing::{document, schema, snapshot, text};

    fn plan() -> TermsPlan {
        TermsPlan {
            schema_version: None,
            field: "a_t".into(),
            lower: None,
            upper: None,
            prefix: None,
            expressions: Vec::new(),
            among: None,
            count_min: 1,
            count_max: None,
            limit: None,
            by_count: false,
            occurrences: false,
            depth: CutDepth::Page,
        }
    }

    /// Two segments with the words a, b, c and d.
    fn four_words() -> Snapshot {
        let doc = |id: &str, words: &str| document(&[("id", vec![text(id)]), ("a_t", vec![text(words)])]);
        let batches = [vec![doc("1", "b a b"), doc("2", "b c")], vec![doc("3", "c c d"), doc("4", "b")]];
        snapshot(&Arc::new(schema()), &batches)
    }

    #[test]
    fn more_terms_than_may_be_held_are_an_error_whatever_the_limit() {
        let (snapshot, caches) = (four_words(), SearchCaches::default());
        let check = |plan: TermsPlan, expected: bool| {
            let found = list_within(3, &crate::search::context_of(&snapshot, &caches), &plan);
            assert_eq!(
                found.map_err(|error| error.kind).err(),
                expected.then_some(ErrorKind::BadRequest),
                "{plan:?}"
            );
        };
        for depth in [CutDepth::Page, CutDepth::Whole] {
            check(TermsPlan { depth, ..plan() }, true);
            check(TermsPlan { depth, limit: Some(i32::MAX as usize), ..plan() }, true);
            check(TermsPlan { depth, limit: Some(i32::MAX as usize), by_count: true, ..plan() }, true);
            // From about half the bound on, nothing is pruned before the bound is met.
            check(TermsPlan { depth, limit: Some(2), by_count: true, ..plan() }, true);
            check(TermsPlan { depth, limit: Some(3), ..plan() }, false);
            check(TermsPlan { depth, lower: Some(("a".into(), false)), by_count: true, ..plan() }, false);
        }
    }

    #[test]
    fn terms_of_all_segments_are_listed_in_order() {
        let snapshot = four_words();
        let check = |plan: TermsPlan, expected: &str| {
            let caches = SearchCaches::default();
            let found = list(&crate::search::context_of(&snapshot, &caches), &plan).unwrap();
            let shown = |count: &TermCount| match count.occurrences {
                Some(often) => format!("{}={}/{often}", count.term, count.documents),
                None => format!("{}={}", count.term, count.documents),
            };
            assert_eq!(found.0.iter().map(shown).collect::<Vec<_>>().join(" "), expected, "{plan:?}");
        };
        check(plan(), "a=1 b=3 c=2 d=1");
        check(TermsPlan { by_count: true, limit: Some(3), ..plan() }, "a=1 b=3 c=2");
        check(TermsPlan { occurrences: true, limit: Some(2), ..plan() }, "a=1/1 b=3/4");
        check(
            TermsPlan { lower: Some(("b".into(), false)), upper: Some(("d".into(), false)), ..plan() },
            "c=2",
        );
        check(
            TermsPlan { lower: Some(("b".into(), true)), upper: Some(("d".into(), true)), ..plan() },
            "b=3 c=2 d=1",
        );
        check(TermsPlan { prefix: Some("c".into()), ..plan() }, "c=2");
        check(TermsPlan { expressions: vec!["[ad]".into()], ..plan() }, "a=1 d=1");
        check(TermsPlan { among: Some(vec!["d".into(), "b".into(), "x".into()]), ..plan() }, "b=3 d=1");
        check(TermsPlan { count_min: 2, count_max: Some(2), ..plan() }, "c=2");
        let whole = || TermsPlan { depth: CutDepth::Whole, ..plan() };
        check(TermsPlan { limit: Some(2), ..whole() }, "a=1 b=3");
        check(TermsPlan { limit: Some(2), count_min: 2, ..whole() }, "a=1 b=3 c=2 d=1");
        check(TermsPlan { limit: Some(2), count_max: Some(2), ..whole() }, "a=1 b=3 c=2 d=1");
        check(TermsPlan { limit: Some(2), by_count: true, ..whole() }, "a=1 b=3 c=2 d=1");
        check(TermsPlan { field: "nosuch_t".into(), ..plan() }, "");
        check(TermsPlan { field: "n_i".into(), ..plan() }, "");
    }
}
