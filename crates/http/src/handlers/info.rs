//! `/admin/info/…`: who answers here, whether it is well, and what else of Solr's list there is to say.
//! `/debug/dump` of a collection shows a request as it came.
//!
//! In: the node, the process's constants and the call; out: facts that `solr::admin` writes. Levels and lines
//! of the log are `logging`'s, figures `metrics`'. The environment is never shown.

use cluster::Collection;
use plan::{Error, Result};
use solr::Params;
use solr::admin::{CoreSystemFacts, NodeFacts, pairs};
use solr::params::admin::node::PROPERTY;
use solr::response::{Entries, Name, Node};

use super::logging;
use crate::observe::watch::Sign;
use crate::request::call::Call;
use crate::request::node_handler::Info;

pub(super) fn system(call: &Call<'_>) -> Entries {
    solr::admin::system(&node_facts(call))
}

/// The same below a core.
pub(super) fn core_system(call: &Call<'_>, collection: &Collection) -> Entries {
    let name = call.server.node.name();
    let core = CoreSystemFacts {
        schema: collection.schema().source.name.clone(),
        host: name.split(':').next().unwrap_or(name).to_owned(),
        now_ms: call.started_ms,
        opened_ms: collection.opened_ms(),
        folder: collection.folder().display().to_string(),
    };
    solr::admin::core_system(&node_facts(call), &core)
}

fn node_facts(call: &Call<'_>) -> NodeFacts {
    let node = &call.server.node;
    NodeFacts {
        home: node.data_dir().display().to_string(),
        started_ms: node.started_ms(),
        uptime_ms: call.started_ms.saturating_sub(node.started_ms()),
        processors: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
    }
}

/// Solr's word, and behind it what is stuck in the node at the moment, where anything is. That is no
/// `FAILURE`: a balancer that takes a node away because its disk is slow makes the others' slower.
pub(super) fn health(call: &Call<'_>) -> Entries {
    let signs = call.server.config.watch.signs();
    let mut entries: Entries = vec![("status".into(), Node::str("OK"))];
    if !signs.is_empty() {
        entries.push(("signs".into(), Node::Array(signs.iter().map(sign).collect())));
    }
    entries
}

pub(super) fn sign(sign: &Sign) -> Node {
    let Sign { kind, collection, shard, lasted_ms, words, doctor } = sign;
    let mut shown = vec![
        ("name".into(), Node::str(kind.name())),
        ("collection".into(), Node::from(collection.clone())),
        ("shard".into(), Node::from(shard.clone())),
        ("forMs".into(), Node::long(*lasted_ms)),
        ("seen".into(), Node::from(words.clone())),
    ];
    shown.extend(doctor.clone().map(|words| ("doctor".into(), Node::from(words))));
    shown.push(("next".into(), Node::str(kind.next_step())));
    Node::Map(shown)
}

impl Info {
    pub fn run(self, call: &Call<'_>) -> Result<Entries> {
        match self {
            Self::Properties => Ok(properties(call)),
            Self::Logging => logging::run(call),
            Self::LogLevels => logging::of_levels(call),
            Self::LogMessages => logging::of_messages(call),
            Self::Threads => Ok(threads()),
            Self::Unknown => Err(Error::not_found(
                "No handler by that name, available names are [system, threads, logging, health, properties]",
            )),
        }
    }
}

/// There is no virtual machine with properties: what is shown is what the program is. Never the environment,
/// which may hold secrets.
fn properties(call: &Call<'_>) -> Entries {
    let all = [
        ("parhelion.version", env!("CARGO_PKG_VERSION")),
        ("os.name", std::env::consts::OS),
        ("os.arch", std::env::consts::ARCH),
        ("file.encoding", "UTF-8"),
    ];
    let wanted = |name: &str| call.text(&PROPERTY).is_none_or(|asked| asked == name);
    let all = all.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned()));
    // As a node of Solr is told its own (`-Davailability_zone`), and tools read it.
    let zone = call.server.node.living_self().and_then(|it| it.zone);
    let zone = zone.map(|zone| ("availability_zone".to_owned(), zone));
    let shown = all.chain(zone).filter(|(name, _)| wanted(name));
    vec![("system.properties".into(), pairs(shown))]
}

/// How many there may be at work; there are no stacks of Java's to show.
fn threads() -> Entries {
    let current = tokio::runtime::Handle::try_current().map_or(1, |runtime| runtime.metrics().num_workers());
    let count = Node::map([("current", Node::count(current as u64))]);
    vec![("system".into(), Node::map([("threadCount", count), ("threadDump", Node::Array(vec![]))]))]
}

pub(super) fn dump(call: &Call<'_>, params: &Params, path: &str) -> Entries {
    let mut shown: Vec<(Name, Vec<Node>)> = Vec::new();
    for (name, value) in params.pairs() {
        let value = Node::from(value.clone());
        match shown.iter_mut().find(|(known, _)| **known == **name) {
            Some((_, values)) => values.push(value),
            None => shown.push((Name::Owned(name.clone()), vec![value])),
        }
    }
    let one = |mut values: Vec<Node>| if values.len() == 1 { values.remove(0) } else { Node::Array(values) };
    let shown = shown.into_iter().map(|(name, values)| (name, one(values))).collect();
    let context = Node::map([
        ("webapp", Node::str("/solr")),
        ("path", Node::from(path.to_owned())),
        ("httpMethod", Node::from(call.method.to_string())),
    ]);
    vec![("params".into(), Node::Map(shown)), ("context".into(), context)]
}
