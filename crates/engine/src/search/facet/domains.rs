//! The hits that each facet of a search counts over: those under all filters, or, where a facet excludes
//! tagged filters, those under the others. Each set is found once a search.
//!
//! In: the query's node, the prepared filters with their tags and the collapses; out: bits by segment.
//! Domains that a facet of a tree makes of its own bucket are `tree/open`'s and `tree/path`'s.

use std::collections::HashMap;
use std::sync::Arc;

use plan::{CutDepth, GroupPlan, Result};

use super::domain::Domain;
use super::room::BucketBudget;
use crate::search::context::SearchContext;
use crate::search::grouping::{self, Collapser};
use crate::search::mask::{self, PreparedFilter};
use crate::search::node::Node;
use crate::segment::bits::Bits;

/// What the hits are hits of.
pub(crate) struct Searched<'a> {
    pub(crate) node: &'a Node,
    pub(crate) filters: &'a [PreparedFilter],
    pub(crate) collapser: &'a Collapser<'a>,
    /// Of which only the best hits are counted, where they say so.
    pub(crate) groups: Option<&'a GroupPlan>,
}

/// Of grouped hits those that facets count.
fn counted(context: &SearchContext<'_>, searched: &Searched<'_>, hits: Domain) -> Result<Domain> {
    match searched.groups {
        Some(groups) => grouping::truncated(context, groups, (searched.node, &hits)),
        None => Ok(hits),
    }
}

/// The hits under all filters and, once asked, under all but those with certain tags.
pub(super) struct Domains<'a> {
    pub(super) context: &'a SearchContext<'a>,
    pub(super) searched: &'a Searched<'a>,
    pub(super) room: &'a BucketBudget,
    pub(super) depth: CutDepth,
    pub(super) all: Domain,
    known: HashMap<Vec<String>, Domain>,
}

impl<'a> Domains<'a> {
    /// `hits` are those under every filter.
    pub(super) fn open(
        context: &'a SearchContext<'a>,
        searched: &'a Searched<'a>,
        (room, depth): (&'a BucketBudget, CutDepth),
        hits: &[Arc<Bits>],
    ) -> Result<Self> {
        let all = counted(context, searched, hits.to_vec())?;
        Ok(Self { context, searched, room, depth, all, known: HashMap::new() })
    }

    /// Whether something that restricts the search has one of these tags.
    pub(super) fn knows(&self, tags: &[String]) -> bool {
        let Searched { filters, collapser, .. } = self.searched;
        filters.iter().any(|filter| has_tag(filter, tags)) || collapser.is_tagged(tags)
    }

    pub(super) fn without(&mut self, tags: &[String]) -> Result<Domain> {
        if !self.knows(tags) {
            return Ok(self.all.clone());
        }
        let Searched { node, filters, collapser, groups: _ } = self.searched;
        if let Some(known) = self.known.get(tags) {
            return Ok(known.clone());
        }
        let kept = filters.iter().filter(|filter| !has_tag(filter, tags));
        let masks = mask::masks(self.context, kept)?;
        let domain = mask::hits(self.context, node, &masks)?;
        let domain = collapser.without(tags, self.context, node, domain)?;
        let domain = counted(self.context, self.searched, domain)?;
        self.known.insert(tags.to_vec(), domain.clone());
        Ok(domain)
    }
}

fn has_tag(filter: &PreparedFilter, tags: &[String]) -> bool {
    filter.tags.iter().any(|tag| tags.contains(tag))
}
