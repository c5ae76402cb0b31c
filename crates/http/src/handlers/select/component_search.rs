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
use solr::response::{self, Entries, Found};
use solr::select::{ExplainOther, Resolved, ResponsePlan};

use super::scope::name_shards;
use super::step::Sections;
use super::subqueries::Columns;
use crate::request::call::{Answer, Call};

pub(super) struct ComponentSearch {
    pub plan: Arc<SearchPlan>,
    /// Of the collections behind the first.
    plans_of_others: Vec<Arc<SearchPlan>>,
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
    /// Of what the request means. `plans_of_others` are those of the collections behind the first, where
    /// there are several.
    pub async fn run(
        pinned: PinnedCollection,
        (resolved, plans_of_others): (Resolved, Vec<Arc<SearchPlan>>),
        meters: &Meters,
    ) -> Result<Self> {
        let Resolved { plan, mut response, warnings, late_failure, repeatable: is_repeatable } = resolved;
        name_shards(&mut response.fields, || pinned.shard_documents().to_vec());
        // Route, engine, gather.
        let plans: Vec<_> = std::iter::once(&plan).chain(&plans_of_others).cloned().collect();
        let result = pinned.search_together(&plans, meters).await?;
        let explained_other = match &response.explain_other {
            Some(other) => {
                let limit = ExplainOther::DOCUMENTS_MAX;
                pinned.explain_other(&plan, &other.query, limit, meters).await?
            }
            None => vec![],
        };
        Ok(Self {
            plan,
            plans_of_others,
            response,
            pinned,
            result,
            explained_other,
            warnings,
            late_failure,
            is_repeatable,
        })
    }

    /// The plans of all collections that it asked, in their order.
    pub fn plans(&self) -> impl Iterator<Item = &SearchPlan> {
        std::iter::once(&self.plan).chain(&self.plans_of_others).map(|plan| &**plan)
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
        let Self { plan, response, pinned, result, explained_other, .. } = self;
        drop(pinned);
        let traced = if response.debug.timing { call.trace.traced() } else { None };
        let found = Found {
            result,
            facets: plan.facets.enabled,
            columns,
            explained_other,
            likes_explained: sections.likes_explained,
            sections: sections.entries,
            traced,
        };
        response::select(found, &response, schema, shown, call.elapsed_ms())
    }
}
