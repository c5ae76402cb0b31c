//! The query log on the disk: one JSON line a search, in files of bounded size below `logs/queries` of the
//! data directory (`docs/queries.md`). `line` is the form of a line, `files` where lines go and what is
//! removed, `writer` the thread between requests and files; `lines` reads a file again, and `reading` a whole
//! log, for `parhelion queries` and `parhelion advise`. What a record holds is `http`'s to say.

mod files;
mod line;
mod lines;
mod reading;
mod writer;

use std::path::{Path, PathBuf};

use clap::Args;

pub use line::{QueryLine, SearchLine};
pub use reading::{LogSource, read_log};
pub use writer::QueryLogWriter;

/// Where a data directory has its query log.
pub fn folder_in(data_dir: &Path) -> PathBuf {
    data_dir.join("logs").join("queries")
}

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Query log")]
pub struct QueryLogArgs {
    /// Whether to keep a log of all searches below the data directory, for `parhelion queries`.
    #[arg(long, value_name = "WHETHER", value_enum, default_value_t, env = "PARHELION_QUERY_LOG")]
    pub query_log: QueryLogSwitch,
    /// How much of the disk it may take; its oldest lines go first.
    #[arg(long, value_name = "MIB", default_value_t = 64, env = "PARHELION_QUERY_LOG_MAX_MB", value_parser = clap::value_parser!(u32).range(1..))]
    pub query_log_max_mb: u32,
    /// Leave these parameters out of it. Values of names with `password`, `secret`, `token`, `credential` or
    /// `apikey` in them never stand there.
    #[arg(long, value_name = "NAME", env = "PARHELION_QUERY_LOG_DROP", value_delimiter = ',')]
    pub query_log_drop: Vec<String>,
}

/// Whether there is a query log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum QueryLogSwitch {
    On,
    /// Until whoever runs the server decides: it holds what people typed.
    #[default]
    Off,
}
