//! What every part of a search is handed: the segments of one snapshot, the layout they are read by, what is
//! kept between searches, and what this one may use up. Made once a request; holds no state of its own.
//!
//! In: a snapshot, the shard's caches and the request's meters. It borrows all of them, so that no search
//! outlives the snapshot that it reads.

use std::sync::Arc;

use meter::{Allowance, Meters, Trace};
use tantivy::{DocId, SegmentReader};

use crate::layout::Layout;
use crate::search::caches::SearchCaches;
use crate::segment::bits::Bits;
use crate::snapshot::field_stats::KnownFields;
use crate::snapshot::{SegmentView, Snapshot, Views};

/// What one search reads.
pub(crate) struct SearchContext<'a> {
    /// Of the snapshot.
    pub(crate) snapshot: u64,
    pub(crate) layout: &'a Layout,
    pub(crate) segments: Vec<SearchSegment<'a>>,
    pub(crate) caches: &'a SearchCaches,
    pub(crate) views: &'a Views,
    pub(crate) known_fields: &'a KnownFields,
    /// What there is to use up; without one, everything.
    pub(crate) allowance: Allowance,
    /// Whether hits tell how they score: queries then keep what an explanation shows.
    pub(crate) explains: bool,
    /// Where its time goes.
    pub(crate) trace: Trace,
}

/// One segment of the snapshot.
pub(crate) struct SearchSegment<'a> {
    /// Its place in the snapshot.
    pub(crate) number: usize,
    pub(crate) view: &'a SegmentView,
    pub(crate) reader: &'a SegmentReader,
    /// The living documents; `None` when all live.
    pub(crate) alive: Option<Arc<Bits>>,
    /// Documents in the segments before this one.
    pub(crate) base: u64,
    /// The search's.
    pub(crate) allowance: Allowance,
}

impl<'a> SearchContext<'a> {
    pub(crate) fn new(snapshot: &'a Snapshot, caches: &'a SearchCaches) -> Self {
        let mut base = 0;
        let segments = snapshot
            .segments()
            .iter()
            .enumerate()
            .map(|(number, view)| {
                let (reader, alive) = (view.reader(), view.alive());
                let segment =
                    SearchSegment { number, view, reader, alive, base, allowance: Allowance::default() };
                base += u64::from(segment.max_doc());
                segment
            })
            .collect();
        Self {
            snapshot: snapshot.number(),
            layout: snapshot.layout(),
            segments,
            caches,
            views: snapshot.views(),
            known_fields: snapshot.known_fields(),
            allowance: Allowance::default(),
            explains: false,
            trace: Trace::default(),
        }
    }

    /// The same, on the account of a request: cut short when its allowance is used up.
    pub(crate) fn within(mut self, meters: &Meters) -> Self {
        let Meters { allowance, trace } = meters.clone();
        self.segments.iter_mut().for_each(|segment| segment.allowance = allowance.clone());
        Self { allowance, trace, ..self }
    }
}

impl SearchSegment<'_> {
    pub(crate) fn max_doc(&self) -> DocId {
        self.reader.max_doc()
    }
}
