//! What a ZooKeeper server says of itself and the kernel of a process's limits, as functions over text, for
//! fuzzers.

use super::ZooKeeperFacts;
use super::process_limits::files_max;
use super::zookeeper::{read_config, read_log, read_monitor, read_server};

/// Reads `text` as each of its answers and files. Never panics.
pub(crate) fn zookeeper(text: &str) {
    let mut facts = ZooKeeperFacts::default();
    for read in [read_config, read_log, read_monitor, read_server] {
        read(&mut facts, text);
    }
    let _ = super::lint(&super::HostFacts { zookeeper: vec![facts], ..super::HostFacts::default() });
}

/// Reads `text` as `/proc/PID/limits`. Never panics.
pub(crate) fn limits(text: &str) {
    let _ = files_max(text);
}
