//! What a search shows other than a sorted page: a page behind a cursor's mark, hits collapsed to one a
//! group, hits in groups, the other members of the groups on the page, the first hits in another order.
//! Solr's words: `cursorMark`, `{!collapse}`, `group`, `expand`, `rq`.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::query::tree::{Function, Query};
use crate::search::filter::{Filter, share_tag};
use crate::search::page::Page;
use crate::search::rerank::Rerank;
use crate::search::sort::SortKey;
use crate::value::Value;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Shape {
    pub cursor: Option<Cursor>,
    /// In the order they are applied.
    pub collapses: Vec<Collapse>,
    pub groups: Option<GroupPlan>,
    pub expand: Option<ExpandPlan>,
    pub rerank: Option<Rerank>,
}

impl Shape {
    /// The same with groups listed otherwise, for each of [`GroupPlan::by`] as `next` says.
    #[must_use]
    pub fn listing_groups(&self, mut next: impl FnMut() -> GroupListing) -> Self {
        let mut shape = self.clone();
        let groupings = shape.groups.iter_mut().flat_map(|groups| &mut groups.by);
        groupings.for_each(|one| one.listing = next());
        shape
    }

    /// Whether groups are named first, and their hits asked for afterwards.
    pub fn lists_groups(&self) -> bool {
        let groupings = self.groups.iter().flat_map(|groups| &groups.by);
        let has_members =
            |one: &Grouping| one.listing == GroupListing::Leading && !matches!(one.by, GroupBy::Query(_));
        groupings.into_iter().any(has_members)
    }

    /// Whether it is a sorted page and nothing else.
    pub fn is_plain(&self) -> bool {
        let Self { cursor, collapses, groups, expand, rerank } = self;
        cursor.is_none() && collapses.is_empty() && groups.is_none() && expand.is_none() && rerank.is_none()
    }
}

/// What a hit's sort keys are worth, in the order of the keys; `None` where the hit has no value.
pub type CursorMark = Vec<Option<Value>>;

/// A page by the values it begins behind, whatever was added before them since. The sort ends ties by the
/// unique key.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
pub struct Cursor {
    /// As many values as there are sort keys, each of its key's type; `None` begins with the first hit.
    pub after: Option<CursorMark>,
}

/// Keeps the best hit of each group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Collapse {
    pub field: Arc<str>,
    /// The first hit in this order is the best; never empty.
    pub best: Vec<SortKey>,
    pub nulls: NullPolicy,
    /// What stays although it is not the best of its group.
    pub keep: Option<Query>,
    /// Names by which facets may exclude it.
    pub tags: Vec<String>,
}

impl Collapse {
    pub fn has_tag(&self, tags: &[String]) -> bool {
        share_tag(&self.tags, tags)
    }
}

/// What becomes of hits without a value in the field of the groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NullPolicy {
    Ignore,
    Expand,
    Collapse,
}

/// Hits in groups, for each of `by` anew.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GroupPlan {
    pub by: Vec<Grouping>,
    /// Which groups, in the order of their first hits by the search's own sort.
    pub groups: Page,
    /// The order within a group; never empty.
    pub sort: Vec<SortKey>,
    pub count_groups: bool,
    /// Facets count the best hit of each group of the first field or function.
    pub truncate: bool,
}

impl GroupPlan {
    /// By whose groups facets count, where they count only the best hit of each: the first field or function.
    pub fn truncated_by(&self) -> Option<&Grouping> {
        self.by.iter().find(|one| !matches!(one.by, GroupBy::Query(_))).filter(|_| self.truncate)
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Grouping {
    pub key: String,
    pub by: GroupBy,
    /// Which hits of each group.
    pub within: Page,
    pub listing: GroupListing,
}

impl Grouping {
    /// As a request has it, whose shards are not known yet.
    pub fn new(key: &str, by: GroupBy, within: Page) -> Self {
        Self { key: key.to_owned(), by, within, listing: GroupListing::Page }
    }
}

/// Which groups a shard lists, and what of them. Set with the plan by `cluster`
/// (`crates/cluster/src/gather/members.rs`).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum GroupListing {
    /// Those of the page with their hits: all that a shard needs which is alone.
    #[default]
    Page,
    /// Those that may be on the page, with nothing but their first hits; where groups are counted the values
    /// of all others too. A group among the first of all shards is among the first of the shard that has its
    /// best hit.
    Leading,
    /// The hits of these groups, `None` being that of hits without a value. A query's one group has been
    /// listed before.
    Named(Arc<[Option<Value>]>),
    /// How many hits these groups have, and nothing else.
    Counted(Arc<[Option<Value>]>),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum GroupBy {
    Field(Arc<str>),
    Function(Function),
    /// One group: the hits that match.
    Query(Query),
}

/// The other members of the page's groups.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExpandPlan {
    pub field: Arc<str>,
    /// Of which documents; `None` is the search's own query.
    pub query: Option<Query>,
    /// `None` is the search's own filters, but for what collapses.
    pub filters: Option<Vec<Filter>>,
    pub rows: usize,
    /// Never empty.
    pub sort: Vec<SortKey>,
    /// Hits without a value are a group as well.
    pub nulls: bool,
}
