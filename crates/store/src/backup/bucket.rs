//! Backups in a bucket. Objects are created whole and their names are their content, so nothing is ever half
//! there; a lock of an operating system does not reach other machines, so whoever changes something holds a
//! lease.
//!
//! Leases are objects `lock/{n}`, create-only, the highest counts: one that has run out, or whose holder put
//! `lock/{n}.free` beside it, is followed by the next number, which one contender gets. The highest is never
//! deleted, so no number is given out twice.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::storage::{ChangeLock, Kind, Storage, busy};
use crate::disk::SegmentBytes;
use crate::object::client::{Client, Created};
use crate::object::{Medium, NonceSource, ObjectBytes, ObjectCounts, Pacer, Patience};
use crate::{Error, ErrorKind, Result};

/// How long a lease is, by the clock of its holder and of those who meet it. It is made longer on the way
/// once half of it is over; one file of a backup must not take as long as the other half.
const LEASE_MS: i64 = 60 * 60 * 1000;
/// Bytes of a range, and ranges that are read side by side.
const RANGE_BYTES: u64 = 8 << 20;
const RANGES: u64 = 4;

/// A bucket, or a part of one, below which backups lie.
pub struct BackupBucket {
    client: Client,
    nonces: NonceSource,
    /// Milliseconds since the epoch.
    now_ms: Box<dyn Fn() -> i64 + Send + Sync>,
    name: String,
}

impl fmt::Debug for BackupBucket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("BackupBucket").field(&self.name).finish()
    }
}

impl BackupBucket {
    /// `name` is how people call it: its URL.
    pub fn new(
        name: impl Into<String>,
        (medium, pacer): (Arc<dyn Medium>, Arc<dyn Pacer>),
        nonces: NonceSource,
        now_ms: impl Fn() -> i64 + Send + Sync + 'static,
    ) -> Self {
        let client = Client::new(medium, pacer, Patience::default());
        Self { client, nonces, now_ms: Box::new(now_ms), name: name.into() }
    }

    /// How people call it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What was asked of it.
    pub fn counts(&self) -> ObjectCounts {
        self.client.counts()
    }
}

/// The backups of one name in it.
pub(super) struct BucketStorage {
    bucket: Arc<BackupBucket>,
    name: String,
    /// Objects with their sizes, as they were when the lease was taken, and what was written since: asked for
    /// once, not file by file.
    present: Mutex<Option<BTreeMap<String, u64>>>,
}

impl BucketStorage {
    pub fn new(bucket: Arc<BackupBucket>, name: &str) -> Self {
        Self { bucket, name: name.to_owned(), present: Mutex::default() }
    }

    fn key(&self, kind: Kind, name: &str) -> String {
        format!("{}/{}/{name}", self.name, kind.folder())
    }

    fn missing(&self, key: &str) -> Error {
        let message = format!("there is no `{key}` in `{}`", self.bucket.name);
        Error::new(ErrorKind::NotFound, message)
    }

    fn present(&self) -> MutexGuard<'_, Option<BTreeMap<String, u64>>> {
        self.present.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What lies directly below a folder of this name.
    fn listed(&self, folder: &str) -> Result<Vec<(String, u64)>> {
        let prefix = format!("{}/{folder}/", self.name);
        let found = self.bucket.client.list(&prefix)?.into_iter();
        Ok(found
            .filter_map(|(key, size)| Some((key.strip_prefix(&prefix)?.to_owned(), size)))
            .filter(|(name, _)| !name.contains('/'))
            .collect())
    }
}

impl Storage for BucketStorage {
    fn list(&self, kind: Kind) -> Result<Vec<(String, u64)>> {
        self.listed(kind.folder())
    }

    fn read(&self, kind: Kind, name: &str) -> Result<Vec<u8>> {
        let key = self.key(kind, name);
        self.bucket.client.get(&key)?.ok_or_else(|| self.missing(&key))
    }

    fn visit(&self, (name, size): (&str, u64), visit: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let key = self.key(Kind::Object, name);
        let mut at = 0;
        while at < size {
            let ranges: Vec<_> = (0..RANGES)
                .map(|number| at + number * RANGE_BYTES)
                .filter(|start| *start < size)
                .map(|start| start..(start + RANGE_BYTES).min(size))
                .collect();
            let parts = self.bucket.client.get_ranges(&key, &ranges)?.ok_or_else(|| self.missing(&key))?;
            parts.iter().try_for_each(|part| visit(part))?;
            at += RANGES * RANGE_BYTES;
        }
        Ok(())
    }

    fn open(&self, object: (&str, u64)) -> Result<SegmentBytes> {
        let mut bytes = Vec::new();
        self.visit(object, &mut |part| {
            bytes.extend_from_slice(part);
            Ok(())
        })?;
        Ok(bytes.into())
    }

    fn has(&self, name: &str, size: u64) -> Result<bool> {
        let mut present = self.present();
        let present = match &mut *present {
            Some(present) => present,
            empty => empty.insert(self.listed(Kind::Object.folder())?.into_iter().collect()),
        };
        Ok(present.get(name) == Some(&size))
    }

