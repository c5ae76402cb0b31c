//! Hosts made of facts, and what is found of them.

use super::*;
use crate::host::ClockOffset;

fn check(facts: &HostFacts, names: &[&str]) {
    let found: Vec<String> = lint(facts).into_iter().map(|finding| finding.name).collect();
    assert_eq!(found, names);
}

#[test]
fn nothing_is_said_of_what_was_not_measured() {
    check(&HostFacts::default(), &[]);
    check(&HostFacts { zookeeper: vec![ZooKeeperFacts::default()], ..HostFacts::default() }, &[]);
}

#[test]
fn limits_and_kernel_settings() {
    let good = HostFacts {
        swap_bytes: Some(0),
        files_max: Some((1 << 20, 1 << 20)),
        maps_max: Some(262_144),
        huge_pages: Some("madvise".to_owned()),
        clock_source: Some("tsc".to_owned()),
        clock_read_ns: Some(25),
        entropy_bits: Some(256),
        kernel: Some((4, 19)),
        keepalive_seconds: Some(300),
        memory_bytes: Some(1 << 34),
        cgroup_memory_bytes: Some(u64::MAX),
        sync: Some(SyncTimes { p99_us: 900, ..SyncTimes::default() }),
        ports: Some((32_768, 60_999)),
        ports_used: Some((100, "10.0.0.1:80".to_owned())),
        close_wait: vec![("x".to_owned(), 3, 4), ("y".to_owned(), 50, 50)],
        threads: Some(500),
        threads_max: Some(100_000),
        numa_nodes: Some(2),
        zone_reclaim: Some(0),
        ..HostFacts::default()
    };
    check(&good, &[]);
    let with = |change: fn(&mut HostFacts)| {
        let mut facts = good.clone();
        change(&mut facts);
        facts
    };
    check(&with(|it| (it.swap_bytes, it.swap_used_bytes) = (Some(9), Some(5))), &["swap-used"]);
    check(&with(|it| (it.swap_bytes, it.swappiness) = (Some(9), Some(60))), &["swappiness"]);
    check(&with(|it| (it.swap_bytes, it.swappiness) = (Some(9), Some(1))), &[]);
    check(&with(|it| it.files_max = Some((1024, 4096))), &["open-files"]);
    check(&with(|it| it.maps_max = Some(65_530)), &["memory-maps"]);
    let near = |kind| {
        let process = crate::facts::ProcessLabel { pid: 7, name: "java".to_owned() };
        let near_limits = vec![NearLimit { process, kind, used: 60_000, most: 65_530 }];
        HostFacts { near_limits, ..good.clone() }
    };
    check(&near(LimitKind::OpenFiles), &["open-files"]);
    check(&near(LimitKind::MemoryMaps), &["memory-maps"]);
    let found = lint(&near(LimitKind::MemoryMaps));
    assert_eq!(found[0].measured, "java (pid 7) has 60000 of 65530 mappings of memory");
    check(&with(|it| it.huge_pages = Some("always".to_owned())), &["huge-pages"]);
    check(&with(|it| it.clock_read_ns = Some(1200)), &["clock"]);
    let off = |ahead_ms: i64, delay_ms: u64| {
        let offset = ClockOffset { server: "pool".to_owned(), ahead_ms, delay_ms };
        HostFacts { clock_offset: Some(offset), ..good.clone() }
    };
    for within in [off(0, 3), off(-99, 0), off(140, 100)] {
        check(&within, &[]);
    }
    check(&off(151, 100), &["clock-skew"]);
    let found = lint(&off(-90_000, 4));
    assert_eq!(found[0].sure, Sure::Certain);
    assert_eq!(found[0].measured, "the clock is 1 min 30 s behind that of pool (asked in 4 ms)");
    check(&with(|it| it.entropy_bits = Some(60)), &["entropy"]);
    check(&with(|it| (it.entropy_bits, it.kernel) = (Some(60), Some((5, 18)))), &[]);
    check(&with(|it| it.keepalive_seconds = Some(7200)), &["keepalive"]);
    check(&with(|it| it.cgroup_memory_bytes = Some(1 << 30)), &["cgroup-memory"]);
    check(&with(|it| it.cgroup_threads = Some((90, 100))), &["threads"]);
    check(&with(|it| it.cgroup_threads = Some((70, 100))), &[]);
    let server = |memory_max: u64| ParhelionProcess {
        memory_max_bytes: Some(memory_max),
        cgroup_memory_bytes: Some(1 << 30),
        ..ParhelionProcess::default()
    };
    let with_server = |memory_max| HostFacts { parhelion: vec![server(memory_max)], ..good.clone() };
    check(&with_server(2 << 30), &["parhelion-memory"]);
    check(&with_server(1 << 30), &[]);
    check(&with(|it| it.ports_used = Some((25_000, String::new()))), &["ports"]);
    check(&with(|it| it.close_wait.push(("z".to_owned(), 10, 14))), &["close-wait"]);
    check(&with(|it| it.threads = Some(90_000)), &["threads"]);
    check(&with(|it| it.zone_reclaim = Some(1)), &["numa"]);
    check(&with(|it| it.sync = Some(SyncTimes { p99_us: 90_000, ..SyncTimes::default() })), &["disk-sync"]);
    check(&with(|it| it.family_mismatches = vec![(2181, "IPv6".to_owned())]), &["address-family"]);
    let java = |it: &mut HostFacts| {
        let group = Some(1 << 30);
        it.java =
            vec![JavaProcess { heap_max_bytes: group, cgroup_memory_bytes: group, ..JavaProcess::default() }];
    };
    check(&with(java), &["java-heap"]);
}

