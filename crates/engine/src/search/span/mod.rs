//! Stretches of words in a document, by the positions of their terms and perhaps by their payloads: how
//! often, and how they score. `stretches` finds them, as Lucene's spans do; `lower/span.rs` makes the node,
//! `matches` asks for documents with the terms first.

mod stretches;

use std::cmp::Ordering;
use std::sync::Arc;

use plan::{PayloadDecoder, PayloadFunction, PayloadUse, Result, Value};
use tantivy::columnar::Column;
use tantivy::{DocId, SegmentReader, Term};

use self::stretches::{Stretch, stretches};
use super::leaf_nodes::TermWeight;
use super::norms::Norms;
use super::phrase::with_positions;
use crate::errors::from_tantivy;
use crate::search::columns::SegmentColumns;
use crate::segment::columns::AnyColumn;
use crate::segment::payloads::{DocPayloads, fingerprint};
use crate::segment::postings::TermBlocks;
use crate::segment::postings::positions::TermPositions;

pub(crate) use self::stretches::SpanShape;

/// A span query, with its terms looked up.
pub(crate) struct SpanNode {
    pub(crate) shape: SpanShape,
    pub(crate) terms: Vec<Term>,
    pub(crate) label: String,
    pub(crate) scoring: TermWeight,
    pub(crate) payload: Option<Payloads>,
}

/// What is done with payloads, and where they are.
pub(crate) struct Payloads {
    pub(crate) how: PayloadUse,
    pub(crate) columns: Option<SegmentColumns>,
}

impl SpanNode {
    /// How scores come from payloads, if they do.
    pub(crate) fn scores_payloads(&self) -> Option<(PayloadFunction, bool)> {
        match self.payload.as_ref()?.how {
            PayloadUse::Score { how, times_score, .. } => Some((how, times_score)),
            PayloadUse::Check { .. } => None,
        }
    }
}

/// A span query in one segment.
pub(crate) struct SpanAt {
    node: Arc<SpanNode>,
    terms: Vec<Option<(TermBlocks, TermPositions)>>,
    /// Of each term in the document last looked at.
    positions: Vec<Vec<u32>>,
    fingerprints: Vec<u32>,
    column: Option<Column<i64>>,
    stored: DocPayloads,
    norms: Norms,
}

impl SpanAt {
    pub(crate) fn open(node: &Arc<SpanNode>, reader: &SegmentReader) -> Result<Option<Self>> {
        let Some((_, view)) = node.scoring.views.of(reader) else { return Ok(None) };
        let terms = node.terms.iter().map(|term| with_positions(view, term)).collect::<Result<Vec<_>>>()?;
        let columns = node.payload.as_ref().and_then(|payload| payload.columns.as_ref());
        let column = match columns.and_then(|columns| columns.values(reader.segment_id())) {
            Some(AnyColumn::I64(column)) => Some(column.clone()),
            _ => None,
        };
        Ok(Some(Self {
            positions: vec![Vec::new(); terms.len()],
            fingerprints: node.terms.iter().map(|term| fingerprint(term.serialized_value_bytes())).collect(),
            terms,
            column,
            stored: DocPayloads::default(),
            norms: Norms::open(reader, node.scoring.norms).map_err(from_tantivy)?,
            node: node.clone(),
        }))
    }

    /// The score of `doc`, `None` when nothing of it stands there. Never to be asked for an earlier document
    /// than before.
    pub(crate) fn score(&mut self, doc: DocId) -> Option<f32> {
        let found = self.find(doc)?;
        let similarity = &self.node.scoring.similarity;
        let Some((_, times_score)) = self.node.scores_payloads() else {
            return Some(similarity.score(frequency(&found), self.norms.of(doc)));
        };
        let by_payloads = not_negative(self.amount(&found));
        Some(match times_score {
            true => similarity.score(frequency(&found), self.norms.of(doc)) * by_payloads,
            false => by_payloads,
        })
    }

    /// (frequency, norm) in `doc`; see [`SpanAt::score`].
    pub(crate) fn counts(&mut self, doc: DocId) -> Option<(f32, u8)> {
        let found = self.find(doc)?;
        Some((frequency(&found), self.norms.of(doc)))
    }

    /// What the payloads of `doc` amount to, negative or not.
    pub(crate) fn payload_amount(&mut self, doc: DocId) -> Option<f32> {
        let found = self.find(doc)?;
        Some(self.amount(&found))
    }

    /// No document scores more.
    pub(crate) fn most(&self) -> f32 {
        match self.node.scores_payloads() {
            Some(_) => f32::INFINITY,
            None => self.node.scoring.similarity.most(),
        }
    }

    fn find(&mut self, doc: DocId) -> Option<Vec<Stretch>> {
        for (term, positions) in self.terms.iter_mut().zip(&mut self.positions) {
            positions.clear();
            let Some((blocks, stored)) = term else { continue };
            let Some((start, count)) = blocks.positions_of(doc) else { continue };
            let mut position = 0u32;
            stored.read(start, count, |delta| {
                position = position.wrapping_add(delta);
                positions.push(position);
            });
        }
        let mut found = stretches(&self.node.shape, &self.positions, self.node.payload.is_some());
        if let (Some(payload), false) = (&self.node.payload, found.is_empty()) {
            if let Some(column) = &self.column {
                self.stored.read(column, doc);
            }
            if let PayloadUse::Check { operation, payloads, .. } = &payload.how {
                let wanted = |one: Option<&[u8]>, wanted: &Value| {
                    one.and_then(|one| compare(one, wanted)).is_some_and(|order| operation.admits(order))
                };
                found.retain(|stretch| {
                    stretch.words.len() == payloads.len()
                        && stretch
                            .words
                            .iter()
                            .zip(payloads)
                            .all(|(word, value)| wanted(self.of(*word), value))
                });
            }
        }
        (!found.is_empty()).then_some(found)
    }

    /// The payload of a word, by the number of its term, at a position.
    fn of(&self, (term, position): (usize, u32)) -> Option<&[u8]> {
        self.column.as_ref()?;
        self.stored.get(position, *self.fingerprints.get(term)?)
    }

    fn amount(&self, found: &[Stretch]) -> f32 {
        let Some(PayloadUse::Score { decoder, how, .. }) = self.node.payload.as_ref().map(|it| &it.how)
        else {
            return 1.0;
        };
        let words = found.iter().flat_map(|stretch| &stretch.words);
        how.of(words.map(|word| factor(*decoder, self.of(*word)))).unwrap_or(1.0)
    }
}

/// A word without a payload counts 1, as in Solr's decoders.
fn factor(decoder: PayloadDecoder, payload: Option<&[u8]>) -> f32 {
    payload.and_then(|payload| decoder.decode(payload)).unwrap_or(1.0)
}

/// As Lucene's `SpanWeight` counts: the shorter a stretch, the more.
fn frequency(found: &[Stretch]) -> f32 {
    found.iter().fold(0.0, |sum, stretch| sum + 1.0 / (1.0 + stretch.width as f32))
}

/// Lucene's queues hold no negative scores.
fn not_negative(score: f32) -> f32 {
    if score > 0.0 { score } else { 0.0 }
}

/// A payload and what it is compared with.
fn compare(payload: &[u8], wanted: &Value) -> Option<Ordering> {
    match wanted {
        Value::Float(number) => PayloadDecoder::Float.decode(payload)?.partial_cmp(number),
        Value::Int(number) => Some(i32::from_be_bytes(*payload.first_chunk()?).cmp(number)),
        other => Some(std::str::from_utf8(payload).ok()?.cmp(&other.to_text())),
    }
}
