//! Figures of a run, for JSON and for the table that the command line prints.

use serde::Serialize;

#[derive(Clone, Copy, Debug, Serialize)]
pub struct IndexFigures {
    pub docs: u64,
    /// From the first request to the end of the final commit.
    pub seconds: f64,
    pub docs_per_second: f64,
}

#[derive(Clone, Copy, Debug, Serialize)]
pub struct LoadFigures {
    pub requests: u64,
    pub per_second: f64,
    pub p50_us: u64,
    pub p99_us: u64,
}

/// One query under one number of connections: ours, and the peer's where there is one.
#[derive(Clone, Debug, Serialize)]
pub struct QueryRow {
    pub query: &'static str,
    pub hits: u64,
    pub connections: usize,
    pub ours: LoadFigures,
    pub peer: Option<LoadFigures>,
    /// Median of ours/peer throughput over the pairs.
    pub ratio: Option<f64>,
}

#[derive(Clone, Debug, Serialize)]
pub struct FruitReport {
    pub workload: &'static str,
    pub docs: u64,
    pub url: String,
    pub peer: Option<String>,
    pub indexing: Option<IndexFigures>,
    pub peer_indexing: Option<IndexFigures>,
    pub rows: Vec<QueryRow>,
    /// Geometric mean of the ratios for each number of connections.
    pub ratio_means: Vec<(usize, f64)>,
}

impl FruitReport {
    /// Fills `ratio_means` from the rows.
    pub fn summarise(&mut self) {
        let mut connections: Vec<usize> = self.rows.iter().map(|row| row.connections).collect();
        connections.dedup();
        self.ratio_means =
            connections.into_iter().filter_map(|count| Some((count, self.ratio_mean(count)?))).collect();
    }

    fn ratio_mean(&self, connections: usize) -> Option<f64> {
        let rows = self.rows.iter().filter(|row| row.connections == connections);
        let logs: Vec<f64> = rows.filter_map(|row| row.ratio).map(f64::ln).collect();
        (!logs.is_empty()).then(|| (logs.iter().sum::<f64>() / logs.len() as f64).exp())
    }
}
