//! What the index holds of each field: documents, distinct terms, the most frequent terms. For the schema browser.

use std::collections::BTreeMap;

use plan::{Error, Result, Value};
use tantivy::schema::Field;

use super::SearchContext;
use super::error::engine_error;
use super::lower::exists_docs;
use super::stats::segment_stats;
use crate::layout::{FieldLayout, InvertedKind};

/// One concrete field of the index.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldStats {
    pub name: String,
    /// Documents with a value, deleted ones included until a merge drops them.
    pub docs: u64,
    /// Terms, summed over segments: an upper bound when there are several. `None` without an inverted index.
    pub distinct: Option<u64>,
    /// Whether any document has it.
    pub in_index: bool,
}

pub(super) fn fields(context: &SearchContext<'_>) -> Result<Vec<FieldStats>> {
    let mut fields =
        context.layout.fields().map(|field| stats_of(context, field)).collect::<Result<Vec<_>>>()?;
    fields.sort_by(|left, right| left.name.cmp(&right.name));
    Ok(fields)
}

fn stats_of(context: &SearchContext<'_>, layout: &FieldLayout) -> Result<FieldStats> {
    let (mut docs, mut distinct) = (0, None);
    for segment in &context.segments {
        if let Some(field) = layout.inverted {
            docs += segment_stats(context, segment, layout, field)?.doc_count;
            let inverted = segment.reader.inverted_index(field).map_err(engine_error)?;
            *distinct.get_or_insert(0) += inverted.terms().num_terms() as u64;
        } else {
            docs += u64::from(exists_docs(segment.view, layout)?.count());
        }
    }
    Ok(FieldStats { name: layout.name.to_string(), docs, distinct, in_index: docs > 0 })
}

/// The terms of one field, dead documents counted as in Lucene.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TopTerms {
    /// (term, documents), most documents first; ties as Luke has them.
    pub top: Vec<(Value, u64)>,
    pub distinct: u64,
    /// How many terms are in 1, 2, up to 4, up to 8, … documents: as far as there are any.
    pub histogram: Vec<u64>,
}

pub(super) fn top_terms(context: &SearchContext<'_>, name: &str, limit: usize) -> Result<TopTerms> {
    let Some(layout) = context.layout.field(name) else { return Ok(TopTerms::default()) };
    let (Some(field), Some(kind)) = (layout.inverted, layout.inverted_kind) else {
        return Ok(TopTerms::default());
    };
    let counted = doc_freqs(context, field)?;
    let mut queue = TermQueue::new(limit);
    let mut histogram = Vec::new();
    for (bytes, count) in &counted {
        let bucket = count.saturating_sub(1).checked_ilog2().map_or(0, |log| log as usize + 1);
        histogram.resize(histogram.len().max(bucket + 1), 0);
        if let Some(terms) = histogram.get_mut(bucket) {
            *terms += 1;
        }
        queue.offer(bytes, *count);
    }
    let top = queue.into_sorted().into_iter();
    let top = top.map(|(bytes, count)| Ok((value_of(layout, kind, bytes)?, count))).collect::<Result<_>>()?;
    Ok(TopTerms { top, distinct: counted.len() as u64, histogram })
}

/// Documents of each term, in the order of the terms.
fn doc_freqs(context: &SearchContext<'_>, field: Field) -> Result<BTreeMap<Vec<u8>, u64>> {
    let mut counts: BTreeMap<Vec<u8>, u64> = BTreeMap::new();
    for segment in &context.segments {
        let inverted = segment.reader.inverted_index(field).map_err(engine_error)?;
        let mut terms = inverted.terms().stream().map_err(engine_error)?;
        while terms.advance() {
            let freq = u64::from(terms.value().doc_freq);
            match counts.get_mut(terms.key()) {
                Some(count) => *count += freq,
                None => drop(counts.insert(terms.key().to_vec(), freq)),
            }
        }
    }
    Ok(counts)
}

