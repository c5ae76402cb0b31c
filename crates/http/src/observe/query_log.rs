//! The query log, as requests see it: a record of each search, given to whoever keeps them. What a record
//! holds is said here; `handlers` fill it once a search is done, and the binary, which hands the log in,
//! writes it elsewhere and later (`docs/queries.md`). A kept answer brings the search along that it was the
//! answer to.

use std::sync::Arc;
use std::time::Duration;

/// Takes records of searches. Nothing here may wait: it is called on a request's way.
pub trait QueryLog: Send + Sync {
    /// Takes a record, or drops and counts it where there are too many.
    fn note(&self, record: &QueryRecord);
    fn figures(&self) -> QueryLogFigures;
}

/// What a query log says of itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueryLogFigures {
    /// What it takes on the disk.
    pub bytes: u64,
    /// Records since the start.
    pub written: u64,
    /// Those that were too many, or that the disk did not take.
    pub dropped: u64,
}

/// What was searched, whoever asked and whenever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedSearch {
    /// Collection, handler and parameters as members of a JSON object, without its braces, as
    /// [`solr::query_log::logged_search`] writes them.
    pub members: Vec<u8>,
    /// `None`: the search failed, or its handler finds no documents.
    pub hits: Option<u64>,
}

impl LoggedSearch {
    /// What it takes of the memory, more or less.
    pub fn bytes(&self) -> usize {
        size_of::<Self>() + self.members.capacity()
    }
}

/// One search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryRecord {
    /// When it came in, in milliseconds since 1970.
    pub time_ms: i64,
    pub search: Arc<LoggedSearch>,
    /// Of the answer.
    pub status: u16,
    /// Whether its answer was kept from an earlier one.
    pub was_kept: bool,
    /// Until the answer was ready to be sent.
    pub elapsed: Duration,
    /// Who asked, where users log in.
    pub user: Option<String>,
}
