//! A function as a score, or as a factor of one. Lucene's queues hold no negative scores and none that are no
//! number: those are 0 (`FunctionQuery` and `FunctionScoreQuery` of Lucene 9). In: a lowered function; out:
//! scores for a batch of documents, and the text of an explanation. What the function computes is
//! `reader.rs`'.

use plan::Result;
use tantivy::{DocId, SegmentReader};

use super::batch::BatchBuffer;
use super::lowered::LoweredFunction;
use super::reader::FunctionReader;
use super::values::{FunctionValues as _, SingleValues as _};

/// A function that scores.
pub(crate) struct FunctionNode {
    pub(crate) function: LoweredFunction,
    /// As Lucene prints the query.
    pub(crate) label: String,
    pub(crate) boost: f32,
}

impl FunctionNode {
    /// The value for a document, and the function in words with what it read.
    pub(crate) fn value_at(&self, segment: &SegmentReader, doc: DocId) -> Result<(f64, String)> {
        let mut reader = FunctionReader::open(&self.function, segment)?;
        Ok((reader.double(doc), reader.describe(doc)))
    }
}

/// The same in one segment.
pub(crate) struct FunctionScore {
    reader: FunctionReader,
    boost: f32,
}

impl FunctionScore {
    pub(crate) fn open(node: &FunctionNode, segment: &SegmentReader) -> Result<Self> {
        Ok(Self { reader: FunctionReader::open(&node.function, segment)?, boost: node.boost })
    }

    pub(crate) fn score(&mut self, doc: DocId) -> f32 {
        let mut score = [0.0];
        self.scores(&[doc], &mut score);
        score[0]
    }

    pub(crate) fn scores(&mut self, docs: &[DocId], scores: &mut [f32]) {
        self.reader.floats(docs, scores);
        for score in scores {
            *score = if *score > 0.0 { *score * self.boost } else { 0.0 };
        }
    }

    /// `score` times the value.
    pub(crate) fn boosted(&mut self, doc: DocId, score: f32) -> f32 {
        let mut score = [score];
        self.boost_all(&[doc], &mut score);
        score[0]
    }

    /// Multiplied in double precision, as Lucene does.
    pub(crate) fn boost_all(&mut self, docs: &[DocId], scores: &mut [f32]) {
        let mut factors = BatchBuffer::<f64>::of(docs);
        self.reader.doubles(docs, factors.all_mut());
        for (score, factor) in scores.iter_mut().zip(factors.all()) {
            let product = f64::from(*score) * factor;
            *score = if product > 0.0 { (product * f64::from(self.boost)) as f32 } else { 0.0 };
        }
    }
}
