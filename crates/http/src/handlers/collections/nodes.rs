//! What is done to all replicas of nodes, whatever collections they are of: a node that is replaced or
//! emptied (`REPLACENODE`, `DELETENODE`, `MIGRATE_REPLICAS`), and nodes that are to have as many as one
//! another (`BALANCE_REPLICAS`). Each replica is moved by its collection's lead, one after the other; what
//! broke off goes on where it is asked for again, for what was moved is no longer there.

use std::collections::BTreeMap;

use cluster::{Description, Member, ReplicaName, Zones};
use plan::{Error, Result};
use solr::params::admin::collections as params;
use solr::response::{Entries, Node};

use super::elsewhere::ask_for;
use super::moves::all;
use crate::request::call::Call;
use crate::request::elsewhere::reachable;

/// A replica where it is.
#[derive(Clone)]
struct Placed {
    collection: String,
    name: ReplicaName,
    leads: bool,
    on: String,
}

impl Placed {
    /// Whether both are replicas of one shard, of which no node may have two.
    fn shares_shard(&self, other: &Self) -> bool {
        self.collection == other.collection && self.name.shard == other.name.shard
    }
}

pub(super) async fn replace(call: &Call<'_>) -> Result<Entries> {
    let source = call.required(&params::SOURCE_NODE)?;
    let targets: Vec<String> = call.text(&params::TARGET_NODE).map(str::to_owned).into_iter().collect();
    let moved = empty(call, &[source.to_owned()], &targets).await?;
    let to = if targets.is_empty() { "the others".to_owned() } else { targets.join(", ") };
    Ok(told(format!(
        "REPLACENODE action completed successfully from  : {source} to : {to}, {moved} replica(s) moved"
    )))
}

pub(super) async fn migrate(call: &Call<'_>) -> Result<Entries> {
    let sources = names(call.required(&params::SOURCE_NODES)?);
    if sources.is_empty() {
        return Err(Error::bad_request(
            "No 'sourceNodes' provided in the request body. The MigrateReplicas API requires a 'sourceNodes' list in the request body.",
        ));
    }
    let targets = call.text(&params::TARGET_NODES).map(names).unwrap_or_default();
    let moved = empty(call, &sources, &targets).await?;
    Ok(told(format!(
        "MIGRATE_REPLICAS action completed successfully from  : [{}] to : [{}], {moved} replica(s) moved",
        sources.join(","),
        targets.join(",")
    )))
}

/// Takes all replicas of a node away. Errors: `BadRequest` before anything is done where one is the last of
/// its shard.
pub(super) async fn delete(call: &Call<'_>) -> Result<Entries> {
    let node = call.required(&params::NODE)?;
    let described = call.server.node.descriptions();
    let placed = placed(&described);
    let goes: Vec<&Placed> = placed.iter().filter(|it| it.on == node).collect();
    // Whoever is left has to be able to lead.
    let last = goes.iter().find(|gone| gone.leads && next_leaders(call, &described, gone) == 0);
    if let Some(last) = last {
        return Err(Error::bad_request(format!(
            "Can't delete the only existing non-PULL replica(s) on node(s): {node}: `{}` of `{}` in `{}`; move it \
             (REPLACENODE), or add another that lives (ADDREPLICA)",
            last.name.replica, last.name.shard, last.collection
        )));
    }
    check_is_node(call, node, !goes.is_empty())?;
    for gone in &goes {
        step(call, gone, None).await?;
    }
    Ok(told(format!("DELETENODE action completed successfully, {} replica(s) of {node} deleted", goes.len())))
}

/// Moves replicas from those of the nodes that have the most to those that have the fewest, until none has
/// two more than another that could take one.
pub(super) async fn balance(call: &Call<'_>) -> Result<Entries> {
    let nodes = match call.text(&params::BALANCED_NODES) {
        None => for_data(call),
        Some(text) => names(text),
    };
    check_living(call, &nodes)?;
    let (mut moved, most) = (0, placed(&call.server.node.descriptions()).len());
    let living = call.server.node.living();
    let zones = Zones::by_name(&living);
    // None is moved twice, but where others make changes meanwhile.
    while moved < most {
        let placed = placed(&call.server.node.descriptions());
        let Some((replica, to)) = next_move(&placed, &nodes, &zones) else { break };
        step(call, &replica, Some(&to)).await?;
        moved += 1;
    }
    Ok(told(format!(
        "BALANCE_REPLICAS action completed successfully across nodes  : [{}], {moved} replica(s) moved",
        nodes.join(", ")
    )))
}

