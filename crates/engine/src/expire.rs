//! Documents that end: what a field of theirs says is over is deleted every so often, by a task of the shard and the clock it
//! was given. What has ended and is not yet deleted is still found, as in Solr.

use std::ops::Bound;
use std::sync::{Arc, Mutex};

use plan::{Query, Range, Result, Value};

use crate::core::{Core, lock};
use crate::log_codec::Origin;

/// The fields that say when a document ends, each with its next turn.
#[derive(Default)]
pub(crate) struct Expiries(Mutex<Vec<Turn>>);

struct Turn {
    field: Arc<str>,
    every_ms: i64,
    at_ms: i64,
}

impl Expiries {
    pub(crate) fn next(&self) -> Option<i64> {
        lock(&self.0).iter().map(|turn| turn.at_ms).min()
    }

    /// The fields whose turn has come, which come again a period later.
    fn take_due(&self, now_ms: i64) -> Vec<Arc<str>> {
        let mut turns = lock(&self.0);
        let due = turns.iter_mut().filter(|turn| turn.at_ms <= now_ms);
        due.map(|turn| {
            turn.at_ms = now_ms.saturating_add(turn.every_ms);
            turn.field.clone()
        })
        .collect()
    }
}

impl Core {
    /// Takes up which fields end documents, and every how many seconds to look; the first look is a period from now. What is as it was
    /// keeps its turn.
    pub(crate) fn set_expiries(&self, fields: &[(String, u64)]) {
        let now_ms = self.clock.now_ms();
        let mut present = lock(&self.expiries.0);
        let turns = fields.iter().map(|(field, every_s)| {
            let every_ms = i64::try_from(every_s.saturating_mul(1000)).unwrap_or(i64::MAX);
            let known = present.iter().find(|turn| *turn.field == **field && turn.every_ms == every_ms);
            let at_ms = known.map_or(now_ms.saturating_add(every_ms), |turn| turn.at_ms);
            Turn { field: Arc::from(field.as_str()), every_ms, at_ms }
        });
        let turns: Vec<Turn> = turns.collect();
        *present = turns;
        drop(present);
        self.wake();
    }

    /// Deletes what has ended, where it is time to look, and shows that it is gone.
    pub(crate) fn expire_due(&self, now_ms: i64) -> Result<()> {
        for field in self.expiries.take_due(now_ms) {
            let known = self.meaning.load().schema.field(&field).is_some();
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
