//! What this node has of a collection: which of its folders serves it, whether it is to be served at all, and
//! which folders are no longer needed. One document a collection, apart from the shared truth, which says
//! which edition of the documents is the right one. Where the two differ after a crash, the shared truth
//! decides.
//!
//! Nothing is removed for being unknown: what goes was written down here first.

use serde::{Deserialize, Serialize};

use crate::collection_documents::{CollectionDocument, FIRST_SHARD};

/// Whether a collection is served, and what is under way with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum PlacementState {
    /// Its documents are being made; without a collection in the shared truth it never came to be.
    Creating,
    #[default]
    Served,
    /// Its files wait until it is asked for again.
    Unloaded,
    /// It is being deleted; while the shared truth has it, it was not.
    Removing,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Placement {
    pub state: PlacementState,
    /// Of the collection that is meant: one made later under the same key is another.
    pub created_ms: i64,
    /// The same once the collection is another without its documents, while that is under way: both are
    /// meant.
    #[serde(default)]
    pub becomes_ms: Option<i64>,
    /// The edition of the documents that are served, by which their folders are called.
    pub shard: String,
    /// The edition that a rebuild makes.
    #[serde(default)]
    pub building: Option<String>,
    /// Folders that nobody needs any more.
    #[serde(default)]
    pub discarded: Vec<String>,
}

impl Placement {
    /// With the first edition of the collection's documents.
    pub fn new(collection: &CollectionDocument, state: PlacementState) -> Self {
        let shard = FIRST_SHARD.to_owned();
        Self { state, created_ms: collection.created_ms, shard, ..Self::default() }
    }

    /// Whether it is this collection's.
    pub fn is_of(&self, collection: &CollectionDocument) -> bool {
        [Some(self.created_ms), self.becomes_ms].contains(&Some(collection.created_ms))
    }

    /// Follows the shared truth: a rebuild that was accepted there is served, one that was not is given up.
    pub fn settle(&mut self, collection: &CollectionDocument, edition: &str) {
        let accepted = self.building.as_deref() == Some(edition);
        let given_up = self.building.take().filter(|_| !accepted);
        // Where an edition came from elsewhere, what was served until then is not this node's to remove.
        let replaced = accepted.then(|| self.shard.clone());
        let gone = given_up.iter().chain(&replaced).flat_map(|edition| collection.folders(edition));
        self.discarded.extend(gone);
        edition.clone_into(&mut self.shard);
        let served = collection.folders(edition);
        self.discarded.retain(|folder| !served.contains(folder));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routing::ShardDocument;

    #[test]
    fn the_shared_truth_decides() {
        let mut collection = CollectionDocument::default();
        let check = |(shard, building): (&str, Option<&str>), edition: &str, discarded: &[&str]| {
            let mut placement = Placement {
                shard: shard.to_owned(),
                building: building.map(str::to_owned),
                ..Placement::default()
            };
            placement.settle(&collection, edition);
            assert_eq!((&*placement.shard, placement.building), (edition, None));
            assert_eq!(placement.discarded, discarded);
        };
        check(("shard1", None), "shard1", &[]);
        check(("shard1", Some("shard-2")), "shard1", &["shard-2"]);
        check(("shard1", Some("shard-2")), "shard-2", &["shard1"]);
        check(("shard1", Some("shard-2")), "shard-3", &["shard-2"]);
        check(("shard1", None), "shard-3", &[]);
        collection.shards =
            ["shard1", "b"].map(|name| ShardDocument { name: name.to_owned(), ..shard() }).to_vec();
        let mut placement = Placement {
            shard: "shard1".to_owned(),
            building: Some("shard-2".to_owned()),
            ..Placement::default()
        };
        placement.settle(&collection, "shard-2");
        assert_eq!(placement.discarded, ["shard1", "shard1_b"]);
    }

    fn shard() -> ShardDocument {
        ShardDocument { name: String::new(), core: String::new(), node_number: 0, range: None }
    }
}
