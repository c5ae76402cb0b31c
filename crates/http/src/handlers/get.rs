//! `/get`: documents by id, visible or not. In: ids, perhaps with filters; out: the documents as their last
//! update left them. Filters are asked of a snapshot with all updates in it, which nobody else gets to see:
//! what searches see is only a commit's to change.

use std::sync::Arc;

use cluster::Collection;
use plan::Result;
use solr::params::shards;
use solr::response::Entries;
use solr::{Fetched, GetRequest, Params, versions_entry};

use super::permit::Permit;
use super::select::{SearchScope, check_all_shards, name_shards};
use crate::request::call::Call;

pub(super) async fn run(
    call: &Call<'_>,
    collection: &Arc<Collection>,
    (params, permit): (&Params, &Permit),
) -> Result<Entries> {
    let mut request = GetRequest::parse(params)?;
    match collection.sharded_name() {
        Some(_) => name_shards(request.fields_mut(), || collection.shard_documents()),
        None => request.fields_mut().name_core(&collection.core_name()),
    }
    check_all_shards(collection, params, request.is_searched())?;
    if let Some(limit) = request.versions {
        return Ok(versions_entry(&collection.versions(limit).await?));
    }
    let found = if request.is_searched() {
        searched(call, collection, (params, permit), &request).await?
    } else {
        let found = collection.get((&request.ids, shards::ROUTE.sent(params)), &request.selection()).await?;
        found.into_iter().map(|found| found.map(Fetched::from)).collect()
    };
    Ok(request.respond(found, &collection.schema()))
}

async fn searched(
    call: &Call<'_>,
    collection: &Arc<Collection>,
    (params, permit): (&Params, &Permit),
    request: &GetRequest,
) -> Result<Vec<Option<Fetched>>> {
    let scope = SearchScope::of(call, collection, permit);
    let plan = request.filtered(params, &scope.context())?;
    Ok(request.by_id(collection.search_applied(Arc::new(plan), &permit.meters).await?))
}
