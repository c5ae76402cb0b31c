//! `/admin/info/system`: versions and the machine. Clients read the versions to know how to speak; they see the Solr whose
//! behaviour this server has, and its own name beside it.

use crate::response::{Entries, Node};

/// The release whose behaviour and wire format are kept.
const SOLR_VERSION: &str = "9.10.1";
const LUCENE_VERSION: &str = "9.12.3";

#[derive(Clone, Debug, Default)]
pub struct NodeFacts {
    pub home: String,
    pub started_ms: i64,
    pub uptime_ms: i64,
    pub processors: usize,
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
