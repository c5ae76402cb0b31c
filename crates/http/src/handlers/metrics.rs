//! `/admin/metrics`: the figures of the node, of the process and of every core.
//!
//! In: counters of shards, caches and requests (`tallied`), and what the binary says of the machine; out:
//! registries under Solr's names, which `solr::admin` filters and writes, or all of them as text for
//! Prometheus. Nothing is counted here.

use std::time::Duration;

use cluster::{AnsweredFigures, Collection, Counted, LogFigures, ShardSelection, ShardStats, UpdateCounts};
use plan::{AutoCommit, Result};
use solr::admin::{Metric, PROMETHEUS, Rates, Registry, cache_metric, prometheus};
use solr::response::{Entries, Node};
use tokio::time::Instant;

use super::tallied;
use crate::observe::machine::MachineFacts;
use crate::observe::query_log::QueryLogFigures;
use crate::observe::store::{StoreCacheFigures, StoreFigures, StoreRequestFigures};
use crate::observe::watch::SignKind;
use crate::request::call::Call;
use crate::request::reply::Reply;

/// Updates, flushes and merges have a shard's state for moments. Who has it for longer is what the figures
/// are asked for: they tell of all others by then.
const STATE_PATIENCE: Duration = Duration::from_millis(500);
/// Between two looks whether it is free.
const STATE_PAUSE: Duration = Duration::from_millis(2);

pub(super) async fn run(call: &Call<'_>) -> Result<Entries> {
    solr::admin::metrics(&call.params, &registries(call).await)
}

/// For Prometheus, which takes all of it.
pub(super) async fn as_text(call: &Call<'_>) -> Reply {
    let body = prometheus(&registries(call).await);
    Reply { status: 200, content_type: PROMETHEUS.into(), body: body.into(), ..Reply::default() }
}

async fn registries(call: &Call<'_>) -> Vec<Registry> {
    let collections = call.server.node.list();
    let now_ms = call.server.node.clock().now_ms();
    let patience = Instant::now() + STATE_PATIENCE;
    let mut registries = Vec::with_capacity(collections.len() + 2);
    for collection in &collections {
        if let Some(stats) = stats(collection, patience).await {
            registries.push(core(collection, &stats, now_ms));
        }
    }
    let facts = (call.server.config.machine)();
    registries.push(process(&facts));
    registries.push(node(call, &facts, (collections.len(), now_ms)));
    registries
}

/// Gives the thread back while it waits: it may be what those need who are to let go.
async fn stats(collection: &Collection, patience: Instant) -> Option<ShardStats> {
    loop {
        if let Some(stats) = collection.try_stats() {
            return Some(stats);
        }
        if Instant::now() >= patience {
            return None;
        }
        tokio::time::sleep(STATE_PAUSE).await;
    }
}

fn int(number: u64) -> Metric {
    Metric::Value(Node::Int(i32::try_from(number).unwrap_or(i32::MAX)))
}

fn long(number: u64) -> Metric {
    Metric::Value(Node::long(number))
}

fn text(text: impl Into<String>) -> Metric {
    Metric::Value(Node::from(text.into()))
}

fn core(collection: &Collection, stats: &ShardStats, now_ms: i64) -> Registry {
    let folder = collection.folder().display().to_string();
    let mut metrics = tallied::of_collection(collection, now_ms);
    let caches = collection.caches().into_iter();
    metrics.extend(caches.map(|(name, stats)| (format!("CACHE.searcher.{name}"), cache_metric(&stats))));
    let mut put = |name: &str, metric| metrics.push((name.to_owned(), metric));
    put("CORE.coreName", text(collection.core_name()));
    put("CORE.fs.path", text(folder.clone()));
    put("CORE.indexDir", text(folder.clone()));
    put("CORE.instanceDir", text(folder));
    put("CORE.startTime", Metric::Value(Node::Date(collection.opened_ms())));
    put("INDEX.segments", long(stats.segment_count as u64));
    put("INDEX.sizeInBytes", long(stats.disk_bytes + stats.ram_bytes));
    if stats.suggester_bytes > 0 {
        put("OTHER.suggest.totalSizeInBytes", long(stats.suggester_bytes));
    }
    for (core, losses) in collection.losses(&ShardSelection::default()) {
        put(&format!("INDEX.lost.{core}.documents"), long(losses.documents()));
        put(&format!("INDEX.lost.{core}.files"), long(losses.files()));
        put(&format!("INDEX.lost.{core}.told"), text(losses.to_string()));
    }
    for (core, age_ms) in collection.copies_here() {
        let name = format!("REPLICATION.{core}.lagMs");
        put(&name, age_ms.map_or_else(|| text("unknown"), long));
    }
    if let Some(wrong) = &stats.wrong_index {
        put("INDEX.wrong.told", text(wrong.clone()));
    }
    put("SEARCHER.new", Metric::Count(stats.refreshes));
    put("SEARCHER.searcher.deletedDocs", int(stats.deleted_docs));
    put("SEARCHER.searcher.indexVersion", long(stats.version));
    put("SEARCHER.searcher.maxDoc", int(stats.max_doc));
    put("SEARCHER.searcher.numDocs", int(stats.num_docs));
    put("TLOG.replay.remaining.bytes", long(stats.log_bytes));
    let since_s = now_ms.saturating_sub(collection.opened_ms()).max(1) as f64 / 1000.0;
    metrics.extend(updates(&collection.update_counts(), stats, since_s));
    metrics.extend(bounds(&collection.config().auto_commit));
    metrics.extend(collection.log_figures().iter().flat_map(store_log));
    // Stable, and Solr's order: by name.
    metrics.sort_by(|(one, _), (other, _)| one.cmp(other));
    Registry { name: format!("solr.core.{}", collection.core_name()), metrics }
}

