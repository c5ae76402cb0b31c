//! What the index holds of each field: documents, distinct terms, and the documents of each term. For the
//! schema browser, which shows the most frequent terms once those of all shards are together. In: the
//! snapshot; out: parts that merge over shards. It reads dictionaries and statistics, no postings but for
//! counts, and is no part of any search.

use plan::partial::{ByValue, IndexedField, IndexedFields};
use plan::{Error, Result, Value};

use super::each_term::each_term;
use super::lower::exists_docs;
use super::stats::segment_stats;
use crate::errors::from_tantivy;
use crate::layout::{FieldLayout, InvertedKind};
use crate::search::context::SearchContext;

pub(super) fn fields(context: &SearchContext<'_>) -> Result<IndexedFields> {
    let mut fields =
        context.layout.fields().map(|field| stats_of(context, field)).collect::<Result<Vec<_>>>()?;
    fields.sort_by(|left, right| left.name.cmp(&right.name));
    Ok(IndexedFields(fields))
}

fn stats_of(context: &SearchContext<'_>, layout: &FieldLayout) -> Result<IndexedField> {
    let (mut docs, mut distinct) = (0, None);
    for segment in &context.segments {
        if let Some(field) = layout.inverted {
            docs += segment_stats(context, segment, layout, field)?.doc_count;
            let inverted = segment.reader.inverted_index(field).map_err(from_tantivy)?;
            *distinct.get_or_insert(0) += inverted.terms().num_terms() as u64;
        } else {
            docs += u64::from(exists_docs(segment.view, layout)?.count());
        }
    }
    Ok(IndexedField { name: layout.name.to_string(), docs, distinct, in_index: docs > 0 })
}

/// The terms of one field, dead documents counted as in Lucene.
pub(super) fn term_documents(context: &SearchContext<'_>, name: &str) -> Result<ByValue<u64>> {
    let Some(layout) = context.layout.field(name) else { return Ok(ByValue::default()) };
    let (Some(field), Some(kind)) = (layout.inverted, layout.inverted_kind) else {
        return Ok(ByValue::default());
    };
    // Terms are in the order of the values that they stand for, so the list is made in one pass: nothing else
    // holds all terms.
    let mut list = Vec::new();
    each_term(context, field, &[], &mut |term, infos| {
        let documents = infos.iter().map(|(_, info)| u64::from(info.doc_freq)).sum();
        list.push((value_of(layout, kind, term)?, documents));
        Ok(true)
    })?;
    Ok(ByValue::all(list))
}

/// The value that a term stands for, of the field's own type.
fn value_of(layout: &FieldLayout, kind: InvertedKind, bytes: &[u8]) -> Result<Value> {
    let number = || {
        let bytes = bytes.try_into();
        bytes.map(u64::from_be_bytes).map_err(|_| Error::internal("a term of odd length"))
    };
    Ok(match kind {
        InvertedKind::I64 => {
            crate::segment::columns::integer_value(layout.class(), tantivy::u64_to_i64(number()?))
        }
        InvertedKind::F64 => {
            crate::segment::columns::real_value(layout.class(), tantivy::u64_to_f64(number()?))
        }
        InvertedKind::Bool => Value::Bool(number()? != 0),
        _ => Value::Str(String::from_utf8_lossy(bytes).into_owned()),
    })
}
