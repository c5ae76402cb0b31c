//! Spelling beside a search: words looked up in the shard's dictionaries, corrected queries tried out as
//! searches.
//!
//! In: a request that `solr` has read, and what the search before it found; out: the section of the response.
//! How many searches are tried is bounded by the request and by its allowance. Which words are near is found
//! by the shards and chosen in `cluster` (`finish/spell`).

use std::sync::Arc;

use cluster::Collection;
use meter::Meters;
use plan::{Filter, Query, Result, SearchPlan, SpellComponent};
use solr::response::Entries;
use solr::select::ResolveContext;
use solr::spell::{HitsBound, SpellRequest, Spelling};

use super::component_search::ComponentSearch;
use super::step::Preparation;

/// A request's spelling, from its check to its section of the response.
pub(super) struct SpellStep<'a> {
    collection: &'a Arc<Collection>,
    context: &'a ResolveContext<'a>,
    request: SpellRequest<'a>,
}

impl<'a> SpellStep<'a> {
    /// `None` when the request asks for none.
    pub fn prepare(
        Preparation { collection, context, params, .. }: Preparation<'a>,
        component: &'a SpellComponent,
    ) -> Result<Option<Self>> {
        let request = SpellRequest::prepare(params, component)?;
        Ok(request.map(|request| Self { collection, context, request }))
    }

    /// See [`SpellRequest::command`].
    pub fn command(&self) -> Result<Option<&'static str>> {
        self.request.command()
    }

    /// Without a search corrected queries cannot be tried.
    pub async fn run(&self, search: Option<&ComponentSearch>, meters: &Meters) -> Result<Entries> {
        let hits = search.map_or(0, |it| it.result.total);
        let filters = search.map_or(&[][..], |it| &it.plan.filters);
        let hits_max = self.hits_max(filters).await?;
        let Some(spelling) = self.request.resolve(self.context, hits, hits_max)? else {
            return Ok(vec![]);
        };
        // One pin for all its look-ups. When each took the newest snapshot, a refresh between two of them
        // counted words in other documents than those that were looked at first.
        let findings = match &spelling.plan {
            Some(plan) => self.collection.pin().spell(plan.clone(), meters).await?,
            None => vec![],
        };
        let mut collations = spelling.collations(&findings, search.is_some());
        if let Some(collations) = &mut collations {
            while let Some(query) = collations.next_trial().map(str::to_owned)
                && !meters.allowance.is_used_up()
            {
                // A corrected query that cannot be read or run finds nothing, as in Solr.
                let hits = self.try_out(&spelling, (&query, filters), meters).await;
                collations.tried(hits.unwrap_or(0));
            }
        }
        Ok(spelling.respond(findings, collations))
    }

    async fn hits_max(&self, filters: &[Filter]) -> Result<Option<u64>> {
        match self.request.bound(self.context, filters)? {
            HitsBound::None => Ok(None),
            HitsBound::Hits(hits) => Ok(Some(hits)),
            HitsBound::Share(share, queries) => {
                let mut least = None::<u64>;
                for query in queries {
                    let found = self.count(query).await?;
                    least = Some(least.map_or(found, |least| least.min(found)));
                }
                Ok(least.map(|least| (least as f32 * share).round() as u64))
            }
        }
    }

    async fn count(&self, query: Query) -> Result<u64> {
        let schema_version = Some(self.context.schema.lineage.version);
        let plan = SearchPlan { schema_version, ..SearchPlan::count(query) };
        Ok(self.collection.search(Arc::new(plan), &Meters::default()).await?.total)
    }

    async fn try_out(
        &self,
        spelling: &Spelling,
        (query, filters): (&str, &[Filter]),
        meters: &Meters,
    ) -> Result<u64> {
        let plan = self.request.trial(self.context, spelling, query, filters)?;
        let result = self.collection.search(Arc::new(plan), meters).await?;
        Ok(spelling.trial_hits(&result, self.collection.stats().max_doc))
    }
}