/// Luke's queue of the most frequent terms. Which of several terms with the same count it shows, and in which order, is
/// decided by how a binary heap with the rarest term at its root moves them; so this is such a heap, step by step.
struct TermQueue<'a> {
    limit: usize,
    /// Rarer terms do not come in once the queue is full.
    count_min: u64,
    heap: Vec<(&'a [u8], u64)>,
}

impl<'a> TermQueue<'a> {
    fn new(limit: usize) -> Self {
        Self { limit, count_min: 0, heap: Vec::new() }
    }

    fn offer(&mut self, term: &'a [u8], count: u64) {
        if count <= self.count_min {
            return;
        }
        self.heap.push((term, count));
        self.rise();
        if self.heap.len() > self.limit {
            self.pop();
            self.count_min = self.count(0).unwrap_or(u64::MAX);
        }
    }

    fn count(&self, at: usize) -> Option<u64> {
        self.heap.get(at).map(|(_, count)| *count)
    }

    fn rise(&mut self) {
        let mut at = self.heap.len().saturating_sub(1);
        while at > 0 && self.count(at) < self.count((at - 1) / 2) {
            self.heap.swap(at, (at - 1) / 2);
            at = (at - 1) / 2;
        }
    }

    fn pop(&mut self) -> Option<(&'a [u8], u64)> {
        if self.heap.is_empty() {
            return None;
        }
        let rarest = self.heap.swap_remove(0);
        let mut at = 0;
        while let Some(mut below) = self.count(2 * at + 1).map(|_| 2 * at + 1) {
            if self.count(below + 1).is_some_and(|right| Some(right) < self.count(below)) {
                below += 1;
            }
            if self.count(below) >= self.count(at) {
                break;
            }
            self.heap.swap(at, below);
            at = below;
        }
        Some(rarest)
    }

    /// Most frequent first.
    fn into_sorted(mut self) -> Vec<(&'a [u8], u64)> {
        let mut sorted = Vec::with_capacity(self.heap.len());
        while let Some(next) = self.pop() {
            sorted.push(next);
        }
        sorted.reverse();
        sorted
    }
}

/// The value that a term stands for, of the field's own type.
fn value_of(layout: &FieldLayout, kind: InvertedKind, bytes: &[u8]) -> Result<Value> {
    let number =
        || bytes.try_into().map(u64::from_be_bytes).map_err(|_| Error::internal("a term of odd length"));
    Ok(match kind {
        InvertedKind::I64 => super::facet::integer_value(layout.class(), tantivy::u64_to_i64(number()?)),
        InvertedKind::F64 => super::facet::real_value(layout.class(), tantivy::u64_to_f64(number()?)),
        InvertedKind::Bool => Value::Bool(number()? != 0),
        _ => Value::Str(String::from_utf8_lossy(bytes).into_owned()),
    })
}

#[cfg(test)]
mod tests {
    use super::TermQueue;

    /// Orders recorded from Solr 9.10.1.
    #[test]
    fn ties_are_luke_s() {
        let check = |terms: &[(&str, u64)], limit: usize, expected: &[&str]| {
            let mut queue = TermQueue::new(limit);
            terms.iter().for_each(|(term, count)| queue.offer(term.as_bytes(), *count));
            let found: Vec<_> = queue.into_sorted().into_iter().map(|(term, _)| term).collect();
            let expected: Vec<_> = expected.iter().map(|term| term.as_bytes()).collect();
            assert_eq!(found, expected, "{limit}");
        };
        let authors = [
            ("Ash", 2),
            ("Ash Tree", 1),
            ("Birch", 2),
            ("Cedar", 1),
            ("Dogwood", 1),
            ("Elm", 1),
            ("O'Neil", 1),
            ("ash", 1),
            ("Élan", 1),
            ("Ölmann", 1),
            ("山田", 1),
        ];
        check(&authors, 5, &["Birch", "Ash", "Elm", "Dogwood", "Cedar"]);
        check(&authors, 0, &[]);
        let ids = ["b 13/x", "b1", "b10", "b11", "b12", "b14", "b2", "b3"].map(|id| (id, 1));
        check(&ids, 5, &["b1", "b10", "b11", "b12", "b14"]);
    }
}
