//! The versions of all living documents in one number: what tells whether a copy has what its leader has. In:
//! a bound of versions; out: `plan::partial::IndexFingerprint`. It reads one column of each segment.

use plan::partial::IndexFingerprint;
use plan::{Result, Version};

use super::Shard;

impl Shard {
    /// Of all that is applied, committed or not; shows nobody else anything.
    pub fn fingerprint(&self, up_to: Version) -> Result<IndexFingerprint> {
        // On a line of its own, so that the state is free again before what is applied asks for it.
        let is_current = self.core.is_current(&self.core.state());
        let snapshot = if is_current { self.snapshot() } else { self.core.applied()? };
        let mut made = IndexFingerprint { max_doc: snapshot.max_doc(), ..IndexFingerprint::default() };
        for view in snapshot.segments() {
            let column = view.versions()?;
            // Each document has one.
            let alive = view.reader().doc_ids_alive().filter_map(|doc| column.first(doc));
            alive.for_each(|version| made.add(version, up_to));
        }
        Ok(made)
    }
}
