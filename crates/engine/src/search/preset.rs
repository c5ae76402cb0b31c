//! Documents whose scores come from other documents, and so were worked out before the search: segment by
//! segment, in order. Made by `lower` for blocks and joins; read as any other node by
//! `matches`, `evaluate` and `explain`.

use std::collections::HashMap;
use std::sync::Arc;

use tantivy::index::SegmentId;
use tantivy::{DocId, SegmentReader};

use crate::segment::bits::Bits;

/// What is found in each segment.
pub(crate) struct Preset {
    label: String,
    segments: HashMap<SegmentId, Arc<PresetDocs>>,
}

/// What is found in one segment.
#[derive(Default)]
pub(crate) struct PresetDocs {
    bits: Arc<Bits>,
    /// Ascending, with scores.
    scores: Vec<(DocId, f32)>,
    reasons: Option<Box<dyn Fn(DocId) -> Reason + Send + Sync>>,
}

/// Why a document scores as it does, as Lucene says it, and by which other document of the segment.
pub(crate) struct Reason {
    pub(crate) text: String,
    pub(crate) by: Option<DocId>,
}

impl PresetDocs {
    /// Documents in ascending order, each once.
    pub(crate) fn new(max_doc: u32, scores: Vec<(DocId, f32)>) -> Self {
        let bits = Arc::new(Bits::from_docs(max_doc, scores.iter().map(|(doc, _)| *doc)));
        Self { bits, scores, reasons: None }
    }

    pub(crate) fn because(mut self, reason: impl Fn(DocId) -> Reason + Send + Sync + 'static) -> Self {
        self.reasons = Some(Box::new(reason));
        self
    }
}

impl Preset {
    pub(crate) fn new(label: String, segments: HashMap<SegmentId, PresetDocs>) -> Self {
        let segments = segments.into_iter().map(|(id, docs)| (id, Arc::new(docs))).collect();
        Self { label, segments }
    }

    pub(crate) fn label(&self) -> &str {
        &self.label
    }

    pub(crate) fn bits(&self, reader: &SegmentReader) -> Arc<Bits> {
        let found = self.segments.get(&reader.segment_id()).map(|docs| docs.bits.clone());
        found.unwrap_or_else(|| Arc::new(Bits::none(reader.max_doc())))
    }

    pub(crate) fn at(&self, reader: &SegmentReader) -> PresetAt {
        PresetAt { docs: self.segments.get(&reader.segment_id()).cloned().unwrap_or_default(), next: 0 }
    }

    pub(crate) fn reason(&self, reader: &SegmentReader, doc: DocId) -> Reason {
        let docs = self.segments.get(&reader.segment_id());
        let reasons = docs.and_then(|docs| docs.reasons.as_ref());
        reasons.map_or_else(|| Reason { text: self.label.clone(), by: None }, |reason| reason(doc))
    }
}

/// A walk over the scores of one segment.
pub(crate) struct PresetAt {
    docs: Arc<PresetDocs>,
    next: usize,
}

impl PresetAt {
    /// The score of `doc`; never to be asked for an earlier one than before.
    pub(crate) fn score(&mut self, doc: DocId) -> Option<f32> {
        let rest = self.docs.scores.get(self.next..)?;
        self.next += rest.partition_point(|(other, _)| *other < doc);
        self.docs.scores.get(self.next).filter(|(other, _)| *other == doc).map(|(_, score)| *score)
    }
}
