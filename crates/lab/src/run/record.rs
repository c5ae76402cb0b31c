//! The one value a run becomes: printed as a table, written as JSON, drawn as HTML, and read back by
//! `replay`. Holds raw data (each slice, each histogram) beside what was computed from it. Computing is
//! `conclude.rs`, tables and charts are `report/`.

use serde::{Deserialize, Serialize};

use super::options::RunOptions;
use crate::load::Shape;
use crate::statistics::Interval;
use crate::workload::Claim;

/// Changes when an older reader would misread a newer record.
pub const FORMAT: &str = "parhelion-lab/1";

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Run {
    pub format: String,
    pub manifest: Manifest,
    pub indexing: Vec<Indexing>,
    /// `None` without a peer.
    #[serde(default)]
    pub indexing_ratio: Option<IndexingRatio>,
    pub cases: Vec<CaseRecord>,
    pub skipped: Vec<Skipped>,
    pub means: Vec<Mean>,
    pub verdicts: Vec<Verdict>,
}

/// What it takes to repeat a run and to judge whether the repetition is comparable.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Manifest {
    pub options: RunOptions,
    pub command: String,
    /// ISO-8601 in UTC.
    pub started: String,
    /// Of this program.
    pub version: String,
    pub commit: Option<String>,
    pub corpus_checksum: Option<String>,
    pub host: Host,
    pub ours: Option<ServerFacts>,
    pub peer: Option<ServerFacts>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Host {
    pub name: String,
    pub kernel: String,
    pub cpu: String,
    pub cores: usize,
    pub memory_bytes: u64,
    /// The three averages when the run began: what else the machine was doing.
    pub load_average: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ServerFacts {
    pub url: String,
    pub version: String,
    /// Resident memory after the run.
    pub resident_bytes: Option<u64>,
    /// Of the collection's first core: two indexes of the same documents are equally fast only in as many
    /// parts. Absent where the server does not say, and in records of before 2026-11.
    #[serde(default)]
    pub segments: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Whose {
    Ours,
    Peer,
}

/// The sum of a side's slices.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Indexing {
    pub whose: Whose,
    pub docs: u64,
    pub seconds: f64,
    pub docs_per_second: f64,
    pub server_cpu_seconds: Option<f64>,
    pub docs_per_cpu_second: Option<f64>,
    pub generator_cpu_seconds: Option<f64>,
    #[serde(default)]
    pub slices: Vec<IndexingSlice>,
}

/// One part of the corpus.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct IndexingSlice {
    pub docs: u64,
    /// From the first request to the end of the commit.
    pub seconds: f64,
    /// Until the server rests.
    pub server_cpu_seconds: Option<f64>,
    pub generator_cpu_seconds: Option<f64>,
}

/// Ours against the peer, over pairs of slices.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct IndexingRatio {
    /// Our documents a second divided by the peer's.
    pub throughput: Option<Interval>,
    /// The peer's CPU time a document divided by ours.
    pub cpu: Option<Interval>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CaseRecord {
    pub name: String,
    pub about: String,
    /// Found by the first question.
    pub hits: Option<u64>,
    pub questions: usize,
    pub agreement: Agreement,
    /// Empty where the answers disagree.
    pub arms: Vec<Arm>,
}

/// Whether the answers were right before anything was timed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Agreement {
    /// This many questions had the generator's counts and, where there is a peer, its counts and facets; its
    /// hits too, unless scores are not comparable because one side scores by shard.
    Equal { questions: usize, hits: bool },
    /// The case is void and was not timed.
    Void { reason: String },
}

/// One shape of load on one case.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Arm {
    pub shape: Shape,
    pub ours: Option<Figures>,
    pub peer: Option<Figures>,
    /// Our throughput divided by the peer's, over the pairs; closed loop only, as an open loop sets the
    /// throughput.
    pub ratio: Option<Interval>,
    /// The peer's CPU time a request divided by ours.
    pub cpu_ratio: Option<Interval>,
    /// The peer's 99th percentile divided by ours.
    pub p99_ratio: Option<Interval>,
    /// Why the arm does not count; empty when it does.
    pub void: Vec<String>,
}

/// What one side did under one shape of load.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Figures {
    pub requests: u64,
    pub errors: u64,
    pub per_second: f64,
    pub p50_us: f64,
    pub p90_us: f64,
    pub p99_us: f64,
    pub p999_us: f64,
    pub max_us: f64,
    /// Server CPU time.
    pub cpu_us_per_request: Option<f64>,
    /// Of all cores of the machine.
    pub generator_cpu_share: Option<f64>,
    /// How late the generator itself was; open loop only.
    pub lag_p999_us: Option<f64>,
    pub warm_up: WarmUp,
    pub slices: Vec<Slice>,
    /// (upper bound in µs, answers), 100 bounds a decade, those without answers left out.
    pub histogram: Vec<(f64, u64)>,
}

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct WarmUp {
    pub seconds: f64,
    /// False when the time was up before the trend was gone.
    pub settled: bool,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Slice {
    pub seconds: f64,
    pub requests: u64,
    pub p50_us: f64,
    pub p99_us: f64,
    pub server_cpu_seconds: Option<f64>,
    pub generator_cpu_seconds: Option<f64>,
}

/// A case that one side does not answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skipped {
    pub case: String,
    pub reason: String,
}

/// Geometric means over the cases that count.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Mean {
    pub connections: usize,
    pub cases: usize,
    pub ratio: Option<f64>,
    pub cpu_ratio: Option<f64>,
    /// Of `cpu_ratio`, from the pairs of all these cases.
    #[serde(default)]
    pub cpu_bounds: Option<Interval>,
}

/// A claim, and what this run says of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Verdict {
    pub claim: Claim,
    pub now: String,
    /// `None` when this run cannot tell.
    pub met: Option<bool>,
}

impl Run {
    /// Arms of one shape, by case.
    pub fn arms(&self) -> impl Iterator<Item = (&CaseRecord, &Arm)> {
        self.cases.iter().flat_map(|case| case.arms.iter().map(move |arm| (case, arm)))
    }
}

impl Arm {
    pub fn counts(&self) -> bool {
        self.void.is_empty()
    }

    /// Connections of a closed loop; `None` for an open one.
    pub fn closed(&self) -> Option<usize> {
        match self.shape {
            Shape::Closed { connections } => Some(connections),
            Shape::Open { .. } => None,
        }
    }
}
