//! What the shard's one lock guards: the order of updates and where each id stands. Everything done under the
//! lock is in memory, but for the append to the log, which is what gives an update its place.
//!
//! `write` changes it operation by operation, `life` takes its builders and segments away and puts sealed
//! ones there. Which record must be durable before anybody is told is asked here (`judged_by`); waiting for
//! it is the caller's, without the lock.

use std::collections::HashSet;
use std::sync::Arc;

use plan::{BatchId, Error, ErrorKind, Result, Version};
use store::Watermark;
use tantivy::DocId;

use crate::core::batches::Batches;
use crate::core::batches::Origin;
use crate::core::recent::Recent;
use crate::core::unsettled::Unsettled;
use crate::indexing::builder::Builder;
use crate::segment::Segment;
use crate::segment::id_filter;

/// Bits below the milliseconds of a version, as in Solr.
const VERSION_CLOCK_SHIFT: u32 = 20;

#[derive(Default)]
pub(crate) struct State {
    /// The highest version given out.
    pub(crate) version_max: Version,
    /// The last record appended.
    pub(crate) logged: Watermark,
    /// What of it nobody may be told yet.
    pub(crate) unsettled: Unsettled,
    /// The newest schema that a record was resolved against.
    pub(crate) schema_version: u64,
    /// Shared with cuts.
    pub(crate) batches: Arc<Batches>,
    /// The named batches that somebody applies at the moment.
    pub(crate) running: HashSet<BatchId>,
    /// Whether any document came with others below it since the shard was opened, or was in a segment that is
    /// gone by now.
    pub(crate) has_had_blocks: bool,
    pub(crate) recent: Recent,
    /// Sealed segments in index order, whether or not a snapshot shows them.
    pub(crate) segments: Vec<Arc<Segment>>,
    /// Builders that nobody adds to at the moment.
    pub(crate) idle: Vec<Builder>,
    /// Builders that take no more, waiting to be sealed.
    pub(crate) full: Vec<Builder>,
    /// Why updates are refused, for good.
    pub(crate) refused: Option<String>,
    /// Another owns the shard: what is here may be older than what is acknowledged there.
    pub(crate) is_deposed: bool,
    pub(crate) modified_ms: i64,
}

/// A document in a sealed segment.
pub(crate) type Stored = (Arc<Segment>, DocId);

/// Where a live document stands.
pub(crate) enum Current {
    /// Not visible yet; its source is at hand.
    Recent {
        version: Version,
        source: Arc<[u8]>,
    },
    Stored {
        segment: Arc<Segment>,
        doc: DocId,
    },
}

/// A block as the next update finds it.
pub(crate) struct CurrentBlock {
    pub(crate) version: Version,
    /// Of its living documents, in index order.
    pub(crate) sources: Vec<Arc<[u8]>>,
}

impl Current {
    pub(crate) fn version(&self) -> Result<Version> {
        match self {
            Current::Recent { version, .. } => Ok(*version),
            Current::Stored { segment, doc } => segment.version(*doc),
        }
    }

    pub(crate) fn source(&self) -> Result<Arc<[u8]>> {
        match self {
            Current::Recent { source, .. } => Ok(source.clone()),
            Current::Stored { segment, doc } => {
                segment.source(*doc).map(|source| Arc::from(source.as_slice()))
            }
        }
    }
}

impl State {
    pub(crate) fn check_writable(&self) -> Result<()> {
        let refuse = |reason: &String| Err(Error::new(ErrorKind::Unavailable, reason.clone()));
        self.refused.as_ref().map_or(Ok(()), refuse)
    }

    /// A record of this origin has its place in the log.
    pub(crate) fn note_origin(
        &mut self,
        at: Watermark,
        origin: &Origin,
        versions: impl Iterator<Item = Version>,
    ) {
        self.schema_version = self.schema_version.max(origin.schema_version);
        if let Some(batch) = &origin.batch {
            Arc::make_mut(&mut self.batches).note(at, batch, versions);
        }
    }

    /// What is here is what the shard's owner answers from.
    pub(crate) fn check_owned(&self) -> Result<()> {
        let deposed = || Error::new(ErrorKind::Unavailable, "another node owns this shard; ask that one");
        if self.is_deposed { Err(deposed()) } else { Ok(()) }
    }

    /// The record that must be durable before anybody is told how this id stands; `None` when all are.
    pub(crate) fn judged_by(&self, hash: u64) -> Result<Option<Watermark>> {
        let Some(last) = self.unsettled.last() else { return Ok(None) };
        // A document below another goes with its root, whose id is another.
        let has_blocks = |segment: &Arc<Segment>| segment.has_blocks();
        let by_root = self.has_had_blocks
            || self.segments.iter().map(has_blocks).try_fold(false, |any, it| Ok::<_, Error>(any || it?))?;
        Ok(if by_root { Some(last) } else { self.unsettled.last_of(hash) })
    }

