//! Documents like each hit of a search.
//!
//! In: the request as `solr` reads it, and the hits; out: for each hit the words that tell it (`cluster`,
//! over all shards' counts) and the documents that a search for them finds. Choosing words and writing the
//! section are `solr`'s and `plan`'s; the handler that answers with likes alone is `more_like`.

use std::sync::Arc;

use cluster::PinnedCollection;
use meter::Meters;
use plan::{Error, LikeSource, LikeTerm, MoreLike, Page, Query, Result, SearchPlan, SearchResult};
use solr::response::{self, Entries, LikesOf, Node};
use solr::select::{Likes, Resolved};

use super::asked_collections::AskedCollections;
use super::component_search::ComponentSearch;
use super::step::{Preparation, StepOutput};

pub(super) struct LikesStep<'a> {
    asked: &'a AskedCollections<'a>,
    /// Or why it cannot be read, which is reported behind the hits.
    likes: Result<Likes>,
}

impl<'a> LikesStep<'a> {
    /// `None` when the request asks for none, or nothing is searched.
    pub fn prepare(given: Preparation<'a>, search: Option<&Resolved>) -> Option<Self> {
        let Preparation { asked, params, .. } = given;
        let likes = Likes::of_hits(params, &asked.context, search?.plan.page.rows).transpose()?;
        Some(Self { asked, likes })
    }

    pub async fn run(&self, search: Option<&ComponentSearch>, meters: &Meters) -> StepOutput {
        let Some(search) = search else { return StepOutput::default() };
        match self.section(search, meters).await {
            Ok((entries, likes_explained)) => StepOutput { entries, likes_explained, failure: None },
            Err(error) => Err(error).into(),
        }
    }

    async fn section(&self, search: &ComponentSearch, meters: &Meters) -> Result<(Entries, Option<Node>)> {
        let likes = self.likes.as_ref().map_err(Error::clone)?;
        let (schema, explain) = (self.asked.context.schema, search.response.debug.any());
        let found = self.of_hits(likes, search, meters).await?;
        let explained = explain.then(|| response::likes_explained(&found, schema));
        Ok((response::likes(found, likes.terms_shown, &search.response.fields, schema), explained))
    }

    /// Hit by hit, as far as the allowance suffices.
    async fn of_hits(
        &self,
        likes: &Likes,
        search: &ComponentSearch,
        meters: &Meters,
    ) -> Result<Vec<LikesOf>> {
        let explain = search.response.debug.any();
        let hits = &search.result.hits;
        let mut found = Vec::with_capacity(hits.len());
        for hit in hits.iter().take_while(|_| !meters.allowance.is_used_up()) {
            let like = likes.of(LikeSource::Document(hit.id.clone()));
            let page = Page { start: 0, rows: likes.count };
            let showing = |query: Query| {
                let plans = search.plans().map(|plan| plan.showing(query.clone(), page));
                plans.map(|plan| SearchPlan { explain, ..plan }).collect()
            };
            // Of the newest moment, in all shards, whichever the search asks.
            let pin = self.asked.together.pin();
            let (terms, result) = search_alike(&pin, (likes, meters), &like, showing).await?;
            found.push(LikesOf { id: hit.id.clone(), query: likes.query(&like, &terms), terms, result });
        }
        Ok(found)
    }
}

/// The words that tell a document, and what a search for them finds; a plan for each collection.
pub(in crate::handlers) async fn search_alike(
    pin: &PinnedCollection,
    (likes, meters): (&Likes, &Meters),
    like: &MoreLike,
    plans: impl Fn(Query) -> Vec<SearchPlan>,
) -> Result<(Vec<LikeTerm>, SearchResult)> {
    let terms = pin.like_terms(like, meters).await?;
    let plans: Vec<_> = plans(likes.query(like, &terms)).into_iter().map(Arc::new).collect();
    let result = pin.search_together(&plans, meters).await?;
    Ok((terms, result))
}
