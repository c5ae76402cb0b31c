//! Which replicas lead, as clients wish it: properties of replicas (`ADDREPLICAPROP`, `DELETEREPLICAPROP`,
//! `BALANCESHARDUNIQUE`), leaders that follow them (`REBALANCELEADERS`), and a shard whose leader is gone
//! (`FORCELEADER`), which is safe here: the log is in the store, whoever leads.

use std::collections::BTreeMap;

use cluster::{Member, ReplicaKind, ReplicaName};
use plan::{Error, Result};
use solr::params::admin::collections as params;
use solr::response::{Entries, Name, Node};

use super::moves::{all, asked, described};
use super::sharding::done;
use crate::request::call::Call;

/// The property by which `REBALANCELEADERS` goes, which one replica of a shard has at most.
const PREFERRED_LEADER: &str = "preferredleader";

pub(super) async fn set_property(call: &Call<'_>) -> Result<Entries> {
    let collection = asked(call)?;
    let value = call.required(&params::VALUE_OF_PROPERTY)?.to_owned();
    let property = property(call)?;
    let is_unique = match (call.value(&params::SHARD_UNIQUE)?, property == PREFERRED_LEADER) {
        (Some(false), true) => {
            return Err(Error::bad_request(
                "`shardUnique` is `false`, but one replica of a shard has `preferredLeader` at most; leave it out",
            ));
        }
        (asked, is_preferred) => asked.unwrap_or(is_preferred),
    };
    let change = (property, Some(value), is_unique);
    call.server.node.set_replica_property(&collection, replica(call)?, change).await?;
    Ok(Entries::new())
}

pub(super) async fn remove_property(call: &Call<'_>) -> Result<Entries> {
    let collection = asked(call)?;
    let change = (property(call)?, None, false);
    call.server.node.set_replica_property(&collection, replica(call)?, change).await?;
    Ok(Entries::new())
}

/// Gives a property to one replica of each shard, so that nodes have it about as often as one another.
pub(super) async fn balance_property(call: &Call<'_>) -> Result<Entries> {
    let (collection, property) = (asked(call)?, property(call)?);
    let is_unique = call.value(&params::SHARD_UNIQUE)?.unwrap_or(false);
    if property != PREFERRED_LEADER && !is_unique {
        return Err(Error::bad_request(format!(
            "Balancing properties amongst replicas in a slice requires that the property be pre-defined as a unique \
             property (e.g. 'preferredLeader') or that 'shardUnique' be set to 'true'. Property: {property}"
        )));
    }
    let only_living = call.value(&params::ONLY_ACTIVE_NODES)?;
    let described = described(call)?;
    let mut load: BTreeMap<String, usize> = BTreeMap::new();
    for shard in described.shard_documents() {
        let may = |member: &Member| !only_living || call.server.node.is_alive(member);
        let replicas = described.replicas(&shard).into_iter();
        let may_have = replicas.filter(|(it, member)| it.kind != ReplicaKind::Pull && may(member));
        // Among equals whoever has it keeps it, so that balancing what is even moves no leader.
        let chosen = may_have.min_by_key(|(it, member)| {
            let has_it = described.replica_properties(it).contains_key(&property);
            (load.get(&member.id).copied().unwrap_or_default(), !has_it, it.node_number)
        });
        let Some((replica, member)) = chosen else { continue };
        *load.entry(member.id).or_default() += 1;
        let name = ReplicaName { shard: shard.name, replica: replica.node_name() };
        let change = (property.clone(), Some("true".to_owned()), true);
        call.server.node.set_replica_property(&collection, name, change).await?;
    }
    Ok(done(call, &[]))
}

/// Has replicas lead that are preferred and live.
pub(super) async fn rebalance(call: &Call<'_>) -> Result<Entries> {
    let (collection, described) = (asked(call)?, described(call)?);
    // Each takes effect at once, one after the other: what is no number is told all the same.
    call.value(&params::MOVED_AT_ONCE)?;
    call.value(&params::WAIT_SECONDS)?;
    let (mut already, mut moved, mut failed) = (Entries::new(), Entries::new(), Entries::new());
    for (leads, name, replica, _) in all(&described) {
        let properties = described.replica_properties(&replica);
        if !properties.get(PREFERRED_LEADER).is_some_and(|value| value.eq_ignore_ascii_case("true")) {
            continue;
        }
        let ReplicaName { shard, replica } = name.clone();
        let told = |status: &'static str, message: String| {
            (
                Name::Owned(replica.clone()),
                Node::map([("status", Node::str(status)), ("msg", message.into())]),
            )
        };
        if leads {
            let message =
                format!("Replica {replica} is already the leader for shard {shard}. No change necessary");
            already.push(told("skipped", message));
            continue;
        }
        // One that cannot lead keeps no other from leading.
        match call.server.node.lead_by(&collection, name).await {
            Ok(_) => moved
                .push(told("success", format!("Successfully changed leader of slice {shard} to {replica}"))),
            Err(error) => failed.push(told("failed", error.message)),
        }
    }
    let summary = match failed.is_empty() {
        true => ("Success", "All active replicas with the preferredLeader property set are leaders"),
        false => ("Failure", "Not all active replicas with preferredLeader property are leaders"),
    };
    let mut entries: Entries = vec![("Summary".into(), Node::map([(summary.0, Node::str(summary.1))]))];
    for (name, of_kind) in [("alreadyLeaders", already), ("successes", moved), ("failures", failed)] {
        entries.extend((!of_kind.is_empty()).then(|| (name.into(), Node::Map(of_kind))));
    }
    Ok(entries)
}

pub(super) async fn force(call: &Call<'_>) -> Result<Entries> {
    let (collection, shard) = (asked(call)?, call.required(&params::SHARD)?);
    call.server.node.force_leader(&collection, shard).await?;
    Ok(done(call, &[]))
}

fn replica(call: &Call<'_>) -> Result<ReplicaName> {
    let (shard, replica) = (call.required(&params::SHARD)?, call.required(&params::REPLICA)?);
    Ok(ReplicaName { shard: shard.to_owned(), replica: replica.to_owned() })
}

/// As it is kept: in lower case, without the prefix, which may be sent too.
fn property(call: &Call<'_>) -> Result<String> {
    let sent = call.required(&params::PROPERTY_OF_REPLICA)?.to_lowercase();
    Ok(sent.strip_prefix("property.").map_or(sent.clone(), str::to_owned))
}
