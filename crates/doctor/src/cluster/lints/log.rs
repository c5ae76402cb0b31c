//! What repeats in the logs of the nodes, by what is alike in its words. The lines come from each node's
//! `admin/info/logging`, or from the logs in a bundle (`recent_log.rs`); what is alike is `fingerprint.rs`'s
//! to say. Only the most frequent kinds are reported: the whole of it stands in the log, which the finding
//! names.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use crate::cluster::facts::{ClusterFacts, LogLine};
use crate::cluster::fingerprint::fingerprint;
use crate::host::{HostFinding, Sure, finding};
use crate::verdict::words::{listed, printable};

/// Kinds of errors that are reported, the most frequent first.
const KINDS_MAX: usize = 5;

/// Lines of one kind.
#[derive(Default)]
struct Kind<'f> {
    count: usize,
    nodes: BTreeSet<&'f str>,
    last: &'f str,
}

pub fn lint(facts: &ClusterFacts) -> Vec<HostFinding> {
    let mut kinds: BTreeMap<(String, &str), Kind<'_>> = BTreeMap::new();
    for line in facts.log.iter().filter(|line| is_error(line)) {
        let logger = line.logger.rsplit(['.', ':']).next().unwrap_or_default();
        let kind = kinds.entry((fingerprint(&line.message), logger)).or_default();
        kind.count += 1;
        kind.nodes.insert(&line.node);
        kind.last = kind.last.max(&line.time);
    }
    let mut kinds: Vec<_> = kinds.into_iter().collect();
    kinds.sort_by_key(|(_, kind)| Reverse(kind.count));
    kinds.iter().take(KINDS_MAX).map(|((words, logger), kind)| of_kind(words, logger, kind)).collect()
}

fn is_error(line: &LogLine) -> bool {
    matches!(line.level.as_str(), "ERROR" | "FATAL" | "SEVERE")
}

fn of_kind(words: &str, logger: &str, kind: &Kind<'_>) -> HostFinding {
    let nodes: Vec<&str> = kind.nodes.iter().copied().collect();
    let errors = if kind.count == 1 { "error" } else { "errors" };
    let last = if kind.last.is_empty() { String::new() } else { format!(", last at {}", kind.last) };
    let measured = format!(
        "{} {errors} in the log of {}{last}: {}{}",
        kind.count,
        listed(&nodes),
        if logger.is_empty() { String::new() } else { format!("{logger}: ") },
        printable(words)
    );
    // One may be anybody's slip.
    let sure = if kind.count == 1 { Sure::Hint } else { Sure::Likely };
    let why = "each is a request or a task that failed; what repeats has a cause that stays";
    finding(
        "log-errors",
        sure,
        measured,
        why,
        "the log of that node has the whole of it: grep for its first words",
    )
}
