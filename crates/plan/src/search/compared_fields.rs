//! Which fields of a search have values that meet: of hits to be ordered, of groups, of facets. Where several
//! collections are searched together, each of these has to be of one kind in all of them. In: a plan; out:
//! names. Whether kinds agree is asked by the handler of several collections, which alone knows their
//! schemas.

use std::sync::Arc;

use crate::facet::FacetPlan;
use crate::facet::bucket::{BucketPlan, SubFacetKind};
use crate::search::SearchPlan;
use crate::search::shape::GroupBy;
use crate::search::sort::SortBy;

impl SearchPlan {
    /// By name, in no order, some more than once.
    pub fn compared_fields(&self) -> Vec<&Arc<str>> {
        let mut fields: Vec<&Arc<str>> = self.orders().filter_map(|key| of_key(&key.by)).collect();
        let groups = self.shape.groups.iter().flat_map(|groups| &groups.by);
        fields.extend(groups.filter_map(|one| match &one.by {
            GroupBy::Field(field) => Some(field),
            GroupBy::Function(_) | GroupBy::Query(_) => None,
        }));
        fields.extend(self.shape.collapses.iter().map(|collapse| &collapse.field));
        fields.extend(self.shape.expand.iter().map(|expand| &expand.field));
        of_facets(&self.facets, &mut fields);
        fields
    }
}

fn of_key(by: &SortBy) -> Option<&Arc<str>> {
    match by {
        SortBy::Field(field) | SortBy::Picked { field, .. } => Some(field),
        SortBy::Below(below) => Some(&below.field),
        SortBy::Score | SortBy::IndexOrder | SortBy::Random { .. } | SortBy::Function(_) => None,
    }
}

fn of_facets<'a>(facets: &'a FacetPlan, fields: &mut Vec<&'a Arc<str>>) {
    fields.extend(facets.fields.iter().map(|facet| &facet.field));
    fields.extend(facets.ranges.iter().map(|facet| &facet.field));
    fields.extend(facets.pivots.iter().flat_map(|pivot| &pivot.levels).map(|level| &level.field));
    fields.extend(&facets.groups_of);
    for bucket in facets.tree.iter().chain(&facets.stats) {
        below(bucket, fields);
    }
}

fn below<'a>(bucket: &'a BucketPlan, fields: &mut Vec<&'a Arc<str>>) {
    for facet in &bucket.facets {
        match &facet.kind {
            SubFacetKind::Terms(terms) => fields.push(&terms.field),
            SubFacetKind::Ranges(ranges) => fields.push(&ranges.field),
            SubFacetKind::Query(_) | SubFacetKind::Heatmap(_) => {}
        }
        below(&facet.below, fields);
    }
}
