//! `store`: a server whose shards are at home in an object store that takes its time. How long an update
//! waits for its acknowledgement, alone and among many; how many documents a second go in by batches; how
//! many PUTs the store is asked for when little or nothing is written; and how soon another process has the
//! shard when the first is killed, with copies of its files on the disk and without.
//!
//! In: a server, and later those that took over from it; out: figures and what they say. The delay, the
//! servers and their ends are the caller's. The figures are of whatever build serves.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::Value;

use crate::error::Error;
use crate::load::{Arrivals, Requests, Schedule};
use crate::overload::{Crowd, Seen};
use crate::run::Watch;
use crate::run::index::{self, Batches, Feed};
use crate::side::Side;
use crate::throttle::update;
use crate::verdict::BoundVerdict;
use crate::workload::{self, Workload};

const WORKLOAD: &str = "zipf";
const INDEX_PARTS: usize = 1;
/// Documents of a batch.
const BATCH: u64 = 100;
/// Bodies that are sent over and over, built beforehand.
const SINGLE_BODIES: u64 = 2_000;
const BATCH_BODIES: u64 = 300;
/// Of a shard that is written to now and then, updates a second.
const FEW: f64 = 10.0;
/// A store is at rest once nothing was put for so long, and is waited for so many times.
const QUIET: Duration = Duration::from_secs(5);
const QUIET_LOOKS_MAX: u32 = 24;
/// What an acknowledgement may take beyond the store's delay, alone and among many, in milliseconds.
const ALONE_MS_MAX: f64 = 25.0;
const CROWDED_MS_MAX: f64 = 40.0;
const DOCS_PER_SECOND_MIN: f64 = 10_000.0;
const FEW_PUTS_MAX: f64 = 10.0;
const WARM_SECONDS_MAX: f64 = 2.0;

#[derive(Clone, Copy, Debug)]
pub struct StoreOptions {
    /// Documents that are there at first.
    pub docs: u64,
    pub seed: u64,
    /// By which each answer of the store is late.
    pub delay: Duration,
    /// Clients of the crowded arms.
    pub clients: usize,
    /// Of each measurement.
    pub duration: Duration,
    /// Documents that are not flushed when a server is killed.
    pub tail: u64,
}

/// Updates of one document each.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct StoreLatency {
    pub clients: usize,
    pub p50_ms: f64,
    pub p99_ms: f64,
    pub updates_per_second: f64,
}

#[derive(Clone, Copy, Debug, Serialize)]
pub struct StoreUpdates {
    pub alone: StoreLatency,
    pub crowded: StoreLatency,
    /// By batches of 100, of as many clients as in `crowded`.
    pub docs_per_second: f64,
    /// PUTs a second beside 10 updates a second, those of flushes among them, and with none.
    pub few_puts_per_second: f64,
    pub idle_puts: u64,
}

/// What a server had when it was to be killed.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct StoreTail {
    pub documents: u64,
    /// In its log alone.
    pub tail_bytes: u64,
}

/// A shard in another process's hands, from the start of that process on.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct StoreTakeOver {
    pub had: StoreTail,
    /// Until a search found all documents, and until an update was acknowledged.
    pub searched_seconds: f64,
    pub updated_seconds: f64,
    /// From the store.
    pub bytes_fetched: u64,
}

#[derive(Clone, Debug, Serialize)]
pub struct StoreMeasured {
    pub delay_ms: f64,
    pub updates: StoreUpdates,
    /// With the files of the killed server, and without.
    pub warm: StoreTakeOver,
    pub cold: StoreTakeOver,
    pub verdicts: Vec<BoundVerdict>,
}

/// Indexes the corpus and measures updates. Errors: the server cannot be reached, or refuses any.
pub async fn store_updates(
    options: StoreOptions,
    side: Side,
    watch: Arc<dyn Watch>,
) -> Result<StoreUpdates, Error> {
    let workload = workload::by_name(WORKLOAD, options.docs, options.seed)?;
    let feed: Arc<dyn Feed> = Arc::new(Batches { workload: workload.clone(), watch: watch.clone() });
    index::index([Some(&side), None], &feed, (INDEX_PARTS, options.seed), &watch).await?;
    let bodies = |first: u64, count: u64, docs: u64| {
        let body = |number| update(&*workload, &side, first + number * docs, docs);
        Arc::new(Requests::new((0..count).map(body).collect()))
    };
    let singles = bodies(options.docs, SINGLE_BODIES, 1);
    let batches = bodies(options.docs + SINGLE_BODIES, BATCH_BODIES, BATCH);
    let closed = |requests: &Arc<Requests>, clients: usize| {
        let duration = options.duration;
        crowd(&side, requests.clone(), move |crowd| crowd.closed(clients, duration))
    };
    watch.note("updates of one client");
    let alone = closed(&singles, 1).await?;
    watch.note(&format!("updates of {} clients", options.clients));
    let crowded = closed(&singles, options.clients).await?;
    watch.note(&format!("batches of {BATCH} documents of {} clients", options.clients));
    let batched = closed(&batches, options.clients).await?;
    settle(&side).await?;
    watch.note(&format!("{FEW:.0} updates a second"));
    let before = puts(&side).await?;
    let schedule = Schedule::new(Arrivals::Poisson, FEW, options.duration, options.seed);
    let few = crowd(&side, singles, move |crowd| crowd.open(options.clients, &schedule)).await?;
    // Before what it left to be flushed, which is not of its time.
    let few_puts = puts(&side).await? - before;
    settle(&side).await?;
    watch.note("nothing");
    let before = puts(&side).await?;
    tokio::time::sleep(options.duration).await;
    Ok(StoreUpdates {
        alone: latency(1, &alone),
        crowded: latency(options.clients, &crowded),
        docs_per_second: batched.answered_per_second() * BATCH as f64,
        few_puts_per_second: few_puts as f64 / few.elapsed().as_secs_f64().max(1e-9),
        idle_puts: puts(&side).await? - before,
    })
}

