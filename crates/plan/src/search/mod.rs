//! The plan of one search: everything the layers below need, resolved against the schema, in one immutable
//! value. Made by `crates/solr/src/select/resolve.rs`, never changed on its way: `cluster` derives plans of
//! its own for shards, `engine` lowers it to nodes. What is only shown, labels and forms, is not in it.

mod compared_fields;
pub(crate) mod field_selection;
pub(crate) mod filter;
mod heads_steps;
pub(crate) mod highlight;
pub(crate) mod hit;
pub(crate) mod page;
pub(crate) mod replica_choice;
pub(crate) mod rerank;
pub(crate) mod result;
pub(crate) mod shape;
pub(crate) mod shape_result;
pub(crate) mod shard_choice;
pub(crate) mod sort;
pub(crate) mod spell;
pub(crate) mod suggest;
pub(crate) mod terms;
pub(crate) mod vectors;
pub(crate) mod why_not;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::config::score_statistics::ScoreStatistics;
use crate::facet::FacetPlan;
use crate::partial::{ChosenHeads, SearchStatistics};
use crate::query::match_scope::MatchScope;
use crate::query::tree::{Function, Query};
use crate::search::field_selection::FieldSelection;
use crate::search::filter::Filter;
use crate::search::highlight::HighlightPlan;
use crate::search::page::Page;
use crate::search::shape::{GroupListing, Shape};
use crate::search::sort::{SortBy, SortKey};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchPlan {
    /// Of the schema it was resolved against; `None` where no name of a field was looked up.
    pub schema_version: Option<u64>,
    pub query: Query,
    /// Names by which facets may leave the query out, as they may filters.
    pub query_tags: Vec<String>,
    pub filters: Vec<Filter>,
    /// Never empty; ties end in index order.
    pub sort: Vec<SortKey>,
    pub page: Page,
    /// Which stored fields the hits carry.
    pub fields: FieldSelection,
    /// What to compute for each hit of the page.
    pub functions: Vec<Function>,
    /// Compute scores even where the sort does not need them (`fl=score`).
    pub scores: bool,
    pub facets: FacetPlan,
    /// Explain the score of each hit on the page.
    pub explain: bool,
    /// Whether the result may come from a cache and go into one (`{!cache=false}` in `q` says no).
    pub cache: bool,
    /// Hits may be counted no further than beyond this, where counting costs more than finding the page;
    /// `None` counts all.
    pub count_enough: Option<u64>,
    /// What is shown other than a sorted page.
    pub shape: Shape,
    /// What to mark in the hits that are shown.
    pub highlight: Option<HighlightPlan>,
    /// Which of the documents below each hit are shown with it.
    pub children: Vec<ChildrenPlan>,
    /// Whether shards that are several score by what all of them count.
    pub score_statistics: ScoreStatistics,
    /// What scores depend on beside the document, of all shards together; `None` where a shard is alone and
    /// counts its own.
    pub statistics: Option<Arc<SearchStatistics>>,
    /// What was chosen of the steps that leave only the best hits of groups; empty where a shard is alone and
    /// chooses itself.
    pub heads: Vec<ChosenHeads>,
}

/// Documents below a hit (Solr's `[child]`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChildrenPlan {
    /// Which documents are parents; `None` where paths tell what is below what.
    pub parents: Option<Query>,
    /// Which are wanted; those that lead to them come too. `None` is all.
    pub filter: Option<Query>,
    pub limit: Option<usize>,
    pub fields: FieldSelection,
}

impl SearchPlan {
    /// Counts the documents that match, answers afresh, and shows none: what a plan made by hand starts from.
    pub fn count(query: Query) -> Self {
        Self {
            schema_version: None,
            query,
            query_tags: Vec::new(),
            filters: Vec::new(),
            sort: vec![SortKey { by: SortBy::IndexOrder, descending: false }],
            page: Page { start: 0, rows: 0 },
            fields: FieldSelection::default(),
            functions: Vec::new(),
            scores: false,
            facets: FacetPlan::default(),
            explain: false,
            cache: false,
            count_enough: None,
            shape: Shape::default(),
            highlight: None,
            children: Vec::new(),
            score_statistics: ScoreStatistics::default(),
            statistics: None,
            heads: Vec::new(),
        }
    }
}

