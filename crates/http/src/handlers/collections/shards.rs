//! Shards that are added to a collection or taken away (`CREATESHARD`, `DELETESHARD`), by Solr's parameters
//! and in its words. The work is the node's (`cluster`).

use cluster::NewShard;
use plan::Result;
use solr::params::admin::collections as params;
use solr::response::Entries;

use super::lifecycle::not_found;
use super::replicas;
use super::sharding::done;
use crate::request::call::Call;

pub(super) async fn create(call: &Call<'_>) -> Result<Entries> {
    let (name, shard) = (call.required(&params::COLLECTION)?, call.required(&params::SHARD)?);
    let shard = NewShard {
        name: shard.to_owned(),
        nodes: replicas::nodes(call),
        replicas: replicas::asked_for_shard(call)?,
    };
    let node = &call.server.node;
    let collection = node.find(name).ok_or_else(|| not_found(name))?;
    let made = node.create_shard(&collection, shard).await?;
    Ok(done(call, &[made]))
}

pub(super) async fn delete(call: &Call<'_>) -> Result<Entries> {
    let (name, shard) = (call.required(&params::COLLECTION)?, call.required(&params::SHARD)?);
    let node = &call.server.node;
    let collection = node.find(name).ok_or_else(|| not_found(name))?;
    node.delete_shard(&collection, shard).await?;
    Ok(done(call, &[]))
}
