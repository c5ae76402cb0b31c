//! `/admin/info/system`: versions and the machine. Clients read the versions to know how to speak; they see
//! the Solr whose behaviour this server has, and its own name beside it. In: facts that `http` gathered of
//! the process and the machine; out: entries, without what Solr tells of Java's flags and memory.

use crate::response::{Entries, Node};

/// The release whose behaviour and wire format are kept.
pub(super) const SOLR_VERSION: &str = "9.10.1";
pub(super) const LUCENE_VERSION: &str = "9.12.3";

#[derive(Clone, Debug, Default)]
pub struct NodeFacts {
    pub home: String,
    pub started_ms: i64,
    pub uptime_ms: i64,
    pub processors: usize,
}

/// One core, for `/admin/system` below it.
#[derive(Clone, Debug, Default)]
pub struct CoreSystemFacts {
    /// The schema's name.
    pub schema: String,
    pub host: String,
    pub now_ms: i64,
    pub opened_ms: i64,
    pub folder: String,
}

/// As [`system`], for a core: where it lives rather than where the node does.
pub fn core_system(node: &NodeFacts, core: &CoreSystemFacts) -> Entries {
    let folder = || Node::Str(core.folder.clone().into());
    let directory = Node::map([
        ("cwd", Node::Str(node.home.clone().into())),
        ("instance", folder()),
        ("data", folder()),
        ("dirimpl", Node::str("Parhelion")),
        ("index", folder()),
    ]);
    let own = Node::map([
        ("schema", Node::Str(core.schema.clone().into())),
        ("host", Node::Str(core.host.clone().into())),
        ("now", Node::Date(core.now_ms)),
        ("start", Node::Date(core.opened_ms)),
        ("directory", directory),
    ]);
    let mut entries: Entries = vec![("core".into(), own)];
    let homes = ["solr_home", "core_root"];
    entries.extend(system(node).into_iter().filter(|(name, _)| !homes.contains(&name.as_ref())));
    entries
}

pub fn system(node: &NodeFacts) -> Entries {
    let own = concat!("Parhelion ", env!("CARGO_PKG_VERSION"));
    let home = || Node::Str(node.home.clone().into());
    let processors = Node::count(node.processors as u64);
    let jvm = Node::map([
        ("version", Node::str(env!("CARGO_PKG_VERSION"))),
        ("name", Node::str("Parhelion")),
        ("processors", processors.clone()),
        (
            "jmx",
            Node::map([("startTime", Node::Date(node.started_ms)), ("upTimeMS", Node::Long(node.uptime_ms))]),
        ),
    ]);
    let lucene = Node::map([
        ("solr-spec-version", Node::str(SOLR_VERSION)),
        ("solr-impl-version", Node::Str(format!("{SOLR_VERSION} {own}").into())),
        ("lucene-spec-version", Node::str(LUCENE_VERSION)),
        ("lucene-impl-version", Node::Str(format!("{LUCENE_VERSION} {own}").into())),
    ]);
    let machine = Node::map([
        ("name", Node::str(std::env::consts::OS)),
        ("arch", Node::str(std::env::consts::ARCH)),
        ("availableProcessors", processors),
    ]);
    vec![
        ("mode".into(), Node::str("std")),
        ("solr_home".into(), home()),
        ("core_root".into(), home()),
        ("lucene".into(), lucene),
        ("jvm".into(), jvm),
        ("security".into(), Node::Map(vec![])),
        ("system".into(), machine),
    ]
}
