//! Figures about a shard: sizes, counts, counters. For status pages and metrics; what the fields hold is
//! `search`'s.
//!
//! In: the shard's state, its snapshot and its counters, read at slightly different moments; out: plain
//! numbers. How they are named and shown is decided above.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Serialize};

use plan::Version;

use crate::core::Core;
use crate::core::state::State;
use crate::lock::lock;
use crate::snapshot::{SegmentView, Snapshot};

/// A shard in figures. Sizes in bytes, counters since the shard was opened.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShardStats {
    /// Visible living documents.
    pub num_docs: u64,
    /// Visible documents, dead ones included.
    pub max_doc: u64,
    pub deleted_docs: u64,
    pub segment_count: usize,
    /// Unpersisted segments and builders.
    pub ram_bytes: u64,
    /// Suggesters that are built.
    pub suggester_bytes: u64,
    /// Persisted segment files.
    pub disk_bytes: u64,
    /// What a restart would replay.
    pub log_bytes: u64,
    /// The snapshot's number.
    pub version: u64,
    /// Whether searches see everything applied.
    pub current: bool,
    /// When the last update was applied, in milliseconds since 1970; 0 when never.
    pub last_modified_ms: i64,
    pub refreshes: u64,
    pub flushes: u64,
    pub merges: u64,
    pub merged_docs: u64,
    /// Those flushes and refreshes that came by themselves.
    pub auto_flushes: u64,
    pub auto_refreshes: u64,
    /// Documents updated since the last flush.
    pub unflushed_docs: u64,
    /// Why updates are refused, if they are.
    pub refused: Option<String>,
    /// What of the index was found to say otherwise than its documents, if anything.
    pub wrong_index: Option<String>,
}

impl ShardStats {
    /// Of both shards together: of a time the later, of a reason the first that there is.
    pub fn plus(self, other: Self) -> Self {
        let Self {
            num_docs,
            max_doc,
            deleted_docs,
            segment_count,
            ram_bytes,
            suggester_bytes,
            disk_bytes,
            log_bytes,
            version,
            current,
            last_modified_ms,
            refreshes,
            flushes,
            merges,
            merged_docs,
            auto_flushes,
            auto_refreshes,
            unflushed_docs,
            refused,
            wrong_index,
        } = other;
        Self {
            num_docs: self.num_docs + num_docs,
            max_doc: self.max_doc + max_doc,
            deleted_docs: self.deleted_docs + deleted_docs,
            segment_count: self.segment_count + segment_count,
            ram_bytes: self.ram_bytes + ram_bytes,
            suggester_bytes: self.suggester_bytes + suggester_bytes,
            disk_bytes: self.disk_bytes + disk_bytes,
            log_bytes: self.log_bytes + log_bytes,
            version: self.version + version,
            current: self.current && current,
            last_modified_ms: self.last_modified_ms.max(last_modified_ms),
            refreshes: self.refreshes + refreshes,
            flushes: self.flushes + flushes,
            merges: self.merges + merges,
            merged_docs: self.merged_docs + merged_docs,
            auto_flushes: self.auto_flushes + auto_flushes,
            auto_refreshes: self.auto_refreshes + auto_refreshes,
            unflushed_docs: self.unflushed_docs + unflushed_docs,
            refused: self.refused.or(refused),
            wrong_index: self.wrong_index.or(wrong_index),
        }
    }
}

/// One segment in figures.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SegmentStats {
    /// Documents, dead ones included.
    pub max_doc: u64,
    pub deleted_docs: u64,
    pub bytes: u64,
    /// Whether it is on disk yet.
    pub persisted: bool,
}

pub(crate) fn segments(snapshot: &Snapshot) -> Vec<SegmentStats> {
    let figures = |view: &Arc<SegmentView>| SegmentStats {
        max_doc: u64::from(view.segment.max_doc),
        deleted_docs: u64::from(view.dead.count()),
        bytes: view.segment.bytes(),
        persisted: view.segment.is_persisted(),
    };
    snapshot.segments().iter().map(figures).collect()
}

/// The versions of living documents that searches may not see yet.
pub(crate) fn recent_versions(core: &Core) -> Vec<Version> {
    core.state().recent.versions().collect()
}

pub(crate) fn of(core: &Core) -> ShardStats {
    of_state(core, &core.state())
}

/// `None` while another has the shard's state.
pub(crate) fn try_of(core: &Core) -> Option<ShardStats> {
    Some(of_state(core, &*core.try_state()?))
}

fn of_state(core: &Core, state: &State) -> ShardStats {
    let snapshot = core.snapshot.load_full();
    let disk = state.segments.iter().filter(|segment| segment.is_persisted()).map(|it| it.bytes()).sum();
    let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
    ShardStats {
        num_docs: snapshot.num_docs(),
        max_doc: snapshot.max_doc(),
        deleted_docs: snapshot.max_doc() - snapshot.num_docs(),
        segment_count: snapshot.segments().len(),
        ram_bytes: state.unpersisted_bytes() as u64,
        suggester_bytes: core.suggesters.size(),
        disk_bytes: disk,
        log_bytes: core.log.bytes(),
        version: snapshot.number(),
        current: core.is_current(state),
        last_modified_ms: state.modified_ms,
        refreshes: count(&core.counters.refreshes),
        flushes: count(&core.counters.flushes),
        merges: count(&core.counters.merges),
        merged_docs: count(&core.counters.merged_docs),
        auto_flushes: count(&core.counters.auto_flushes),
        auto_refreshes: count(&core.counters.auto_refreshes),
        unflushed_docs: lock(&core.schedule.deadlines).docs_unflushed(),
        refused: state.refused.clone(),
        wrong_index: wrong_index(core),
    }
}

fn wrong_index(core: &Core) -> Option<String> {
    let told: Vec<String> = core.wrong_segments().iter().map(ToString::to_string).collect();
    (!told.is_empty()).then(|| told.join("; "))
}
