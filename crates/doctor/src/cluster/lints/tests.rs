//! Clusters made of facts, and what is found of them.

use super::*;
use crate::cluster::{
    CertificateFacts, ClockFacts, ClockRead, CollectionFacts, DiskFacts, LogLine, NodeFacts, ReplicaFacts,
    ReplicaKind, ShardFacts,
};
use crate::host::Sure;

const MINUTE_MS: i64 = 60_000;
const DAY_MS: i64 = 24 * 60 * MINUTE_MS;
/// When it is asked.
const NOW_MS: i64 = 1_795_422_060_000;

fn replica(core: &str, node: &str, leader: bool) -> ReplicaFacts {
    ReplicaFacts {
        core: core.to_owned(),
        node: format!("{node}:8983_solr"),
        state: "active".to_owned(),
        leader,
        settings: Some(1),
        requests: Some(1_000),
        requests_before: Some(900),
        committed_ms: Some(NOW_MS - 5 * MINUTE_MS),
        ..ReplicaFacts::default()
    }
}

fn shard(name: &str, replicas: Vec<ReplicaFacts>) -> ShardFacts {
    ShardFacts { name: name.to_owned(), state: "active".to_owned(), replicas }
}

fn node(name: &str) -> NodeFacts {
    NodeFacts {
        name: format!("{name}:8983_solr"),
        version: Some("9.10.1".to_owned()),
        clock: Some(ClockFacts { ahead_ms: 20, unsure_ms: 5, read: ClockRead::Now }),
        zone: None,
        disk: DiskFacts {
            total_bytes: Some(1 << 40),
            free_bytes: Some(1 << 39),
            free_bytes_before: Some(1 << 39),
        },
        own: None,
    }
}

/// Two nodes, one collection of two shards, all of it well.
fn well() -> ClusterFacts {
    let shards = vec![
        shard("shard1", vec![replica("f1", "a", true), replica("f2", "b", false)]),
        shard("shard2", vec![replica("f3", "a", false), replica("f4", "b", true)]),
    ];
    ClusterFacts {
        asked_ms: NOW_MS,
        nodes: vec![node("a"), node("b")],
        live_nodes: vec!["a:8983_solr".to_owned(), "b:8983_solr".to_owned()],
        collections: vec![CollectionFacts { name: "films".to_owned(), configset: None, shards }],
        watched_ms: 5_000,
        ..ClusterFacts::default()
    }
}

fn check(change: fn(&mut ClusterFacts), expected: &[(&str, &str)]) {
    let mut facts = well();
    change(&mut facts);
    let found = lint(&facts);
    let names: Vec<&str> = found.iter().map(|finding| finding.name.as_str()).collect();
    assert_eq!(names, expected.iter().map(|(name, _)| *name).collect::<Vec<_>>(), "{found:#?}");
    for (finding, (_, words)) in found.iter().zip(expected) {
        assert!(finding.measured.contains(words), "`{words}` is not in `{}`", finding.measured);
    }
}

fn first_shard(facts: &mut ClusterFacts) -> &mut ShardFacts {
    &mut facts.collections[0].shards[0]
}

#[test]
fn nothing_is_said_of_what_is_well_or_was_not_told() {
    check(|_| (), &[]);
    check(|facts| *facts = ClusterFacts::default(), &[]);
    check(|facts| facts.nodes.clear(), &[]);
}

#[test]
fn shards_and_their_replicas() {
    check(
        |facts| first_shard(facts).replicas[0].leader = false,
        &[("no-leader", "nobody leads films/shard1 (2 of 2 replicas active)")],
    );
    check(
        |facts| first_shard(facts).replicas[1].state = "recovering".to_owned(),
        &[("replicas-down", "f2 on b:8983_solr is recovering")],
    );
    check(
        |facts| drop(facts.live_nodes.remove(0)),
        &[
            ("nodes-lost", "replicas lie on a:8983_solr, which take no part"),
            ("no-leader", "nobody leads films/shard1 (1 of 2 replicas active)"),
            ("replicas-down", "f3 on a:8983_solr is gone with its node"),
        ],
    );
    check(
        |facts| first_shard(facts).replicas[1].node = "a:7574_solr".to_owned(),
        &[
            ("nodes-lost", "a:7574_solr"),
            ("replicas-down", "f2"),
            ("one-host", "all replicas of films/shard1 are on a"),
        ],
    );
    check(
        |facts| first_shard(facts).replicas[1].settings = Some(2),
        &[("settings-differ", "f2 of films work by another schema or configuration than others of its 4")],
    );
    check(
        |facts| {
            first_shard(facts).state = "inactive".to_owned();
            first_shard(facts).replicas[0].leader = false;
        },
        &[],
    );
}

