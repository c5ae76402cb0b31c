//! `/get`: documents by id, visible or not.

use std::sync::Arc;

use cluster::Collection;
use plan::Result;
use solr::response::Entries;
use solr::{GetRequest, Params};

pub(super) async fn run(collection: &Arc<Collection>, params: &Params) -> Result<Entries> {
    let request = GetRequest::parse(params)?;
    let found = collection.get(&request.ids, &request.selection()).await?;
    Ok(request.respond(found, &collection.schema()))
}
