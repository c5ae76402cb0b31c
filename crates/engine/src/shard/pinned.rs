//! A shard at one moment: a snapshot with the caches that serve it. Both steps of a search, and whatever else
//! means what the search saw, are asked of one pin, so that a number or a value that the first gave means the
//! same to the second. It holds segments and marks, and by the snapshot's layout the schema and analyzers of
//! its moment. Dropping it releases them; nothing is leased.

use std::sync::Arc;

use meter::{Meters, Phase};
use plan::partial::{
    ExpandRequest, FetchRequest, Fetched, GroupPartial, GroupsPartial, HeadsStep, HitRef, LikeCounts,
    LikeWords, SearchStatistics, ShardResult, WordCounts,
};
use plan::{
    Document, DocumentVectors, Explanation, FieldSelection, MoreLike, Query, Result, SearchPlan, Value,
    VectorsPlan, WhyNot, WordsPlan,
};

use crate::highlight;
use crate::life::image::{self, FilePiece, FollowerHas, SnapshotImage};
use crate::search::context::SearchContext;
use crate::search::{self, Rounds, SearchCaches};
use crate::snapshot::Snapshot;

/// What searches of one request see of a shard, whatever is refreshed meanwhile.
pub struct PinnedShard {
    snapshot: Arc<Snapshot>,
    caches: Arc<SearchCaches>,
    rounds: Rounds,
}

impl PinnedShard {
    pub(crate) fn new(snapshot: Arc<Snapshot>, caches: Arc<SearchCaches>) -> Self {
        Self { snapshot, caches, rounds: Rounds::default() }
    }

    /// The shard's part of a search. Its hits are references, to be handed back to this pin. Errors:
    /// `SchemaChanged`; what goes by its hits later cannot meet another schema than the pin's.
    pub fn search(&self, plan: &SearchPlan, meters: &Meters) -> Result<ShardResult> {
        self.snapshot.check_schema(plan.schema_version)?;
        search::search_in_rounds(&self.snapshot, (plan, &self.rounds), &self.caches, meters)
    }

    /// What it shows, for a follower that has this of it; `None` where that is all.
    pub fn image(&self, has: &FollowerHas) -> Result<Option<SnapshotImage>> {
        SnapshotImage::of(&self.snapshot, has)
    }

    /// Bytes of a file of what it shows. Errors: `Internal` for a file that it has not.
    pub fn piece(&self, piece: FilePiece<'_>) -> Result<Vec<u8>> {
        image::piece(&self.snapshot, piece)
    }

    /// What the plan's scores depend on beside each document, as this shard has it.
    pub fn statistics(&self, plan: &SearchPlan, meters: &Meters) -> Result<SearchStatistics> {
        self.snapshot.check_schema(plan.schema_version)?;
        search::statistics(&self.snapshot, plan, &self.caches, meters)
    }

    /// The best hits of this shard in the groups of a step, of which those of all shards are chosen.
    pub fn heads(&self, plan: &SearchPlan, step: &HeadsStep, meters: &Meters) -> Result<GroupsPartial> {
        self.snapshot.check_schema(plan.schema_version)?;
        search::heads(&self.snapshot, (plan, step), &self.caches, meters)
    }

    /// What hits have in the field by which the plan's groups are expanded; empty where it expands none.
    pub fn group_values(
        &self,
        plan: &SearchPlan,
        hits: &[&HitRef],
        meters: &Meters,
    ) -> Result<Vec<Option<Value>>> {
        let Some(expand) = &plan.shape.expand else { return Ok(Vec::new()) };
        search::group_values(&self.context(plan, meters), expand, hits)
    }

    /// The other members of the groups that the page shows, in the order of the request's values.
    pub fn expand(
        &self,
        plan: &SearchPlan,
        request: &ExpandRequest<'_>,
        meters: &Meters,
    ) -> Result<Vec<GroupPartial>> {
        let Some(expand) = &plan.shape.expand else { return Ok(Vec::new()) };
        let ExpandRequest { values, page } = *request;
        search::expand(&self.context(plan, meters), (plan, expand), (values, page))
    }

    /// What the page shows of these hits.
    pub fn fetch(&self, plan: &SearchPlan, request: &FetchRequest<'_>, meters: &Meters) -> Result<Fetched> {
        let FetchRequest { hits, expanded, highlight } = *request;
        let shows_nothing = hits.is_empty() && expanded.is_empty();
        // A plan's functions and children may be wrong whatever they are asked for.
        if shows_nothing && plan.functions.is_empty() && plan.children.is_empty() && !highlight {
            return Ok(Fetched::default());
        }
        let context = self.context(plan, meters);
        let mut fetched = Fetched {
            hits: search::fetch_hits(&context, plan, hits)?,
            expanded: search::fetch_expanded(&context, plan, expanded)?,
            highlights: Vec::new(),
        };
        if let Some(highlight) = plan.highlight.as_ref().filter(|_| highlight) {
            let _marking = meters.trace.enter(Phase::Highlight);
            fetched.highlights = highlight::highlight(&context, highlight, (hits, &fetched.hits))?;
        }
        Ok(fetched)
    }

    /// The terms of documents, from their stored texts.
    pub fn vectors(&self, plan: &VectorsPlan) -> Result<Vec<DocumentVectors>> {
        self.snapshot.check_schema(plan.schema_version)?;
        search::vectors(&self.snapshot, plan)
    }

    /// The words of what documents are to be like.
    pub fn like_words(&self, like: &MoreLike) -> Result<LikeWords> {
        self.snapshot.check_schema(like.schema_version)?;
        search::like_words(&self.snapshot, like)
    }

    /// How many documents have each of these words.
    pub fn like_counts(&self, like: &MoreLike, words: &LikeWords) -> Result<LikeCounts> {
        self.snapshot.check_schema(like.schema_version)?;
        search::like_counts(&self.snapshot, like, words)
    }

    /// What the terms of a field have of some words; shorter lists where the allowance is used up before all
    /// are looked up.
    pub fn words(&self, plan: &WordsPlan, meters: &Meters) -> Result<WordCounts> {
        self.snapshot.check_schema(plan.schema_version)?;
        search::words(&self.snapshot, plan, &self.caches, meters)
    }

    /// Why the document with this id is no hit of the plan, as far as filters and query say.
    pub fn why_not(&self, plan: &SearchPlan, id: &str, meters: &Meters) -> Result<WhyNot> {
        self.snapshot.check_schema(plan.schema_version)?;
        search::why_not(&self.snapshot, plan, id, meters)
    }

    /// The living document with this number ([`plan::Hit::place`]): id and fields.
    pub fn document_at(&self, place: u64, fields: &FieldSelection) -> Result<Option<(String, Document)>> {
        search::document_at(&self.snapshot, place, fields)
    }

    /// How the query of `plan` scores the first `limit` documents of `other`, whether it finds them or not,
    /// by id.
    pub fn explain_other(
        &self,
        plan: &SearchPlan,
        other: &Query,
        limit: usize,
        meters: &Meters,
    ) -> Result<Vec<(String, Explanation)>> {
        self.snapshot.check_schema(plan.schema_version)?;
        search::explain_other(&self.snapshot, plan, other, limit, meters)
    }

    fn context<'a>(&'a self, plan: &'a SearchPlan, meters: &Meters) -> SearchContext<'a> {
        let mut context =
            crate::search::context_of(&self.snapshot, &self.caches).within(meters).of_plan(plan);
        context.explains = plan.explain;
        context
    }
}