/// Four seconds were allowed, and the disk took six: the quorum was lost, with nothing down.
#[test]
fn the_report_of_the_lost_quorum() {
    let server = ZooKeeperFacts {
        server: "zk1:2181".to_owned(),
        tick_ms: Some(2000),
        sync_limit: Some(2),
        slow_syncs: Some((3, 6000)),
        not_enough_followers: 4,
        ..ZooKeeperFacts::default()
    };
    let found = lint(&HostFacts { zookeeper: vec![server.clone()], ..HostFacts::default() });
    let expected = "a follower may lag tickTime x syncLimit = 2000 ms x 2 = 4 s, and a sync of its disk took up to 6 s; 4 times \
                    its log says `Not sufficient followers synced`";
    assert_eq!((found[0].measured.as_str(), found[0].sure), (expected, Sure::Certain));
    assert!(found[0].mend.starts_with("syncLimit=30 "), "2 s x 30 = 60 s: {}", found[0].mend);
    let calm = ZooKeeperFacts { not_enough_followers: 0, slow_syncs: Some((1, 1200)), ..server };
    check(&HostFacts { zookeeper: vec![calm.clone()], ..HostFacts::default() }, &[]);
    // A disk of this host that is slow is named: it need not be the one that the server writes to.
    let sync = Some(SyncTimes { folder: "/data".to_owned(), max_us: 2_500_000, ..SyncTimes::default() });
    let found =
        lint(&HostFacts { zookeeper: vec![calm.clone()], sync: sync.clone(), ..HostFacts::default() });
    assert!(found[0].measured.ends_with(", and a sync in /data took up to 2 s"), "{}", found[0].measured);
    let alone = ZooKeeperFacts { state: Some(ServerState::Standalone), ..calm };
    check(&HostFacts { zookeeper: vec![alone], sync, ..HostFacts::default() }, &[]);
}

#[test]
fn ensembles() {
    let server = ZooKeeperFacts {
        tick_ms: Some(2000),
        voters: Some(4),
        client_connections_max: Some(10),
        purge_interval_hours: Some(0),
        latency_ms: Some((1.0, 3000)),
        ..ZooKeeperFacts::default()
    };
    let names = ["zookeeper-even", "zookeeper-purge", "zookeeper-connections", "zookeeper-sessions"];
    check(&HostFacts { zookeeper: vec![server.clone()], ..HostFacts::default() }, &names);
    // Three seconds are long for a session of four, and not for one of sixty.
    let patient = ZooKeeperFacts { session_min_ms: Some(60_000), ..server };
    check(&HostFacts { zookeeper: vec![patient], ..HostFacts::default() }, &names[..3]);
    let java = JavaProcess {
        name: "org.apache.zookeeper.server.quorum.QuorumPeerMain".to_owned(),
        ..JavaProcess::default()
    };
    let calm = ZooKeeperFacts { server: "a:2181".to_owned(), ..ZooKeeperFacts::default() };
    // Once, though two of its servers were asked.
    let asked =
        HostFacts { zookeeper: vec![calm.clone(), calm], java: vec![java.clone()], ..HostFacts::default() };
    check(&asked, &["zookeeper-heap", "zookeeper-ipv4"]);
    check(&HostFacts { java: vec![java], ..HostFacts::default() }, &[]);
}
