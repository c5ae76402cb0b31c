//! Spelling beside a search: words looked up in the shard's dictionaries, corrected queries tried out as
//! searches.
//!
//! In: a request that `solr` has read, and what the search before it found; out: the section of the response.
//! How many searches are tried is bounded by the request and by its allowance. Which words are near is found
//! by the shards and chosen in `cluster` (`finish/spell`).

use meter::Meters;
use plan::{Filter, Query, Result, SearchPlan, SpellComponent};
use solr::response::Entries;
use solr::select::ResolveContext;
use solr::spell::{HitsBound, SpellRequest, Spelling};

use super::asked_collections::AskedCollections;
use super::component_search::ComponentSearch;
use super::step::Preparation;

/// A request's spelling, from its check to its section of the response.
pub(super) struct SpellStep<'a> {
    asked: &'a AskedCollections<'a>,
    request: SpellRequest<'a>,
}

impl<'a> SpellStep<'a> {
    /// `None` when the request asks for none.
    pub fn prepare(
        Preparation { asked, params, .. }: Preparation<'a>,
        component: &'a SpellComponent,
    ) -> Result<Option<Self>> {
        let request = SpellRequest::prepare(params, component)?;
        Ok(request.map(|request| Self { asked, request }))
    }

    /// See [`SpellRequest::command`].
    pub fn command(&self) -> Result<Option<&'static str>> {
        self.request.command()
    }

    /// Without a search corrected queries cannot be tried.
    pub async fn run(&self, search: Option<&ComponentSearch>, meters: &Meters) -> Result<Entries> {
        let hits = search.map_or(0, |it| it.result.total);
        // Of each collection, by its own schema.
        let filters: Vec<&[Filter]> = match search {
            Some(search) => search.plans().map(|plan| &*plan.filters).collect(),
            None => self.asked.contexts().map(|_| &[][..]).collect(),
        };
        let hits_max = self.hits_max(&filters).await?;
        let Some(spelling) = self.request.resolve(&self.asked.context, hits, hits_max)? else {
            return Ok(vec![]);
        };
        // One pin for all its look-ups. When each took the newest snapshot, a refresh between two of them
        // counted words in other documents than those that were looked at first.
        let findings = match &spelling.plan {
            Some(plan) => self.asked.together.pin().spell(plan.clone(), meters).await?,
            None => vec![],
        };
        let mut collations = spelling.collations(&findings, search.is_some());
        if let Some(collations) = &mut collations {
            while let Some(query) = collations.next_trial().map(str::to_owned)
                && !meters.allowance.is_used_up()
            {
                // A corrected query that cannot be read or run finds nothing, as in Solr.
                let hits = self.try_out(&spelling, (&query, &filters), meters).await;
                collations.tried(hits.unwrap_or(0));
            }
        }
        Ok(spelling.respond(findings, collations))
    }

    async fn hits_max(&self, filters: &[&[Filter]]) -> Result<Option<u64>> {
        let bounds = self.asked.contexts().zip(filters);
        let bounds = bounds.map(|(context, filters)| self.request.bound(context, filters));
        let bounds = bounds.collect::<Result<Vec<_>>>()?;
        match bounds.first() {
            None | Some(HitsBound::None) => Ok(None),
            Some(HitsBound::Hits(hits)) => Ok(Some(*hits)),
            Some(HitsBound::Share(share, queries)) => {
                let mut least = None::<u64>;
                for at in 0..queries.len() {
                    let found = self.count(&bounds, at).await?;
                    least = Some(least.map_or(found, |least| least.min(found)));
                }
                Ok(least.map(|least| (least as f32 * share).round() as u64))
            }
        }
    }

    /// How many documents the query at this place has, as each collection reads it.
    async fn count(&self, bounds: &[HitsBound], at: usize) -> Result<u64> {
        let mut bounds = bounds.iter();
        let plan = |context: &ResolveContext<'_>| {
            let query = match bounds.next() {
                Some(HitsBound::Share(_, queries)) => queries.get(at).cloned(),
                _ => None,
            };
            let schema_version = Some(context.schema.lineage.version);
            Ok(SearchPlan { schema_version, ..SearchPlan::count(query.unwrap_or(Query::Nothing)) })
        };
        Ok(self.asked.search(plan, &Meters::default()).await?.total)
    }

    async fn try_out(
        &self,
        spelling: &Spelling,
        (query, filters): (&str, &[&[Filter]]),
        meters: &Meters,
    ) -> Result<u64> {
        let mut filters = filters.iter();
        let trial = |context: &ResolveContext<'_>| {
            self.request.trial(context, spelling, query, filters.next().copied().unwrap_or_default())
        };
        let result = self.asked.search(trial, meters).await?;
        Ok(spelling.trial_hits(&result, self.asked.together.documents_max()))
    }
}