    fn write_object(&self, name: &str, bytes: &SegmentBytes) -> Result<()> {
        let (key, bytes) = (self.key(Kind::Object, name), ObjectBytes::from_owner(bytes.clone()));
        match self.bucket.client.create(&key, &bytes)? {
            Created::Ours => {}
            // Its name is the hash of other bytes than it has.
            Created::Taken(_) => self.bucket.client.replace(&key, &bytes)?,
        }
        if let Some(present) = &mut *self.present() {
            present.insert(name.to_owned(), bytes.len() as u64);
        }
        Ok(())
    }

    fn sync_objects(&self) -> Result<()> {
        Ok(())
    }

    fn write_point(&self, name: &str, bytes: &[u8]) -> Result<()> {
        let key = self.key(Kind::Point, name);
        match self.bucket.client.create(&key, &ObjectBytes::copy_from_slice(bytes))? {
            Created::Ours => Ok(()),
            Created::Taken(_) => Err(busy(&self.bucket.name)),
        }
    }

    fn remove(&self, kind: Kind, names: &[String]) -> Result<()> {
        let keys: Vec<String> = names.iter().map(|name| self.key(kind, name)).collect();
        self.bucket.client.delete_all(&keys)
    }

    fn lock(&self) -> Result<Box<dyn ChangeLock>> {
        *self.present() = None;
        let (storage, nonce) = (Self::new(self.bucket.clone(), &self.name), (self.bucket.nonces)());
        let mut lease = Lease { storage, nonce, number: 0, ends_ms: i64::MIN };
        lease.take_next()?;
        Ok(Box::new(lease))
    }
}

/// The right to change the backups of a name, until it runs out or is dropped.
struct Lease {
    storage: BucketStorage,
    nonce: [u8; 16],
    number: u64,
    ends_ms: i64,
}

impl Lease {
    fn now_ms(&self) -> i64 {
        (self.storage.bucket.now_ms)()
    }

    fn key(&self, number: u64) -> String {
        format!("{}/lock/{number:020}", self.storage.name)
    }

    fn free_key(&self, number: u64) -> String {
        format!("{}.free", self.key(number))
    }

    /// The names of leases, and the highest number.
    fn leases(&self) -> Result<(Vec<String>, u64)> {
        let names: Vec<String> = self.storage.listed("lock")?.into_iter().map(|(name, _)| name).collect();
        let highest = names.iter().filter_map(|name| name.parse().ok()).max().unwrap_or(0);
        Ok((names, highest))
    }

    /// Takes the number behind the highest, where that one is this lease's own, free, or has run out.
    fn take_next(&mut self) -> Result<()> {
        let (client, busy) = (&self.storage.bucket.client, || busy(&self.storage.bucket.name));
        let (names, highest) = self.leases()?;
        let is_own = self.number > 0 && highest == self.number;
        if highest > 0 && !is_own && !names.contains(&format!("{highest:020}.free")) {
            let held = client.get(&self.key(highest))?.unwrap_or_default();
            // One that cannot be read is nobody's.
            let ends_ms = std::str::from_utf8(&held).ok().and_then(|text| text.lines().next()?.parse().ok());
            if ends_ms.is_some_and(|ends_ms: i64| ends_ms > self.now_ms()) {
                return Err(busy());
            }
        }
        let (number, ends_ms) = (highest + 1, self.now_ms() + LEASE_MS);
        let nonce = u128::from_le_bytes(self.nonce);
        let text = format!("{ends_ms}\n{nonce:032x}\n");
        match client.create(&self.key(number), &ObjectBytes::from(text.into_bytes()))? {
            Created::Ours => {}
            Created::Taken(_) => return Err(busy()),
        }
        // Whoever slept since the first look may have taken a number that was used and deleted meanwhile.
        if self.leases()?.1 != number {
            return Err(busy());
        }
        (self.number, self.ends_ms) = (number, ends_ms);
        // Best effort: they are small, and the next one removes them.
        let lower =
            |name: &&String| name.split('.').next().and_then(|it| it.parse::<u64>().ok()) < Some(number);
        let gone: Vec<String> =
            names.iter().filter(lower).map(|name| format!("{}/lock/{name}", self.storage.name)).collect();
        let _ = client.delete_all(&gone);
        Ok(())
    }
}

impl ChangeLock for Lease {
    /// Takes the next number once half of this one is over; fails where another has taken it.
    fn confirm(&mut self) -> Result<()> {
        let now_ms = self.now_ms();
        if now_ms >= self.ends_ms {
            let message = format!(
                "the backup in `{}` took longer than its lease; try again: what was copied is there",
                self.storage.bucket.name
            );
            return Err(Error::new(ErrorKind::Retry, message));
        }
        if now_ms >= self.ends_ms - LEASE_MS / 2 { self.take_next() } else { Ok(()) }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if self.number == 0 {
            return;
        }
        // Best effort: without it the next one waits until it has run out.
        let _ = self.storage.bucket.client.create(&self.free_key(self.number), &ObjectBytes::new());
    }
}
