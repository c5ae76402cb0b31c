//! What cloud clients read: `CLUSTERSTATUS` whole or in parts, `COLSTATUS`, and the little there is to say of
//! an overseer.
//!
//! In: the node's collections and state; out: facts from which `solr::admin` writes the answers, as of a
//! cluster of one node, each collection with one shard and one replica.

use std::sync::Arc;

use cluster::{ClusterState, Collection};
use plan::{Error, Result};
use solr::admin::{ClusterFacts, CollectionFacts, cluster_status, collection_status};
use solr::params::Param;
use solr::params::admin::collections as params;
use solr::response::{Entries, Name, Node};

use crate::handlers::segments;
use crate::request::call::{Call, Failure};

/// Solr's clients ask for the part that they need; by default all is told.
pub(super) fn cluster(call: &Call<'_>) -> Result<Entries, Failure> {
    let (node, state) = (&call.server.node, call.server.node.state());
    let all = call.value(&params::INCLUDE_ALL)?;
    let wants = |part: &Param<bool>| Ok::<_, Error>(call.value(part)?.unwrap_or(all));
    let named = call.text(&params::COLLECTION);
    only_the_shard(call)?;
    let collections = match named {
        Some(name) => Some(asked(call, name)?),
        None => all.then(|| node.list()),
    };
    let with_aliases = |collection: &Arc<Collection>| {
        let shown = !all && named.is_some();
        let aliases = if shown { state.aliases_of(&collection.name()) } else { vec![] };
        CollectionFacts { aliases: aliases.into_iter().map(str::to_owned).collect(), ..facts(collection) }
    };
    let facts = ClusterFacts {
        live_nodes: wants(&params::LIVE_NODES)?,
        collections: collections.map(|found| found.iter().map(with_aliases).collect()),
        aliases: if all { super::aliases::members(&state) } else { vec![] },
        properties: wants(&params::CLUSTER_PROPERTIES)?
            .then(|| state.properties.clone().into_iter().collect()),
        roles: wants(&params::ROLES)?,
    };
    Ok(vec![("cluster".into(), cluster_status(node.name(), scheme(&state), facts))])
}

/// The collections of that name. That there is none is said in a way that clients of clusters look for.
fn asked(call: &Call<'_>, name: &str) -> Result<Vec<Arc<Collection>>, Failure> {
    call.server.node.resolve(name).map_err(|_| {
        let error = Error::bad_request(format!("Collection: {name} not found"));
        let entry = solr::error::entry_with(&error, ("CLUSTERSTATUS", "NOT_FOUND")).into();
        Failure { entry, ..Failure::from(error) }
    })
}

fn only_the_shard(call: &Call<'_>) -> Result<()> {
    let shards = call.text(&params::SHARD);
    match shards.split(',').find(|shard| *shard != params::SHARD.default) {
        None => Ok(()),
        Some(unknown) => {
            let collection = call.text(&params::COLLECTION).unwrap_or_default();
            Err(Error::bad_request(format!("Collection: {collection} shard: {unknown} not found")))
        }
    }
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
        let segments = with_segments.then(|| Node::Map(segments::run(collection)));
        let status = collection_status(node.name(), scheme(&state), &facts(collection), segments);
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
fn scheme(state: &ClusterState) -> &str {
    state.properties.get("urlScheme").map_or("http", String::as_str)
}

fn facts(collection: &Arc<Collection>) -> CollectionFacts {
    let shown = |(name, _): &(String, String)| name.starts_with("property.");
    CollectionFacts {
        name: collection.name(),
        core: collection.core_name(),
        configset: collection.configset(),
        created_ms: collection.created_ms(),
        state_version: collection.state_version(),
        properties: collection.properties().into_iter().filter(shown).collect(),
        aliases: vec![],
    }
}
