//! What cloud clients read: `CLUSTERSTATUS` whole or in parts, `COLSTATUS`, and the little there is to say of
//! an overseer.
//!
//! In: the node's collections and state; out: facts from which `solr::admin` writes the answers, as of a
//! cluster of one node, each shard with one replica.

use std::sync::Arc;

use cluster::{ClusterState, Collection};
use plan::{Error, Result};
use solr::admin::{ClusterFacts, CollectionFacts, ShardFacts, cluster_status, collection_status};
use solr::params::Param;
use solr::params::admin::collections as params;
use solr::response::{Entries, Name, Node};

use crate::handlers::segments;
use crate::request::call::{Call, Failure};

/// Solr's clients ask for the part that they need; by default all is shown.
pub(super) fn cluster(call: &Call<'_>) -> Result<Entries, Failure> {
    let (node, state) = (&call.server.node, call.server.node.state());
    let all = call.value(&params::INCLUDE_ALL)?;
    let wants = |part: &Param<bool>| Ok::<_, Error>(call.value(part)?.unwrap_or(all));
    let named = call.text(&params::COLLECTION);
    let collections = match named {
        Some(name) => Some(asked(call, name)?),
        None => all.then(|| node.list()),
    };
    let with_aliases = |collection: &Arc<Collection>| {
        let shown = !all && named.is_some();
        let aliases = if shown { state.aliases_of(&collection.name()) } else { vec![] };
        let aliases = aliases.into_iter().map(str::to_owned).collect();
        Ok(CollectionFacts { aliases, ..only_the_shards(call, facts(collection, false))? })
    };
    let facts = ClusterFacts {
        live_nodes: wants(&params::LIVE_NODES)?,
        collections: collections
            .map(|found| found.iter().map(with_aliases).collect::<Result<_>>())
            .transpose()?,
        aliases: if all { super::aliases::members(&state) } else { vec![] },
        properties: wants(&params::CLUSTER_PROPERTIES)?
            .then(|| state.properties.clone().into_iter().collect()),
        roles: wants(&params::ROLES)?,
    };
    Ok(vec![("cluster".into(), cluster_status(node.name(), scheme(&state), facts))])
}

/// The collections of that name. That there is none is answered in a way that clients of clusters look for.
fn asked(call: &Call<'_>, name: &str) -> Result<Vec<Arc<Collection>>, Failure> {
    call.server.node.resolve(name).map_err(|_| {
        let error = Error::bad_request(format!("Collection: {name} not found"));
        let entry = solr::error::entry_with(&error, ("CLUSTERSTATUS", "NOT_FOUND")).into();
        Failure { entry, ..Failure::from(error) }
    })
}

/// With the shards that the request names, where it names any.
fn only_the_shards(call: &Call<'_>, mut facts: CollectionFacts) -> Result<CollectionFacts> {
    let Some(wanted) = call.text(&params::SHARD) else { return Ok(facts) };
    let wanted: Vec<&str> = wanted.split(',').collect();
    let is_unknown = |name: &&&str| facts.shards.iter().all(|shard| shard.name != **name);
    if let Some(unknown) = wanted.iter().find(is_unknown) {
        let collection = &facts.name;
        return Err(Error::bad_request(format!("Collection: {collection} shard: {unknown} not found")));
    }
    facts.shards.retain(|shard| wanted.contains(&&*shard.name));
    Ok(facts)
}

pub(super) fn collections(call: &Call<'_>) -> Result<Entries> {
    let (node, state) = (&call.server.node, call.server.node.state());
    let found = match call.text(&params::COLLECTION) {
        Some(name) => {
            node.resolve(name).map_err(|_| Error::bad_request(format!("Collection: {name} not found")))?
        }
        None => node.list(),
    };
    let with_segments = call.value(&params::SEGMENTS)?;
    let one = |collection: &Arc<Collection>| {
        let status = collection_status(node.name(), scheme(&state), &facts(collection, with_segments));
        (Name::Owned(collection.name()), status)
    };
    Ok(found.iter().map(one).collect())
}

/// There is none, so nothing waits for it.
pub(super) fn overseer(call: &Call<'_>) -> Entries {
    let mut entries: Entries = vec![("leader".into(), Node::from(call.server.node.name().to_owned()))];
    let queues = ["overseer_queue_size", "overseer_work_queue_size", "overseer_collection_queue_size"];
    entries.extend(queues.map(|name| (name.into(), Node::Int(0))));
    entries
}

/// How clients are to call the nodes.
pub(in crate::handlers) fn scheme(state: &ClusterState) -> &str {
    state.properties.get("urlScheme").map_or("http", String::as_str)
}

/// What `MODIFYCOLLECTION` set is part of the state; what `COLLECTIONPROP` set is not.
pub(super) fn is_of_state(property: &str) -> bool {
    property.starts_with("property.")
}

pub(super) fn facts(collection: &Arc<Collection>, with_segments: bool) -> CollectionFacts {
    let router = collection.router();
    let shards = collection.shard_documents().into_iter().enumerate();
    let shards = shards.map(|(number, shard)| ShardFacts {
        name: shard.name,
        core: shard.core,
        node_number: shard.node_number,
        range: shard.range.map(|range| range.to_string()),
        segments: with_segments.then(|| Node::Map(segments::of_shard(collection, number))),
    });
    CollectionFacts {
        name: collection.name(),
        configset: collection.configset(),
        created_ms: collection.created_ms(),
        state_version: collection.state_version(),
        router: (router.kind.name(), router.field),
        shards: shards.collect(),
        properties: collection.properties().into_iter().filter(|(name, _)| is_of_state(name)).collect(),
        aliases: vec![],
    }
}
