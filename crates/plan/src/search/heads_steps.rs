//! In which steps a search leaves only the best hits of groups: for the hits of the search itself, and anew
//! for those that a facet counts over without some of the filters. Asked by `cluster` where there are
//! several shards ([`crate::partial::HeadsStep`]); `engine` looks up what was chosen.

use crate::facet::FacetPlan;
use crate::facet::bucket::BucketPlan;
use crate::partial::{ChosenHeads, HeadsStep};
use crate::search::SearchPlan;
use crate::search::filter::share_tag;
use crate::search::shape::GroupPlan;

impl SearchPlan {
    /// The steps of this plan, in an order in which each needs none but those before it.
    pub fn heads_steps(&self) -> Vec<HeadsStep> {
        let truncated_by = self.shape.groups.as_ref().and_then(GroupPlan::truncated_by);
        let truncates = self.facets.reads_hits() && truncated_by.is_some();
        if self.shape.collapses.is_empty() && !truncates {
            return Vec::new();
        }
        let mut steps = Vec::new();
        // A facet that excludes a filter sees more hits, and of these another may be the best of its group.
        for tags in self.domains() {
            let mut step = |number| steps.push(HeadsStep { without_tags: tags.clone(), number });
            for (number, collapse) in self.shape.collapses.iter().enumerate() {
                if !collapse.has_tag(&tags) {
                    step(number);
                }
            }
            if truncates {
                step(self.shape.collapses.len());
            }
        }
        steps
    }

    /// The heads that were chosen of a step; `None` where this shard has to choose.
    pub fn chosen_heads(&self, without_tags: &[String], number: usize) -> Option<&[(u32, u32)]> {
        let is_of =
            |heads: &&ChosenHeads| heads.step.number == number && heads.step.without_tags == *without_tags;
        self.heads.iter().find(is_of).map(|heads| heads.documents.as_slice())
    }

    /// The tags without which hits are asked for: none for those of the search, and those of each facet that
    /// restrict it.
    fn domains(&self) -> Vec<Vec<String>> {
        let mut domains = vec![Vec::new()];
        for tags in exclusions(&self.facets) {
            let restricts = share_tag(&self.query_tags, tags)
                || self.filters.iter().any(|filter| filter.has_tag(tags))
                || self.shape.collapses.iter().any(|collapse| collapse.has_tag(tags));
            if restricts && !domains.contains(tags) {
                domains.push(tags.clone());
            }
        }
        domains
    }
}

/// The tags that each facet excludes.
fn exclusions(facets: &FacetPlan) -> Vec<&Vec<String>> {
    let queries = facets.queries.iter().map(|facet| &facet.exclude_tags);
    let fields = facets.fields.iter().map(|facet| &facet.exclude_tags);
    let ranges = facets.ranges.iter().map(|facet| &facet.exclude_tags);
    let intervals = facets.intervals.iter().map(|facet| &facet.exclude_tags);
    let pivots = facets.pivots.iter().map(|facet| &facet.exclude_tags);
    let heatmaps = facets.heatmaps.iter().map(|facet| &facet.exclude_tags);
    let mut found =
        Vec::from_iter(queries.chain(fields).chain(ranges).chain(intervals).chain(pivots).chain(heatmaps));
    for bucket in facets.tree.iter().chain(&facets.stats) {
        exclusions_below(bucket, &mut found);
    }
    found
}

fn exclusions_below<'a>(bucket: &'a BucketPlan, found: &mut Vec<&'a Vec<String>>) {
    for facet in &bucket.facets {
        found.push(&facet.domain.exclude_tags);
        exclusions_below(&facet.below, found);
    }
}
