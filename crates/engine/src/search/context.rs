//! What every part of a search is handed: the segments of one snapshot, the layout they are read by, what is
//! kept between searches, and what this one may use up. Made once a request; holds no state of its own.
//!
//! In: a snapshot, the shard's caches and the request's meters. It borrows all of them, so that no search
//! outlives the snapshot that it reads.

use std::sync::Arc;

use meter::{Allowance, Meters, Trace};
use plan::partial::SearchStatistics;
use plan::{Error, Query, Result, SearchPlan, Value};
use tantivy::{DocId, SegmentReader};

use crate::layout::Layout;
use crate::search::caches::SearchCaches;
use crate::search::counted_by::CountedBy;
use crate::search::peers::Peers;
use crate::segment::bits::Bits;
use crate::snapshot::field_stats::{KnownFields, KnownTerms};
use crate::snapshot::{SegmentView, Snapshot, Views};

/// The documents allowed in each segment; `None` is all of them.
pub(crate) type Masks = Vec<Option<Arc<Bits>>>;

/// The queries inside of what is no query: functions read scores of some, vectors and likes go by the
/// documents of others. What needs such a query knows this interface alone, and nothing of how queries are
/// lowered and run, which need functions themselves. `inner_queries` implements it.
pub(crate) trait InnerQueries: Sync {
    /// A query for its scores, ready to be opened in any segment.
    fn scored(&self, context: &SearchContext<'_>, query: &Query) -> Result<Box<dyn ScoredQuery>>;

    /// The living documents that match: (segment, documents ascending), empty ones left out.
    fn matching_docs(&self, context: &SearchContext<'_>, query: &Query) -> Result<Vec<(usize, Vec<DocId>)>>;
}

/// A query with its statistics taken.
pub(crate) trait ScoredQuery: Send + Sync {
    fn open(&self, segment: &SegmentReader) -> Result<Box<dyn DocScores>>;
}

/// The scores of a query in one segment.
pub(crate) trait DocScores: Send {
    /// Adds to `scores` those of a batch of documents, `None` for what does not match. Asked for a whole
    /// batch, since it is called through a pointer. Goes forward only.
    fn add_batch(&mut self, docs: &[DocId], scores: &mut Vec<Option<f32>>);
}

/// What one search reads.
pub(crate) struct SearchContext<'a> {
    /// Of the snapshot.
    pub(crate) snapshot: u64,
    pub(crate) layout: &'a Layout,
    pub(crate) segments: Vec<SearchSegment<'a>>,
    pub(crate) caches: &'a SearchCaches,
    pub(crate) views: &'a Views,
    pub(crate) known_fields: &'a KnownFields,
    pub(crate) known_terms: &'a KnownTerms,
    /// What runs the queries inside of functions, vectors and likes.
    pub(crate) queries: &'static dyn InnerQueries,
    /// What there is to use up; without one, everything.
    pub(crate) allowance: Allowance,
    /// Whether hits tell how they score: queries then keep what an explanation shows.
    pub(crate) explains: bool,
    /// Where its time goes.
    pub(crate) trace: Trace,
    /// By which statistics it scores.
    pub(crate) counted_by: CountedBy<'a>,
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
    pub(crate) fn new(
        snapshot: &'a Snapshot,
        caches: &'a SearchCaches,
        queries: &'static dyn InnerQueries,
    ) -> Self {
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
            known_terms: snapshot.known_terms(),
            queries,
            allowance: Allowance::default(),
            explains: false,
            trace: Trace::default(),
            counted_by: CountedBy::Shard,
        }
    }

    /// What asks the shards of a collection. Errors: `BadRequest` where this shard knows of no others.
    pub(crate) fn peers(&self, collection: &str) -> Result<&'a dyn Peers> {
        let none = || {
            Error::bad_request(format!(
                "documents of `{collection}` cannot be asked for here; search them first"
            ))
        };
        self.caches.peers.get().map(|peers| &**peers).ok_or_else(none)
    }

    /// Whether nothing is searched, only what a search depends on is counted.
    pub(crate) fn is_noting(&self) -> bool {
        matches!(self.counted_by, CountedBy::Noting(_))
    }

    /// Whether the statistics are those of all shards of a collection.
    pub(crate) fn is_counted_by_all(&self) -> bool {
        matches!(self.counted_by, CountedBy::Collection(_))
    }

    /// The same, scored by the statistics that the plan brings.
    pub(crate) fn of_plan(self, plan: &'a SearchPlan) -> Self {
        self.counted_by(plan.statistics.as_deref())
    }

    /// The same, scored by these, of all shards of a collection; by the shard's own where there are none.
    pub(crate) fn counted_by(self, statistics: Option<&'a SearchStatistics>) -> Self {
        Self { counted_by: statistics.map_or(CountedBy::Shard, CountedBy::Collection), ..self }
    }

    /// The same, on the account of a request: cut short when its allowance is used up.
    pub(crate) fn within(mut self, meters: &Meters) -> Self {
        let Meters { allowance, trace } = meters.clone();
        self.segments.iter_mut().for_each(|segment| segment.allowance = allowance.clone());
        Self { allowance, trace, ..self }
    }

    /// The living documents that match: (segment, documents ascending), empty ones left out.
    pub(crate) fn matching_docs(&self, query: &Query) -> Result<Vec<(usize, Vec<DocId>)>> {
        self.queries.matching_docs(self, query)
    }

    /// The living document with this id.
    pub(crate) fn doc_with_id(&self, id: &str) -> Result<Option<(&SearchSegment<'a>, DocId)>> {
        let key = self.layout.unique_key().cloned().unwrap_or_else(|| "id".into());
        let found = self.matching_docs(&Query::Term { field: key, value: Value::Str(id.to_owned()) })?;
        let first = found.first().and_then(|(segment, docs)| Some((*segment, *docs.first()?)));
        Ok(first.and_then(|(segment, doc)| Some((self.segments.get(segment)?, doc))))
    }
}

impl SearchSegment<'_> {
    pub(crate) fn max_doc(&self) -> DocId {
        self.reader.max_doc()
    }
}
