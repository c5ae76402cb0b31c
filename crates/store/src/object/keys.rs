//! How the objects of a shard are called. Numbers have twenty digits, so that keys sort as they do. A shard's
//! prefix is made of its stream, which no other shard ever has: its path may be another's later.
//!
//! ```text
//! shards/{stream}/epoch/{e}           one per opening
//! shards/{stream}/log/{e}/{s}         a group of records, or what ends the log of an epoch
//! shards/{stream}/manifest/{v}        the chain
//! shards/{stream}/boundary/{v}        manifests below v are being deleted, or are
//! shards/{stream}/segment/{name}/{e}  a file, and in which epoch it was put
//! ```

use std::fmt::Write as _;

/// The keys of one shard.
#[derive(Debug, Clone)]
pub(crate) struct Keys(String);

impl Keys {
    pub(crate) fn of(stream: &[u8; 16]) -> Self {
        let mut prefix = String::from("shards/");
        for byte in stream {
            // Writing to a string cannot fail.
            let _ = write!(prefix, "{byte:02x}");
        }
        Self(prefix)
    }

    pub(crate) fn epochs(&self) -> String {
        format!("{}/epoch/", self.0)
    }

    pub(crate) fn epoch(&self, epoch: u64) -> String {
        format!("{}/epoch/{epoch:020}", self.0)
    }

    pub(crate) fn log(&self) -> String {
        format!("{}/log/", self.0)
    }

    pub(crate) fn log_of(&self, epoch: u64) -> String {
        format!("{}/log/{epoch:020}/", self.0)
    }

    pub(crate) fn slot(&self, epoch: u64, slot: u64) -> String {
        format!("{}/log/{epoch:020}/{slot:020}", self.0)
    }

    pub(crate) fn manifests(&self) -> String {
        format!("{}/manifest/", self.0)
    }

    pub(crate) fn manifest(&self, version: u64) -> String {
        format!("{}/manifest/{version:020}", self.0)
    }

    pub(crate) fn boundaries(&self) -> String {
        format!("{}/boundary/", self.0)
    }

    pub(crate) fn boundary(&self, version: u64) -> String {
        format!("{}/boundary/{version:020}", self.0)
    }

    pub(crate) fn segments(&self) -> String {
        format!("{}/segment/", self.0)
    }

    pub(crate) fn segment(&self, name: &str, epoch: u64) -> String {
        format!("{}/segment/{name}/{epoch:020}", self.0)
    }
}

/// What an object is for; by it requests are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ObjectKind {
    /// Records of updates, and fences.
    Log,
    /// The chain of manifests, and its boundary.
    Manifest,
    Segment,
    /// Who opened a shard when; asked for by an owner that is sent nothing, too.
    Epoch,
    /// Collections, schemas and all else that is of no shard.
    Document,
}

impl ObjectKind {
    /// Each at its own number.
    pub const ALL: [Self; 5] = [Self::Log, Self::Manifest, Self::Segment, Self::Epoch, Self::Document];

    /// As metrics have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Log => "log",
            Self::Manifest => "manifest",
            Self::Segment => "segment",
            Self::Epoch => "epoch",
            Self::Document => "document",
        }
    }
}

/// Of a key, or of what keys begin with.
pub(crate) fn kind_of(key: &str) -> ObjectKind {
    let of_shard = key.strip_prefix("shards/").and_then(|rest| rest.split('/').nth(1));
    match of_shard {
        Some("log") => ObjectKind::Log,
        Some("manifest" | "boundary") => ObjectKind::Manifest,
        Some("segment") => ObjectKind::Segment,
        Some("epoch") => ObjectKind::Epoch,
        _ => ObjectKind::Document,
    }
}

/// The number at a key's end; `None` where it is not one of ours.
pub(crate) fn number_of(key: &str) -> Option<u64> {
    parse_number(key.rsplit('/').next()?)
}

/// Epoch and slot of a key of the log.
pub(crate) fn slot_of(key: &str) -> Option<(u64, u64)> {
    let mut parts = key.rsplit('/');
    let slot = parse_number(parts.next()?)?;
    Some((parse_number(parts.next()?)?, slot))
}

/// Name and epoch of a file's key.
pub(crate) fn segment_of(key: &str) -> Option<(&str, u64)> {
    let (rest, epoch) = key.rsplit_once('/')?;
    Some((rest.rsplit('/').next()?, parse_number(epoch)?))
}

fn parse_number(text: &str) -> Option<u64> {
    (text.len() == 20).then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_say_what_they_are() {
        let keys = Keys::of(&[0xab; 16]);
        assert_eq!(keys.slot(3, 17), format!("shards/{}/log/{:020}/{:020}", "ab".repeat(16), 3, 17));
        assert_eq!(slot_of(&keys.slot(3, 17)), Some((3, 17)));
        assert_eq!(number_of(&keys.manifest(u64::MAX)), Some(u64::MAX));
        assert_eq!(segment_of(&keys.segment("a.seg", 2)), Some(("a.seg", 2)));
        for (key, kind) in [
            (keys.slot(1, 1), ObjectKind::Log),
            (keys.log(), ObjectKind::Log),
            (keys.boundary(1), ObjectKind::Manifest),
            (keys.manifests(), ObjectKind::Manifest),
            (keys.segment("log", 1), ObjectKind::Segment),
            (keys.epoch(1), ObjectKind::Epoch),
            ("documents/shards/x/log".to_owned(), ObjectKind::Document),
        ] {
            assert_eq!(kind_of(&key), kind, "{key}");
        }
        assert!(ObjectKind::ALL.iter().enumerate().all(|(at, kind)| *kind as usize == at));
        for (key, why) in [("a/1", "too short"), ("a/x0000000000000000000", "no number")] {
            assert_eq!(number_of(key), None, "{why}");
        }
        assert!(keys.slot(1, 9) < keys.slot(1, 10) && keys.slot(9, 1) < keys.slot(10, 1));
        assert!(keys.slot(3, 17).starts_with(&keys.log_of(3)) && keys.slot(3, 17).starts_with(&keys.log()));
    }
}
