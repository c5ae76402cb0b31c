//! Searches over one snapshot: a `plan::SearchPlan` in, a `plan::partial::ShardResult` out, whose hits are
//! references; those that are shown in, `plan::Hit` out. Reads only; holds nothing between searches but
//! [`SearchCaches`].
//!
//! The way of a query: `lower` resolves fields and statistics into a `node`; `mask` turns filters into bits;
//! `matches` tells which documents match, `terms` for most queries in its own way; `collect` finds the best
//! of them by their exact scores (`evaluate`) or sorts; `facet` counts values over the bits of all hits;
//! `grouping` puts hits in groups and keeps the best of each. The second step is `fetch`: it loads what the
//! page shows; `descend` finds what is below a hit; `explain` tells how a score came about.

mod bm25;
mod caches;
mod collect;
mod column_values;
mod columns;
mod computed_docs;
pub(crate) mod context;
mod counted_by;
mod descend;
mod doc_matcher;
mod each_term;
mod evaluate;
mod explain;
mod facet;
mod fetch;
mod filter_cache;
mod function;
mod grouping;
mod index_term;
mod indexed_words;
mod inner_queries;
mod key_table;
mod leaf_nodes;
mod lower;
mod luke;
mod mask;
mod matches;
mod more_like;
mod near_terms;
mod nearest;
mod node;
mod node_label;
mod norms;
pub(crate) mod peers;
mod phrase;
mod preset;
mod repeats;
mod rerank;
mod restrictions;
mod result_cache;
mod rounds;
mod run;
mod scores;
mod sets;
mod sloppy;
mod span;
mod spatial;
mod statistics;
mod stats;
mod synonym;
pub(crate) mod tallies;
mod term_list;
mod terms;
#[cfg(test)]
mod tests;
mod vectors;
mod why_not;
mod words;

use meter::Meters;
use plan::partial::{
    ByValue, GroupPartial, GroupsPartial, HeadsStep, HitRef, IndexedFields, LikeCounts, LikeWords,
    SearchStatistics, ShardResult, TermCounts, WordCounts,
};
use plan::{Document, ExpandPlan, Explanation, FieldSelection, Query, Result, SearchPlan, Value};
use tantivy::DocId;

use crate::snapshot::Snapshot;
use context::SearchContext;
use inner_queries::SnapshotQueries;
use tallies::Tallies;

pub(crate) use caches::SearchCaches;
pub(crate) use doc_matcher::DocMatcher;
pub(crate) use fetch::{fetch_expanded, fetch_hits, stored_document};
pub use function::alike;
pub(crate) use lower::{regex_automaton, wildcard_automaton};
pub(crate) use near_terms::is_near;
pub use near_terms::{TERM_CHARS_MAX, similarity};
pub(crate) use repeats::{are_too_many, groups};
pub(crate) use rounds::Rounds;
pub(crate) use sloppy::{PhraseSlot, spans};
pub(crate) use stats::rarity;

/// What a search of `snapshot` is handed, without bounds on what it may use up.
pub(crate) fn context_of<'a>(snapshot: &'a Snapshot, caches: &'a SearchCaches) -> SearchContext<'a> {
    SearchContext::new(snapshot, caches, &SnapshotQueries)
}

/// [`search_in_rounds`] of a search that is asked once.
#[cfg(test)]
pub(crate) fn search(
    snapshot: &Snapshot,
    plan: &SearchPlan,
    caches: &SearchCaches,
    meters: &Meters,
) -> Result<ShardResult> {
    search_in_rounds(snapshot, (plan, &Rounds::default()), caches, meters)
}

/// Runs `plan` over a snapshot, where earlier rounds of the search may have left something. Bad requests are
/// the user's; every other error is of the index.
pub(crate) fn search_in_rounds(
    snapshot: &Snapshot,
    (plan, rounds): (&SearchPlan, &Rounds),
    caches: &SearchCaches,
    meters: &Meters,
) -> Result<ShardResult> {
    caches.follow(snapshot);
    meters.allowance.resume();
    let context = context_of(snapshot, caches).within(meters);
    let context = SearchContext { explains: plan.explain, ..context }.of_plan(plan);
    run::search(&context, (plan, rounds), caches.results.lookup(snapshot, plan).as_ref())
}

/// What the scores of a plan depend on beside each document, as a snapshot has it.
pub(crate) fn statistics(
    snapshot: &Snapshot,
    plan: &SearchPlan,
    caches: &SearchCaches,
    meters: &Meters,
) -> Result<SearchStatistics> {
    caches.follow(snapshot);
    meters.allowance.resume();
    statistics::statistics(context_of(snapshot, caches).within(meters), plan)
}

/// The best hits of a snapshot in the groups of a step.
pub(crate) fn heads(
    snapshot: &Snapshot,
    (plan, step): (&SearchPlan, &HeadsStep),
    caches: &SearchCaches,
    meters: &Meters,
) -> Result<GroupsPartial> {
    caches.follow(snapshot);
    meters.allowance.resume();
    run::heads(&context_of(snapshot, caches).within(meters).of_plan(plan), plan, step)
}

