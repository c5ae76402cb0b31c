//! A node that only reads: it takes up the collections that another node owns, and what becomes of them
//! there. Shards follow their owners by themselves; here are collections that come, go, or get another name,
//! schema, configuration or edition, and aliases.
//!
//! What has changed is opened anew beside what is served, which goes on for whoever is at it.

use std::collections::BTreeMap;
use std::sync::Arc;

use plan::{Error, Result};

use super::Node;
use crate::collection::Collection;
use crate::collection_documents::CollectionDocument;

impl Node {
    /// Takes up what has changed since the last time. Blocks. Errors: what could not be taken up, beside what
    /// could; it is tried again the next time.
    pub fn follow(&self) -> Result<(), Vec<Error>> {
        let _changing = self.lock();
        let mut failures = Vec::new();
        let mut served: BTreeMap<String, Arc<Collection>> =
            self.list().into_iter().map(|it| (it.entry().key().to_owned(), it)).collect();
        match self.catalog.state() {
            Ok((_, state)) => self.adopt_state(state),
            Err(error) => failures.push(error),
        }
        let keys = self.catalog.shared_keys().unwrap_or_else(|error| {
            failures.push(error);
            // Nobody knows what is gone.
            served.clear();
            Vec::new()
        });
        for key in keys {
            let known = served.remove(&key);
            if let Err(error) = self.follow_collection(&key, known) {
                failures.push(error.context(format!("collection `{key}`: ")));
            }
        }
        served.values().for_each(|gone| self.give_up(gone));
        if failures.is_empty() { Ok(()) } else { Err(failures) }
    }

    fn follow_collection(&self, key: &str, known: Option<Arc<Collection>>) -> Result<()> {
        let document = self.catalog.collection(key)?;
        match (document, known) {
            (Some(document), Some(known)) if self.is_as_served(&document, &known)? => {}
            (Some(document), known) => {
                let opened = self.load(&document)?;
                self.replace(known.as_ref(), opened);
                known.iter().for_each(close);
            }
            (None, known) => known.iter().for_each(|known| self.give_up(known)),
        }
        Ok(())
    }

    fn is_as_served(&self, document: &CollectionDocument, served: &Collection) -> Result<bool> {
        let key = document.key();
        let schema = self.catalog.schema(key)?.value;
        let config = self.catalog.config(key)?;
        Ok(*served.entry() == *document
            && served.versioned_schema().version == schema.version
            && served.edition() == schema.edition()
            && served.versioned_config().version == config.version)
    }

    fn give_up(&self, collection: &Arc<Collection>) {
        self.leave(collection);
        close(collection);
    }
}

/// A reader has nothing to lose by it.
fn close(collection: &Arc<Collection>) {
    let _ = collection.close();
}
