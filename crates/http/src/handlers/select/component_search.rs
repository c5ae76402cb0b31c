//! The one search of a request: it answers the components `query`, `facet`, `facet_module`, `highlight`,
//! `stats`, `expand` and `debug`, which `solr` resolves into one plan.
//!
//! In: the resolved request; out: its result and the pin it was found at, so that what later asks about these
//! hits asks the same snapshot; last the sections of those components. Components that ask something of
//! their own are steps of `pipeline`.

use std::sync::Arc;

use cluster::PinnedCollection;
use meter::Meters;
use plan::{Component, Error, Explanation, Result, Schema, SearchPlan, SearchResult};
use solr::response::{self, DocList, Entries, Found};
use solr::select::{ExplainOther, Resolved, ResponsePlan};

use super::scope::name_shards;
use super::step::Sections;
use crate::request::call::{Answer, Call};

/// For each hit the searches within its fields.
pub(super) type Columns = Vec<Vec<(String, DocList)>>;

pub(super) struct ComponentSearch {
    /// Of each collection that it asks, in their order.
    plans: Vec<Arc<SearchPlan>>,
    pub response: Box<ResponsePlan>,
    pub pinned: PinnedCollection,
    pub result: SearchResult,
    explained_other: Vec<(String, Explanation)>,
    warnings: Vec<String>,
    /// The component that could not be resolved, and why.
    pub late_failure: Option<(Component, Error)>,
    /// Whether the same request is answered the same until something is refreshed or configured.
    pub is_repeatable: bool,
}

impl ComponentSearch {
    /// Of what the request means. `others` are the collections behind the first, as they read it.
    pub async fn run(
        pinned: PinnedCollection,
        (resolved, others): (Resolved, Vec<Resolved>),
        meters: &Meters,
    ) -> Result<Self> {
        let Resolved { plan, mut response, mut warnings, late_failure, repeatable: is_repeatable } = resolved;
        for warning in others.iter().flat_map(|it| &it.warnings) {
            if !warnings.contains(warning) {
                warnings.push(warning.clone());
            }
        }
        name_shards(&mut response.fields, || pinned.shard_documents().to_vec());
        // Route, engine, gather.
        let plans: Vec<_> = std::iter::once(&plan).chain(others.iter().map(|it| &it.plan)).cloned().collect();
        let result = pinned.search_together(&plans, meters).await?;
        let responses = std::iter::once(&response).chain(others.iter().map(|it| &it.response));
        let others: Vec<_> =
            responses.filter_map(|it| it.explain_other.as_ref()).map(|it| it.query.clone()).collect();
        let explained_other = match others.is_empty() {
            true => vec![],
            false => pinned.explain_other((&plans, &others), ExplainOther::DOCUMENTS_MAX, meters).await?,
        };
        Ok(Self { plans, response, pinned, result, explained_other, warnings, late_failure, is_repeatable })
    }

    /// The plans of all collections that it asked, in their order.
    pub fn plans(&self) -> impl Iterator<Item = &SearchPlan> {
        self.plans.iter().map(|plan| &**plan)
    }

    /// What the answer's header says.
    pub fn header(&self) -> Answer {
        Answer { flags: self.response.flags(), warnings: self.warnings.clone(), ..Answer::default() }
    }

    /// Its sections and those of the steps, in the order of the components. The snapshot is let go before the
    /// response is made: its files need not be held for that.
    pub fn write(
        self,
        sections: Sections,
        columns: Columns,
        (schema, shown): (&Schema, &[Component]),
        call: &Call<'_>,
    ) -> Entries {
        let Self { plans, response, pinned, result, explained_other, .. } = self;
        drop(pinned);
        let traced = if response.debug.timing { call.trace.traced() } else { None };
        let found = Found {
            result,
            facets: plans.first().is_some_and(|plan| plan.facets.enabled),
            columns,
            explained_other,
            likes_explained: sections.likes_explained,
            sections: sections.entries,
            traced,
        };
        response::select(found, &response, schema, shown, call.elapsed_ms())
    }
}
