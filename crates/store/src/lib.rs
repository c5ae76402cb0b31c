//! The durable home of one shard: a fenced log, a chain of manifests and write-once segment files, and beside
//! them the small files of a node's configuration. The only crate that names the file system.
//!
//! What the bytes mean is none of its business: records, manifests and segments are opaque. Layers above see
//! a [`Site`], which gives homes (owning) and archives (reading), and the traits of [`contract`](ShardHome)
//! alone, so that an object store can be a site without a change above. Bytes come from `engine` (one home
//! per shard) and from the node (configuration); they go to a folder. The API blocks; callers on an async
//! runtime hand the call to a thread that may wait.

mod backup;
mod config;
#[cfg(any(test, feature = "faults"))]
pub mod conformance;
mod content_digest;
mod contract;
mod disk;
mod durability;
mod error;
#[cfg(any(test, feature = "faults"))]
pub mod faults;
pub mod fuzzing;
mod image;
mod local;
mod log;
mod manifest;
#[cfg(any(test, feature = "faults"))]
pub mod memory;
pub mod metadata;
mod more_copies;
mod name;
pub mod object;
mod read_only;
mod room;
mod segment;
mod site;

pub use backup::{BackupAdded, BackupBucket, BackupDraft, BackupFile, BackupFolder, BackupPoint, Purged};
pub use config::{ConfigEntry, ConfigFiles};
pub use content_digest::ContentDigest;
pub use contract::{
    DurabilityWaiter, FencedLog, LogFigures, ManifestStore, RECORD_BYTES_MAX, ReplayEnd, SegmentFile,
    SegmentStore, SegmentWriter, ShardHome, ShardImage, Verified, Watermark, WrittenFile,
};
pub use disk::SegmentBytes;
pub use durability::Durability;
pub use error::{Error, ErrorKind, Result};
pub use local::{HomeOptions, LocalHome, LocalSite};
pub use log::options::LogOptions;
pub use metadata::{MetadataFiles, MetadataStore, ReadOnlyMetadata, VersionedBytes};
pub use more_copies::{FileCopies, HomeWithCopies};
pub use read_only::ReadOnlyHome;
pub use room::Room;
pub use site::{ShardArchive, ShardId, Site};