/// What hits have in a field by which groups are expanded.
pub(crate) fn group_values(
    context: &SearchContext<'_>,
    expand: &ExpandPlan,
    hits: &[&HitRef],
) -> Result<Vec<Option<Value>>> {
    grouping::values_of(context, &expand.field, hits)
}

/// The members of the groups with these values, other than the hits that the page shows of this snapshot.
pub(crate) fn expand(
    context: &SearchContext<'_>,
    (plan, expand): (&SearchPlan, &ExpandPlan),
    (values, page): (&[Option<Value>], &[&HitRef]),
) -> Result<Vec<GroupPartial>> {
    let node = lower::lower_scored(context, expand.query.as_ref().unwrap_or(&plan.query))?;
    if values.is_empty() {
        return Ok(Vec::new());
    }
    let mut groups = grouping::expand(context, (plan, expand), &node, (values, page))?;
    if plan.scores {
        let hits = groups.iter_mut().flat_map(|group| &mut group.hits.list);
        scores::fill_scores(context, &node, hits)?;
    }
    Ok(groups)
}

/// The living documents that match `query`: (segment's number in the snapshot, documents ascending), empty
/// ones left out.
pub(crate) fn matching_docs(snapshot: &Snapshot, query: &Query) -> Result<Vec<(usize, Vec<DocId>)>> {
    context_of(snapshot, &SearchCaches::default()).matching_docs(query)
}

/// What the documents of a join's query have in its field.
pub(crate) fn joined(
    snapshot: &Snapshot,
    (join, scored, statistics): (&plan::Join, bool, Option<&SearchStatistics>),
    caches: &SearchCaches,
) -> Result<Tallies> {
    caches.follow(snapshot);
    lower::joined(&context_of(snapshot, caches).counted_by(statistics), join, scored)
}

/// What the index holds of each concrete field, by name.
pub(crate) fn luke_fields(snapshot: &Snapshot) -> Result<IndexedFields> {
    luke::fields(&context_of(snapshot, &SearchCaches::default()))
}

/// The documents of each term of a field.
pub(crate) fn term_documents(snapshot: &Snapshot, field: &str) -> Result<ByValue<u64>> {
    luke::term_documents(&context_of(snapshot, &SearchCaches::default()), field)
}

/// The terms of a field that a plan lists.
pub(crate) fn terms(snapshot: &Snapshot, plan: &plan::TermsPlan) -> Result<TermCounts> {
    term_list::list(&context_of(snapshot, &SearchCaches::default()), plan)
}

/// The words of what documents are to be like.
pub(crate) fn like_words(snapshot: &Snapshot, like: &plan::MoreLike) -> Result<LikeWords> {
    more_like::words(&context_of(snapshot, &SearchCaches::default()), like)
}

/// How many documents have each of these words.
pub(crate) fn like_counts(
    snapshot: &Snapshot,
    like: &plan::MoreLike,
    words: &LikeWords,
) -> Result<LikeCounts> {
    more_like::counts(&context_of(snapshot, &SearchCaches::default()), like, words)
}

/// The terms of documents.
pub(crate) fn vectors(snapshot: &Snapshot, plan: &plan::VectorsPlan) -> Result<Vec<plan::DocumentVectors>> {
    vectors::vectors(&context_of(snapshot, &SearchCaches::default()), plan)
}

/// Why the document with this id is no hit of the plan.
pub(crate) fn why_not(
    snapshot: &Snapshot,
    plan: &SearchPlan,
    id: &str,
    meters: &Meters,
) -> Result<plan::WhyNot> {
    meters.allowance.resume();
    let caches = SearchCaches::default();
    why_not::why_not(&context_of(snapshot, &caches).within(meters), plan, id)
}

/// What the terms of a field have of some words.
pub(crate) fn words(
    snapshot: &Snapshot,
    plan: &plan::WordsPlan,
    caches: &SearchCaches,
    meters: &Meters,
) -> Result<WordCounts> {
    words::look_up(&context_of(snapshot, caches).within(meters), plan)
}

/// The living document with this number in the snapshot: id and fields.
pub(crate) fn document_at(
    snapshot: &Snapshot,
    place: u64,
    fields: &FieldSelection,
) -> Result<Option<(String, Document)>> {
    fetch::document_at(&context_of(snapshot, &SearchCaches::default()), place, fields)
}

/// How the query of `plan` scores the first `limit` documents of `other` in index order, whether it finds
/// them or not: (id, reasons).
pub(crate) fn explain_other(
    snapshot: &Snapshot,
    plan: &SearchPlan,
    other: &Query,
    limit: usize,
    meters: &Meters,
) -> Result<Vec<(String, Explanation)>> {
    let caches = SearchCaches::default();
    let context = context_of(snapshot, &caches).within(meters);
    let context = SearchContext { explains: true, ..context }.of_plan(plan);
    let found = context.matching_docs(other)?;
    let found = found.into_iter().flat_map(|(segment, docs)| docs.into_iter().map(move |doc| (segment, doc)));
    let found: Vec<_> = found.take(limit).collect();
    explain::others(&context, &plan.query, &found)
}
