//! From facts of a cluster to findings. Pure: each lint is one function of the facts, silent where its fact
//! is absent. Of nodes in [`nodes`], of shards and their replicas in [`shards`], of what stands in logs in
//! [`log`].

mod log;
mod nodes;
mod shards;

use super::facts::ClusterFacts;
use crate::host::HostFinding;

/// All that there is to say, the surest first.
pub fn lint(facts: &ClusterFacts) -> Vec<HostFinding> {
    let mut found = nodes::lint(facts);
    found.extend(shards::lint(facts));
    found.extend(log::lint(facts));
    found.sort_by_key(|finding| finding.sure);
    found
}

#[cfg(test)]
mod tests;
