//! Which of a collection's shards a request means, as it says itself. `solr` reads it off the parameters,
//! `cluster` finds the shards, since only it knows their names and ranges.

/// What of its collection a request asks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ShardChoice {
    /// All of it.
    #[default]
    All,
    /// The shard whose core was addressed, without the others (Solr's `distrib=false`).
    Addressed,
    /// Shards of these names (Solr's `shards`).
    Named(Vec<String>),
    /// Those that may have documents with these routes, separated by commas (Solr's `_route_`).
    Routed(String),
}