/// The move that makes the greatest difference of loads smaller; of replicas those that follow first, for
/// they interrupt nobody. None goes to a zone where more of its shard are than where it is.
fn next_move(placed: &[Placed], nodes: &[String], zones: &Zones<'_>) -> Option<(Placed, String)> {
    let mut ordered: Vec<(&str, usize)> = load_of(nodes, placed).into_iter().collect();
    // By name among equals, so that the same request moves the same replicas.
    ordered.sort_by_key(|(name, count)| (*count, *name));
    for (from, most) in ordered.iter().rev() {
        for (to, _) in ordered.iter().take_while(|(_, fewest)| fewest + 1 < *most) {
            let mut here: Vec<&Placed> = placed.iter().filter(|it| it.on == *from).collect();
            here.sort_by_key(|it| it.leads);
            let fits = |it: &&&Placed| {
                let is_free = !placed.iter().any(|other| other.on == *to && other.shares_shard(it));
                let shared = |node: &str| shared_zone(zones, node, it, placed);
                is_free && shared(to) <= shared(from)
            };
            if let Some(found) = here.iter().find(fits) {
                return Some((Placed::clone(found), (*to).to_owned()));
            }
        }
    }
    None
}

/// Moves all replicas of some nodes to others: those that are named, else all that are there for data.
/// Returns how many.
async fn empty(call: &Call<'_>, sources: &[String], targets: &[String]) -> Result<usize> {
    check_living(call, targets)?;
    let placed = placed(&call.server.node.descriptions());
    for source in sources {
        check_is_node(call, source, placed.iter().any(|it| it.on == *source))?;
        if targets.contains(source) {
            return Err(Error::bad_request(format!(
                "`{source}` is to be emptied and to be filled; name another"
            )));
        }
    }
    let targets = match targets {
        [] => for_data(call).into_iter().filter(|it| !sources.contains(it)).collect(),
        named => named.to_vec(),
    };
    let goes: Vec<&Placed> = placed.iter().filter(|it| sources.contains(&it.on)).collect();
    let living = call.server.node.living();
    let (mut load, zones) = (load_of(&targets, &placed), Zones::by_name(&living));
    // As it will be: two replicas of one shard may both have to leave.
    let mut now = placed.clone();
    let mut moves = Vec::new();
    // All of them before any: a node that cannot be emptied is left as it is.
    for it in goes {
        let is_free = |node: &str| !now.iter().any(|other| other.on == node && other.shares_shard(it));
        // Zones count as they will be: two replicas of one shard may be on their way.
        let rank = |node: &str, count: usize| (shared_zone(&zones, node, it, &now), count);
        let free = load.iter().filter(|(node, _)| is_free(node));
        let to = free.min_by_key(|(node, count)| (rank(node, **count), **node));
        let Some(to) = to.map(|(node, _)| (*node).to_owned()) else {
            return Err(Error::bad_request(format!(
                "`{}` of `{}` in `{}` cannot leave `{}`: every other node that may have it has a replica of its \
                 shard, or there is none; start another node, or remove the replica (DELETEREPLICA)",
                it.name.replica, it.name.shard, it.collection, it.on
            )));
        };
        load.get_mut(to.as_str()).into_iter().for_each(|count| *count += 1);
        let moved = |at: &&mut Placed| at.collection == it.collection && at.name == it.name;
        now.iter_mut().filter(moved).for_each(|at| at.on.clone_from(&to));
        moves.push((it, to));
    }
    for (replica, to) in &moves {
        step(call, replica, Some(to)).await?;
    }
    Ok(moves.len())
}

