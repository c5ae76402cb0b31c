//! The searches that `[subquery]` columns ask for, hit by hit, and those within them.
//!
//! In: the hits of a search and the subqueries of its field list; out: for each hit a list of documents for
//! each column. Each asks all collections of the search around it, or those that it names, as `/select` would
//! with its parameters. A request can make many searches of one, so their number and their depth are bounded,
//! and all are on its one allowance. Another collection is searched only where the sender may.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use cluster::{Collection, Together};
use plan::{Error, Hit, Result};
use solr::Params;
use solr::params::shards;
use solr::response::{self, DocList};
use solr::select::{FieldList, SUBQUERIES_MAX, SelectRequest, Subquery};

use super::asked_collections::AskedCollections;
use super::component_search::{Columns, ComponentSearch};
use super::scope::SearchScope;
use super::together::{named, resolved_by_others, selected};
use crate::handlers::effective::presets;
use crate::handlers::missing::Missing;
use crate::handlers::permit::Permit;
use crate::request::call::Call;
use crate::request::route::Handler;

/// Searches within searches: each level takes of the stack.
const LEVELS_MAX: usize = 8;

/// What is left of a request's searches.
pub(super) struct Subqueries<'a> {
    call: &'a Call<'a>,
    permit: &'a Permit,
    left: AtomicUsize,
    missing: Mutex<Missing>,
}

impl<'a> Subqueries<'a> {
    pub(super) fn of(call: &'a Call<'a>, permit: &'a Permit) -> Self {
        Self { call, permit, left: AtomicUsize::new(SUBQUERIES_MAX), missing: Mutex::default() }
    }

    /// What could not be read of the collections that were searched.
    pub(super) fn missing(self) -> Missing {
        self.missing.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) async fn columns(
        &self,
        around: &Together,
        (params, fields): (&Params, &FieldList),
        hits: &[Hit],
    ) -> Result<Columns> {
        self.columns_at(0, around, (params, fields), hits).await
    }

    async fn columns_at(
        &self,
        level: usize,
        around: &Together,
        (params, fields): (&Params, &FieldList),
        hits: &[Hit],
    ) -> Result<Columns> {
        let mut columns = Vec::new();
        if level >= LEVELS_MAX && !fields.subqueries.is_empty() {
            return Err(Error::bad_request(format!(
                "`[subquery]` stands in more than {LEVELS_MAX} others; use fewer in one another"
            )));
        }
        for hit in hits.iter().filter(|_| !fields.subqueries.is_empty()) {
            let mut lists = Vec::with_capacity(fields.subqueries.len());
            for subquery in &fields.subqueries {
                let params = subquery.params(params, &hit.document);
                let list = Box::pin(self.list(level, around, subquery, &params)).await;
                lists.push((subquery.label.clone(), list.map_err(|error| subquery.failed(&hit.id, &error))?));
            }
            columns.push(lists);
        }
        Ok(columns)
    }

    /// One search, by the presets of `/select`.
    async fn list(
        &self,
        level: usize,
        around: &Together,
        subquery: &Subquery,
        params: &Params,
    ) -> Result<DocList> {
        let Self { call, permit, .. } = self;
        let taken = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        taken.map_err(|_| {
            Error::bad_request(format!("more than {SUBQUERIES_MAX} searches in `fl`; ask for fewer `rows`"))
        })?;
        let unnamed = match &subquery.from {
            None => around.clone(),
            Some(name) => Together::of(self.other(name)?, []),
        };
        let presets = presets(Handler::Select, "/select", params, &unnamed.config());
        let params = params.with_handler(&presets);
        let together = named(call, &params)?.unwrap_or(unnamed);
        let collections = together.collections();
        let shards = selected(collections, &shards::choice(&params)?, call.core)?;
        self.missing.lock().unwrap_or_else(PoisonError::into_inner).add(Missing::of(collections, &shards));
        let scopes = SearchScope::of_all(call, collections, permit);
        let asked = AskedCollections::of(together.clone(), &scopes)?;
        let request = SelectRequest::parse(&params)?;
        let own = request.resolve(&asked.context)?;
        let by_others = resolved_by_others(&request, &own, &asked)?;
        let pinned = together.clone().of_shards(shards).preferring(call.replica_choice(&params)?).pin();
        let ComponentSearch { response, mut result, late_failure, .. } =
            ComponentSearch::run(pinned, (own, by_others), &permit.meters).await?;
        if let Some((_, error)) = late_failure {
            return Err(error);
        }
        let fields = &response.fields;
        let columns = self.columns_at(level + 1, &together, (&params, fields), &result.hits).await?;
        result.score_max = None;
        let mut list = response::doc_list(&mut result, response.start, fields, asked.context.schema);
        list.add_columns(columns);
        Ok(list)
    }

    fn other(&self, name: &str) -> Result<Arc<Collection>> {
        self.call
            .access
            .find(&self.call.server.node, name)?
            .ok_or_else(|| Error::bad_request(format!("`fromIndex` names `{name}`, which does not exist")))
    }
}
