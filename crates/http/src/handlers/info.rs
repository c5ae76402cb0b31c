//! `/admin/info/system` and `/admin/info/health`: who answers here, and whether it is well.

use solr::admin::NodeFacts;
use solr::response::{Entries, Node};

use crate::call::Call;

pub(super) fn system(call: &Call<'_>) -> Entries {
    let node = &call.server.node;
    solr::admin::system(&NodeFacts {
        home: node.data_dir().display().to_string(),
        started_ms: node.started_ms(),
        uptime_ms: call.started_ms.saturating_sub(node.started_ms()),
        processors: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
    })
}

pub(super) fn health() -> Entries {
    vec![("status".into(), Node::str("OK"))]
}
