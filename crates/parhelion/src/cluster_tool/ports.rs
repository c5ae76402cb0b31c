//! Which ports a cluster's processes listen on: behind a base, or free ones. In: what is wanted and what is
//! taken; out: ports, which the record keeps from then on. Nothing holds a port between its choice and its
//! process's start: whoever takes it then is named in that process's log.

use std::net::TcpListener;

use anyhow::{Context as _, ensure};

/// Between the first node's port and ZooKeeper's, as Solr has it (8983 and 9983).
const ZOOKEEPER_ABOVE: u16 = 1000;
/// Of ports that the system may give to outgoing connections, where it does not say which.
const EPHEMERAL_FIRST: u16 = 32_768;
/// Services that are well known are below.
const FREE_FIRST: u16 = 10_000;

/// The port of node `number`, the first being 1.
pub fn node_port(base: u16, number: u32) -> anyhow::Result<u16> {
    let port = u32::from(base).checked_add(number - 1).and_then(|port| u16::try_from(port).ok());
    port.with_context(|| {
        format!("there is no port for node {number} above --base-port {base}; give a lower one")
    })
}

pub fn zookeeper_port(base: u16) -> anyhow::Result<u16> {
    let port = base.checked_add(ZOOKEEPER_ABOVE);
    port.with_context(|| {
        format!("there is no port {ZOOKEEPER_ABOVE} above --base-port {base} for ZooKeeper; give a lower one")
    })
}

/// Errors: a port that another process listens on, with what else to do than to stop that one.
pub fn check_free(port: u16, what: &str, or_else: &str) -> anyhow::Result<()> {
    let bound = TcpListener::bind(("127.0.0.1", port)).map(drop);
    bound.with_context(|| {
        format!(
            "port {port} of 127.0.0.1 is not free for {what}; stop the program that listens there{or_else}"
        )
    })
}

/// So many ports that are free and not among `taken`, near each other. The search begins anywhere (`random`),
/// so that clusters which start at once do not meet.
pub fn free(count: usize, taken: &[u16], random: u128) -> anyhow::Result<Vec<u16>> {
    free_among(ephemeral_first(), count, random, &mut |port| {
        !taken.contains(&port) && TcpListener::bind(("127.0.0.1", port)).is_ok()
    })
}

/// Below the system's ephemeral ports: one of those could have become an outgoing connection's by the time a
/// node comes back to it.
fn free_among(
    end: u16,
    count: usize,
    random: u128,
    is_free: &mut dyn FnMut(u16) -> bool,
) -> anyhow::Result<Vec<u16>> {
    let first = FREE_FIRST.min(end / 2).max(1);
    let width = end.saturating_sub(first).max(1);
    let begin = u16::try_from(random % u128::from(width)).unwrap_or(0);
    let candidates =
        (0..width).map(|at| first + (u32::from(begin) + u32::from(at)).rem_euclid(width.into()) as u16);
    let found: Vec<u16> = candidates.filter(|port| is_free(*port)).take(count).collect();
    ensure!(
        found.len() == count,
        "only {} ports from {first} to {end} are free; name some with --base-port",
        found.len()
    );
    Ok(found)
}

fn ephemeral_first() -> u16 {
    let range = std::fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range").unwrap_or_default();
    range.split_whitespace().next().and_then(|first| first.parse().ok()).unwrap_or(EPHEMERAL_FIRST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_stand_behind_a_base() {
        assert_eq!((node_port(8983, 1).unwrap(), node_port(8983, 3).unwrap()), (8983, 8985));
        assert_eq!(zookeeper_port(8983).unwrap(), 9983);
        assert!(node_port(65_535, 2).unwrap_err().to_string().contains("for node 2 above"));
        assert!(zookeeper_port(65_000).is_err());
    }

    #[test]
    fn free_ports_are_near_each_other_and_end_where_the_systems_begin() {
        let check = |end: u16, random: u128, expected: &[u16]| {
            let mut is_free = |port: u16| !port.is_multiple_of(10);
            assert_eq!(free_among(end, expected.len(), random, &mut is_free).unwrap(), expected, "{random}");
        };
        check(32_768, 0, &[10_001, 10_002]);
        check(32_768, 9, &[10_009, 10_011]);
        check(32_768, 22_767, &[32_767, 10_001]);
        check(12, 3, &[9, 11, 6]);
        assert!(free_among(12, 9, 0, &mut |_| true).unwrap_err().to_string().contains("only 6 ports"));
    }

    #[test]
    fn a_port_that_is_listened_at_is_not_free() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let refused = check_free(port, "node 2", ", or not").unwrap_err().to_string();
        assert!(
            refused.contains(&format!("port {port}"))
                && refused.contains("node 2; stop the program that listens there, or not"),
            "{refused}"
        );
        drop(listener);
        check_free(port, "node 2", "").unwrap();
    }
}
