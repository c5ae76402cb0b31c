//! Of nodes: their versions, clocks, disks and certificates, whether they take part, and how much each of
//! them leads. In: facts of all nodes; out: findings, each with its node. Pure, and silent where a fact is
//! absent.

use std::collections::{BTreeMap, BTreeSet};

use crate::cluster::facts::{ClockRead, ClusterFacts, NodeFacts};
use crate::host::{HostFinding, Sure, finding};
use crate::verdict::words::{bytes, duration, listed};

const DAY_MS: u64 = 24 * 3_600_000;

pub fn lint(facts: &ClusterFacts) -> Vec<HostFinding> {
    let of_all = [versions, clocks, lost, leaders].into_iter().filter_map(|lint| lint(facts));
    let disks = facts.nodes.iter().filter_map(|node| disk(node, facts.watched_ms));
    of_all.chain(disks).chain(certificates(facts)).chain(own(facts)).collect()
}

/// What each node has found on its own host, by its name.
fn own(facts: &ClusterFacts) -> impl Iterator<Item = HostFinding> {
    let of_node = |node: &NodeFacts| {
        let name = node.name.clone();
        node.own
            .clone()
            .unwrap_or_default()
            .into_iter()
            .map(move |found| HostFinding { measured: format!("{name}: {}", found.measured), ..found })
    };
    facts.nodes.iter().flat_map(of_node)
}

fn versions(facts: &ClusterFacts) -> Option<HostFinding> {
    let mut by_version: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for node in &facts.nodes {
        if let Some(version) = &node.version {
            by_version.entry(version).or_default().push(&node.name);
        }
    }
    (by_version.len() > 1).then(|| {
        let of_version = |(version, nodes): (&&str, &Vec<&str>)| format!("{version} on {}", listed(nodes));
        let measured = by_version.iter().map(of_version).collect::<Vec<_>>().join(", ");
        let why = "in order during an upgrade; for longer, formats and answers differ from node to node";
        finding("versions", Sure::Likely, measured, why, "finish the upgrade, the overseer's node last")
    })
}

/// Between nodes alone: the clock here may be the one that is wrong.
fn clocks(facts: &ClusterFacts) -> Option<HostFinding> {
    const BOUND_MS: u64 = 1_000;
    let known = || facts.nodes.iter().filter_map(|node| Some((node.clock?, node)));
    let (least, behind) = known().min_by_key(|(clock, _)| clock.ahead_ms)?;
    let (most, ahead) = known().max_by_key(|(clock, _)| clock.ahead_ms)?;
    let apart_ms = most.ahead_ms.abs_diff(least.ahead_ms);
    let unsure_ms = least.unsure_ms.saturating_add(most.unsure_ms);
    (apart_ms.saturating_sub(unsure_ms) > BOUND_MS).then(|| {
        let is_now = least.read == ClockRead::Now && most.read == ClockRead::Now;
        let (sure, when) = match is_now {
            true => (Sure::Certain, "is"),
            false => (Sure::Likely, "was, when their JVMs started,"),
        };
        let apart = duration(apart_ms);
        let measured = format!("the clock of {} {when} {apart} ahead of that of {}", ahead.name, behind.name);
        let why = "nodes refuse one another's signed requests (pkiauth.ttl), NOW means two things, logs do not compare";
        finding("clock-skew", sure, measured, why, "timedatectl set-ntp true, on each node")
    })
}

fn lost(facts: &ClusterFacts) -> Option<HostFinding> {
    if facts.live_nodes.is_empty() {
        return None;
    }
    let with_replicas = facts.replicas().map(|(_, _, replica)| replica.node.as_str());
    let is_lost = |node: &&str| !node.is_empty() && !facts.live_nodes.iter().any(|live| live == node);
    let lost: BTreeSet<&str> = with_replicas.filter(is_lost).collect();
    (!lost.is_empty()).then(|| {
        let lost: Vec<&str> = lost.into_iter().collect();
        let measured = format!("replicas lie on {}, which take no part", listed(&lost));
        let why = "they serve nothing; where one was the last of its shard, its documents cannot be found";
        let mend = "bring the node back; or, for good: action=DELETENODE and action=ADDREPLICA";
        finding("nodes-lost", Sure::Certain, measured, why, mend)
    })
}

