//! `/get`: documents by id, visible or not. Filters see what searches see, so they make updates visible first.

use std::sync::Arc;

use cluster::Collection;
use plan::{Commit, Result};
use solr::response::Entries;
use solr::{GetRequest, Params, versions_entry};

use super::select::Resolving;
use crate::call::Call;

pub(super) async fn run(call: &Call<'_>, collection: &Arc<Collection>, params: &Params) -> Result<Entries> {
    let request = GetRequest::parse(params)?;
    if let Some(limit) = request.versions {
        return Ok(versions_entry(&collection.versions(limit).await?));
    }
    let found = if request.is_filtered() {
        filtered(call, collection, params, &request).await?
    } else {
        collection.get(&request.ids, &request.selection()).await?
    };
    Ok(request.respond(found, &collection.schema()))
}

async fn filtered(
    call: &Call<'_>,
    collection: &Arc<Collection>,
    params: &Params,
    request: &GetRequest,
) -> Result<Vec<Option<plan::Document>>> {
    let resolving = Resolving::of(call, collection);
    let plan = request.filtered(params, &resolving.context())?;
    if !collection.stats().current {
        collection.commit(Commit::SOFT).await?;
    }
    Ok(request.by_id(collection.search(Arc::new(plan)).await?))
}