/// Writes what no flush has, of documents that are new in this `turn`; whoever asked kills the server then.
pub async fn store_tail(options: StoreOptions, side: &Side, turn: u64) -> Result<StoreTail, Error> {
    let workload = workload::by_name(WORKLOAD, options.docs, options.seed)?;
    settle(side).await?;
    let before = documents(side).await?;
    let first = options.docs + SINGLE_BODIES + BATCH_BODIES * BATCH + turn * options.tail;
    for at in (0..options.tail).step_by(BATCH as usize) {
        send(side, &*workload, first + at, BATCH.min(options.tail - at)).await?;
    }
    let figures = metrics(side).await?;
    let of_tail = |(name, value): (&String, &Value)| {
        if name.ends_with(".tailBytes") { number(value) } else { 0 }
    };
    let cores = figures.as_object().into_iter().flatten().filter_map(|(_, core)| core.as_object());
    let tail_bytes = cores.flatten().map(of_tail).sum();
    Ok(StoreTail { documents: before + options.tail, tail_bytes })
}

/// Asks a server that has taken over, and whose process began then. Errors: documents are missing.
pub async fn store_takeover(
    options: StoreOptions,
    side: &Side,
    (had, began): (StoreTail, Instant),
) -> Result<StoreTakeOver, Error> {
    let found = documents(side).await?;
    let searched_seconds = began.elapsed().as_secs_f64();
    if found != had.documents {
        let reason = format!("{found} documents are there of {} that were acknowledged", had.documents);
        return Err(Error::Load { url: side.url().to_string(), reason });
    }
    let workload = workload::by_name(WORKLOAD, options.docs, options.seed)?;
    // One that is there: the number of documents is to be known the next time.
    send(side, &*workload, 0, 1).await?;
    let updated_seconds = began.elapsed().as_secs_f64();
    let bytes_fetched = number(&metrics(side).await?["solr.node"]["STORE.bytesGot"]);
    Ok(StoreTakeOver { had, searched_seconds, updated_seconds, bytes_fetched })
}

