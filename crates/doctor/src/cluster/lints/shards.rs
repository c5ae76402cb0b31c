//! Of shards and their replicas: who leads, who serves, where they lie, by which settings they work, how far
//! each is, and which of a collection's shards is asked far more than the others. In: the facts of a cluster,
//! out: findings; nothing is asked here. Nodes by themselves (versions, clocks, disks) are `nodes.rs`'s. The
//! bounds (a minute of lag, three times the requests) stand beside what they bound, with what they leave out.

use std::collections::{BTreeMap, BTreeSet};

use crate::cluster::facts::{ClusterFacts, CollectionFacts, ReplicaFacts, ReplicaKind, ShardFacts};
use crate::host::{HostFinding, Sure, finding};
use crate::verdict::words::{duration, listed};

/// One finding of a kind, however many shards it is of: where a node is lost it is of hundreds.
pub fn lint(facts: &ClusterFacts) -> Vec<HostFinding> {
    let of_all = [no_leader, replicas_down, lag].into_iter().filter_map(|lint| lint(facts));
    let mut found: Vec<HostFinding> = of_all.collect();
    found.extend(one_place(facts));
    found.extend(facts.collections.iter().filter_map(|collection| hot(collection, facts.watched_ms)));
    found.extend(settings(facts));
    found
}

/// Of a split the parent stays, inactive, until it is removed.
fn active_shards(facts: &ClusterFacts) -> impl Iterator<Item = (String, &ShardFacts)> {
    let all = facts.collections.iter().flat_map(|one| one.shards.iter().map(move |shard| (one, shard)));
    all.filter(|(_, shard)| shard.state == "active")
        .map(|(collection, shard)| (format!("{}/{}", collection.name, shard.name), shard))
}

fn leader<'f>(shard: &'f ShardFacts, facts: &ClusterFacts) -> Option<&'f ReplicaFacts> {
    shard.replicas.iter().find(|replica| replica.leader && facts.serves(replica))
}

fn listed_all(items: &[String]) -> String {
    listed(&items.iter().map(String::as_str).collect::<Vec<_>>())
}

fn no_leader(facts: &ClusterFacts) -> Option<HostFinding> {
    let without = active_shards(facts).filter(|(_, shard)| leader(shard, facts).is_none());
    let in_words = |(name, shard): (String, &ShardFacts)| {
        let active = shard.replicas.iter().filter(|replica| facts.serves(replica)).count();
        format!("{name} ({active} of {} replicas active)", shard.replicas.len())
    };
    let found: Vec<String> = without.map(in_words).collect();
    (!found.is_empty()).then(|| {
        let measured = format!("nobody leads {}", listed_all(&found));
        let why = "every update of its documents fails, and with no active replica every search as a whole";
        let mend = "the logs of its nodes say why; /admin/collections?action=FORCELEADER where the rest is lost for good";
        finding("no-leader", Sure::Certain, measured, why, mend)
    })
}

fn replicas_down(facts: &ClusterFacts) -> Option<HostFinding> {
    let led = active_shards(facts).filter(|(_, shard)| leader(shard, facts).is_some());
    let down = led.flat_map(|(_, shard)| &shard.replicas).filter(|replica| !facts.serves(replica));
    let in_words = |replica: &ReplicaFacts| {
        let state = if replica.state == "active" { "gone with its node" } else { &replica.state };
        format!("{} on {} is {state}", replica.core, replica.node)
    };
    let found: Vec<String> = down.map(in_words).collect();
    (!found.is_empty()).then(|| {
        let why =
            "the next failure has fewer to fall back on; one that recovers for hours copies again and again";
        let mend = "look at that node's log; `parhelion doctor stuck` and `slow` there";
        finding("replicas-down", Sure::Certain, listed_all(&found), why, mend)
    })
}

/// Shards that have all their copies on one host, or in one of several zones.
fn one_place(facts: &ClusterFacts) -> Vec<HostFinding> {
    let (mut on_host, mut in_zone) =
        (BTreeMap::<&str, Vec<String>>::new(), BTreeMap::<&str, Vec<String>>::new());
    for (name, shard) in active_shards(facts).filter(|(_, shard)| shard.replicas.len() > 1) {
        if let Some(host) = only(shard.replicas.iter().map(host_of)) {
            on_host.entry(host).or_default().push(name);
        } else if let Some(zone) = only(shard.replicas.iter().map(|replica| zone_of(replica, facts))) {
            in_zone.entry(zone).or_default().push(name);
        }
    }
    let why = "copies in one place fail together";
    let host = |(host, shards): (&str, Vec<String>)| {
        // Nodes of a test machine share a host by their nature.
        let sure = if matches!(host, "localhost" | "127.0.0.1") { Sure::Hint } else { Sure::Likely };
        let measured = format!("all replicas of {} are on {host}", listed_all(&shards));
        finding(
            "one-host",
            sure,
            measured,
            why,
            "/admin/collections?action=MOVEREPLICA, or a placement by host",
        )
    };
    let zones: BTreeSet<&str> = facts.nodes.iter().filter_map(|node| node.zone.as_deref()).collect();
    let zone = |(zone, shards): (&str, Vec<String>)| {
        let measured =
            format!("all replicas of {} are in zone {zone}, of {} zones", listed_all(&shards), zones.len());
        let mend = "/admin/collections?action=MOVEREPLICA, or the affinity placement by availability_zone";
        finding("one-zone", Sure::Likely, measured, why, mend)
    };
    let in_zone = in_zone.into_iter().filter(|_| zones.len() > 1);
    on_host.into_iter().map(host).chain(in_zone.map(zone)).collect()
}

