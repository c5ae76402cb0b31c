//! What the index holds of each field: documents, distinct terms, the most frequent terms. For the schema browser.

use std::collections::BTreeMap;

use plan::{Error, Result, TieHeap, Value};
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
    let mut histogram = Vec::new();
    for count in counted.values() {
        let bucket = count.saturating_sub(1).checked_ilog2().map_or(0, |log| log as usize + 1);
        histogram.resize(histogram.len().max(bucket + 1), 0);
        if let Some(terms) = histogram.get_mut(bucket) {
            *terms += 1;
        }
    }
    let top = top(&counted, limit).into_iter();
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
/// decided by how its heap moves them.
fn top(counted: &BTreeMap<Vec<u8>, u64>, limit: usize) -> Vec<(&[u8], u64)> {
    let mut queue = TieHeap::new(|one: &(&[u8], u64), other: &(&[u8], u64)| one.1.cmp(&other.1));
    // Rarer terms do not come in once the queue is full.
    let mut count_min = 0;
    for (term, count) in counted {
        if *count <= count_min {
            continue;
        }
        queue.push((term.as_slice(), *count));
        if queue.len() > limit {
            queue.pop();
            count_min = queue.peek().map_or(u64::MAX, |(_, count)| *count);
        }
    }
    queue.into_descending()
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
    use super::*;

    /// Orders recorded from Solr 9.10.1.
    #[test]
    fn ties_are_luke_s() {
        let check = |terms: &[(&str, u64)], limit: usize, expected: &[&str]| {
            let counted = terms.iter().map(|(term, count)| (term.as_bytes().to_vec(), *count)).collect();
            let found: Vec<_> = top(&counted, limit).into_iter().map(|(term, _)| term.to_vec()).collect();
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
