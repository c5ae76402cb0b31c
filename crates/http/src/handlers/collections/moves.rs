//! Replicas that are added, taken away or moved (`ADDREPLICA`, `DELETEREPLICA`, `MOVEREPLICA`), by Solr's
//! parameters. Each is one change of who has what, made by the collection's lead (`cluster`); it is answered
//! when the nodes concerned were told.

use std::sync::Arc;

use cluster::Collection;
use plan::{Error, Result};
use solr::params::admin::collections as params;
use solr::response::{Entries, Node};

use super::lifecycle::not_found;
use super::sharding::{done, done_by};
use crate::request::call::Call;

pub(super) async fn add(call: &Call<'_>) -> Result<Entries> {
    let (collection, shard) = (asked(call)?, call.required(&params::SHARD)?);
    check_add(call)?;
    let node = &call.server.node;
    let (member, replica) = node.add_replica(&collection, shard, call.text(&params::NODE)).await?;
    Ok(vec![("success".into(), Node::Map(vec![done_by(&member.name, Some(&replica.core))]))])
}

pub(super) async fn remove(call: &Call<'_>) -> Result<Entries> {
    let (collection, shard) = (asked(call)?, call.required(&params::SHARD)?);
    if params::COUNT.is_sent(&call.params) {
        let message =
            "`count` would leave it to the server which replicas go; name them one by one with `replica`";
        return Err(Error::bad_request(message));
    }
    if call.value(&params::ONLY_IF_DOWN)? {
        let message = "`onlyIfDown` is `true`, which is not supported; see in CLUSTERSTATUS whether it is, and leave it out";
        return Err(Error::bad_request(message));
    }
    let replica = call.required(&params::REPLICA)?;
    call.server.node.remove_replica(&collection, shard, replica).await?;
    Ok(done(call, &[]))
}

pub(super) async fn change_node(call: &Call<'_>) -> Result<Entries> {
    let (collection, (shard, replica)) = (asked(call)?, which(call)?);
    let to = call.required(&params::TARGET_NODE)?;
    let member = call.server.node.move_replica(&collection, (&shard, &replica), to).await?;
    let text = format!(
        "MOVEREPLICA action completed successfully, `{replica}` of `{shard}` is on `{}`",
        member.name
    );
    Ok(vec![("success".into(), Node::from(text))])
}

fn asked(call: &Call<'_>) -> Result<Arc<Collection>> {
    let name = call.required(&params::COLLECTION)?;
    call.server.node.find(name).ok_or_else(|| not_found(name))
}

/// The replica that is to be moved, with its shard: by its name, or as the one that a node has of a shard.
fn which(call: &Call<'_>) -> Result<(String, String)> {
    let name = call.required(&params::COLLECTION)?;
    let described = call.server.node.resolve_described(name)?;
    let described = described.first().ok_or_else(|| not_found(name))?;
    let replicas = described.shard_documents().into_iter().flat_map(|shard| {
        let leader = described.shard_owner(&shard.name).map(|owner| (shard.node_number, owner.name.clone()));
        let followers = described.followers(&shard.name).into_iter();
        let followers = followers.map(|(replica, member)| (replica.node_number, member.name.clone()));
        let all: Vec<_> = leader.into_iter().chain(followers).collect();
        all.into_iter().map(move |(number, node)| (shard.name.clone(), format!("core_node{number}"), node))
    });
    let found = match call.text(&params::REPLICA) {
        Some(replica) => replicas.into_iter().find(|(_, name, _)| name == replica),
        None => {
            let (shard, node) = (call.required(&params::SHARD)?, call.required(&params::SOURCE_NODE)?);
            replicas.into_iter().find(|(of, _, on)| of == shard && on == node)
        }
    };
    let none = || Error::bad_request(format!("`{name}` has no such replica; CLUSTERSTATUS lists them"));
    found.map(|(shard, replica, _)| (shard, replica)).ok_or_else(none)
}

/// One replica is added, of the one kind that there is. Errors: `BadRequest` for what asks for anything else.
fn check_add(call: &Call<'_>) -> Result<()> {
    let counts = [&params::NRT_REPLICAS, &params::TLOG_REPLICAS, &params::PULL_REPLICAS]
        .map(|it| (it.name, call.sent(it)));
    let others = counts.into_iter().chain([(params::NODES.name, call.sent(&params::NODES))]);
    let mut others = others.filter_map(|(name, value)| value.map(|_| name.to_owned()));
    let property = params::PROPERTY.sent_all(&call.params).next().map(|(name, _)| format!("property.{name}"));
    if let Some(name) = others.next().or(property) {
        return Err(Error::bad_request(format!(
            "`{name}` is not supported with ADDREPLICA, which adds one replica; say where with `node`"
        )));
    }
    match call.text(&params::TYPE) {
        None => Ok(()),
        Some(kind) if ["NRT", "TLOG"].contains(&&*kind.to_ascii_uppercase()) => Ok(()),
        Some(kind) => Err(Error::bad_request(format!(
            "`type` is `{kind}`, but any replica may lead; use NRT or TLOG, which are the same here"
        ))),
    }
}