/// One node that leads far more than its share does most of the work of updates.
fn leaders(facts: &ClusterFacts) -> Option<HostFinding> {
    let mut led: BTreeMap<&str, usize> = facts.live_nodes.iter().map(|node| (node.as_str(), 0)).collect();
    for (_, _, replica) in facts.replicas().filter(|(_, _, replica)| replica.leader) {
        *led.entry(&replica.node).or_default() += 1;
    }
    let all: usize = led.values().sum();
    let (node, most) = led.iter().max_by_key(|(_, count)| **count)?;
    let share = all.div_ceil(led.len().max(1));
    (led.len() > 1 && *most >= 4 && *most > share * 2).then(|| {
        let measured = format!("{node} leads {most} of {all} shards, on {} nodes", led.len());
        let why = "leaders order, log and pass on every update: its disk and processors fill first";
        let mend = "/admin/collections?action=REBALANCELEADERS&collection=NAME";
        finding("leaders", Sure::Likely, measured, why, mend)
    })
}

fn disk(node: &NodeFacts, watched_ms: u64) -> Option<HostFinding> {
    let (total, free) = (node.disk.total_bytes.filter(|total| *total > 0)?, node.disk.free_bytes?);
    let forecast = full_in_ms(node, watched_ms).map(|(lost, full_in_ms)| {
        let (lost, watched) = (bytes(lost), duration(watched_ms));
        format!("; it lost {lost} in {watched}: full in {} if that goes on", duration(full_in_ms))
    });
    let sure = match u128::from(free) * 100 / u128::from(total) {
        0..5 => Sure::Certain,
        5..15 => Sure::Likely,
        _ if forecast.is_some() => Sure::Hint,
        _ => return None,
    };
    let words = (bytes(free), bytes(total), forecast.unwrap_or_default());
    let measured = format!("the disk of {} has {} of {} free{}", node.name, words.0, words.1, words.2);
    let why = "merges need room for a second copy of what they join; a full disk refuses updates";
    let mend = "add space, move replicas away, or delete documents and expunge";
    Some(finding("disk", sure, measured, why, mend))
}

/// What it lost between two looks, and when that has it full. Within a week, and no further ahead than a
/// thousand times as long as it was watched: what goes on for five seconds (a merge, an import's beginning)
/// tells nothing of tomorrow.
fn full_in_ms(node: &NodeFacts, watched_ms: u64) -> Option<(u64, u64)> {
    let free = node.disk.free_bytes?;
    let lost = node.disk.free_bytes_before?.checked_sub(free).filter(|lost| *lost > 0)?;
    let full_in_ms = u128::from(free) * u128::from(watched_ms) / u128::from(lost);
    let full_in_ms = u64::try_from(full_in_ms).ok()?;
    let told = full_in_ms < watched_ms.saturating_mul(1000).min(7 * DAY_MS);
    told.then_some((lost, full_in_ms))
}

/// Once for each certificate, however many nodes show it.
fn certificates(facts: &ClusterFacts) -> Vec<HostFinding> {
    let mut shown: BTreeMap<(i64, &str), Vec<&str>> = BTreeMap::new();
    for certificate in &facts.certificates {
        let key = (certificate.ends_ms, certificate.subject.as_str());
        shown.entry(key).or_default().push(&certificate.address);
    }
    let of = |((ends_ms, subject), addresses): (&(i64, &str), &Vec<&str>)| {
        let left = duration(ends_ms.abs_diff(facts.asked_ms));
        let (sure, when) = match ends_ms.saturating_sub(facts.asked_ms) {
            ..=0 => (Sure::Certain, format!("ended {left} ago")),
            days if days.cast_unsigned() < 7 * DAY_MS => (Sure::Certain, format!("ends in {left}")),
            days if days.cast_unsigned() < 30 * DAY_MS => (Sure::Likely, format!("ends in {left}")),
            _ => return None,
        };
        let measured = format!("the certificate `{subject}` of {} {when}", listed(addresses));
        let why = "from then on clients and other nodes refuse to connect";
        let mend = "renew it; `openssl s_client -connect HOST:PORT` shows which is served";
        Some(finding("certificate", sure, measured, why, mend))
    };
    shown.iter().filter_map(of).collect()
}
