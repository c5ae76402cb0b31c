//! `parhelion queries`: what is searched for, by the query log of a server (`docs/queries.md`). It reads
//! files and asks no server: one need not run. In: the files of a data directory, or those that are named;
//! out: a table for eyes or JSON for programs. What the figures mean is `tally`'s.

pub mod tally;

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use comfy_table::{CellAlignment, Table};
use serde_json::json;

use self::tally::{QueryRow, QueryTally};
use crate::output;
use crate::query_log::{LogSource, read_log};

/// For whoever named no log.
const NEXT_STEP: &str = "name the data directory of a server with --data-dir, or a file with --file; a server \
                         keeps one with `--query-log on`";

#[derive(Debug, Args)]
pub struct QueriesArgs {
    #[command(subcommand)]
    command: QueriesCommand,
}

#[derive(Debug, Subcommand)]
enum QueriesCommand {
    /// Queries that are asked most often.
    #[command(after_help = "\
Examples:
  parhelion queries top                              of ./parhelion-data
  parhelion queries top --data-dir ./data -c films   of one collection
  parhelion queries top --limit 100 --json           for programs
  parhelion queries top --file copy.jsonl            of a file of a log")]
    Top(QueryLogSource),
    /// Queries that found nothing, those asked most often first.
    #[command(after_help = "\
Examples:
  parhelion queries zero --data-dir ./data           what people look for in vain
  parhelion queries zero -c films --limit 50         of one collection")]
    Zero(QueryLogSource),
    /// Queries that take longest, by the sum of their time or by their 99th percentile.
    #[command(after_help = "\
Examples:
  parhelion queries slow --data-dir ./data           what takes most of the server's time
  parhelion queries slow --by p99 -c films           what takes people's")]
    Slow {
        #[command(flatten)]
        source: QueryLogSource,
        /// What counts: the time of all searches for a query together, or what 99 of 100 of them take at
        /// most.
        #[arg(long, value_name = "WHAT", value_enum, default_value_t)]
        by: SlowOrder,
    },
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum SlowOrder {
    #[default]
    Total,
    P99,
}

/// Which log, and what of it.
#[derive(Debug, Args)]
struct QueryLogSource {
    /// The data directory of the server.
    #[arg(long, value_name = "DIR", default_value = "parhelion-data", env = "PARHELION_DATA_DIR")]
    data_dir: PathBuf,
    /// Read this file of a query log instead; may repeat.
    #[arg(long, value_name = "FILE")]
    file: Vec<PathBuf>,
    /// Only searches of this collection.
    #[arg(short, long, value_name = "NAME", env = "PARHELION_COLLECTION")]
    collection: Option<String>,
    /// Show this many queries.
    #[arg(long, value_name = "COUNT", default_value_t = 20)]
    limit: usize,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub fn run(args: QueriesArgs) -> anyhow::Result<()> {
    match args.command {
        QueriesCommand::Top(source) => show(&source, &read(&source)?.top(source.limit)),
        QueriesCommand::Zero(source) => show(&source, &read(&source)?.zero(source.limit)),
        QueriesCommand::Slow { source, by: SlowOrder::Total } => {
            show(&source, &read(&source)?.longest(source.limit));
        }
        QueriesCommand::Slow { source, by: SlowOrder::P99 } => {
            show(&source, &read(&source)?.slowest(source.limit));
        }
    }
    Ok(())
}

/// Reads the whole log. Says what of it is no line, and what never became one.
fn read(source: &QueryLogSource) -> anyhow::Result<QueryTally> {
    let mut tally = QueryTally::default();
    let mut add = |line| tally.add(line, source.collection.as_deref());
    let mut passed_over = 0;
    for file in &source.file {
        passed_over += read_log(LogSource::File(file), NEXT_STEP, &mut add)?;
    }
    if source.file.is_empty() {
        passed_over += read_log(LogSource::DataDir(&source.data_dir), NEXT_STEP, &mut add)?;
    }
    if passed_over > 0 {
        output::note(&format!("{passed_over} lines are none of a query log and were passed over"));
    }
    if tally.dropped() > 0 {
        output::note(&format!("{} searches were too many for the log and are not counted", tally.dropped()));
    }
    Ok(tally)
}

fn show(source: &QueryLogSource, rows: &[QueryRow]) {
    if source.json {
        output::json(&json!({ "queries": rows }));
    } else if rows.is_empty() {
        output::note("no such searches in the log");
    } else {
        output::line(&overview(rows).to_string());
    }
}

/// A line for each query.
fn overview(rows: &[QueryRow]) -> Table {
    let mut table = output::table();
    table.set_header(["count", "no hits", "total ms", "mean ms", "p99 ms", "collection", "query"]);
    for row in rows {
        let times = [row.total_ms, row.mean_ms, row.p99_ms].map(|ms| format!("{ms:.1}"));
        let counts = [row.count, row.zero_hits].map(|count| count.to_string());
        let texts = [row.collection.clone(), row.shown_query()];
        table.add_row(counts.into_iter().chain(times).chain(texts));
    }
    table.column_iter_mut().take(5).for_each(|column| column.set_cell_alignment(CellAlignment::Right));
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_shown_with_their_filters() {
        let row = QueryRow {
            collection: "films".to_owned(),
            handler: "/select".to_owned(),
            q: Some("solaris".to_owned()),
            fq: vec!["year_i:1972".to_owned()],
            count: 3,
            zero_hits: 1,
            total_ms: 6.0,
            mean_ms: 2.0,
            p99_ms: 4.0,
            max_ms: 4.0,
            last: "2026-11-21T10:00:00.000Z".to_owned(),
        };
        let table = overview(std::slice::from_ref(&row)).to_string();
        assert!(table.contains("solaris") && table.contains("fq=year_i:1972"), "{table}");
        assert_eq!(QueryRow { q: None, fq: vec![], ..row }.shown_query(), "(/select without q)");
    }
}
