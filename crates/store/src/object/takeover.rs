//! Taking a shard over: an epoch, fences, the manifest that makes the owner. In this order, as the model
//! `takeover` has it: create `epoch/{e}`; read the newest manifest; put a fence into the first free slot of
//! each older epoch that may still be written; publish the same content as the next version. If that meets a
//! newer manifest, that one is the base, and epochs whose fence does not lie above what it has are fenced
//! again.
//!
//! What the base has is its `sealed` position: where the log stood when it was published. Nothing above that
//! was trimmed by then, so the first free slot above it is one that was never used.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::chain::{Chain, ChainReader};
use super::client::{Client, Created};
use super::format::{Fence, Group, Kind, Link, LogEnd, Writer, decode, encode};
use super::keys::{Keys, number_of, slot_of};
use super::owned::Owned;
use super::seeded_bugs::SeededBug;
use crate::contract::Watermark;
use crate::{Error, ErrorKind, Result};

/// How often a contender takes up a newer manifest: each time, another one has published meanwhile.
const BASES_MAX: usize = 16;

/// Who wants to open a shard.
pub(crate) struct Contender {
    pub client: Arc<Client>,
    pub keys: Keys,
    pub stream: [u8; 16],
    pub nonce: [u8; 16],
    /// For people who look at the bucket: which shard this is.
    pub note: String,
}

/// A shard that was taken over.
pub(crate) struct TakenOver {
    pub owned: Owned,
    /// The version of the own, first manifest.
    pub version: u64,
    /// The oldest version that is there.
    pub oldest: u64,
    /// Versions below are collected.
    pub boundary: u64,
    pub link: Link,
    /// The objects of older epochs' logs, but for what ends them: epoch, slot, bytes.
    pub logged: Vec<(u64, u64, u64)>,
    /// A log that cannot be read to its end.
    pub damage: Option<Error>,
}

/// What was found and put on the way.
struct Fences<'a> {
    contender: &'a Contender,
    epoch: u64,
    /// By epoch: the slot of the fence, and where the log stood below it.
    put: BTreeMap<u64, (u64, LogEnd)>,
    /// By epoch and slot: bytes.
    listed: BTreeMap<(u64, u64), u64>,
    damage: Option<Error>,
}

/// What lies in a slot, and where the log ends by it.
enum Met {
    Fence(LogEnd),
    Records(LogEnd),
}

impl Contender {
    pub(crate) fn take_over(self) -> Result<TakenOver> {
        let epoch = self.begin_epoch()?;
        let mut chain = self.load(epoch)?;
        let mut fences =
            Fences { contender: &self, epoch, put: BTreeMap::new(), listed: BTreeMap::new(), damage: None };
        fences.list(&self.keys.log())?;
        for _ in 0..BASES_MAX {
            let last = fences.put_above(sealed_of(&chain))?;
            let link = next_link(&chain, epoch, last);
            let version = chain.last + 1;
            if let Some(boundary) = self.publish(epoch, version, &link)? {
                let logged = fences.objects();
                let (damage, oldest) = (fences.damage, if chain.first == 0 { version } else { chain.first });
                let writer = self.writer(epoch);
                let owned = Owned::new(self.client, self.keys, writer);
                return Ok(TakenOver { owned, version, oldest, boundary, link, logged, damage });
            }
            chain = self.load(epoch)?;
        }
        Err(Error::new(
            ErrorKind::Retry,
            "others publish faster than this shard can be taken over; try again",
        ))
    }

    fn writer(&self, epoch: u64) -> Writer {
        Writer { stream: self.stream, epoch, nonce: self.nonce }
    }

    fn reader(&self) -> ChainReader<'_> {
        ChainReader { client: &self.client, keys: &self.keys, stream: &self.stream }
    }

    /// Occupies the next free epoch.
    fn begin_epoch(&self) -> Result<u64> {
        let listed = self.client.list(&self.keys.epochs())?;
        let mut epoch = listed.iter().filter_map(|(key, _)| number_of(key)).max().unwrap_or(0) + 1;
        loop {
            let bytes = encode(Kind::Epoch, &self.writer(epoch), epoch, epoch, self.note.as_bytes());
            match self.client.create(&self.keys.epoch(epoch), &bytes.into()).map_err(not_opened)? {
                Created::Ours => return Ok(epoch),
                Created::Taken(_) => epoch += 1,
            }
        }
    }

    /// Errors: `Deposed` where a later opening has published already; `Corrupt` where all manifests are gone.
    fn load(&self, epoch: u64) -> Result<Chain> {
        let mut chain = self.reader().load()?;
        // The newest are never collected; a chain that begins anew below a boundary is one that nobody reads.
        if chain.first == 0 && self.reader().boundary()? > 0 {
            chain = self.reader().load()?;
            if chain.first == 0 {
                let what = "all manifests are gone; restore the shard from a backup";
                return Err(Error::corrupt(&self.keys.manifests(), 0, what));
            }
        }
        match &chain.newest {
            Some(newest) if newest.epoch > epoch => Err(Error::new(
                ErrorKind::Deposed,
                format!("epoch {} has taken the shard over meanwhile; open it as a reader", newest.epoch),
            )),
            _ => Ok(chain),
        }
    }

    /// The boundary as it was behind the creation; `None` where the name was another's, or a freed one.
    fn publish(&self, epoch: u64, version: u64, link: &Link) -> Result<Option<u64>> {
        let bytes = encode(Kind::Manifest, &self.writer(epoch), epoch, version, &link.encode());
        let created = self.client.create(&self.keys.manifest(version), &bytes.into()).map_err(not_opened)?;
        if created != Created::Ours {
            return Ok(None);
        }
        Ok(Some(self.reader().boundary()?).filter(|boundary| version >= *boundary))
    }
}

