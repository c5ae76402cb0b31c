//! A weight times a factor that keeps what tantivy prunes. Its own `BoostWeight` falls back to scoring every document
//! (measured 2026-11 on a term with 70,000 hits: 401 µs against 30 µs).

use tantivy::query::{Explanation, Scorer, Weight};
use tantivy::{DocId, Score, SeekDangerResult, SegmentReader};

use super::weight::no_explanation;

pub(super) struct Scaled {
    inner: Box<dyn Weight>,
    factor: Score,
}

impl Scaled {
    pub(super) fn new(inner: Box<dyn Weight>, factor: Score) -> Self {
        Self { inner, factor }
    }
}

/// A threshold in the inner weight's terms, a little lower so that rounding loses no document. Collectors start with the
/// least score there is, which must not be divided.
fn down(threshold: Score, factor: Score) -> Score {
    if threshold > 0.0 && factor > 0.0 { threshold / factor * 0.999_999 } else { threshold }
}

impl Weight for Scaled {
    fn scorer(&self, reader: &SegmentReader, boost: Score) -> tantivy::Result<Box<dyn Scorer>> {
        self.inner.scorer(reader, boost * self.factor)
    }

    fn scorer_danger(
        &self,
        reader: &SegmentReader,
        target: DocId,
        boost: Score,
    ) -> tantivy::Result<(SeekDangerResult, Box<dyn Scorer>)> {
        self.inner.scorer_danger(reader, target, boost * self.factor)
    }

    fn explain(&self, _: &SegmentReader, _: DocId) -> tantivy::Result<Explanation> {
        Err(no_explanation())
    }

    fn count(&self, reader: &SegmentReader) -> tantivy::Result<u32> {
        self.inner.count(reader)
    }

    fn for_each_no_score(
        &self,
        reader: &SegmentReader,
        callback: &mut dyn FnMut(&[DocId]),
    ) -> tantivy::Result<()> {
        self.inner.for_each_no_score(reader, callback)
    }

    fn for_each_pruning(
        &self,
        threshold: Score,
        reader: &SegmentReader,
        callback: &mut dyn FnMut(DocId, Score) -> Score,
    ) -> tantivy::Result<()> {
        let mut current = threshold;
        self.inner.for_each_pruning(down(threshold, self.factor), reader, &mut |doc, score| {
            let score = score * self.factor;
            if score > current {
                current = callback(doc, score);
            }
            down(current, self.factor)
        })
    }
}
