//! The hits that each facet of a search counts over: those under all filters, or, where a facet excludes
//! tagged filters or the tagged query, those under the others. Each set is found once a search.
//!
//! In: the query's node, the prepared filters with their tags and the collapses; out: bits by segment.
//! Domains that a facet of a tree makes of its own bucket are `tree/open`'s and `tree/path`'s.

use std::collections::HashMap;
use std::sync::Arc;

use plan::{CutDepth, Query, Result, SearchPlan, share_tag};

use super::domain::Domain;
use super::room::BucketBudget;
use crate::search::context::SearchContext;
use crate::search::grouping::{self, Collapser};
use crate::search::lower::lower_unscored;
use crate::search::mask::{self, PreparedFilter};
use crate::search::node::Node;
use crate::search::rounds::Round;
use crate::segment::bits::Bits;

/// What the hits are hits of.
pub(crate) struct Searched<'a> {
    pub(crate) node: &'a Node,
    pub(crate) filters: &'a [PreparedFilter],
    pub(crate) plan: &'a SearchPlan,
    /// What rounds of the same search share, where there may be several.
    pub(crate) round: Option<&'a Round>,
}

impl Searched<'_> {
    /// Of hits without the filters that have one of the tags those that facets count.
    fn counted(&self, context: &SearchContext<'_>, tags: &[String], hits: Domain) -> Result<Domain> {
        grouping::truncated(context, (self.plan, tags), (self.node, hits))
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
        let all = searched.counted(context, &[], hits.to_vec())?;
        Ok(Self { context, searched, room, depth, all, known: HashMap::new() })
    }

    /// Whether something that restricts the search has one of these tags.
    pub(super) fn knows(&self, tags: &[String]) -> bool {
        let Searched { filters, plan, .. } = self.searched;
        share_tag(&plan.query_tags, tags)
            || filters.iter().any(|filter| has_tag(filter, tags))
            || Collapser(plan).is_tagged(tags)
    }

    pub(super) fn without(&mut self, tags: &[String]) -> Result<Domain> {
        if !self.knows(tags) {
            return Ok(self.all.clone());
        }
        let Searched { node, plan, .. } = self.searched;
        if let Some(known) = self.known.get(tags) {
            return Ok(known.clone());
        }
        let domain = hits_without(self.context, self.searched, tags)?;
        let domain = Collapser(plan).without(tags, self.context, node, domain)?;
        let domain = self.searched.counted(self.context, tags, domain)?;
        self.known.insert(tags.to_vec(), domain.clone());
        Ok(domain)
    }
}

/// The hits under the filters that have none of the tags; of all documents where the query has one.
pub(crate) fn hits_without(
    context: &SearchContext<'_>,
    searched: &Searched<'_>,
    tags: &[String],
) -> Result<Domain> {
    let Searched { node, filters, plan, .. } = *searched;
    let kept = filters.iter().filter(|filter| !has_tag(filter, tags));
    let masks = mask::masks(context, kept)?;
    if share_tag(&plan.query_tags, tags) {
        return mask::hits(context, &lower_unscored(context, &Query::All)?, &masks);
    }
    mask::hits(context, node, &masks)
}

fn has_tag(filter: &PreparedFilter, tags: &[String]) -> bool {
    share_tag(&filter.tags, tags)
}
