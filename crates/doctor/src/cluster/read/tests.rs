//! Answers of one node and of several, as recorded (`tests/cluster`) and as nobody would send them.

use proptest::prelude::*;
use serde_json::json;

use super::*;

const RECORDED: [&str; 9] = [
    include_str!("../../../tests/cluster/alone/logging.json"),
    include_str!("../../../tests/cluster/alone/metrics.json"),
    include_str!("../../../tests/cluster/alone/system.json"),
    include_str!("../../../tests/cluster/cloud/core-system.json"),
    include_str!("../../../tests/cluster/cloud/logging.json"),
    include_str!("../../../tests/cluster/cloud/metrics.json"),
    include_str!("../../../tests/cluster/cloud/properties.json"),
    include_str!("../../../tests/cluster/cloud/status.json"),
    include_str!("../../../tests/cluster/cloud/system-all.json"),
];

fn recorded(name: &str) -> Value {
    let path = format!("{}/tests/cluster/{name}.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn instants_of_the_calendar() {
    for (text, expected) in [
        ("1970-01-01T00:00:00Z", Some(0)),
        ("2000-02-29T12:30:15.250Z", Some(951_827_415_250)),
        ("2026-11-23T05:00:00.001Z", Some(1_795_410_000_001)),
        ("2026-13-23T05:00:00Z", None),
        ("2026-11-23", None),
        ("x", None),
    ] {
        assert_eq!(instant_ms(text), expected, "{text}");
    }
}

#[test]
fn a_nodes_own_doctor_is_read_as_far_as_it_is_one() {
    let mut facts = ClusterFacts::default();
    let sign =
        json!({"name": "log-stuck", "seen": "nothing\u{1b}", "doctor": "thread 7 waits", "next": "dmesg"});
    let finding = json!({"name": "swap-used", "sure": "likely", "measured": "m", "why": "w", "mend": "n"});
    let unsure = json!({"name": "x", "sure": "perhaps", "measured": "m", "why": "w", "mend": "n"});
    let answer = json!({"signs": [sign, 7], "findings": [finding, unsure, {"sure": "likely"}]});
    own_doctor(&mut facts, "a", &answer);
    let told: Vec<(&str, &str)> =
        facts.nodes[0].own.iter().flatten().map(|one| (one.name.as_str(), one.measured.as_str())).collect();
    assert_eq!(told, [("log-stuck", "nothing\u{fffd}; thread 7 waits"), ("swap-used", "m")]);
    own_doctor(&mut facts, "b", &json!({"signs": [], "unmeasured": "its disk"}));
    assert_eq!(facts.unseen, ["b: its disk"]);
}

#[test]
fn products_are_told_apart() {
    assert_eq!(product(&recorded("alone/system")), Product::Alone);
    assert_eq!(product(&recorded("cloud/system")), Product::Cloud);
    assert_eq!(product(&json!({"mode": "std", "jvm": {"name": "Parhelion"}})), Product::Parhelion);
    assert_eq!(product(&json!([])), Product::Alone);
}

#[test]
fn one_node_and_several_are_read_alike() {
    let part = json!({
        "lucene": {"solr-spec-version": "9.10.1", "solr-impl-version": "9.10.1 Parhelion 0.1.0"},
        "jvm": {"name": "Parhelion", "jmx": {"startTime": "2026-11-23T05:00:00.000Z", "upTimeMS": 4_000}},
    });
    let asked = (1_795_410_003_000, 1_795_410_003_100);
    let mut one = ClusterFacts::default();
    system(&mut one, &part, asked);
    let expected = NodeFacts {
        name: ASKED.to_owned(),
        version: Some("Parhelion 0.1.0".to_owned()),
        clock: Some(ClockFacts { ahead_ms: 950, unsure_ms: 1050, read: ClockRead::Start }),
        ..NodeFacts::default()
    };
    assert_eq!(one.nodes, [expected]);
    core_system(&mut one, ASKED, &json!({"core": {"now": "2026-11-23T05:00:03.050Z"}}), asked);
    assert_eq!(one.nodes[0].clock.map(|clock| (clock.ahead_ms, clock.read)), Some((0, ClockRead::Now)));
    let mut several = ClusterFacts::default();
    system(&mut several, &recorded("cloud/system-all"), asked);
    let nodes: Vec<_> =
        several.nodes.iter().map(|node| (node.name.as_str(), node.version.as_deref())).collect();
    assert_eq!(nodes, [("{a}_solr", Some("9.10.1")), ("{b}_solr", Some("9.10.1"))]);
}

#[test]
fn disks_and_cores_are_looked_at_twice() {
    let mut facts = ClusterFacts::default();
    status(&mut facts, &recorded("cloud/status"));
    let mut answer = recorded("cloud/metrics");
    metrics(&mut facts, &answer);
    let of_node = answer.pointer_mut("/{a}_solr/metrics").unwrap();
    of_node["solr.node"]["CONTAINER.fs.coreRoot.usableSpace"] = json!({"value": 7});
    of_node["solr.core.films.shard1.replica_t6"]["QUERY./select.requests"] = json!(1000);
    metrics(&mut facts, &answer);
    let disk = facts.node("{a}_solr").unwrap().disk;
    assert_eq!((disk.free_bytes_before, disk.free_bytes), (Some(56_615_485_440), Some(7)));
    let (.., leader) = facts.replicas().find(|(.., one)| one.core == "films_shard1_replica_t6").unwrap();
    assert_eq!((leader.requests_before, leader.requests), (Some(15), Some(1008)));
    assert_eq!((leader.committed_ms, leader.kind), (Some(1_795_422_055_175), ReplicaKind::Fetches));
    let (.., empty) = facts.replicas().find(|(.., one)| one.core == "books_shard1_replica_n1").unwrap();
    assert_eq!(empty.committed_ms, None, "there is no commit yet");
}

/// As Solr 9.10 does it.
#[test]
fn a_log_that_stands_at_the_top_once_more_counts_once() {
    let mut facts = ClusterFacts::default();
    log(&mut facts, &recorded("cloud/logging"));
    let of = |node: &str| facts.log.iter().filter(|line| line.node == node).count();
    assert_eq!((of("{a}_solr"), of("{b}_solr"), facts.log.len()), (8, 2, 10));
    log(&mut facts, &recorded("alone/logging"));
    assert_eq!(facts.log[10].node, ASKED);
}

#[test]
fn hosts_are_what_stands_before_the_port() {
    for (node, expected) in [
        ("10.0.0.4:8983_solr", "10.0.0.4"),
        ("solr_1:8983_solr", "solr_1"),
        ("[::1]:8983_solr", "[::1]"),
        ("x", "x"),
    ] {
        assert_eq!(ReplicaFacts { node: node.to_owned(), ..ReplicaFacts::default() }.host(), expected);
    }
}

/// Something else where an answer has something.
fn anything() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "\\PC{0,12}".prop_map(Value::from),
        Just(json!([])),
        Just(json!([[{"core": {}}], 1])),
        Just(json!({})),
        Just(json!({"": {"": null}})),
    ]
}

