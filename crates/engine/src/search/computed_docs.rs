//! Documents found by reading columns or many terms: nothing is read before a search asks for a segment, and
//! each segment is read once a search.
//!
//! In: a closure that knows fields and bounds (from `lower`, or from a function's range); out: bits of a
//! segment, dead documents among them, for `matches` and `evaluate`. Knows nothing of queries.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use plan::Result;
use tantivy::SegmentReader;
use tantivy::index::SegmentId;

use crate::segment::bits::Bits;

type Compute = dyn Fn(&SegmentReader) -> Result<Bits> + Send + Sync;
type ComputeAmong = dyn Fn(&SegmentReader, &Bits) -> Result<Option<Bits>> + Send + Sync;

/// Documents found by reading columns or many terms; each segment is read once per search.
pub(crate) struct ComputedDocs {
    compute: Box<Compute>,
    /// Finds those among some documents, where that is less work.
    among: Option<Box<ComputeAmong>>,
    known: Mutex<HashMap<SegmentId, Arc<Bits>>>,
}

impl ComputedDocs {
    pub(crate) fn new(compute: impl Fn(&SegmentReader) -> Result<Bits> + Send + Sync + 'static) -> Self {
        Self { compute: Box::new(compute), among: None, known: Mutex::default() }
    }

    /// With a way to ask about some documents alone, which answers `None` where finding all is no more work.
    pub(crate) fn or_among(
        mut self,
        among: impl Fn(&SegmentReader, &Bits) -> Result<Option<Bits>> + Send + Sync + 'static,
    ) -> Self {
        self.among = Some(Box::new(among));
        self
    }

    /// Bits that are known already. Segments without any have none.
    pub(crate) fn known(known: HashMap<SegmentId, Arc<Bits>>) -> Self {
        let compute = |reader: &SegmentReader| Ok(Bits::none(reader.max_doc()));
        Self { compute: Box::new(compute), among: None, known: Mutex::new(known) }
    }

    /// All of a segment.
    pub(crate) fn bits(&self, reader: &SegmentReader) -> Result<Arc<Bits>> {
        // Held while it computes: who asks for the same segment meanwhile waits, instead of reading the
        // column a second time.
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bits) = known.get(&reader.segment_id()) {
            return Ok(bits.clone());
        }
        let bits = Arc::new((self.compute)(reader)?);
        known.insert(reader.segment_id(), bits.clone());
        Ok(bits)
    }

    /// Those in `among`.
    pub(crate) fn bits_among(&self, reader: &SegmentReader, among: &Bits) -> Result<Arc<Bits>> {
        let known =
            self.known.lock().unwrap_or_else(PoisonError::into_inner).contains_key(&reader.segment_id());
        if let Some(find) = self.among.as_ref().filter(|_| !known)
            && let Some(bits) = find(reader, among)?
        {
            return Ok(Arc::new(bits));
        }
        let mut bits = self.bits(reader)?;
        Arc::make_mut(&mut bits).intersect(among);
        Ok(bits)
    }
}
