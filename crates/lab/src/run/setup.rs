//! What every experiment begins and ends with: both sides and the facts of the caller; the corpus indexed;
//! the manifest; the run with its conclusions. `search`, `containers`, `solrj` and `keepalive` are made of
//! it.

use std::sync::Arc;

use super::conclude::{means, verdicts};
use super::index::{self, Batches, Feed, Indexed};
use super::options::RunOptions;
use super::record::{CaseRecord, FORMAT, Host, Manifest, Run, ServerFacts, Skipped};
use super::watch::Watch;
use crate::checksum::Checksum;
use crate::error::Error;
use crate::side::Side;
use crate::workload::{Claim, Workload};

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

pub(super) async fn index_all(
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

pub(super) async fn manifest(
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

/// The run from its parts, with what can be concluded of them.
pub(super) fn finish(
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
