//! The log, as requests see it: which parts of the program tell how much, and the last of what was worth a
//! warning. The binary, which writes the log, hands it in. Nothing is filtered here: levels are set in the
//! writer, so that what nobody reads costs nothing.

use plan::Result;
use tracing::level_filters::LevelFilter;

/// A part of the program, by the name that its lines bear.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Logger {
    /// `root` is what no other names.
    pub name: String,
    pub level: LevelFilter,
    /// Whether the level was chosen for it.
    pub is_set: bool,
}

/// A line of the log that is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogRecord {
    pub time_ms: i64,
    pub level: tracing::Level,
    pub logger: String,
    pub message: String,
}

/// The log's levels and its last lines.
pub trait Logs: Send + Sync {
    /// `root` first, then by name.
    fn loggers(&self) -> Vec<Logger>;
    /// Chooses a level, at once, or goes back to that of what is above. Errors: `BadRequest` for a name that
    /// is none.
    fn set(&self, logger: &str, level: Option<LevelFilter>) -> Result<()>;
    /// Lines that are kept, oldest first.
    fn records(&self) -> Vec<LogRecord>;
    /// From which level on lines are kept.
    fn set_threshold(&self, level: LevelFilter);
    /// How many are kept.
    fn kept_max(&self) -> usize;
}

/// Of a server that nobody gave a log.
pub(crate) struct NoLogs;

impl Logs for NoLogs {
    fn loggers(&self) -> Vec<Logger> {
        vec![Logger { name: ROOT.to_owned(), level: LevelFilter::current(), is_set: true }]
    }

    fn set(&self, logger: &str, _: Option<LevelFilter>) -> Result<()> {
        Err(plan::Error::bad_request(format!(
            "the level of `{logger}` cannot be changed: this server has no log"
        )))
    }

    fn records(&self) -> Vec<LogRecord> {
        vec![]
    }

    fn set_threshold(&self, _: LevelFilter) {}

    fn kept_max(&self) -> usize {
        0
    }
}

/// Solr's name for what no other logger names.
pub const ROOT: &str = "root";
