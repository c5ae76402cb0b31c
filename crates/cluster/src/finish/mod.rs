//! From merged parts to the result that writers read: cuts, orders, averages, once, above all shards. Takes a
//! [`ShardResult`] that is a merge of one or of many, and the plan it answers. `cargo xtask tidy` keeps this
//! word from the layers below, so that no shard cuts what others add to. What hits show is fetched afterwards
//! (`crates/cluster/src/gather`).

mod buckets;
mod facets;
mod groups;
mod hits;
mod ranks;
mod spell;
mod stats;
mod suggest;
mod terms;

use plan::partial::{HitRef, ShardResult};
use plan::{SearchPlan, SearchResult, ShapeResult};

pub(crate) use buckets::values_to_page_end;
pub use facets::finish_facets;
pub(crate) use groups::{finish_expanded, groups_on_page};
pub use spell::spell_words;
pub use suggest::finish_suggestions;
pub use terms::{finish_terms, finish_top_terms};

/// The result of a search of whose shards `merged` is the merge; what its hits show and what groups are
/// expanded to is still to come.
pub fn finish_search(plan: &SearchPlan, merged: ShardResult) -> SearchResult<HitRef> {
    let ShardResult { total, total_exact, score_max, hits, facets, groups, cut_before } = merged;
    let facets = facets.map(|facets| finish_facets(&plan.facets, facets)).unwrap_or_default();
    let hits = hits::finish_page(plan, hits.list);
    let next = hits.last().filter(|_| plan.shape.cursor.is_some()).map(hits::mark);
    let shape = ShapeResult { next, groups: groups::finish_groups(plan, groups), expanded: Vec::new() };
    let (highlights, by_shard) = (Vec::new(), Vec::new());
    SearchResult { total, total_exact, score_max, hits, facets, shape, highlights, cut_before, by_shard }
}
