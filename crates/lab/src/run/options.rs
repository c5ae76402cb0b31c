//! What a run was asked to do: all that `replay` needs to do it again. Kept in the record as it is; an option
//! that older records lack has a default. Filled from the command line, or read back from a report by `lab
//! replay`.

use serde::{Deserialize, Serialize};

use crate::load::Arrivals;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunOptions {
    pub workload: String,
    pub docs: u64,
    pub seed: u64,
    pub url: String,
    pub peer: Option<String>,
    pub collection: String,
    /// Cases to run; all when empty.
    pub cases: Vec<String>,
    /// Connections of closed loops; each number is an arm of its own.
    pub connections: Vec<usize>,
    pub open: Open,
    pub pairs: usize,
    pub slice_ms: u64,
    /// After this long a warm-up ends even with a trend, and the report says so.
    pub warm_ms_max: u64,
    /// Whether caches may answer. Otherwise every query and filter carries `cache=false`.
    pub cached: bool,
    /// Whether to index first; else the corpus of an earlier run is there.
    pub index: bool,
    #[serde(default)]
    pub paths: Paths,
}

/// What of our server the `containers` workload compares, as paths with their queries; an endpoint without
/// one is measured on the containers alone.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Paths {
    /// Answers an empty 200.
    pub noop: Option<String>,
    /// Answers the same JSON each time; the containers serve its very bytes.
    pub json: Option<String>,
}

/// The open-loop arms.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Open {
    /// Requests a second; each number is an arm.
    pub per_second: Vec<f64>,
    /// Also these shares of the higher of the two peaks that the closed loops found: a throughput-latency
    /// curve.
    pub peak_shares: Vec<f64>,
    pub arrivals: Arrivals,
    pub connections: usize,
}

impl RunOptions {
    pub fn wants(&self, case: &str) -> bool {
        self.cases.is_empty() || self.cases.iter().any(|wanted| wanted == case)
    }
}
