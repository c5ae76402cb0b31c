//! Data folders of earlier releases: what they said otherwise is said as today, once, before anything else is
//! read. Each step can be repeated, so that a crash in between costs nothing.
//!
//! Release 0.1 kept an unloaded core under `unloaded.json` instead of `collection.json`, and had no
//! placements: which folder is served stood in the schema alone, where it still stands, so that the earlier
//! release finds it too.

use plan::Result;

use crate::catalog::{Catalog, path};
use crate::collection_documents::CollectionDocument;
use crate::placement::{Placement, PlacementState};

/// As release 0.1 marked a core that is not served. Where both documents were, the collection was served.
const UNLOADED: &str = "unloaded.json";

pub(crate) fn upgrade(catalog: &Catalog) -> Result<()> {
    catalog.keys()?.iter().try_for_each(|key| take_over_unloaded(catalog, key))
}

fn take_over_unloaded(catalog: &Catalog, key: &str) -> Result<()> {
    let document = path(key, UNLOADED);
    let Some(unloaded) = catalog.shared.get::<CollectionDocument>(&document)? else { return Ok(()) };
    if catalog.collection(key)?.is_none() {
        // Another edition than the first is found when it is loaded.
        let placement = Placement::new(&unloaded.value, PlacementState::Unloaded);
        catalog.put_placement(key, &placement)?;
        catalog.create_collection(&unloaded.value)?;
    }
    catalog.shared.remove(&document)
}