impl SearchPlan {
    /// The best documents of another query, shown as this plan shows its hits.
    pub fn showing(&self, query: Query, page: Page) -> Self {
        Self {
            schema_version: self.schema_version,
            sort: vec![SortKey { by: SortBy::Score, descending: true }],
            page,
            fields: self.fields.clone(),
            functions: self.functions.clone(),
            scores: self.scores,
            score_statistics: self.score_statistics,
            ..Self::count(query)
        }
    }
}

/// Hits that are loaded and written in less time than another thread takes to wake.
const PAGE_LIGHT: usize = 100;

impl SearchPlan {
    /// The keys of all orders that hits are put in.
    pub fn orders(&self) -> impl Iterator<Item = &SortKey> {
        let Shape { cursor: _, collapses, groups, expand: _, rerank: _ } = &self.shape;
        let within = groups.iter().flat_map(|groups| &groups.sort);
        self.sort.iter().chain(within).chain(collapses.iter().flat_map(|collapse| &collapse.best))
    }

    /// Whether any score or value of it depends on more than its document: then shards that are several need
    /// [`Self::statistics`], unless each is to go by its own.
    pub fn needs_statistics(&self) -> bool {
        self.score_statistics == ScoreStatistics::Collection && self.hangs_on_statistics()
    }

    /// As shards get it that are several: they must not cut what others add to.
    #[must_use]
    pub fn for_several_shards(&self) -> Self {
        let (facets, shape) = (self.facets.for_several_shards(), &self.shape);
        Self { facets, shape: shape.listing_groups(|| GroupListing::Leading), ..self.clone() }
    }

    /// Whether a shard may be asked once more about the same hits.
    pub fn may_be_asked_again(&self) -> bool {
        self.facets.may_be_asked_again() || self.shape.lists_groups()
    }

    /// Whether statistics tell how long it takes, which is then few microseconds or many.
    pub fn may_be_soon_done(&self) -> bool {
        self.filters.is_empty() && self.query.reads_terms_alone() && self.is_light()
    }

    /// Whether all shards together, of which these are the statistics, are searched in less time than it
    /// takes to wake a thread.
    pub fn is_soon_done(&self, counted: &SearchStatistics) -> bool {
        /// A thread that is woken costs 35 µs of processor time
        /// (docs/adr/0004-queries-read-postings-directly.md), for which some thousand postings are read.
        const POSTINGS_FEW: u64 = 8_192;
        self.may_be_soon_done() && counted.postings() <= POSTINGS_FEW
    }

    fn hangs_on_statistics(&self) -> bool {
        let by_value = |key: &SortKey| matches!(key.by, SortBy::Score | SortBy::Function(_));
        let scores = self.scores || self.explain || self.shape.rerank.is_some();
        let counts = |query: &Query| query.scope() == MatchScope::Snapshot;
        scores
            || counts(&self.query)
            || self.filters.iter().any(|filter| counts(&filter.query))
            || self.orders().any(by_value)
            || !self.functions.is_empty()
            || self.highlight.is_some()
            || self.shape.expand.is_some()
    }

    /// Whether the search is of a kind that takes microseconds, however large the index: it may then run
    /// where its request arrived, while others had better not keep other requests waiting. A guess, by the
    /// plan alone.
    pub fn is_light(&self) -> bool {
        let by_score = self.sort.iter().all(|key| key.by == SortBy::Score);
        let light = by_score && !self.facets.reads_hits() && !self.explain && self.page.end() <= PAGE_LIGHT;
        light
            && self.shape.is_plain()
            && self.highlight.is_none()
            && self.functions.is_empty()
            && self.children.is_empty()
            && self.query.is_light()
            && self.filters.iter().all(|filter| filter.query.is_light())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Value;

    #[test]
    fn few_postings_and_nothing_else_are_soon_read() {
        let term = || Query::Term { field: "f".into(), value: Value::Str("t".to_owned()) };
        let plan = |query: Query| {
            let sort = vec![SortKey { by: SortBy::Score, descending: true }];
            SearchPlan { sort, ..SearchPlan::count(query) }
        };
        let soon = |plan: SearchPlan, postings: u64| {
            let terms = [(("f".into(), b"t".as_slice().into()), postings)].into();
            plan.is_soon_done(&SearchStatistics { terms, ..SearchStatistics::default() })
        };
        assert!(soon(plan(term()), 8_192) && !soon(plan(term()), 8_193));
        assert!(!soon(plan(Query::Exists { field: "f".into() }), 1));
        let filter = Filter { query: term(), cache: true, cost: 0, tags: Vec::new() };
        assert!(!soon(SearchPlan { filters: vec![filter], ..plan(term()) }, 1));
    }
}
