//! Documents that end: what a field of theirs says is over is deleted every so often, by a task of the shard
//! and the clock it was given. What has ended and is not yet deleted is still found, as in Solr. The fields
//! and their periods come from the update chain of the collection's config, and the deletion goes through the
//! log as any other, so that copies and restarts agree on it. Which documents are due is asked of the index,
//! a range of the field.

use std::ops::Bound;

use plan::{Query, Range, Result, Value};

use crate::core::Core;
use crate::core::batches::Origin;

impl Core {
    /// As [`Expiries::set`](crate::core::expiries::Expiries::set).
    pub(crate) fn set_expiries(&self, fields: &[(String, u64)]) {
        self.expiries.set(fields, self.clock.now_ms());
        self.wake();
    }

    /// Deletes what has ended, where it is time to look, and shows that it is gone.
    pub(crate) fn expire_due(&self, now_ms: i64) -> Result<()> {
        // A shard that takes no updates takes none of its own.
        if self.state().refused.is_some() {
            return Ok(());
        }
        for field in self.expiries.take_due(now_ms) {
            let known = self.bound.load().schema.field(&field).is_some();
            if !known {
                tracing::warn!(%field, "documents cannot expire: the schema has no such field; declare it");
                continue;
            }
            let upper = Bound::Included(Value::Date(now_ms));
            let ended = Query::Range(Range { field, lower: Bound::Unbounded, upper });
            if let (_, Some(_)) = self.delete_by_query(&ended, &Origin::default())? {
                // A deadline like that of any update: where the refresh fails, the next one shows it.
                self.note_updates(1, Some(0));
                self.refresh()?;
            }
        }
        Ok(())
    }
}
