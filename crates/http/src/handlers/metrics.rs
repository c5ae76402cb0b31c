//! `/admin/metrics`: the figures of the node and of every core.

use cluster::Collection;
use plan::Result;
use solr::admin::{Metric, PROMETHEUS, Registry, cache_metric, prometheus};
use solr::response::{Entries, Node};

use crate::call::Call;
use crate::reply::Reply;

pub(super) fn run(call: &Call<'_>) -> Result<Entries> {
    solr::admin::metrics(&call.params, registries(call))
}

/// For Prometheus, which takes all of it.
pub(super) fn as_text(call: &Call<'_>) -> Reply {
    let body = prometheus(&registries(call));
    Reply { status: 200, content_type: PROMETHEUS, body: body.into(), allow: None }
}

fn registries(call: &Call<'_>) -> Vec<Registry> {
    let collections = call.server.node.list();
    let mut registries: Vec<_> = collections.iter().map(|collection| core(collection)).collect();
    registries.push(node(call, collections.len()));
    registries
}

fn core(collection: &Collection) -> Registry {
    let stats = collection.stats();
    let mut metrics: Vec<(String, Metric)> = collection
        .caches()
        .into_iter()
        .map(|(name, stats)| (format!("CACHE.searcher.{name}"), cache_metric(&stats)))
        .collect();
    let int = |number: u64| Metric::Value(Node::Int(i32::try_from(number).unwrap_or(i32::MAX)));
    let long = |number: u64| Metric::Value(Node::Long(i64::try_from(number).unwrap_or(i64::MAX)));
    let mut put = |name: &str, metric| metrics.push((name.to_owned(), metric));
    put("CORE.coreName", Metric::Value(Node::from(collection.core_name())));
    put("CORE.startTime", Metric::Value(Node::Date(collection.opened_ms())));
    put("INDEX.segments", long(stats.segment_count as u64));
    put("INDEX.sizeInBytes", long(stats.disk_bytes + stats.ram_bytes));
    if stats.suggester_bytes > 0 {
        put("OTHER.suggest.totalSizeInBytes", long(stats.suggester_bytes));
    }
    put("SEARCHER.searcher.deletedDocs", int(stats.deleted_docs));
    put("SEARCHER.searcher.indexVersion", long(stats.version));
    put("SEARCHER.searcher.maxDoc", int(stats.max_doc));
    put("SEARCHER.searcher.numDocs", int(stats.num_docs));
    Registry { name: format!("solr.core.{}", collection.core_name()), metrics }
}

/// Besides Solr's figures those of its own cache, whole answers, which all cores share, and of the slow log.
fn node(call: &Call<'_>, cores: usize) -> Registry {
    let loaded = Node::Int(i32::try_from(cores).unwrap_or(i32::MAX));
    let metrics = vec![
        ("CACHE.answers".to_owned(), cache_metric(&call.server.answers.stats())),
        ("CONTAINER.cores.loaded".to_owned(), Metric::Value(loaded)),
        ("CONTAINER.requests.slow".to_owned(), Metric::Value(Node::long(call.server.slow.total()))),
    ];
    Registry { name: "solr.node".to_owned(), metrics }
}
