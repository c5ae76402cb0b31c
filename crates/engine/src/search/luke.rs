//! What the index holds of each field: documents, distinct terms, the most frequent terms. For the schema browser.

use std::collections::HashMap;

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
            docs += u64::from(exists_docs(segment.reader, layout)?.count());
        }
    }
    Ok(FieldStats { name: layout.name.to_string(), docs, distinct, in_index: docs > 0 })
}

pub(super) fn top_terms(context: &SearchContext<'_>, name: &str, limit: usize) -> Result<Vec<(Value, u64)>> {
    let Some(layout) = context.layout.field(name) else { return Ok(Vec::new()) };
    let (Some(field), Some(kind)) = (layout.inverted, layout.inverted_kind) else { return Ok(Vec::new()) };
    let mut counted: Vec<(Vec<u8>, u64)> = doc_freqs(context, field)?.into_iter().collect();
    counted.sort_by(|left, right| right.1.cmp(&left.1).then_with(|| left.0.cmp(&right.0)));
    counted.truncate(limit);
    counted.into_iter().map(|(bytes, count)| Ok((value_of(layout, kind, &bytes)?, count))).collect()
}

fn doc_freqs(context: &SearchContext<'_>, field: Field) -> Result<HashMap<Vec<u8>, u64>> {
    let mut counts: HashMap<Vec<u8>, u64> = HashMap::new();
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