/// What the update handler counts; rates are those since the core was opened.
fn updates(counts: &UpdateCounts, stats: &ShardStats, since_s: f64) -> Vec<(String, Metric)> {
    let UpdateCounts { all, current } = counts;
    let Counted { adds, deletes_by_id, deletes_by_query, errors, .. } = *current;
    let meter = |count: u64| Metric::Meter(Rates { count, mean: count as f64 / since_s, ..Rates::default() });
    [
        ("adds", long(adds)),
        ("autoCommits", long(stats.auto_flushes)),
        ("commits", meter(all.commits + all.optimizes)),
        ("cumulativeAdds", meter(all.adds)),
        ("cumulativeDeletesById", meter(all.deletes_by_id)),
        ("cumulativeDeletesByQuery", meter(all.deletes_by_query)),
        ("cumulativeErrors", meter(all.errors)),
        ("deletesById", long(deletes_by_id)),
        ("deletesByQuery", long(deletes_by_query)),
        ("docsPending", long(stats.unflushed_docs)),
        ("errors", long(errors)),
        ("expungeDeletes", meter(all.expunge_deletes)),
        ("merges", meter(stats.merges)),
        ("optimizes", meter(all.optimizes)),
        ("rollbacks", meter(all.rollbacks)),
        ("softAutoCommits", long(stats.auto_refreshes)),
    ]
    .map(|(name, metric)| (format!("UPDATE.updateHandler.{name}"), metric))
    .into()
}

/// When commits happen by themselves, in words, as Solr has it.
fn bounds(auto: &AutoCommit) -> Vec<(String, Metric)> {
    let AutoCommit { flush_after_ms, flush_after_docs, refresh_after_ms, refresh_after_docs, .. } = *auto;
    [
        ("autoCommitMaxDocs", flush_after_docs, ""),
        ("autoCommitMaxTime", flush_after_ms, "ms"),
        ("softAutoCommitMaxDocs", refresh_after_docs, ""),
        ("softAutoCommitMaxTime", refresh_after_ms, "ms"),
    ]
    .into_iter()
    .filter_map(|(name, bound, unit)| {
        Some((format!("UPDATE.updateHandler.{name}"), text(format!("{}{unit}", bound?))))
    })
    .collect()
}

/// Besides Solr's figures those of its own cache, whole answers, which all cores share, and of the slow log
/// and the query log.
fn node(call: &Call<'_>, facts: &MachineFacts, (cores, now_ms): (usize, i64)) -> Registry {
    let mut metrics = tallied::of_node(call.server, now_ms);
    let mut put = |name: &str, metric| metrics.push((name.to_owned(), metric));
    put("CACHE.answers", cache_metric(&call.server.answers.stats()));
    put("CONTAINER.cores.loaded", int(cores as u64));
    put("CONTAINER.requests.slow", long(call.server.slow.total()));
    if let Some(log) = &call.server.config.query_log {
        let QueryLogFigures { bytes, written, dropped } = log.figures();
        put("CONTAINER.queryLog.bytes", long(bytes));
        put("CONTAINER.queryLog.dropped", Metric::Count(dropped));
        put("CONTAINER.queryLog.written", Metric::Count(written));
    }
    if let Some(throttled) = call.server.admission.throttled() {
        put("CONTAINER.updates.bytesPerSecond", long(throttled.bytes_per_second));
        put("CONTAINER.updates.throttled", Metric::Count(throttled.refused));
        put("CONTAINER.updates.waiting", int(throttled.waiting));
    }
    let watch = &call.server.config.watch;
    let signs = watch.signs();
    for kind in SignKind::ALL {
        let count = signs.iter().filter(|sign| sign.kind == kind).count();
        put(&format!("CONTAINER.watch.{}", kind.metric()), int(count as u64));
    }
    put("CONTAINER.watch.signs", Metric::Count(watch.total()));
    for folder in ["CONTAINER.fs", "CONTAINER.fs.coreRoot"] {
        put(&format!("{folder}.path"), text(call.server.node.data_dir().display().to_string()));
        facts.disk.into_iter().for_each(|bytes| put(&format!("{folder}.totalSpace"), long(bytes)));
        facts.disk_free.into_iter().for_each(|bytes| put(&format!("{folder}.usableSpace"), long(bytes)));
    }
    if let Some((answering, _)) = &call.server.desk {
        // Solr has no such messages: its replicas fetch and forward by requests like those of clients.
        let AnsweredFigures { messages, bytes } = answering.figures();
        put("MEMBERS.answered", Metric::Count(messages));
        put("MEMBERS.bytesAnswered", Metric::Count(bytes));
    }
    metrics.extend((call.server.config.store)().iter().flat_map(object_store));
    metrics.sort_by(|(one, _), (other, _)| one.cmp(other));
    Registry { name: "solr.node".to_owned(), metrics }
}