/// On a thread that may wait. Errors: any update that was not acknowledged.
async fn crowd(
    side: &Side,
    requests: Arc<Requests>,
    work: impl FnOnce(&Crowd<'_>) -> Result<Seen, Error> + Send + 'static,
) -> Result<Seen, Error> {
    let authority = side.url().authority().to_owned();
    let task = move || work(&Crowd { authority: &authority, requests: &requests });
    let seen = tokio::task::spawn_blocking(task).await.map_err(|error| Error::Task(error.to_string()))??;
    let refused = seen.failed + seen.refused;
    if refused == 0 {
        return Ok(seen);
    }
    let first = seen.first_failure.unwrap_or_else(|| "status 429".to_owned());
    let reason = format!("{refused} updates were not acknowledged: {first}");
    Err(Error::Load { url: side.url().to_string(), reason })
}

fn latency(clients: usize, seen: &Seen) -> StoreLatency {
    StoreLatency {
        clients,
        p50_ms: seen.quantile_ms(0.5),
        p99_ms: seen.quantile_ms(0.99),
        updates_per_second: seen.answered_per_second(),
    }
}

/// Flushes, and waits until nothing more is put.
async fn settle(side: &Side) -> Result<(), Error> {
    let path = format!("{}/update", side.collection);
    let commit = [("commit", "true"), ("wt", "json")];
    side.client.post(&path, &commit, "application/json", "[]".into()).await?.ok()?;
    let mut before = puts(side).await?;
    for _ in 0..QUIET_LOOKS_MAX {
        tokio::time::sleep(QUIET).await;
        let now = puts(side).await?;
        if now == before {
            return Ok(());
        }
        before = now;
    }
    let reason = "it goes on to put objects though nobody writes to it".to_owned();
    Err(Error::Load { url: side.url().to_string(), reason })
}

async fn send(side: &Side, workload: &dyn Workload, first: u64, count: u64) -> Result<(), Error> {
    let mut body = Vec::new();
    crate::throttle::write_documents(workload, first..first + count, &mut body);
    let path = format!("{}/update", side.collection);
    side.client.post(&path, &[("wt", "json")], "application/json", body.into()).await?.ok()?;
    Ok(())
}

async fn documents(side: &Side) -> Result<u64, Error> {
    let params = [("q".to_owned(), "*:*".to_owned()), ("rows".to_owned(), "0".to_owned())];
    let answer = side.ask("select", &params).await?;
    Ok(number(&answer["response"]["numFound"]))
}

/// Errors: a server without an object store has none of these.
async fn puts(side: &Side) -> Result<u64, Error> {
    let figures = metrics(side).await?;
    figures["solr.node"]["STORE.puts"].as_u64().ok_or_else(|| Error::Load {
        url: side.url().to_string(),
        reason: "its shards are not in an object store; start it with `serve --store`".to_owned(),
    })
}

async fn metrics(side: &Side) -> Result<Value, Error> {
    let answer = side.client.get("admin/metrics", &[("prefix", "STORE"), ("wt", "json")]).await?.ok()?;
    Ok(answer.json()?["metrics"].take())
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_default()
}

/// What the figures say.
pub fn store_measured(
    options: StoreOptions,
    updates: StoreUpdates,
    (warm, cold): (StoreTakeOver, StoreTakeOver),
) -> StoreMeasured {
    let delay_ms = options.delay.as_secs_f64() * 1e3;
    let verdict = |then: String, now: String, holds| BoundVerdict { then, now, holds };
    let acknowledged = |arm: StoreLatency, beyond_ms: f64| {
        let most = delay_ms + beyond_ms;
        let who = if arm.clients == 1 { "client" } else { "clients" };
        verdict(
            format!(
                "an update of {} {who} is acknowledged within {most:.0} ms at p50 by a store that takes {delay_ms:.0} ms",
                arm.clients
            ),
            format!("{:.1} ms, {:.1} ms at p99", arm.p50_ms, arm.p99_ms),
            arm.p50_ms <= most,
        )
    };
    let StoreUpdates { alone, crowded, docs_per_second, few_puts_per_second, idle_puts } = updates;
    let verdicts = vec![
        acknowledged(alone, ALONE_MS_MAX),
        acknowledged(crowded, CROWDED_MS_MAX),
        verdict(
            format!("{DOCS_PER_SECOND_MIN:.0} documents of 1 KB a second by batches of {BATCH}"),
            format!("{docs_per_second:.0}"),
            docs_per_second >= DOCS_PER_SECOND_MIN,
        ),
        verdict(
            format!("{FEW_PUTS_MAX:.0} PUTs a second or fewer for {FEW:.0} updates a second"),
            format!("{few_puts_per_second:.1}"),
            few_puts_per_second <= FEW_PUTS_MAX,
        ),
        verdict("no PUT for none".to_owned(), idle_puts.to_string(), idle_puts == 0),
        verdict(
            format!(
                "taken over within {WARM_SECONDS_MAX:.0} s where the files are on the disk ({} documents, {} bytes in the log alone)",
                warm.had.documents, warm.had.tail_bytes
            ),
            format!("{:.2} s", warm.updated_seconds),
            warm.updated_seconds <= WARM_SECONDS_MAX,
        ),
    ];
    StoreMeasured { delay_ms, updates, warm, cold, verdicts }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_become_verdicts() {
        let check =
            |alone: f64, crowded: f64, docs: f64, puts: (f64, u64), warm: f64, expected: [bool; 6]| {
                let arm =
                    |clients, p50_ms| StoreLatency { clients, p50_ms, p99_ms: 1e3, updates_per_second: 1.0 };
                let updates = StoreUpdates {
                    alone: arm(1, alone),
                    crowded: arm(64, crowded),
                    docs_per_second: docs,
                    few_puts_per_second: puts.0,
                    idle_puts: puts.1,
                };
                let taken = |updated_seconds| StoreTakeOver {
                    had: StoreTail { documents: 1, tail_bytes: 1 },
                    searched_seconds: 0.1,
                    updated_seconds,
                    bytes_fetched: 0,
                };
                let options = StoreOptions {
                    docs: 1,
                    seed: 1,
                    delay: Duration::from_millis(20),
                    clients: 64,
                    duration: Duration::from_secs(1),
                    tail: 1,
                };
                // A cold one takes as long as its download.
                let measured = store_measured(options, updates, (taken(warm), taken(60.0)));
                let holds: Vec<bool> = measured.verdicts.iter().map(|verdict| verdict.holds).collect();
                assert_eq!(holds, expected, "{:?}", measured.verdicts);
            };
        check(45.0, 60.0, 10_000.0, (10.0, 0), 2.0, [true; 6]);
        check(45.1, 60.1, 9_999.0, (10.1, 1), 2.1, [false; 6]);
    }
}
