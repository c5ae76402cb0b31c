//! The searches that `[subquery]` columns ask for, hit by hit, and those within them.
//!
//! In: the hits of a search and the subqueries of its field list; out: for each hit a list of documents for
//! each column. A request can make many searches of one, so their number and their depth are bounded, and all
//! are on its one allowance. Another collection is searched only where the sender may.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use cluster::Collection;
use plan::{Error, Hit, Result};
use solr::Params;
use solr::response::{self, DocList};
use solr::select::{FieldList, SUBQUERIES_MAX, SelectRequest, Subquery};

use super::scope::{SearchScope, name_shards};
use crate::handlers::effective::presets;
use crate::handlers::missing::Missing;
use crate::handlers::permit::Permit;
use crate::request::call::Call;
use crate::request::route::Handler;

/// Searches within searches: each level takes of the stack.
const LEVELS_MAX: usize = 8;

/// For each hit its columns.
pub(super) type Columns = Vec<Vec<(String, DocList)>>;

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
        collection: &Arc<Collection>,
        (params, fields): (&Params, &FieldList),
        hits: &[Hit],
    ) -> Result<Columns> {
        self.columns_at(0, collection, (params, fields), hits).await
    }

    async fn columns_at(
        &self,
        level: usize,
        collection: &Arc<Collection>,
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
                let list = Box::pin(self.list(level, collection, subquery, &params)).await;
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
        collection: &Arc<Collection>,
        subquery: &Subquery,
        params: &Params,
    ) -> Result<DocList> {
        let taken = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        taken.map_err(|_| {
            Error::bad_request(format!("more than {SUBQUERIES_MAX} searches in `fl`; ask for fewer `rows`"))
        })?;
        let collection = match &subquery.from {
            None => collection.clone(),
            Some(name) => self.call.access.find(&self.call.server.node, name).ok_or_else(|| {
                Error::bad_request(format!("`fromIndex` names `{name}`, which does not exist"))
            })?,
        };
        self.missing.lock().unwrap_or_else(PoisonError::into_inner).add(Missing::of_all([&collection]));
        let presets = presets(Handler::Select, "/select", params, &collection.config());
        let params = params.with_handler(&presets);
        let scope = SearchScope::of(self.call, &collection, self.permit);
        let mut resolved = SelectRequest::parse(&params)?.resolve(&scope.context())?;
        name_shards(&mut resolved.response.fields, || collection.shard_documents());
        let mut result = collection.search(resolved.plan, &self.permit.meters).await?;
        let fields = &resolved.response.fields;
        let columns = self.columns_at(level + 1, &collection, (&params, fields), &result.hits).await?;
        result.score_max = None;
        let start = resolved.response.start;
        let mut list = response::doc_list(&mut result, start, fields, scope.context().schema);
        list.add_columns(columns);
        Ok(list)
    }
}
