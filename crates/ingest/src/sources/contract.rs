//! What a source is to the runs that read it: snapshots cut into ranges, pages behind a cursor, rows by key;
//! and the error that says what to do about one that failed. The kinds of sources are written against it. A
//! run asks a source for ranges once, then for pages, each behind the last; it never holds more than one page
//! of a range. Where a run stands is kept by the run (`mass/state.rs`), not by the source.

use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};

use crate::record::{Record, Rejected};

/// What to do about a source that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceErrorKind {
    /// Try again later: it is away, or ended the conversation.
    Unavailable,
    /// Mend the file, or the source: a column is gone, a query is wrong, a password is missing.
    Refused,
    /// Changes were missed for good: index everything anew.
    Lost,
}

/// The message says which source, and the next step.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct SourceError {
    pub kind: SourceErrorKind,
    pub message: String,
}

/// Keys above `after` up to and including `upto`; `None` is open. What a key's order is, the source knows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyRange {
    pub after: Option<String>,
    pub upto: Option<String>,
}

/// Some rows in the order of their keys, and where to go on.
#[derive(Clone, Debug, Default)]
pub struct Page {
    pub records: Vec<Record>,
    pub rejected: Vec<Rejected>,
    /// Reading goes on behind this.
    pub cursor: String,
    /// Of the source's [`bytes`](Snapshot::bytes), those that this page was read from.
    pub bytes: u64,
}

pub trait Source: Send + Sync {
    fn name(&self) -> &str;

    /// What cursors depend on: with another, an earlier one leads elsewhere. `None` where a cursor is a key,
    /// which means the same whatever changes around it.
    fn revision(&self) -> BoxFuture<'_, Result<Option<String>, SourceError>> {
        Box::pin(async { Ok(None) })
    }

    /// A state that does not change while it is read, as far as this kind can give one.
    fn snapshot(&self) -> BoxFuture<'_, Result<Box<dyn Snapshot>, SourceError>>;

    /// The rows with these keys as they are now; keys without a row are gone. Kinds that cannot look rows up
    /// refuse.
    fn fetch<'a>(&'a self, keys: &'a [String]) -> BoxFuture<'a, Result<Page, SourceError>>;
}

pub trait Snapshot: Send + Sync {
    /// How many rows there are, for progress and for the count at the end; `None` where only reading tells.
    fn count(&self) -> BoxFuture<'_, Result<Option<u64>, SourceError>>;

    /// How many bytes there are to read, for progress where only reading tells how many rows; `None` where
    /// pages say no bytes.
    fn bytes(&self) -> BoxFuture<'_, Result<Option<u64>, SourceError>> {
        Box::pin(async { Ok(None) })
    }

    /// Ranges that cover all rows once, about `wanted` of them.
    fn ranges(&self, wanted: usize) -> BoxFuture<'_, Result<Vec<KeyRange>, SourceError>>;

    /// The pages of a range, behind `cursor` where there is one.
    fn pages<'a>(
        &'a self,
        range: &'a KeyRange,
        cursor: Option<&'a str>,
    ) -> BoxFuture<'a, Result<Box<dyn Pages>, SourceError>>;
}

pub trait Pages: Send {
    /// The next page; `None` at the end. A page may have no records.
    fn next(&mut self) -> BoxFuture<'_, Result<Option<Page>, SourceError>>;
}

impl SourceError {
    pub fn refused(source: &str, message: impl std::fmt::Display) -> Self {
        Self::of(SourceErrorKind::Refused, source, message)
    }

    pub fn unavailable(source: &str, message: impl std::fmt::Display) -> Self {
        Self::of(SourceErrorKind::Unavailable, source, message)
    }

    pub fn lost(source: &str, message: impl std::fmt::Display) -> Self {
        Self::of(SourceErrorKind::Lost, source, message)
    }

    fn of(kind: SourceErrorKind, source: &str, message: impl std::fmt::Display) -> Self {
        Self { kind, message: format!("source `{source}`: {message}") }
    }
}
