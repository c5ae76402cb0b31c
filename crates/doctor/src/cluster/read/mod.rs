//! Answers of Solr's admin API to facts. Of Solr 8 to 10 and of Parhelion; where several nodes were asked
//! through one, each node's answer stands below its name. What has another form is left out, so that a node
//! that answers oddly is one that tells less.

use jiff::Timestamp;
use serde_json::{Map, Value};

use super::facts::{
    ClockFacts, ClockRead, ClusterFacts, CollectionFacts, LogLine, NodeFacts, ReplicaFacts, ReplicaKind,
    ShardFacts,
};
use crate::host::{HostFinding, Sure, finding};
use crate::verdict::words::printable;

/// For what the cluster knows nothing of, the name of the node that was asked.
pub const ASKED: &str = "the node asked";

/// The clock here, before a request and after its answer, in milliseconds since 1970.
pub type ClockReadings = (i64, i64);

/// What there is to ask for, by a first answer of `/admin/info/system`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Product {
    /// Nodes are asked through one another.
    Cloud,
    /// A Solr without ZooKeeper: no state of a cluster, and `nodes` is refused.
    Alone,
    /// Tells the state of its cluster of one.
    Parhelion,
}

pub fn product(answer: &Value) -> Product {
    if answer.pointer("/jvm/name").and_then(Value::as_str) == Some("Parhelion") {
        Product::Parhelion
    } else if answer.get("mode").and_then(Value::as_str) == Some("solrcloud") {
        Product::Cloud
    } else {
        Product::Alone
    }
}

/// `CLUSTERSTATUS`.
pub fn status(facts: &mut ClusterFacts, answer: &Value) {
    let Some(cluster) = answer.get("cluster") else { return };
    let nodes = cluster.get("live_nodes").and_then(Value::as_array).into_iter().flatten();
    facts.live_nodes = nodes.filter_map(Value::as_str).map(printable).collect();
    facts.collections =
        members(cluster.get("collections")).map(|(name, one)| collection(name, one)).collect();
}

fn members(value: Option<&Value>) -> impl Iterator<Item = (&String, &Value)> {
    value.and_then(Value::as_object).into_iter().flat_map(Map::iter)
}

fn word(value: &Value, name: &str) -> Option<String> {
    value.get(name)?.as_str().map(printable)
}

fn collection(name: &str, value: &Value) -> CollectionFacts {
    let shards = members(value.get("shards")).map(|(name, shard)| ShardFacts {
        name: printable(name),
        state: word(shard, "state").unwrap_or_default(),
        replicas: members(shard.get("replicas")).map(|(_, one)| replica(one)).collect(),
    });
    CollectionFacts { name: printable(name), configset: word(value, "configName"), shards: shards.collect() }
}

fn replica(value: &Value) -> ReplicaFacts {
    // Solr writes the word `"true"`.
    let leader = value.get("leader").is_some_and(|leader| leader.as_str() == Some("true") || leader == true);
    let fetches = matches!(value.get("type").and_then(Value::as_str), Some("TLOG" | "PULL"));
    ReplicaFacts {
        core: word(value, "core").unwrap_or_default(),
        node: word(value, "node_name").unwrap_or_default(),
        base_url: word(value, "base_url"),
        state: word(value, "state").unwrap_or_default(),
        leader,
        kind: if fetches { ReplicaKind::Fetches } else { ReplicaKind::Indexes },
        ..ReplicaFacts::default()
    }
}

/// Each node's part of an answer, by its name, which are those with `mark` in them. Where there are none, the
/// answer is that of the node that was asked; where there are, it may stand at the top once more.
fn by_node<'a>(answer: &'a Value, mark: &str) -> Vec<(String, &'a Value)> {
    let marked = members(Some(answer)).filter(|(_, part)| part.get(mark).is_some());
    let found: Vec<_> = marked.map(|(name, part)| (printable(name), part)).collect();
    let is_one = found.is_empty() && answer.get(mark).is_some();
    if is_one { vec![(ASKED.to_owned(), answer)] } else { found }
}

/// A node that was asked for itself is the one that takes part, where that is one.
fn known_name(facts: &ClusterFacts, name: String) -> String {
    match facts.live_nodes.as_slice() {
        [only] if name == ASKED => only.clone(),
        _ => name,
    }
}

fn node<'f>(facts: &'f mut ClusterFacts, name: &str) -> &'f mut NodeFacts {
    let name = known_name(facts, name.to_owned());
    // In order of their names, whatever order an answer has them in: one cluster is always reported alike.
    let at = facts.nodes.binary_search_by(|node| node.name.cmp(&name)).unwrap_or_else(|at| {
        facts.nodes.insert(at, NodeFacts { name, ..NodeFacts::default() });
        at
    });
    &mut facts.nodes[at]
}

