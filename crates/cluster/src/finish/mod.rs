//! From merged parts to the result that writers read: cuts, orders, averages, once, above all shards. Takes a
//! [`ShardResult`] that is a merge of one or of many, and the plan it answers. `cargo xtask tidy` keeps this word from
//! the layers below, so that no shard cuts what others add to.

mod buckets;
mod facets;
mod ranks;
mod spell;
mod stats;
mod suggest;
mod terms;

use plan::partial::ShardResult;
use plan::{FacetPlan, SearchResult};

pub use facets::finish_facets;
pub use spell::spell_words;
pub use suggest::finish_suggestions;
pub use terms::{finish_terms, finish_top_terms};

/// The result of a search of whose shards `merged` is the merge.
pub fn finish_search(plan: &FacetPlan, merged: ShardResult) -> SearchResult {
    let ShardResult { total, total_exact, score_max, hits, facets, shape, highlights, cut_before } = merged;
    let facets = facets.map(|facets| finish_facets(plan, facets)).unwrap_or_default();
    SearchResult { total, total_exact, score_max, hits, facets, shape, highlights, cut_before }
}