/// Of a shard whose log lies in an object store.
fn store_log((shard, figures): &(String, LogFigures)) -> Vec<(String, Metric)> {
    let LogFigures { window_ms, put_ms, groups, tail_bytes, tail_records, tail_age_ms, pending_bytes } =
        *figures;
    [
        ("groups", Metric::Count(groups)),
        ("pendingBytes", long(pending_bytes)),
        ("putMillis", long(put_ms)),
        ("tailAgeMillis", long(tail_age_ms)),
        ("tailBytes", long(tail_bytes)),
        ("tailRecords", long(tail_records)),
        ("windowMillis", long(window_ms)),
    ]
    .map(|(name, metric)| (format!("STORE.log.{shard}.{name}"), metric))
    .into()
}

/// Solr has no such home, and no names for it.
fn object_store(figures: &StoreFigures) -> Vec<(String, Metric)> {
    let StoreFigures { all, kinds, cache } = figures;
    let cached = cache.iter().flat_map(|it| {
        let StoreCacheFigures { files, bytes, hits, misses, evicted, mended } = it;
        let counts = [
            ("STORE.cache.evicted", Metric::Count(*evicted)),
            ("STORE.cache.hits", Metric::Count(*hits)),
            ("STORE.cache.mended", Metric::Count(*mended)),
            ("STORE.cache.misses", Metric::Count(*misses)),
        ];
        counts.into_iter().chain([("STORE.cache.bytes", long(*bytes)), ("STORE.cache.files", long(*files))])
    });
    let cached = cached.map(|(name, metric)| (name.to_owned(), metric));
    let by_kind =
        kinds.iter().flat_map(|(kind, requests)| store_requests(&format!("STORE.{kind}"), requests));
    store_requests("STORE", all).into_iter().chain(by_kind).chain(cached).collect()
}

fn store_requests(prefix: &str, figures: &StoreRequestFigures) -> Vec<(String, Metric)> {
    let StoreRequestFigures { puts, gets, lists, deletes, retries, bytes_put, bytes_got, price_a_month } =
        *figures;
    [
        ("bytesGot", Metric::Count(bytes_got)),
        ("bytesPut", Metric::Count(bytes_put)),
        ("deletes", Metric::Count(deletes)),
        ("gets", Metric::Count(gets)),
        ("lists", Metric::Count(lists)),
        ("priceAMonth", Metric::Value(Node::Double(price_a_month))),
        ("puts", Metric::Count(puts)),
        ("retries", Metric::Count(retries)),
    ]
    .map(|(name, metric)| (format!("{prefix}.{name}"), metric))
    .into()
}

/// By Solr's names what a process without a virtual machine has; what is Java's alone (pools, collections of
/// garbage, classes) is not there.
fn process(facts: &MachineFacts) -> Registry {
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let numbers = [
        ("memory.total.used", facts.memory_used),
        ("os.availableProcessors", Some(processors as u64)),
        ("os.committedVirtualMemorySize", facts.memory_reserved),
        ("os.freeMemorySize", facts.machine_memory_free),
        ("os.freePhysicalMemorySize", facts.machine_memory_free),
        ("os.freeSwapSpaceSize", facts.swap_free),
        ("os.maxFileDescriptorCount", facts.files_max),
        ("os.openFileDescriptorCount", facts.files_open),
        ("os.processCpuTime", facts.cpu_ns),
        ("os.totalMemorySize", facts.machine_memory),
        ("os.totalPhysicalMemorySize", facts.machine_memory),
        ("os.totalSwapSpaceSize", facts.swap),
        ("threads.count", facts.threads),
    ];
    let numbers = numbers.into_iter().filter_map(|(name, number)| Some((name, long(number?))));
    let mut metrics: Vec<(&str, Metric)> = numbers.collect();
    metrics.push(("os.arch", text(std::env::consts::ARCH)));
    metrics.push(("os.name", text(std::env::consts::OS)));
    metrics.extend(facts.os_version.clone().map(|version| ("os.version", text(version))));
    metrics
        .extend(facts.load_average.map(|load| ("os.systemLoadAverage", Metric::Value(Node::Double(load)))));
    metrics.sort_by_key(|(name, _)| *name);
    let metrics = metrics.into_iter().map(|(name, metric)| (name.to_owned(), metric)).collect();
    Registry { name: "solr.jvm".to_owned(), metrics }
}
