//! The one pipeline of all workloads: index both sides, compare answers, warm up, measure in pairs, conclude.
//! Each step is a file beside this one, and so is each experiment that goes another way (`containers`,
//! `solrj`, `keepalive`); the result is a [`Run`], which the reports draw and `replay` reads.

mod compare;
pub(crate) mod conclude;
mod containers;
mod figures;
mod host;
pub(crate) mod index;
mod keepalive;
mod measure;
mod options;
mod prepare;
mod record;
mod setup;
mod solrj;
mod timing;
mod warm;
mod watch;

use std::sync::Arc;
use std::time::Instant;

pub(crate) use figures::buckets;
use host::host;
pub use options::{Open, Paths, RunOptions};
pub use record::{
    Agreement, Arm, CaseRecord, FORMAT, Figures, Host, Indexing, IndexingRatio, IndexingSlice, Manifest,
    Mean, Run, ServerFacts, Skipped, Slice, Verdict, WarmUp, Whose,
};
pub use setup::{Origin, Setup};
use setup::{finish, index_all, manifest};
pub use watch::{Silent, Watch};

use crate::error::Error;
use crate::side::Side;
use crate::workload::{self, Workload};

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
