//! What cloud clients read: `CLUSTERSTATUS` whole or in parts, `COLSTATUS`, and the little there is to say of
//! an overseer.
//!
//! In: the node's collections and state; out: facts from which `solr::admin` writes the answers, each shard
//! with the replica of whoever serves it and those that follow.

use cluster::{ClusterState, Description, GoneMember, Member, Replica};
use plan::{Error, Result};
use solr::admin::{
    ClusterFacts, CollectionFacts, GoneFacts, Lag, ReplicaFacts, ShardFacts, cluster_status,
    collection_status,
};
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
        None => all.then(|| node.descriptions()),
    };
    let with_aliases = |collection: &Description| {
        let shown = !all && named.is_some();
        let aliases = if shown { state.aliases_of(collection.name()) } else { vec![] };
        let aliases = aliases.into_iter().map(str::to_owned).collect();
        Ok(CollectionFacts { aliases, ..only_the_shards(call, facts(call, collection, false))? })
    };
    let facts = ClusterFacts {
        live_nodes: live_nodes(call),
        with_live_nodes: wants(&params::LIVE_NODES)?,
        collections: collections
            .map(|found| found.iter().map(with_aliases).collect::<Result<_>>())
            .transpose()?,
        aliases: if all { super::aliases::members(&state) } else { vec![] },
        properties: wants(&params::CLUSTER_PROPERTIES)?
            .then(|| state.properties.clone().into_iter().collect()),
        roles: wants(&params::ROLES)?,
        gone: if all { gone(call) } else { Vec::new() },
    };
    Ok(vec![("cluster".into(), cluster_status(scheme(&state), facts))])
}

/// Members that have replicas and do not live, as this one saw them go.
fn gone(call: &Call<'_>) -> Vec<GoneFacts> {
    let facts = |it: GoneMember| {
        let GoneMember { name, since_ms, replaced_at_ms } = it;
        let replaced_in_ms = replaced_at_ms.map(|at_ms| at_ms.saturating_sub(call.started_ms).max(0));
        GoneFacts { node: name, gone_ms: call.started_ms.saturating_sub(since_ms).max(0), replaced_in_ms }
    };
    call.server.node.gone_members().into_iter().map(facts).collect()
}

/// The collections of that name. That there is none is answered in a way that clients of clusters look for.
fn asked(call: &Call<'_>, name: &str) -> Result<Vec<Description>, Failure> {
    call.server.node.resolve_described(name).map_err(|_| {
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
        Some(name) => node
            .resolve_described(name)
            .map_err(|_| Error::bad_request(format!("Collection: {name} not found")))?,
        None => node.descriptions(),
    };
    for part in &params::MORE_OF_STATUS {
        // What is not shown would be taken for nothing being there.
        if call.value(part)? {
            return Err(Error::bad_request(format!(
                "`{}` is not supported; `/admin/segments?fieldBytes=true` of a core says what each field takes",
                part.name
            )));
        }
    }
    let living = live_nodes(call);
    let with_segments = call.value(&params::SEGMENTS)?;
    let one = |collection: &Description| {
        let facts = facts(call, collection, with_segments);
        let status = collection_status(scheme(&state), &facts, &living);
        (Name::Owned(facts.name), status)
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

fn live_nodes(call: &Call<'_>) -> Vec<String> {
    let mut names: Vec<String> = call.server.node.living().into_iter().map(|it| it.member.name).collect();
    names.sort();
    names
}

/// With what only the node knows that serves it, of those that are served here.
fn facts(call: &Call<'_>, collection: &Description, with_segments: bool) -> CollectionFacts {
    let mut facts = described(collection);
    let Some(own) = call.server.node.find_own(collection.name()) else { return facts };
    let copies = own.copies_here();
    for (number, shard) in facts.shards.iter_mut().enumerate() {
        (shard.missing, shard.wrong_index) = own.damage_here(number);
        for replica in &mut shard.replicas {
            let copy = copies.iter().find(|(core, _)| replica.core == *core);
            replica.lag = copy.map(|(_, age_ms)| age_ms.map_or(Lag::Unknown, Lag::Ms));
        }
        shard.segments = with_segments.then(|| Node::Map(segments::of_shard(&own, number)));
    }
    facts
}

/// What is said of a collection wherever it is served.
pub(super) fn described(collection: &Description) -> CollectionFacts {
    let facts = |(replica, member): (Replica, Member)| {
        let properties = collection.replica_properties(&replica).into_iter().collect();
        let Replica { core, node_number, kind } = replica;
        ReplicaFacts { core, node: member.name, node_number, kind: kind.name(), properties, lag: None }
    };
    let shards = collection.shard_documents().into_iter().map(|shard| ShardFacts {
        missing: None,
        wrong_index: None,
        replicas: collection.replicas(&shard).into_iter().map(facts).collect(),
        name: shard.name,
        range: shard.range.map(|range| range.to_string()),
        segments: None,
    });
    let router = collection.router();
    let of_state = collection.properties().iter().filter(|(name, _)| is_of_state(name));
    CollectionFacts {
        name: collection.name().to_owned(),
        configset: collection.configset().to_owned(),
        created_ms: collection.created_ms(),
        state_version: collection.state_version(),
        router: (router.kind.name(), router.field.clone()),
        read_only: collection.is_read_only(),
        shards: shards.collect(),
        properties: of_state.map(|(name, value)| (name.clone(), value.clone())).collect(),
        aliases: vec![],
    }
}
