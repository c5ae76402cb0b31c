//! The one pipeline of all workloads: index both sides, compare answers, warm up, measure in pairs, conclude.
//! Each step is a file beside this one; the result is a [`Run`], which the reports draw and `replay` reads.

mod compare;
mod conclude;
mod containers;
mod figures;
mod host;
pub(crate) mod index;
mod keepalive;
mod measure;
mod options;
mod prepare;
mod record;
mod solrj;
mod timing;
mod warm;
mod watch;

use std::sync::Arc;
use std::time::Instant;

pub(crate) use conclude::{means, verdicts};
pub(crate) use figures::buckets;
use host::host;
use index::{Batches, Feed, Indexed};
pub use options::{Open, Paths, RunOptions};
pub use record::{
    Agreement, Arm, CaseRecord, FORMAT, Figures, Host, Indexing, IndexingRatio, IndexingSlice, Manifest,
    Mean, Run, ServerFacts, Skipped, Slice, Verdict, WarmUp, Whose,
};
pub use watch::{Silent, Watch};

use crate::checksum::Checksum;
use crate::error::Error;
use crate::side::Side;
use crate::workload::{self, Claim, Workload};

/// A run about to begin: what was asked for, both sides, and what only the caller knows.
pub struct Setup {
    pub options: RunOptions,
    pub ours: Side,
    pub peer: Option<Side>,
    pub origin: Origin,
}

/// Facts for the manifest that the lab does not look up itself.
#[derive(Clone, Debug)]
pub struct Origin {
    /// As typed.
    pub command: String,
    /// ISO-8601 in UTC.
    pub started: String,
    pub version: String,
    pub commit: Option<String>,
}

/// Runs the whole pipeline.
pub async fn run(setup: Setup, watch: Arc<dyn Watch>) -> Result<Run, Error> {
    match setup.options.workload.as_str() {
        "containers" => containers::run(setup, watch).await,
        "solrj" => solrj::run(setup, watch).await,
        "keepalive" => keepalive::run(setup, watch).await,
        _ => search(setup, watch).await,
    }
}

/// A workload of documents and questions.
async fn search(setup: Setup, watch: Arc<dyn Watch>) -> Result<Run, Error> {
    let Setup { options, ours, peer, origin } = setup;
    let workload = workload::by_name(&options.workload, options.docs, options.seed)?;
    let host = host();
    let indexed = index_all(&options, &workload, [Some(&ours), peer.as_ref()], &watch).await?;
    for side in [Some(&ours), peer.as_ref()].into_iter().flatten() {
        make_ready(side, &*workload, &*watch).await?;
    }
    watch.note("comparing answers");
    let prepared = prepare::prepare(&options, &*workload, &ours, peer.as_ref()).await?;
    let sides = [Some(ours), peer];
    let (timed_options, timed_sides, cores) = (options.clone(), sides.clone(), host.cores);
    let timed = tokio::task::spawn_blocking(move || {
        let sides = timed_sides.each_ref().map(Option::as_ref);
        timing::time_all(&timed_options, cores, prepared, sides, &*watch)
    });
    let (cases, skipped) = timed.await.map_err(|error| Error::Task(error.to_string()))??;
    let [ours, peer] = sides.each_ref().map(Option::as_ref);
    let checksum = indexed.as_ref().map(|indexed| indexed.checksum);
    let manifest = manifest(options, origin, host, checksum, [ours, peer]).await;
    Ok(finish(manifest, indexed, cases, skipped, &workload.claims()))
}

/// What the workload wants done when its corpus is in.
async fn make_ready(side: &Side, workload: &dyn Workload, watch: &dyn Watch) -> Result<(), Error> {
    let Some(preparation) = workload.preparation() else { return Ok(()) };
    let (path, started) = (format!("{}/{}", side.collection, preparation.handler), Instant::now());
    side.client.get(&path, &preparation.params).await?.ok()?;
    let seconds = started.elapsed().as_secs_f64();
    watch.note(&format!("{} of {} took {seconds:.1} s", preparation.about, side.url()));
    Ok(())
}

/// The run from its parts, with what can be concluded of them.
fn finish(
    manifest: Manifest,
    indexed: Option<Indexed>,
    cases: Vec<CaseRecord>,
    skipped: Vec<Skipped>,
    claims: &[Claim],
) -> Run {
    let (means, verdicts) = (means(&cases, manifest.options.seed), verdicts(claims, &cases));
    let indexing_ratio = indexed.as_ref().and_then(|indexed| indexed.ratio);
    let indexing = indexed.map(|indexed| indexed.rows).unwrap_or_default();
    let format = FORMAT.to_owned();
    Run { format, manifest, indexing, indexing_ratio, cases, skipped, means, verdicts }
}

async fn manifest(
    options: RunOptions,
    origin: Origin,
    host: Host,
    checksum: Option<Checksum>,
    [ours, peer]: [Option<&Side>; 2],
) -> Manifest {
    Manifest {
        options,
        command: origin.command,
        started: origin.started,
        version: origin.version,
        commit: origin.commit,
        corpus_checksum: checksum.map(|sum| sum.to_string()),
        host,
        ours: server_facts(ours).await,
        peer: server_facts(peer).await,
    }
}

async fn index_all(
    options: &RunOptions,
    workload: &Arc<dyn Workload>,
    sides: [Option<&Side>; 2],
    watch: &Arc<dyn Watch>,
) -> Result<Option<Indexed>, Error> {
    if !options.index {
        return Ok(None);
    }
    let feed: Arc<dyn Feed> = Arc::new(Batches { workload: workload.clone(), watch: watch.clone() });
    index::index(sides, &feed, (options.pairs, options.seed), watch).await.map(Some)
}

async fn server_facts(side: Option<&Side>) -> Option<ServerFacts> {
    let side = side?;
    let resident_bytes = side.processes.resident_bytes();
    Some(ServerFacts {
        url: side.url().to_string(),
        version: side.version().await,
        resident_bytes,
        segments: side.segments().await,
    })
}
