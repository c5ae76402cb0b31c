//! The terms of a field in their order, from the dictionaries of all segments at once, with their counts.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use fancy_regex::Regex;
use plan::{Error, Result, TermCount, TermsPlan};
use tantivy::postings::TermInfo;
use tantivy::schema::Field;

use super::error::engine_error;
use super::{SearchContext, SearchSegment};
use crate::layout::InvertedKind;

/// Terms of one field in one answer.
const LISTED_MAX: usize = 1 << 21;
/// So many more than twice those that are kept are collected before they are sorted.
const PRUNED_LEAST: usize = 1024;

pub(super) fn list(context: &SearchContext<'_>, plan: &TermsPlan) -> Result<Vec<TermCount>> {
    let Some(layout) = context.layout.field(&plan.field) else { return Ok(Vec::new()) };
    let kind = layout.inverted_kind;
    let texts =
        matches!(kind, Some(InvertedKind::Text { .. } | InvertedKind::Term { .. } | InvertedKind::Key));
    let Some(field) = layout.inverted.filter(|_| texts) else { return Ok(Vec::new()) };
    let accept = Accept::new(plan)?;
    let mut listed: Vec<TermCount> = Vec::new();
    // Those that cannot get among the most frequent go from time to time: a field may have more terms than fit in memory.
    let kept = plan.limit.filter(|_| plan.by_count);
    let full = kept.map(|limit| limit.saturating_mul(2).saturating_add(PRUNED_LEAST));
    let stop = if plan.by_count { None } else { plan.limit };
    each_term(context, field, plan, &mut |term, infos| {
        if stop.is_some_and(|stop| listed.len() >= stop) {
            return Ok(false);
        }
        let documents = infos.iter().map(|(_, info)| u64::from(info.doc_freq)).sum();
        if accept.takes(term, documents) {
            let occurrences = match plan.occurrences {
                true => Some(occurrences(field, infos)?),
                false => None,
            };
            listed.push(TermCount { term: term.to_owned(), documents, occurrences });
            if full.is_some_and(|full| listed.len() >= full) {
                most_frequent(&mut listed, kept);
            } else if listed.len() > LISTED_MAX {
                return Err(too_many());
            }
        }
        Ok(true)
    })?;
    if plan.by_count {
        most_frequent(&mut listed, kept);
    }
    listed.truncate(plan.limit.unwrap_or(usize::MAX));
    Ok(listed)
}

/// Most documents first, equal ones as they came, which is in order of terms; no more than are kept.
fn most_frequent(listed: &mut Vec<TermCount>, kept: Option<usize>) {
    listed.sort_by_key(|count| Reverse(count.documents));
    listed.truncate(kept.unwrap_or(usize::MAX));
}

fn too_many() -> Error {
    Error::bad_request(format!(
        "more than `{LISTED_MAX}` terms of one field; set `terms.limit`, and go on from the last with `terms.lower`"
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

    fn takes(&self, term: &str, documents: u64) -> bool {
        let plan = self.plan;
        documents >= plan.count_min
            && plan.count_max.is_none_or(|most| documents <= most)
            && plan.lower.as_ref().is_none_or(|(lower, included)| *included || term != lower)
            && plan.among.as_ref().is_none_or(|among| among.iter().any(|one| one == term))
            && self.expressions.iter().all(|expression| expression.is_match(term).unwrap_or(false))
    }
}

/// Where a term is: segments with what their dictionaries say.
type Infos<'a, 's> = Vec<(&'s SearchSegment<'a>, TermInfo)>;

/// Calls `take` with each term from the lower bound to the upper, until it says no.
fn each_term<'a>(
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
    let inverted: Vec<_> = context
        .segments
        .iter()
        .map(|segment| Ok((segment, segment.reader.inverted_index(field).map_err(engine_error)?)))
        .collect::<Result<_>>()?;
    let mut streams = Vec::with_capacity(inverted.len());
    let mut heap = BinaryHeap::new();
    for (at, (segment, inverted)) in inverted.iter().enumerate() {
        let range = inverted.terms().range().ge(start.as_bytes());
        let mut stream = range.into_stream().map_err(engine_error)?;
        if stream.advance() {
            heap.push(Reverse((stream.key().to_vec(), at)));
        }
        streams.push((*segment, stream));
    }
    while let Some(Reverse((term, first))) = heap.pop() {
        if ended(&term) {
            return Ok(());
        }
        let mut same = vec![first];
        while heap.peek().is_some_and(|Reverse((next, _))| *next == term)
            && let Some(Reverse((_, at))) = heap.pop()
        {
            same.push(at);
        }
        let mut infos = Vec::with_capacity(same.len());
        for at in same {
            let Some((segment, stream)) = streams.get_mut(at) else { continue };
            infos.push((*segment, stream.value().clone()));
            if stream.advance() {
                heap.push(Reverse((stream.key().to_vec(), at)));
            }
        }
        if let Ok(term) = std::str::from_utf8(&term)
            && !take(term, &infos)?
        {
            return Ok(());
        }
    }
    Ok(())
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

    use super::*;
    use crate::search::SearchCaches;
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
        }
    }

    #[test]
    fn terms_of_all_segments_are_listed_in_order() {
        let doc = |id: &str, words: &str| document(&[("id", vec![text(id)]), ("a_t", vec![text(words)])]);
        let batches = [vec![doc("1", "b a b"), doc("2", "b c")], vec![doc("3", "c c d"), doc("4", "b")]];
        let snapshot = snapshot(&Arc::new(schema()), &batches);
        let check = |plan: TermsPlan, expected: &str| {
            let caches = SearchCaches::default();
            let found = list(&SearchContext::new(&snapshot, &caches), &plan).unwrap();
            let shown = |count: &TermCount| match count.occurrences {
                Some(often) => format!("{}={}/{often}", count.term, count.documents),
                None => format!("{}={}", count.term, count.documents),
            };
            assert_eq!(found.iter().map(shown).collect::<Vec<_>>().join(" "), expected, "{plan:?}");
        };
        check(plan(), "a=1 b=3 c=2 d=1");
        check(TermsPlan { by_count: true, limit: Some(3), ..plan() }, "b=3 c=2 a=1");
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
        check(TermsPlan { field: "nosuch_t".into(), ..plan() }, "");
        check(TermsPlan { field: "n_i".into(), ..plan() }, "");
    }
}