    /// Segments go. What is said of blocks stays: that a document below another is gone with its segment may
    /// be the work of a record which the log could still lose.
    pub(crate) fn drop_segments(&mut self, goes: impl Fn(&Segment) -> bool) {
        let segments = std::mem::take(&mut self.segments).into_iter();
        let (gone, staying): (Vec<_>, Vec<_>) = segments.partition(|segment| goes(segment));
        // Where that cannot be read there may have been some.
        self.has_had_blocks |= gone.iter().any(|segment| segment.has_blocks().unwrap_or(true));
        self.segments = staying;
    }

    /// Solr's rule: above the last one and no lower than the clock.
    pub(crate) fn next_version(&mut self, now_ms: i64) -> Version {
        self.version_max = (self.version_max.saturating_add(1)).max(now_ms << VERSION_CLOCK_SHIFT);
        self.version_max
    }

    /// The live document of this id, as the next update finds it. None that stands below another: those go by
    /// their root.
    pub(crate) fn current(&self, id: &str, hash: u64) -> Result<Option<Current>> {
        if let Some(recent) = self.recent.get(id) {
            return Ok(Some(Current::Recent { version: recent.version, source: recent.source.clone() }));
        }
        for segment in self.segments.iter().rev() {
            if let Some(doc) = segment.find_root(id, hash)? {
                return Ok(Some(Current::Stored { segment: segment.clone(), doc }));
            }
        }
        Ok(None)
    }

    /// The source of the live document of this id that stands below another.
    pub(crate) fn child(&self, id: &str, hash: u64) -> Result<Option<Arc<[u8]>>> {
        if let Some(source) = self.recent.child(id) {
            return Ok(Some(source.clone()));
        }
        for segment in self.segments.iter().rev() {
            if let Some(doc) = segment.find(id, hash)?.pop() {
                return segment.source(doc).map(|source| Some(Arc::from(source.as_slice())));
            }
        }
        Ok(None)
    }

    /// The live block of this root.
    pub(crate) fn current_block(&self, root: &str, hash: u64) -> Result<Option<CurrentBlock>> {
        let Some(current) = self.current(root, hash)? else { return Ok(None) };
        let version = current.version()?;
        let sources = match (&current, self.recent.get(root)) {
            (Current::Stored { segment, doc }, _) => {
                // Behind a block of the same root that it was added beside.
                let before = segment.find(root, hash)?.into_iter().rfind(|other| other < doc);
                let members = segment.find_block(root, hash)?.into_iter();
                let block = members.filter(|member| member <= doc && Some(*member) > before);
                block
                    .map(|doc| segment.source(doc).map(|it| Arc::from(it.as_slice())))
                    .collect::<Result<_>>()?
            }
            (Current::Recent { .. }, Some(recent)) => recent.sources(),
            (Current::Recent { source, .. }, None) => vec![source.clone()],
        };
        Ok(Some(CurrentBlock { version, sources }))
    }

    /// All live documents of this id in sealed segments, with their blocks.
    pub(crate) fn stored(&self, id: &str, hash: u64) -> Result<Vec<Stored>> {
        let mut found = Vec::new();
        for segment in &self.segments {
            found.extend(segment.find_block(id, hash)?.into_iter().map(|doc| (segment.clone(), doc)));
        }
        Ok(found)
    }

    /// Marks an id's documents dead with their blocks.
    pub(crate) fn mark_block(&mut self, id: &str, hash: u64) -> Result<()> {
        for (segment, doc) in self.stored(id, hash)? {
            segment.marks.mark(doc);
        }
        self.recent.mark(id);
        Ok(())
    }

    /// Marks the documents of an id in the block of `root` dead, and no others of it.
    pub(crate) fn mark_member(&mut self, root: &str, id: &str) -> Result<()> {
        let hash = id_filter::hash(root);
        for segment in &self.segments {
            let members = segment.find_block(root, hash)?;
            if members.is_empty() {
                continue;
            }
            let found = segment.find(id, id_filter::hash(id))?;
            segment.marks.mark_all(found.into_iter().filter(|doc| members.binary_search(doc).is_ok()));
        }
        self.recent.mark_member(root, id);
        Ok(())
    }

    /// Bytes of memory that a flush would free.
    pub(crate) fn unpersisted_bytes(&self) -> usize {
        let builders: usize = self.idle.iter().chain(&self.full).map(Builder::bytes).sum();
        let sealed = self.segments.iter().filter(|segment| !segment.is_persisted());
        builders + sealed.map(|segment| usize::try_from(segment.bytes()).unwrap_or(usize::MAX)).sum::<usize>()
    }
}