/// The value that a walk of this many steps through a tree comes to.
fn walk(value: &mut Value, steps: u16) -> &mut Value {
    if steps == 0 || value.as_object().is_none_or(Map::is_empty) && value.as_array().is_none_or(Vec::is_empty)
    {
        return value;
    }
    let next = |count: usize| (usize::from(steps) % count, steps / u16::try_from(count).unwrap_or(u16::MAX));
    match value {
        Value::Object(members) => {
            let (at, left) = next(members.len());
            walk(members.values_mut().nth(at).unwrap(), left)
        }
        Value::Array(items) => {
            let (at, left) = next(items.len());
            walk(&mut items[at], left)
        }
        _ => unreachable!("it has members"),
    }
}

proptest! {
    #[test]
    fn no_answer_panics(which in 0..RECORDED.len(), steps in any::<u16>(), other in anything()) {
        let mut answer: Value = serde_json::from_str(RECORDED[which]).unwrap();
        *walk(&mut answer, steps) = other;
        crate::cluster::read_anything(answer.to_string().as_bytes());
    }

    #[test]
    fn no_cut_answer_panics(which in 0..RECORDED.len(), at in any::<prop::sample::Index>()) {
        let text = RECORDED[which].as_bytes();
        crate::cluster::read_anything(&text[..at.index(text.len())]);
    }
}
