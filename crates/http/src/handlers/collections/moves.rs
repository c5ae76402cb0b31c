//! Replicas that are added, taken away or moved (`ADDREPLICA`, `DELETEREPLICA`, `MOVEREPLICA`), by Solr's
//! parameters. Each is one change of who has what, made by the collection's lead (`cluster`); it is answered
//! when the nodes concerned were told.

use std::sync::Arc;

use cluster::{Collection, Description, Member, Replica, ReplicaKind, ReplicaName};
use plan::{Error, Result};
use solr::params::admin::collections as params;
use solr::response::{Entries, Node};

use super::lifecycle::not_found;
use super::sharding::{done, done_by};
use crate::request::call::Call;

/// More are a slip of whoever asks: a node has one replica of a shard at most.
const ADDED_MAX: usize = 100;

pub(super) async fn add(call: &Call<'_>) -> Result<Entries> {
    let collection = asked(call)?;
    let shard = call.required(&params::SHARD)?;
    let kinds = kinds(call)?;
    let places = places(call, kinds.len())?;
    let wanted = kinds.into_iter().enumerate().map(|(at, kind)| (kind, places.get(at).cloned()));
    let made = call.server.node.add_replicas(&collection, shard, wanted.collect()).await?;
    let told = made.into_iter().map(|(member, replica)| done_by(&member.name, Some(&replica.core)));
    Ok(vec![("success".into(), Node::Map(told.collect()))])
}

pub(super) async fn remove(call: &Call<'_>) -> Result<Entries> {
    let collection = asked(call)?;
    let count = call.value(&params::COUNT)?;
    let names = match (call.text(&params::REPLICA), count) {
        (Some(replica), None) => {
            let shard = call.required(&params::SHARD)?.to_owned();
            vec![ReplicaName { shard, replica: replica.to_owned() }]
        }
        (None, Some(count)) => chosen(call, count)?,
        (Some(_), Some(_)) => {
            return Err(Error::bad_request("`replica` and `count` were sent; use one of them"));
        }
        (None, None) => return Err(Error::bad_request("Missing required parameter: replica")),
    };
    if call.value(&params::ONLY_IF_DOWN)? {
        check_down(call, &names)?;
    }
    // One after the other: whoever leads may be another behind each.
    for name in names {
        call.server.node.remove_replica(&collection, name).await?;
    }
    Ok(done(call, &[]))
}

pub(super) async fn change_node(call: &Call<'_>) -> Result<Entries> {
    let (collection, name) = (asked(call)?, which(call)?);
    // Solr differs: it has to be told where to.
    let to = call.text(&params::TARGET_NODE).map(str::to_owned);
    let ReplicaName { shard, replica } = name.clone();
    let member = call.server.node.move_replica(&collection, name, to).await?;
    let text = format!(
        "MOVEREPLICA action completed successfully, `{replica}` of `{shard}` is on `{}`",
        member.name
    );
    Ok(vec![("success".into(), Node::from(text))])
}

/// The collection that is asked for, which this node leads.
pub(super) fn asked(call: &Call<'_>) -> Result<Arc<Collection>> {
    let name = call.required(&params::COLLECTION)?;
    call.server.node.find(name).ok_or_else(|| not_found(name))
}

/// The same as the documents describe it.
pub(super) fn described(call: &Call<'_>) -> Result<Description> {
    let name = call.required(&params::COLLECTION)?;
    call.server.node.resolve_described(name)?.into_iter().next().ok_or_else(|| not_found(name))
}

/// All replicas of a collection with who has them; whether it leads is said first.
pub(super) fn all(described: &Description) -> Vec<(bool, ReplicaName, Replica, Member)> {
    let of_shard = |shard: cluster::ShardDocument| {
        let replicas = described.replicas(&shard).into_iter().enumerate();
        let named = |(at, (replica, member)): (usize, (Replica, Member))| {
            let name = ReplicaName { shard: shard.name.clone(), replica: replica.node_name() };
            (at == 0, name, replica, member)
        };
        replicas.map(named).collect::<Vec<_>>()
    };
    described.shard_documents().into_iter().flat_map(of_shard).collect()
}

/// The replica that is to be moved: by its name, or as the one that a node has of a shard.
fn which(call: &Call<'_>) -> Result<ReplicaName> {
    let mut all = all(&described(call)?).into_iter();
    let found = match call.text(&params::REPLICA) {
        Some(replica) => all.find(|(_, name, ..)| name.replica == replica),
        None => {
            let (shard, node) = (call.required(&params::SHARD)?, call.required(&params::SOURCE_NODE)?);
            all.find(|(_, name, _, member)| name.shard == shard && member.name == node)
        }
    };
    let name = call.required(&params::COLLECTION)?;
    let none = || Error::bad_request(format!("`{name}` has no such replica; CLUSTERSTATUS lists them"));
    found.map(|(_, name, ..)| name).ok_or_else(none)
}

