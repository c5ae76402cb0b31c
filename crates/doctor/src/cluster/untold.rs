//! What a cluster did not tell, of all that is looked for: silence is no health. Pure. In: all facts, once no
//! more will come; out: lines for the end of the report. A lint without its fact says nothing, so without
//! these lines a cluster that answers nothing would look like a healthy one.

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
    let has_failed = |name: &str| facts.unseen.iter().any(|line| tells_of(line, address(name)));
    let silent: Vec<&str> = facts
        .live_nodes
        .iter()
        .map(String::as_str)
        .filter(|name| facts.node(name).is_none() && !has_failed(name))
        .collect();
    if !silent.is_empty() {
        // Each of them: whoever reads of a silent node has to know which.
        found.push(format!("anything of {}, which take part", silent.join(", ")));
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

/// Host and port of a node's name, `HOST:PORT_CONTEXT`: a host's own name may have a `_` too.
fn address(name: &str) -> &str {
    let Some((host, port)) = name.rsplit_once(':') else { return name };
    let digits = port.bytes().take_while(u8::is_ascii_digit).count();
    name.get(..host.len() + 1 + digits).unwrap_or(name)
}

/// Whether the line of a question that failed has this address, and not one that merely ends or begins so.
fn tells_of(line: &str, address: &str) -> bool {
    let is_of_host = |c: char| c.is_alphanumeric() || "._-".contains(c);
    line.match_indices(address).any(|(at, found)| {
        let (before, behind) = (&line[..at], &line[at + found.len()..]);
        !before.ends_with(is_of_host) && !behind.starts_with(|c: char| c.is_ascii_digit())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn silent(live: &[&str], failed: &str) -> Option<String> {
        let live_nodes = live.iter().map(|name| (*name).to_owned()).collect();
        let unseen = vec![format!("admin/system: http://{failed}/solr did not answer within 20 s")];
        let facts = ClusterFacts { live_nodes, unseen, ..ClusterFacts::default() };
        untold(&facts).into_iter().find(|line| line.starts_with("anything of "))
    }

    #[test]
    fn every_silent_node_is_named() {
        let five = ["a:1_solr", "b:1_solr", "c:1_solr", "d:1_solr", "e:1_solr"];
        let expected = "anything of a:1_solr, b:1_solr, c:1_solr, d:1_solr, which take part";
        assert_eq!(silent(&five, "e:1").as_deref(), Some(expected), "the fifth is told of already");
    }

    #[test]
    fn one_is_not_taken_for_another() {
        for (name, failed) in [
            ("10.0.0.1:8983_solr", "110.0.0.1:8983"),
            ("10.0.0.1:898_solr", "10.0.0.1:8983"),
            ("solr_a:8983_solr", "solr_b:8983"),
            ("a.example:8983_solr", "b-a.example:8983"),
        ] {
            let expected = format!("anything of {name}, which take part");
            assert_eq!(silent(&[name], failed), Some(expected), "{failed}");
        }
        for name in ["10.0.0.1:8983_solr", "solr_a:8983_my_context", "[::1]:8983_solr"] {
            assert_eq!(silent(&[name], address(name)), None, "{name}");
        }
    }
}
