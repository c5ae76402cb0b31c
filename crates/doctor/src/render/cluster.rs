//! A cluster as text: its nodes in a table, what was found, what could not be learnt. In: facts and the
//! findings that the lints made of them; out: text for a terminal. What the nodes call themselves was made
//! printable when it was read.

use super::layout::{list, table};
use crate::cluster::{ClusterFacts, NodeFacts};
use crate::host::HostFinding;
use crate::verdict::words::{bytes, duration};

/// Findings of a cluster, the surest first.
pub fn cluster(facts: &ClusterFacts, findings: &[HostFinding]) -> String {
    let (collections, shards) = (&facts.collections, facts.collections.iter().flat_map(|one| &one.shards));
    let mut out = format!(
        "{}: {}, {}, {}, {} of logs\n",
        facts.url,
        counted(facts.nodes.len(), "node"),
        counted(collections.len(), "collection"),
        counted(shards.count(), "shard"),
        counted(facts.log.len(), "line"),
    );
    let rows: Vec<Vec<String>> = facts.nodes.iter().map(|node| row(node, facts)).collect();
    out += &table(&["node", "version", "clock to ours", "disk free", "leads", "replicas", "zone"], &rows);
    out.push('\n');
    out += &list(findings);
    out.extend(facts.unseen.iter().map(|what| format!("not told: {what}\n")));
    out
}

fn counted(count: usize, of: &str) -> String {
    if count == 1 { format!("1 {of}") } else { format!("{count} {of}s") }
}

fn row(node: &NodeFacts, facts: &ClusterFacts) -> Vec<String> {
    let replicas = || facts.replicas().filter(|(_, _, replica)| replica.node == node.name);
    let clock = node.clock.map(|clock| {
        let sign = if clock.ahead_ms < 0 { '-' } else { '+' };
        format!("{sign}{} (±{})", duration(clock.ahead_ms.unsigned_abs()), duration(clock.unsure_ms))
    });
    let disk = node.disk.free_bytes.zip(node.disk.total_bytes);
    let disk = disk.map(|(free, total)| format!("{} of {}", bytes(free), bytes(total)));
    vec![
        node.name.clone(),
        node.version.clone().unwrap_or_default(),
        clock.unwrap_or_default(),
        disk.unwrap_or_default(),
        replicas().filter(|(_, _, replica)| replica.leader).count().to_string(),
        replicas().count().to_string(),
        node.zone.clone().unwrap_or_default(),
    ]
}
