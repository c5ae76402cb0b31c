//! The engine in process, without HTTP, on one thread: our side of the comparison whose other side is Lucene
//! (`crates/lab/lucene`, whose README has the files' formats). Indexes a corpus into one segment, answers
//! every query in every mode with caches off, and writes one line of results for each.
//!
//! `cargo run --release -p engine --example in_process -- CORPUS QUERIES RESULTS`; the index is kept beside
//! the corpus and taken up again. A page's ids are read too, which Lucene's side leaves out of its time.

mod case;
mod index;
mod stopwatch;

use std::error::Error;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use case::{Case, Mode};
use cluster::search_shards;
use engine::Shard;
use meter::Meters;
use plan::SearchPlan;
use stopwatch::Times;

#[allow(clippy::print_stderr, reason = "progress of a program of its own")]
fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1).map(PathBuf::from);
    let mut next = || arguments.next().ok_or("give three files: CORPUS QUERIES RESULTS");
    let (corpus, queries, results) = (next()?, next()?, next()?);
    let shard = index::open(&corpus)?;
    let mut out = std::fs::File::create(results)?;
    for line in std::fs::read_to_string(queries)?.lines() {
        let case = Case::read(line)?;
        for mode in case.modes() {
            let row = measure(&shard, &case, mode)?;
            writeln!(out, "{row}")?;
            eprintln!("{:<36} {:<18} {:>9} {:>10}", case.name(), mode.name(), row["hits"], row["cpu_us"]);
        }
    }
    Ok(())
}

/// One line of results.
fn measure(shard: &Shard, case: &Case, mode: Mode) -> Result<serde_json::Value, Box<dyn Error>> {
    let plan: SearchPlan = case.plan(mode)?;
    // The exact number, whatever the mode counts.
    let search = |plan: &SearchPlan| search_shards(&[Arc::new(shard.pin())], plan, &Meters::default());
    let exact = search(&SearchPlan { count_enough: None, ..plan.clone() })?;
    let times: Times = stopwatch::time(|| search(&plan).map(drop))?;
    let mut row = serde_json::json!({
        "class": case.class(),
        "name": case.name(),
        "mode": mode.name(),
        "hits": exact.total,
        "median_us": times.quantile_us(0.5),
        "p99_us": times.quantile_us(0.99),
        "cpu_us": times.cpu_us,
        "n": times.calls(),
    });
    let found = search(&plan)?;
    if let Some(facet) = found.facets.fields.first() {
        row["top"] =
            facet.counts.iter().map(|(value, count)| serde_json::json!([value.to_text(), count])).collect();
    } else if mode != Mode::Count {
        row["top"] = found.hits.iter().map(|hit| serde_json::json!(hit.id)).collect();
    }
    Ok(row)
}