/// `/admin/info/system`: version, and the clock by the JVM's start and how long it has been up.
pub fn system(facts: &mut ClusterFacts, answer: &Value, asked: ClockReadings) {
    for (name, part) in by_node(answer, "lucene") {
        let node = node(facts, &name);
        node.version = part.get("lucene").and_then(|lucene| version(lucene, product(part)));
        let Some(jmx) = part.pointer("/jvm/jmx") else { continue };
        let up_ms = jmx.get("upTimeMS").and_then(Value::as_i64);
        let started_ms = jmx.get("startTime").and_then(Value::as_str).and_then(instant_ms);
        let now_ms = started_ms.zip(up_ms).map(|(started_ms, up_ms)| started_ms.saturating_add(up_ms));
        node.clock = now_ms.map(|now_ms| clock(now_ms, asked, ClockRead::Start));
    }
}

/// Parhelion says whose behaviour it has, and its own name and version behind that.
fn version(lucene: &Value, product: Product) -> Option<String> {
    let solr = word(lucene, "solr-spec-version")?;
    let own = word(lucene, "solr-impl-version").filter(|_| product == Product::Parhelion);
    let own = own.and_then(|words| Some(words.strip_prefix(&solr)?.trim().to_owned()));
    Some(own.unwrap_or(solr))
}

/// `/CORE/admin/system`, which tells the clock as it is.
pub fn core_system(facts: &mut ClusterFacts, name: &str, answer: &Value, asked: ClockReadings) {
    let now = answer.pointer("/core/now").and_then(Value::as_str).and_then(instant_ms);
    if let Some(now_ms) = now {
        node(facts, name).clock = Some(clock(now_ms, asked, ClockRead::Now));
    }
}

/// A JVM's start and how long it is up are not of one moment: 0.4 s apart on a clock that was right (9.10.1,
/// 2026-11-23).
const START_UNSURE_MS: u64 = 1_000;

fn clock(now_ms: i64, (asked_ms, answered_ms): ClockReadings, read: ClockRead) -> ClockFacts {
    let way_ms = answered_ms.saturating_sub(asked_ms).max(0).cast_unsigned() / 2;
    let reading_ms = if read == ClockRead::Start { START_UNSURE_MS } else { 0 };
    ClockFacts {
        ahead_ms: now_ms.saturating_sub(asked_ms.midpoint(answered_ms)),
        unsure_ms: way_ms.saturating_add(reading_ms),
        read,
    }
}

/// `2026-11-23T04:05:06.789Z`, in milliseconds since 1970.
fn instant_ms(text: &str) -> Option<i64> {
    text.parse::<Timestamp>().ok().map(Timestamp::as_millisecond)
}

/// By this name Solr's own placement of replicas goes.
pub const ZONE: &str = "availability_zone";

/// `/admin/info/properties` of one node.
pub fn zone(facts: &mut ClusterFacts, name: &str, answer: &Value) {
    node(facts, name).zone = answer.get("system.properties").and_then(|all| word(all, ZONE));
}

/// `/admin/metrics` of the groups `node` and `core`: the disk below the cores, and of each core what it was
/// asked and how far its index is. The second look keeps what the first saw.
pub fn metrics(facts: &mut ClusterFacts, answer: &Value) {
    for (name, part) in by_node(answer, "metrics") {
        let registries = || members(part.get("metrics"));
        if let Some((_, metrics)) = registries().find(|(name, _)| *name == "solr.node") {
            let bytes = |name: &str| number(metrics, &format!("CONTAINER.fs.coreRoot.{name}"));
            let disk = &mut node(facts, &name).disk;
            disk.free_bytes_before = disk.free_bytes;
            (disk.total_bytes, disk.free_bytes) = (bytes("totalSpace"), bytes("usableSpace"));
        }
        for (_, metrics) in registries().filter(|(name, _)| name.starts_with("solr.core.")) {
            core_metrics(facts, metrics);
        }
    }
}

/// Cores of a server alone are no replicas, and are left out.
fn core_metrics(facts: &mut ClusterFacts, metrics: &Value) {
    let Some(core) = metrics.get("CORE.coreName").and_then(Value::as_str) else { return };
    let Some(replica) = facts.replicas_mut().find(|replica| replica.core == core) else { return };
    replica.requests_before = replica.requests;
    replica.requests = COUNTERS.iter().filter_map(|name| number(metrics, name)).reduce(u64::saturating_add);
    replica.committed_ms = metrics.get(INDEX_VERSION).and_then(committed_ms);
}