/// Has the lead of a replica's collection move it, or take it away.
async fn step(call: &Call<'_>, placed: &Placed, to: Option<&str>) -> Result<()> {
    let node = &call.server.node;
    let described = node.resolve_described(&placed.collection)?;
    let lead = described.first().and_then(Description::owner).cloned();
    let led_here =
        node.find_own(&placed.collection).filter(|collection| collection.lead_elsewhere().is_none());
    let Placed { collection, name, .. } = placed;
    // Asked anew for each step: a lead may have gone since the last one.
    if let Some(led) = led_here {
        return match to {
            Some(to) => node.move_replica(&led, name.clone(), Some(to.to_owned())).await.map(drop),
            None => node.remove_replica(&led, name.clone()).await,
        };
    }
    let (_, lead) = reachable(call.server, collection, lead.as_ref())?;
    let action = if to.is_some() { "MOVEREPLICA" } else { "DELETEREPLICA" };
    let mut asked = vec![
        (params::ACTION.name, action),
        (params::COLLECTION.name, collection),
        (params::SHARD.name, &name.shard),
        (params::REPLICA.name, &name.replica),
    ];
    asked.extend(to.map(|to| (params::TARGET_NODE.name, to)));
    ask_for(call, lead, asked.into_iter()).await.map(drop)
}

/// How many replicas each of some nodes has.
fn load_of<'a>(nodes: &'a [String], placed: &[Placed]) -> BTreeMap<&'a str, usize> {
    let on = |node: &str| placed.iter().filter(|it| it.on == node).count();
    nodes.iter().map(|node| (node.as_str(), on(node))).collect()
}

fn placed(described: &[Description]) -> Vec<Placed> {
    let of_one = |collection: &Description| {
        let name_of = collection.name().to_owned();
        let each = all(collection).into_iter();
        each.map(|(leads, name, _, member)| Placed {
            collection: name_of.clone(),
            name,
            leads,
            on: member.name,
        })
        .collect::<Vec<_>>()
    };
    described.iter().flat_map(of_one).collect()
}

/// How many that live elsewhere may lead a shard instead of this replica.
fn next_leaders(call: &Call<'_>, described: &[Description], gone: &Placed) -> usize {
    let Some(collection) = described.iter().find(|it| it.name() == gone.collection) else { return 0 };
    let may = |(_, name, replica, member): &(bool, ReplicaName, cluster::Replica, Member)| {
        name.shard == gone.name.shard
            && *name != gone.name
            && replica.kind != cluster::ReplicaKind::Pull
            && call.server.node.is_alive(member)
    };
    all(collection).iter().filter(|it| may(it)).count()
}

fn living(call: &Call<'_>) -> Vec<String> {
    call.server.node.living().into_iter().map(|it| it.member.name).collect()
}

/// Those that are given replicas for which nobody names them.
fn for_data(call: &Call<'_>) -> Vec<String> {
    call.server.node.living_for_data().into_iter().map(|it| it.member.name).collect()
}

/// How many other replicas of a shard are in the zone of a node, where this one would fail with them.
fn shared_zone(zones: &Zones<'_>, node: &str, replica: &Placed, all: &[Placed]) -> usize {
    let others = all.iter().filter(|it| it.shares_shard(replica) && it.name != replica.name);
    zones.shared(node, others.map(|it| &it.on))
}

/// Errors: `BadRequest`.
fn check_living(call: &Call<'_>, nodes: &[String]) -> Result<()> {
    let living = living(call);
    match nodes.iter().find(|node| !living.contains(node)) {
        None => Ok(()),
        Some(node) => Err(Error::bad_request(format!(
            "Target Node: {node} is not live; use one of {}",
            living.join(", ")
        ))),
    }
}

/// One that is gone may have replicas all the same. Errors: `BadRequest` where nobody ever heard of it.
fn check_is_node(call: &Call<'_>, node: &str, has_replicas: bool) -> Result<()> {
    if has_replicas || living(call).iter().any(|living| living == node) {
        return Ok(());
    }
    Err(Error::bad_request(format!(
        "Source Node: {node} is not live, and has no replicas; use one of {}",
        living(call).join(", ")
    )))
}

fn names(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

fn told(text: String) -> Entries {
    vec![("success".into(), Node::from(text))]
}