/// So many of the replicas of a shard, or of each where none is named: those first whose nodes do not live,
/// never one that leads. Errors: `BadRequest` where that are not as many.
fn chosen(call: &Call<'_>, count: usize) -> Result<Vec<ReplicaName>> {
    let (described, shard) = (described(call)?, call.text(&params::SHARD));
    let mut names = Vec::new();
    let documents = described.shard_documents();
    if let Some(shard) = shard.filter(|shard| !documents.iter().any(|it| it.name == *shard)) {
        return Err(Error::bad_request(format!("there is no shard `{shard}`; CLUSTERSTATUS lists them")));
    }
    for document in documents.iter().filter(|document| shard.is_none_or(|shard| document.name == shard)) {
        let mut follow: Vec<_> = all(&described)
            .into_iter()
            .filter(|(leads, name, ..)| !leads && name.shard == document.name)
            .collect();
        if follow.len() < count {
            return Err(Error::bad_request(format!(
                "`count` is `{count}`, but {} replica(s) of `{}` could go; one stays",
                follow.len(),
                document.name
            )));
        }
        // False comes first: nobody reads from those that are down.
        follow.sort_by_key(|(.., member)| call.server.node.is_alive(member));
        names.extend(follow.into_iter().take(count).map(|(_, name, ..)| name));
    }
    Ok(names)
}

/// Errors: `BadRequest` where the node of one of them lives.
fn check_down(call: &Call<'_>, names: &[ReplicaName]) -> Result<()> {
    for (_, name, _, member) in all(&described(call)?) {
        if names.contains(&name) && call.server.node.is_alive(&member) {
            return Err(Error::bad_request(format!(
                "Attempted to remove replica : {}/{} with onlyIfDown='true', but state is 'active'",
                name.shard, name.replica
            )));
        }
    }
    Ok(())
}

/// The kinds of the replicas that are to be added. Errors: `BadRequest` for what is no kind, and for none.
fn kinds(call: &Call<'_>) -> Result<Vec<ReplicaKind>> {
    if let Some((name, _)) = params::PROPERTY.sent_all(&call.params).next() {
        return Err(Error::bad_request(format!(
            "`property.{name}` is not supported with ADDREPLICA, whose replicas are cores without files of their \
             own; set it behind it with ADDREPLICAPROP"
        )));
    }
    let kind = match call.text(&params::TYPE) {
        None => None,
        Some(text) => {
            let found = ReplicaKind::ALL.into_iter().find(|kind| kind.name().eq_ignore_ascii_case(text));
            Some(found.ok_or_else(|| {
                Error::bad_request(format!("`type` is `{text}`; use `NRT`, `TLOG` or `PULL`"))
            })?)
        }
    };
    let counted = [
        (ReplicaKind::Nrt, &params::NRT_REPLICAS),
        (ReplicaKind::Tlog, &params::TLOG_REPLICAS),
        (ReplicaKind::Pull, &params::PULL_REPLICAS),
    ];
    let mut kinds = Vec::new();
    let mut is_counted = false;
    for (kind, param) in counted {
        let count = call.value(param)?;
        is_counted |= count.is_some();
        if count > Some(ADDED_MAX) {
            return Err(Error::bad_request(format!(
                "`{}` is more than {ADDED_MAX}, and a node has one replica of a shard at most; use fewer",
                param.name
            )));
        }
        kinds.extend(std::iter::repeat_n(kind, count.unwrap_or_default()));
    }
    match (is_counted, kind) {
        (false, kind) => Ok(vec![kind.unwrap_or_default()]),
        (true, Some(kind)) if kinds.iter().any(|counted| *counted != kind) => {
            Err(Error::bad_request(format!(
                "`type` is `{}`, but replicas of another kind are counted; leave one of them out",
                kind.name()
            )))
        }
        (true, _) if kinds.is_empty() => Err(Error::bad_request("no replica is to be added; use 1 or more")),
        (true, _) => Ok(kinds),
    }
}

/// The nodes for the replicas that are to be added; nothing where the server is to choose. Errors:
/// `BadRequest` for fewer nodes than replicas.
fn places(call: &Call<'_>, count: usize) -> Result<Vec<String>> {
    let nodes = match (call.text(&params::NODE), call.text(&params::NODES)) {
        (Some(node), _) => vec![node.to_owned()],
        (None, Some("ALL_LIVE_NODES") | None) => return Ok(Vec::new()),
        (None, Some(names)) => names.split(',').map(|name| name.trim().to_owned()).collect(),
    };
    if nodes.len() < count {
        return Err(Error::bad_request(format!(
            "{count} replicas are to be added, but {} node(s) are named, each of which has one at most; name more \
             with `createNodeSet`",
            nodes.len()
        )));
    }
    Ok(nodes)
}