/// An opening that has no answer has not begun: what it left behind says nothing.
fn not_opened(error: Error) -> Error {
    match error.kind() {
        ErrorKind::Unknown => Error::new(ErrorKind::Retry, error.message().to_owned()).with_source(error),
        _ => error,
    }
}

fn sealed_of(chain: &Chain) -> LogEnd {
    let newest = chain.newest.as_ref().map(|newest| newest.link.sealed);
    newest.unwrap_or_else(|| LogEnd::before(1, Watermark::START))
}

/// The base's content once more, with all older logs fenced.
fn next_link(chain: &Chain, epoch: u64, last: Watermark) -> Link {
    let base = chain.newest.as_ref().map(|newest| &newest.link);
    Link {
        content_version: base.map_or(0, |link| link.content_version),
        sealed: LogEnd::before(epoch, last),
        content: base.map(|link| link.content.clone()).unwrap_or_default(),
    }
}

impl Fences<'_> {
    fn list(&mut self, prefix: &str) -> Result<()> {
        let listed = self.contender.client.list(prefix)?;
        self.listed.extend(listed.iter().filter_map(|(key, bytes)| Some((slot_of(key)?, *bytes))));
        Ok(())
    }

    /// Fences every older epoch from `sealed` on; returns the last record of all.
    fn put_above(&mut self, sealed: LogEnd) -> Result<Watermark> {
        let mut last = sealed.last;
        for older in sealed.epoch..self.epoch {
            if SeededBug::NoFences.is_planted()
                || SeededBug::NewestFenceOnly.is_planted() && older + 1 < self.epoch
            {
                continue;
            }
            let from = if older == sealed.epoch { sealed } else { LogEnd::before(older, last) };
            let put = self.put.get(&older).copied();
            let (slot, end) = match put {
                Some(fence) if fence.0 > from.slot => fence,
                stale => {
                    if stale.is_some() {
                        // The log has moved on since it was listed.
                        self.list(&self.contender.keys.log_of(older))?;
                    }
                    self.fence(older, from)?
                }
            };
            self.put.insert(older, (slot, end));
            last = end.last.max(last);
        }
        Ok(last)
    }

    /// Puts a fence into the first free slot of an epoch, or finds the one that is there.
    fn fence(&mut self, epoch: u64, from: LogEnd) -> Result<(u64, LogEnd)> {
        let mut end = from;
        let there = self.listed.range((epoch, from.slot + 1)..=(epoch, u64::MAX)).next_back();
        if let Some(slot) = there.map(|((_, slot), _)| *slot) {
            let key = self.contender.keys.slot(epoch, slot);
            let found = self.contender.client.get(&key)?.ok_or_else(|| {
                let message = format!("`{key}` is gone since it was listed; open the shard once more");
                Error::new(ErrorKind::Retry, message)
            })?;
            match self.read(&key, slot, end, &found) {
                Met::Fence(fenced) => return Ok((slot, fenced)),
                Met::Records(behind) => end = behind,
            }
        }
        loop {
            let (slot, key) = (end.slot + 1, self.contender.keys.slot(epoch, end.slot + 1));
            let body = Fence { by: self.epoch, end }.encode();
            let bytes = encode(Kind::Fence, &self.contender.writer(self.epoch), epoch, slot, &body);
            match self.contender.client.create(&key, &bytes.into()).map_err(not_opened)? {
                Created::Ours => return Ok((slot, end)),
                // The owner's last group landed before it, or another contender's fence did.
                Created::Taken(found) => match self.read(&key, slot, end, &found) {
                    Met::Fence(fenced) => return Ok((slot, fenced)),
                    Met::Records(behind) => end = behind,
                },
            }
        }
    }

    /// What lies in a slot of the log of `before`'s epoch, and so where that log ends.
    fn read(&mut self, key: &str, slot: u64, before: LogEnd, bytes: &[u8]) -> Met {
        let crc = crc32fast::hash(bytes);
        if !SeededBug::ForgottenLanding.is_planted() {
            self.listed.insert((before.epoch, slot), bytes.len() as u64);
        }
        match decode(key, &self.contender.stream, bytes) {
            Ok(object) if object.kind == Kind::Fence => return Met::Fence(Fence::decode(object.body).end),
            Ok(object) if object.kind == Kind::Group => {
                let last = Watermark::new(before.epoch, Group::decode(object.body).last());
                return Met::Records(LogEnd { epoch: before.epoch, slot, crc, last });
            }
            Ok(_) => self.damage = Some(Error::corrupt(key, 0, "it is no part of a log")),
            Err(error) => self.damage = Some(error),
        }
        // Fenced behind it all the same: whoever wrote it must not go on.
        Met::Records(LogEnd { slot, crc, ..before })
    }

    /// The objects that hold records: all but the last of each epoch, which is its fence.
    fn objects(&self) -> Vec<(u64, u64, u64)> {
        let last_of = |epoch| self.listed.range((epoch, 0)..=(epoch, u64::MAX)).next_back();
        let is_fence = |epoch, slot| match self.put.get(&epoch) {
            _ if SeededBug::FencesCollected.is_planted() => false,
            Some((fence, _)) => *fence == slot,
            // Fenced by whoever published the base.
            None => last_of(epoch).is_some_and(|((_, last), _)| *last == slot),
        };
        let objects = self.listed.iter().filter(|((epoch, slot), _)| !is_fence(*epoch, *slot));
        objects.map(|((epoch, slot), bytes)| (*epoch, *slot, *bytes)).collect()
    }
}
