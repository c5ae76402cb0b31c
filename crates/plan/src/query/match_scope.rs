//! What has to stay the same for a query's matches to stay the same: by it answers are kept.

/// What the documents that a query matches in a segment hang on, from the least to the most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MatchScope {
    /// The segment alone, which never changes.
    Segment,
    /// Other segments too, their statistics or which documents live: all of it the same in one snapshot.
    Snapshot,
    /// Another collection.
    Collections,
}
