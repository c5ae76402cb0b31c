//! `/admin/info/system` and `/admin/info/health`: who answers here, and whether it is well.

use cluster::Collection;
use solr::admin::{CoreSystemFacts, NodeFacts};
use solr::response::{Entries, Node};

use crate::call::Call;

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

pub(super) fn health() -> Entries {
    vec![("status".into(), Node::str("OK"))]
}