#[test]
fn one_node_that_leads_most() {
    check(
        |facts| {
            facts.live_nodes.push("c:8983_solr".to_owned());
            let more = (0..5)
                .map(|at| shard(&format!("m{at}"), vec![replica("m", "a", true), replica("n", "b", false)]));
            facts.collections[0].shards.extend(more);
        },
        &[],
    );
    check(
        |facts| {
            facts.live_nodes.extend(["c:8983_solr", "d:8983_solr"].map(str::to_owned));
            let more = (0..6)
                .map(|at| shard(&format!("m{at}"), vec![replica("m", "a", true), replica("n", "b", false)]));
            facts.collections[0].shards.extend(more);
        },
        &[("leaders", "a:8983_solr leads 7 of 8 shards, on 4 nodes")],
    );
}

#[test]
fn nodes_their_versions_clocks_and_disks() {
    check(
        |facts| facts.nodes[1].version = Some("9.9.0".to_owned()),
        &[("versions", "9.10.1 on a:8983_solr, 9.9.0 on b:8983_solr")],
    );
    let clock = |ahead_ms: i64, read: ClockRead| Some(ClockFacts { ahead_ms, unsure_ms: 5, read });
    check(|facts| facts.nodes[1].clock = None, &[]);
    let facts = |ahead_ms: i64, read: ClockRead| {
        let mut facts = well();
        facts.nodes[1].clock = clock(ahead_ms, read);
        lint(&facts)
    };
    assert_eq!(facts(1_030, ClockRead::Now), []);
    let skewed = facts(-2_100, ClockRead::Now);
    assert_eq!(skewed[0].measured, "the clock of a:8983_solr is 2 s ahead of that of b:8983_solr");
    let long_ago = facts(-2_100, ClockRead::Start);
    assert_eq!((skewed[0].sure, long_ago[0].sure), (Sure::Certain, Sure::Likely));
    assert!(long_ago[0].measured.contains("was, when their JVMs started, 2 s ahead"));
    check(
        |facts| facts.nodes[0].disk.free_bytes = Some((1 << 39) - (1 << 30)),
        &[("disk", "it lost 1.0 GiB in 5 s: full in 42 min 35 s if that goes on")],
    );
    // Five seconds tell nothing of the day after tomorrow, a quarter of an hour does.
    check(|facts| facts.nodes[0].disk.free_bytes = Some((1 << 39) - (1 << 20)), &[]);
    check(
        |facts| {
            facts.nodes[0].disk.free_bytes = Some((1 << 39) - (3 << 30));
            facts.watched_ms = 900_000;
        },
        &[("disk", "it lost 3.0 GiB in 15 min: full in 1 d 18 h if that goes on")],
    );
    check(|facts| facts.nodes[0].disk.free_bytes = Some((1 << 39) + 1), &[]);
    check(
        |facts| {
            facts.nodes[0].disk.free_bytes = Some(1 << 35);
            facts.nodes[0].disk.free_bytes_before = None;
        },
        &[("disk", "the disk of a:8983_solr has 32.0 GiB of 1024.0 GiB free")],
    );
}

#[test]
fn certificates_that_end() {
    let shown = |days: i64, address: &str| CertificateFacts {
        address: address.to_owned(),
        subject: "CN=solr".to_owned(),
        ends_ms: NOW_MS + days * DAY_MS,
    };
    let of = |certificates: Vec<CertificateFacts>| {
        let found = lint(&ClusterFacts { certificates, ..well() });
        found.into_iter().map(|finding| (finding.sure, finding.measured)).collect::<Vec<_>>()
    };
    let words = |when: &str| format!("the certificate `CN=solr` of a:1, b:1 {when}");
    for (days, expected) in [
        (90, None),
        (20, Some((Sure::Likely, words("ends in 20 d")))),
        (6, Some((Sure::Certain, words("ends in 6 d")))),
        (-3, Some((Sure::Certain, words("ended 3 d ago")))),
    ] {
        assert_eq!(of(vec![shown(days, "a:1"), shown(days, "b:1")]).first(), expected.as_ref());
    }
    let far = CertificateFacts { ends_ms: i64::MIN, ..shown(0, "a:1") };
    assert_eq!(of(vec![far, CertificateFacts { ends_ms: i64::MAX, ..shown(0, "a:1") }]).len(), 1);
}

