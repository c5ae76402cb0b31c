//! What a cluster did not tell, of all that is looked for: silence is no health. Pure.

use super::facts::{ClusterFacts, NodeFacts};
use crate::verdict::words::listed;

/// One line each. What failed has said so already, with its reason.
pub fn untold(facts: &ClusterFacts) -> Vec<String> {
    let mut found = Vec::new();
    let mut lacking = |what: &str, is_known: fn(&NodeFacts) -> bool| {
        let nodes: Vec<&str> =
            facts.nodes.iter().filter(|node| !is_known(node)).map(|node| node.name.as_str()).collect();
        if !nodes.is_empty() {
            found.push(format!("{what} of {}", listed(&nodes)));
        }
    };
    lacking("the version", |node| node.version.is_some());
    lacking("the clock", |node| node.clock.is_some());
    lacking("the disk", |node| node.disk.free_bytes.is_some());
    // By host and port, as the line of a question that failed has them.
    let has_failed = |name: &str| {
        let address = name.split('_').next().unwrap_or(name);
        facts.unseen.iter().any(|line| line.contains(address))
    };
    let silent: Vec<&str> = facts
        .live_nodes
        .iter()
        .map(String::as_str)
        .filter(|name| facts.node(name).is_none() && !has_failed(name))
        .collect();
    if !silent.is_empty() {
        found.push(format!("anything of {}, which take part", listed(&silent)));
    }
    if facts.nodes.len() > 1 && facts.nodes.iter().all(|node| node.zone.is_none()) {
        found.push("zones: no node says its own (-Davailability_zone=NAME)".to_owned());
    }
    let without = facts.nodes.iter().filter(|node| node.own.is_none()).map(|node| node.name.as_str());
    let without: Vec<&str> = without.filter(|name| !has_failed(name)).collect();
    if !without.is_empty() {
        let what = "swap, limits, clocks and syncs of the nodes' hosts";
        found.push(format!("{what}: `parhelion doctor host` on each of {}", listed(&without)));
    }
    if facts.watched_ms == 0 && !facts.nodes.is_empty() {
        found.push("growth of the disks and hot shards: those take two looks (--seconds)".to_owned());
    }
    if facts.certificates.is_empty() && !facts.url.starts_with("https") {
        found.push("certificates: no node was asked by TLS".to_owned());
    }
    found
}
