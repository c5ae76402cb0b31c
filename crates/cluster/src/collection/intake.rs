//! Documents of other collections that come into one: whole (`MERGEINDEXES`) or by the hash of their ids
//! (`SPLIT`). It is a rebuild that takes in more than was there: searches see the old index until the new one
//! is whole and on disk, updates go on meanwhile, and a crash leaves what was there. The sources are only
//! read.

use std::sync::Arc;

use plan::{Error, Result};

use super::Collection;
use crate::node::Node;
use crate::offload;

/// What comes from one collection.
pub struct Intake {
    pub(super) from: Arc<Collection>,
    /// Of a document's id, or that of its block's root.
    pub(super) wanted: Box<dyn Fn(&str) -> bool + Send + Sync>,
}

impl Intake {
    pub fn new(from: Arc<Collection>, wanted: impl Fn(&str) -> bool + Send + Sync + 'static) -> Self {
        Self { from, wanted: Box::new(wanted) }
    }
}

impl Collection {
    /// Takes documents in, in place of those with their ids; what is updated here meanwhile comes after.
    /// Errors: `Conflict` while a rebuild is running, `BadRequest` for a value that the schema cannot hold.
    pub async fn take_in(self: &Arc<Self>, node: &Arc<Node>, intakes: Vec<Intake>) -> Result<()> {
        if self.shard_documents().len() > 1 && !self.router().places_by_id() {
            let message = format!(
                "cannot tell which shards of `{}` documents from elsewhere belong to; send them as updates",
                self.name()
            );
            return Err(Error::bad_request(message));
        }
        let (collection, node) = (self.clone(), node.clone());
        let work = move || {
            collection.claim_rebuild(&node)?;
            let result = collection.rebuild_taking_in(&node, intakes);
            collection.note_end(&node, result.as_ref().err().map(|error| error.message.clone()));
            result
        };
        offload::update(work).await?
    }
}
