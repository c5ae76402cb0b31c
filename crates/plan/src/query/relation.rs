//! Where a facet counts instead of at the documents at hand: documents related to them, above or below in a
//! block, or by values they share. The relations that a query searches by are part of its tree.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::query::tree::{Graph, Query};

/// Documents found by those at hand (the `domain` of a facet).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Move {
    /// Their parents, which are those that match.
    ToParents(Query),
    /// What is below those of them that match, which are parents.
    ToChildren(Query),
    Join {
        /// The collection, where it has shards besides the one that is asked.
        collection: Option<Arc<str>>,
        from: Arc<str>,
        to: Arc<str>,
    },
    Graph(Graph),
}

impl Move {
    /// Whether it leads from and to documents of several shards.
    pub fn asks_shards(&self) -> bool {
        match self {
            Self::ToParents(_) | Self::ToChildren(_) => false,
            Self::Join { collection, .. } => collection.is_some(),
            Self::Graph(graph) => graph.collection.is_some(),
        }
    }
}
