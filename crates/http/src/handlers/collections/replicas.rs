//! What is asked of replicas and of the nodes they are put on, by Solr's parameters. Each shard has one that
//! leads; others follow it, on other nodes, and any of them but PULL replicas may lead when it is gone. What
//! is accepted is honoured, else it is refused by name: a request for two replicas that got one would be
//! trusted for what is not there.

use cluster::ReplicaCounts;
use plan::{Error, Result};
use solr::params::Param;
use solr::params::admin::collections as params;

use crate::request::call::Call;

/// Solr's words for all nodes, and for none.
const ALL_NODES: &str = "ALL_LIVE_NODES";
const NO_NODES: &str = "EMPTY";

/// How many replicas of each kind the shards of a collection that is made are to have. Errors: `BadRequest`
/// for more than there are members, and for none that may lead.
pub(super) fn asked(call: &Call<'_>) -> Result<ReplicaCounts> {
    check_nodes(call)?;
    let (factor, nrt) = (call.value(&params::REPLICATION_FACTOR)?, call.value(&params::NRT_REPLICAS)?);
    let (tlog, pull) = (call.value(&params::TLOG_REPLICAS)?, call.value(&params::PULL_REPLICAS)?);
    // Two names of one thing.
    if let (Some(factor), Some(nrt)) = (factor, nrt)
        && factor != nrt
    {
        return Err(Error::bad_request(format!(
            "`replicationFactor` is `{factor}` and `nrtReplicas` is `{nrt}`, which \
             mean the same; send one of them"
        )));
    }
    let (tlog, pull) = (tlog.unwrap_or_default(), pull.unwrap_or_default());
    let counts = ReplicaCounts { nrt: nrt.or(factor).unwrap_or(usize::from(tlog == 0)), tlog, pull };
    if counts.nrt + counts.tlog == 0 {
        return Err(Error::bad_request("nrtReplicas + tlogReplicas must be greater than 0"));
    }
    let members = match nodes(call).as_slice() {
        [] => call.server.node.living_for_data().len(),
        named => named.len(),
    };
    if counts.total() > members.max(1) {
        return Err(Error::bad_request(format!(
            "cannot make the shards: there are to be {} replicas of each, and {members} node(s) may \
             have them, each of which has one at most; use fewer, or start more nodes",
            counts.total()
        )));
    }
    Ok(counts)
}

/// The same of a shard that is made in a collection that is there; `None` where nothing is said.
pub(super) fn asked_for_shard(call: &Call<'_>) -> Result<Option<ReplicaCounts>> {
    let counts =
        [&params::REPLICATION_FACTOR, &params::NRT_REPLICAS, &params::TLOG_REPLICAS, &params::PULL_REPLICAS];
    let is_said = counts.iter().any(|param| call.sent(param).is_some());
    let asked = asked(call)?;
    Ok(is_said.then_some(asked))
}

/// Of collections that are made. Errors: `BadRequest`.
pub(super) fn check_collection(call: &Call<'_>) -> Result<()> {
    if call.sent(&params::PER_REPLICA_STATE).is_some_and(|value| value == "true") {
        return Err(Error::bad_request(
            "cannot create the collection: `perReplicaState` is `true`, but states lie in one document of the \
             collection; leave it out",
        ));
    }
    match params::PROPERTY.sent_all(&call.params).next() {
        None => Ok(()),
        Some((name, _)) => Err(Error::bad_request(format!(
            "cannot create the collection: `property.{name}` would be a property of its cores, which have none; \
             set it on the collection with `MODIFYCOLLECTION`"
        ))),
    }
}

/// Errors: `BadRequest` for more than one replica.
pub(super) fn check_count(call: &Call<'_>, param: &Param<usize>) -> Result<()> {
    match call.value(param)? {
        Some(count) if count > 1 => Err(Error::bad_request(format!(
            "cannot create the collection: `{}` is `{count}`, more than one replica is not supported; use 1",
            param.name
        ))),
        _ => Ok(()),
    }
}

/// The nodes that the shards of a collection are to be spread over: those that the request names. None where
/// all may have some that are there for data.
pub(super) fn nodes(call: &Call<'_>) -> Vec<String> {
    match call.text(&params::NODES) {
        None | Some(ALL_NODES) => Vec::new(),
        Some(names) => names.split(',').map(|name| name.trim().to_owned()).collect(),
    }
}

/// Nodes are named one by one, and have to live.
fn check_nodes(call: &Call<'_>) -> Result<()> {
    let Some(names) = call.text(&params::NODES).filter(|names| *names != ALL_NODES) else { return Ok(()) };
    let living: Vec<String> = call.server.node.living().into_iter().map(|it| it.member.name).collect();
    if names == NO_NODES {
        return Err(Error::bad_request(format!(
            "`createNodeSet` is `{NO_NODES}`, but a shard without a replica cannot be given one later yet; leave \
             it out, or name one of {}",
            living.join(", ")
        )));
    }
    if names.split(',').any(|name| !living.iter().any(|living| living == name.trim())) {
        return Err(Error::bad_request(format!(
            "At least one of the node(s) specified [{names}] are not currently active in [{}], no action taken.",
            living.join(", ")
        )));
    }
    Ok(())
}