#[test]
fn replicas_that_lag_behind_their_leader() {
    fn follower(facts: &mut ClusterFacts, committed_ms: Option<i64>) {
        let replica = &mut first_shard(facts).replicas[1];
        (replica.kind, replica.committed_ms) = (ReplicaKind::Fetches, committed_ms);
    }
    check(|facts| follower(facts, Some(NOW_MS - 5 * MINUTE_MS)), &[]);
    check(
        |facts| follower(facts, Some(NOW_MS - 9 * MINUTE_MS)),
        &[("replica-lag", "f2 of films/shard1 lacks what its leader committed 5 min ago")],
    );
    check(|facts| follower(facts, None), &[("replica-lag", "f2 of films/shard1")]);
    // What is indexed by each replica is committed by each at its own time.
    check(|facts| first_shard(facts).replicas[1].committed_ms = Some(1), &[]);
    check(
        |facts| {
            first_shard(facts).replicas[0].committed_ms = Some(NOW_MS - 30_000);
            follower(facts, Some(1));
        },
        &[],
    );
    check(
        |facts| {
            follower(facts, None);
            first_shard(facts).replicas[1].requests = None;
        },
        &[],
    );
}

#[test]
fn a_shard_that_is_asked_far_more_than_the_others() {
    fn asked(facts: &mut ClusterFacts, count: u64) {
        first_shard(facts).replicas[0].requests = Some(900 + count);
    }
    check(|facts| asked(facts, 400), &[]);
    check(
        |facts| asked(facts, 800),
        &[(
            "hot-shard",
            "films/shard1 was asked 900 times in 5 s, the other 1 of its collection 200 times together",
        )],
    );
    check(|facts| first_shard(facts).replicas[0].requests = Some(3), &[]);
    check(
        |facts| {
            let all = facts.replicas_mut().skip(1);
            all.for_each(|replica| replica.requests_before = replica.requests);
            asked(facts, 90);
        },
        &[],
    );
}

#[test]
fn copies_in_one_zone() {
    fn zones(facts: &mut ClusterFacts, names: [&str; 3]) {
        facts.live_nodes.push("c:8983_solr".to_owned());
        facts.nodes.push(node("c"));
        for (node, zone) in facts.nodes.iter_mut().zip(names) {
            node.zone = Some(zone.to_owned());
        }
    }
    check(
        |facts| zones(facts, ["east", "east", "west"]),
        &[("one-zone", "all replicas of films/shard1, films/shard2 are in zone east, of 2 zones")],
    );
    check(|facts| zones(facts, ["east", "west", "west"]), &[]);
    check(|facts| zones(facts, ["east"; 3]), &[]);
    check(
        |facts| {
            zones(facts, ["east", "east", "west"]);
            facts.nodes[1].zone = None;
        },
        &[],
    );
}

#[test]
fn what_a_node_found_on_its_own_host_bears_its_name() {
    check(
        |facts| {
            let found = crate::host::finding("swap-used", Sure::Certain, "1 GiB".to_owned(), "why", "mend");
            facts.nodes[1].own = Some(vec![found]);
        },
        &[("swap-used", "b:8983_solr: 1 GiB")],
    );
}

#[test]
fn errors_are_grouped_by_what_they_have_in_common() {
    check(
        |facts| {
            let line = |at: usize, level: &str| LogLine {
                time: format!("2026-11-23T05:00:0{at}Z"),
                node: format!("{}:8983_solr", if at.is_multiple_of(2) { "a" } else { "b" }),
                level: level.to_owned(),
                logger: "o.a.s.h.RequestHandlerBase".to_owned(),
                message: format!("undefined field: \"f_{at}\"\n\tat x"),
            };
            facts.log = (0..7).map(|at| line(at, "ERROR")).chain((0..9).map(|at| line(at, "WARN"))).collect();
        },
        &[(
            "log-errors",
            "7 errors in the log of a:8983_solr, b:8983_solr, last at 2026-11-23T05:00:06Z: RequestHandlerBase: undefined field: #",
        )],
    );
}
