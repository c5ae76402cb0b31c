//! Which fields say that documents have ended, and when to look next. What is done about it is
//! `life/expire.rs`'s. In: the configuration's fields with their periods, and a time; out: what is due. A
//! shard without such fields never wakes for it.

use std::sync::{Arc, Mutex};

use crate::lock::lock;

/// The fields that say when a document ends, each with its next turn.
#[derive(Default)]
pub(crate) struct Expiries(Mutex<Vec<Turn>>);

struct Turn {
    field: Arc<str>,
    every_ms: i64,
    at_ms: i64,
}

impl Expiries {
    /// Takes up which fields end documents, and every how many seconds to look; the first look is a period
    /// from now. What is as it was keeps its turn.
    pub(crate) fn set(&self, fields: &[(String, u64)], now_ms: i64) {
        let mut present = lock(&self.0);
        let turns = fields.iter().map(|(field, every_s)| {
            let every_ms = i64::try_from(every_s.saturating_mul(1000)).unwrap_or(i64::MAX);
            let known = present.iter().find(|turn| *turn.field == **field && turn.every_ms == every_ms);
            let at_ms = known.map_or(now_ms.saturating_add(every_ms), |turn| turn.at_ms);
            Turn { field: Arc::from(field.as_str()), every_ms, at_ms }
        });
        let turns: Vec<Turn> = turns.collect();
        *present = turns;
    }

    pub(crate) fn next(&self) -> Option<i64> {
        lock(&self.0).iter().map(|turn| turn.at_ms).min()
    }

    /// The fields whose turn has come, which come again a period later.
    pub(crate) fn take_due(&self, now_ms: i64) -> Vec<Arc<str>> {
        let mut turns = lock(&self.0);
        let due = turns.iter_mut().filter(|turn| turn.at_ms <= now_ms);
        due.map(|turn| {
            turn.at_ms = now_ms.saturating_add(turn.every_ms);
            turn.field.clone()
        })
        .collect()
    }
}
