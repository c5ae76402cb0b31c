//! Reading the log of a shard back: the groups above a watermark, epoch by epoch, each up to its fence. Every
//! group is chained to the one before by that one's CRC and its sequence; what does not is damage, told with
//! the object's name once all before it was visited.
//!
//! Objects are fetched some at a time, side by side.

use std::collections::BTreeMap;

use super::tail::Landed;
use crate::contract::Watermark;
use crate::object::format::{Group, Kind, LogEnd, decode};
use crate::object::owned::Owned;
use crate::{Error, Result};

/// Objects fetched at once.
const FETCHED: usize = 8;

pub(super) struct Replayed {
    pub records: u64,
    /// What was read.
    pub read: Vec<Landed>,
}

/// A replay that is under way.
struct ReplayUnderWay<'a> {
    owned: &'a Owned,
    after: Watermark,
    replayed: Replayed,
    /// The last record that was read, or need not be.
    last: Watermark,
    /// The slot and the CRC of the object before, where it was read.
    before: Option<(u64, u32)>,
}

/// `slots` are the objects that hold records, as the log knows them; `end` is where they end.
pub(super) fn replay(
    owned: &Owned,
    after: Watermark,
    end: LogEnd,
    slots: &[(u64, u64)],
    visit: &mut dyn FnMut(Watermark, &[u8]) -> Result<()>,
) -> Result<Replayed> {
    if after > end.last {
        let key = owned.keys.log();
        return Err(Error::corrupt(&key, 0, "it ends before the manifest that it is to be replayed behind"));
    }
    let mut by_epoch: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    for (epoch, slot) in slots.iter().filter(|at| **at <= (end.epoch, end.slot)) {
        by_epoch.entry(*epoch).or_default().push(*slot);
    }
    let replayed = Replayed { records: 0, read: Vec::new() };
    let mut reader = ReplayUnderWay { owned, after, replayed, last: after, before: None };
    for (epoch, slots) in by_epoch.range(after.epoch..) {
        reader.epoch(*epoch, slots, visit)?;
    }
    if reader.last == end.last {
        return Ok(reader.replayed);
    }
    let what = format!("it ends before record {} of epoch {}", end.last.sequence, end.last.epoch);
    Err(Error::corrupt(&owned.keys.log(), 0, &what))
}

impl ReplayUnderWay<'_> {
    fn epoch(
        &mut self,
        epoch: u64,
        slots: &[u64],
        visit: &mut dyn FnMut(Watermark, &[u8]) -> Result<()>,
    ) -> Result<()> {
        self.before = None;
        let needed = if epoch == self.after.epoch { self.first_needed(epoch, slots)? } else { 0 };
        for some in slots.get(needed..).unwrap_or_default().chunks(FETCHED) {
            let keys: Vec<String> = some.iter().map(|slot| self.owned.keys.slot(epoch, *slot)).collect();
            let found = self.owned.client.get_all(&keys)?;
            for ((slot, key), bytes) in some.iter().zip(&keys).zip(found) {
                self.group((epoch, *slot), key, &bytes.ok_or_else(|| is_gone(key))?, visit)?;
            }
        }
        Ok(())
    }

    /// The index of the object that has the first record needed, by halving: objects below the watermark may
    /// be many. One that is gone was collected by its owner, deposed meanwhile or not, because no manifest
    /// needs it, and so is below; one that is gone for another reason is missed by the object that follows.
    fn first_needed(&self, epoch: u64, slots: &[u64]) -> Result<usize> {
        let (mut low, mut high) = (0, slots.len());
        // All before `low` are below the watermark; the one at `high` goes above it.
        while low < high {
            let middle = low + (high - low) / 2;
            let key = self.owned.keys.slot(epoch, slots.get(middle).copied().unwrap_or_default());
            let Some(found) = self.owned.client.get(&key)? else {
                low = middle + 1;
                continue;
            };
            let object = decode(&key, &self.owned.writer.stream, &found);
            match object.map(|object| Group::decode(object.body).last()) {
                Ok(last) if last <= self.after.sequence => low = middle + 1,
                // A damaged one is met again if it is needed.
                _ => high = middle,
            }
        }
        Ok(low)
    }

    fn group(
        &mut self,
        at: (u64, u64),
        key: &str,
        bytes: &[u8],
        visit: &mut dyn FnMut(Watermark, &[u8]) -> Result<()>,
    ) -> Result<()> {
        let object = decode(key, &self.owned.writer.stream, bytes)?;
        let damaged = |what: &str| Error::corrupt(key, 0, what);
        if object.kind != Kind::Group || (object.epoch, object.number) != at {
            return Err(damaged("it is not the group of records that belongs there"));
        }
        let group = Group::decode(object.body);
        if self.before.is_some_and(|(slot, crc)| slot + 1 != at.1 || crc != group.before) {
            return Err(damaged("it does not follow the object before it"));
        }
        if group.follows > self.last {
            return Err(damaged("records are missing before it"));
        }
        let (mut records, after) = (0, self.after);
        let mut visit_above = |sequence, record: &[u8]| {
            let position = Watermark::new(at.0, sequence);
            if position <= after {
                return Ok(());
            }
            records += 1;
            visit(position, record)
        };
        group.visit(&mut visit_above).ok_or_else(|| damaged("its records cannot be taken apart"))??;
        self.replayed.records += records;
        let (bytes_read, last) = (bytes.len() as u64, group.last());
        self.replayed.read.push(Landed { at, bytes: bytes_read, last, records });
        self.last = self.last.max(Watermark::new(at.0, group.last()));
        self.before = Some((at.1, crc32fast::hash(bytes)));
        Ok(())
    }
}

fn is_gone(key: &str) -> Error {
    Error::corrupt(key, 0, "it is gone")
}