/// Searches and updates of a core; what other replicas ask of it has a counter of its own since Solr 9.
const COUNTERS: [&str; 7] = [
    "QUERY./select.requests",
    "QUERY./select[shard].requests",
    "UPDATE./update.requests",
    "UPDATE./update/json.requests",
    "UPDATE./update/json/docs.requests",
    "UPDATE./update/csv.requests",
    "UPDATE./update/cbor.requests",
];
const INDEX_VERSION: &str = "REPLICATION./replication.indexVersion";

/// Names of all that [`metrics`] reads, as the parameter `prefix` takes them.
pub fn metric_names() -> String {
    [&COUNTERS[..], &["CONTAINER.fs.coreRoot", "CORE.coreName", INDEX_VERSION]].concat().join(",")
}

/// A number, or an object with it as its `value`.
fn number(metrics: &Value, name: &str) -> Option<u64> {
    let metric = metrics.get(name)?;
    metric.as_u64().or_else(|| metric.get("value")?.as_u64())
}

/// `generation=2,version=1795421748712`: Solr names a commit by the time it was made at; 0 is none.
fn committed_ms(version: &Value) -> Option<i64> {
    let of_text = |text: &str| text.rsplit_once("version=")?.1.parse::<i64>().ok();
    let ms = version.get("version").and_then(Value::as_i64).or_else(|| of_text(version.as_str()?))?;
    (ms > 0).then_some(ms)
}

/// `/admin/info/logging` with `since`: what each node keeps.
pub fn log(facts: &mut ClusterFacts, answer: &Value) {
    for (name, part) in by_node(answer, "history") {
        let name = known_name(facts, name);
        let docs = part.pointer("/history/docs").and_then(Value::as_array).into_iter().flatten();
        facts.log.extend(docs.map(|line| LogLine {
            node: name.clone(),
            time: word(line, "time").unwrap_or_default(),
            level: word(line, "level").unwrap_or_default(),
            logger: word(line, "logger").unwrap_or_default(),
            // Line by line it is said what is alike: breaks must survive until then.
            message: line.get("message").and_then(Value::as_str).unwrap_or_default().to_owned(),
        }));
    }
}

/// Where a Parhelion tells what its own doctor says.
pub const OWN_DOCTOR: &str = "admin/doctor";

/// `/admin/doctor` of one node.
pub fn own_doctor(facts: &mut ClusterFacts, name: &str, answer: &Value) {
    let findings = answer.get("findings").and_then(Value::as_array).into_iter().flatten();
    let found: Vec<HostFinding> = signs(answer).into_iter().chain(findings.filter_map(own_finding)).collect();
    let node = node(facts, name);
    node.own = Some(found);
    if let Some(why) = word(answer, "unmeasured") {
        let said = format!("{}: {why}", node.name);
        facts.unseen.push(said);
    }
}

fn own_finding(value: &Value) -> Option<HostFinding> {
    let sure = serde_json::from_value(value.get("sure")?.clone()).ok()?;
    let word = |name: &str| word(value, name);
    let (name, measured, why, mend) = (word("name")?, word("measured")?, word("why")?, word("mend")?);
    Some(HostFinding { name, sure, measured, why, mend })
}

/// What a server of ours has found stuck in itself, as `/admin/info/health` and `/admin/doctor` tell.
pub fn signs(answer: &Value) -> Vec<HostFinding> {
    let signs = answer.get("signs").and_then(Value::as_array).into_iter().flatten();
    let one = |sign: &Value| {
        let doctor = word(sign, "doctor").map(|words| format!("; {words}")).unwrap_or_default();
        let measured = format!("{}{doctor}", word(sign, "seen")?);
        let why = "what waits for it waits as long: updates, commits, and in the end searches";
        let mend = word(sign, "next").unwrap_or_default();
        Some(finding(&word(sign, "name")?, Sure::Certain, measured, why, &mend))
    };
    signs.filter_map(one).collect()
}

/// One answer as each of them.
pub fn all(facts: &mut ClusterFacts, answer: &Value) {
    let _ = product(answer);
    status(facts, answer);
    system(facts, answer, (0, 10));
    core_system(facts, ASKED, answer, (0, 10));
    zone(facts, ASKED, answer);
    metrics(facts, answer);
    log(facts, answer);
    own_doctor(facts, ASKED, answer);
}

#[cfg(test)]
mod tests;