fn host_of(replica: &ReplicaFacts) -> Option<&str> {
    Some(replica.host()).filter(|host| !host.is_empty())
}

fn zone_of<'f>(replica: &ReplicaFacts, facts: &'f ClusterFacts) -> Option<&'f str> {
    facts.node(&replica.node)?.zone.as_deref()
}

/// What all of them are, where each is known.
fn only<'f>(places: impl Iterator<Item = Option<&'f str>>) -> Option<&'f str> {
    let places: BTreeSet<&str> = places.collect::<Option<_>>()?;
    places.first().filter(|_| places.len() == 1).copied()
}

/// Replicas that fetch their index and lack a commit that their leader made more than a minute ago.
fn lag(facts: &ClusterFacts) -> Option<HostFinding> {
    let found: Vec<String> =
        active_shards(facts).flat_map(|(name, shard)| lagging(&name, shard, facts)).collect();
    (!found.is_empty()).then(|| {
        let why = "searches that come to them find old documents; taking over, a TLOG replica replays all of it";
        let mend = "the log of its node says whether fetching fails; /CORE/replication?command=details shows how far it is";
        finding("replica-lag", Sure::Likely, listed_all(&found), why, mend)
    })
}

/// By the leader's clock, which named the commit.
fn lagging(name: &str, shard: &ShardFacts, facts: &ClusterFacts) -> Vec<String> {
    const BOUND_MS: u64 = 60_000;
    let Some((leader, newest_ms)) =
        leader(shard, facts).and_then(|leader| Some((leader, leader.committed_ms?)))
    else {
        return Vec::new();
    };
    let clock = facts.node(&leader.node).and_then(|node| node.clock);
    let now_ms = facts.asked_ms.saturating_add(clock.map_or(0, |clock| clock.ahead_ms));
    let since_ms = u64::try_from(now_ms.saturating_sub(newest_ms)).unwrap_or(0);
    // One that never fetched tells no commit at all.
    let is_behind = |replica: &&ReplicaFacts| {
        since_ms > BOUND_MS
            && replica.kind == ReplicaKind::Fetches
            && !replica.leader
            && facts.serves(replica)
            && replica.requests.is_some()
            && replica.committed_ms.is_none_or(|ms| ms < newest_ms)
    };
    let in_words = |replica: &ReplicaFacts| {
        let since = duration(since_ms);
        format!("{} of {name} lacks what its leader committed {since} ago", replica.core)
    };
    shard.replicas.iter().filter(is_behind).map(in_words).collect()
}

/// A shard that is asked more than three times as often as the others are on average.
fn hot(collection: &CollectionFacts, watched_ms: u64) -> Option<HostFinding> {
    // Of fewer requests chance alone makes such shares.
    const REQUESTS_MIN: u64 = 100;
    let asked = |replica: &ReplicaFacts| Some(replica.requests?.saturating_sub(replica.requests_before?));
    let of_shard = |shard: &ShardFacts| shard.replicas.iter().filter_map(asked).fold(0, u64::saturating_add);
    let active = collection.shards.iter().filter(|shard| shard.state == "active");
    let counts: Vec<(u64, &str)> = active.map(|shard| (of_shard(shard), shard.name.as_str())).collect();
    let (most, name) = counts.iter().max()?;
    let others = counts.len().checked_sub(1).filter(|others| *others > 0)? as u64;
    let all = counts.iter().fold(0_u64, |sum, (count, _)| sum.saturating_add(*count));
    let rest = all.saturating_sub(*most);
    (*most >= REQUESTS_MIN && most / 3 > rest / others).then(|| {
        let watched = duration(watched_ms);
        let measured = format!(
            "{}/{name} was asked {most} times in {watched}, the other {others} of its collection {rest} times together",
            collection.name
        );
        let why = "its nodes are the first to have no processor free, and searches wait for the slowest shard";
        let mend = "look at the routes (_route_, shard prefixes of ids); /admin/collections?action=SPLITSHARD";
        finding("hot-shard", Sure::Likely, measured, why, mend)
    })
}

/// Collections of one configset work by the same settings, and all their replicas do.
fn settings(facts: &ClusterFacts) -> Vec<HostFinding> {
    let mut by_name: BTreeMap<&str, BTreeMap<u64, Vec<&str>>> = BTreeMap::new();
    for (collection, _, replica) in facts.replicas() {
        if let Some(settings) = replica.settings {
            let cores = by_name.entry(collection.settings_name()).or_default().entry(settings).or_default();
            cores.push(&replica.core);
        }
    }
    let differ = |(name, by_settings): (&str, BTreeMap<u64, Vec<&str>>)| {
        let all: usize = by_settings.values().map(Vec::len).sum();
        let kinds = by_settings.len();
        let fewest = by_settings.into_values().min_by_key(Vec::len).filter(|_| kinds > 1)?;
        let measured = format!(
            "{} of {name} work by another schema or configuration than others of its {all} replicas",
            listed(&fewest)
        );
        let why = "the same question gets another answer from replica to replica: a configset was changed without a reload";
        let mend = "/admin/collections?action=RELOAD&name=NAME, of each collection of that configset";
        Some(finding("settings-differ", Sure::Certain, measured, why, mend))
    };
    by_name.into_iter().filter_map(differ).collect()
}
