//! The collections that a search and its components ask, each with what it reads the request against. Which
//! they are says `together`.

use std::sync::Arc;

use cluster::Together;
use meter::Meters;
use plan::{Error, Result, SearchPlan, SearchResult};
use solr::select::ResolveContext;

use super::scope::SearchScope;

/// The collections that a request asks, and what each reads it against.
pub(in crate::handlers) struct AskedCollections<'a> {
    pub together: Together,
    pub context: ResolveContext<'a>,
    /// Of the collections behind the first.
    pub others: Vec<ResolveContext<'a>>,
}

impl<'a> AskedCollections<'a> {
    /// `scopes` are those of all of them.
    pub fn of(together: Together, scopes: &'a [SearchScope]) -> Result<Self> {
        let mut contexts = scopes.iter().map(SearchScope::context);
        let context = contexts.next().ok_or_else(|| Error::internal("a search without a collection"))?;
        Ok(Self { together, context, others: contexts.collect() })
    }

    /// The contexts of all of them, in their order.
    pub fn contexts(&self) -> impl Iterator<Item = &ResolveContext<'a>> {
        std::iter::once(&self.context).chain(&self.others)
    }

    /// What all shards have for a plan of each collection.
    pub async fn search(
        &self,
        plan: impl FnMut(&ResolveContext<'a>) -> Result<SearchPlan>,
        meters: &Meters,
    ) -> Result<SearchResult> {
        let plans = self.contexts().map(plan).map(|plan| plan.map(Arc::new)).collect::<Result<Vec<_>>>()?;
        self.together.pin().search_together(&plans, meters).await
    }
}
