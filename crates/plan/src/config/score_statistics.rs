//! Whose statistics scores are by, where a collection has several shards: Solr's `<statsCache>`. Owns the two
//! choices and the names of Solr's classes for them; `solr` reads the element, a search plan carries the
//! choice, and whether statistics are gathered follows from it (`SearchPlan::needs_statistics`).

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ScoreStatistics {
    /// Those of all shards together: scores do not depend on where documents lie. Solr's exact classes, and
    /// what holds here where none is named (ADR 17).
    #[default]
    Collection,
    /// Each shard's own: Solr's default, `LocalStatsCache`.
    Shard,
}

impl ScoreStatistics {
    /// By the name of Solr's class, without its package.
    pub fn of_class(name: &str) -> Option<Self> {
        match name {
            "LocalStatsCache" => Some(Self::Shard),
            "ExactStatsCache" | "ExactSharedStatsCache" | "LRUStatsCache" => Some(Self::Collection),
            _ => None,
        }
    }
}
