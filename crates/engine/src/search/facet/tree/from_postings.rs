//! The documents of a few values of a field, read from the postings of these values: where the values are
//! rare among the documents of a bucket, as those of a page mostly are, that is far less than looking at the
//! value of each document.
//!
//! In: the hits that are cut and the chosen values with their counts; out: the documents under the places of
//! their values, the very ones that a pass over the column would place, or none where that pass costs less.

use std::sync::Arc;

use plan::Result;
use tantivy::Term;
use tantivy::postings::TermInfo;
use tantivy::schema::Field;

use super::docs::Placed;
use crate::errors::from_tantivy;
use crate::layout::{ColumnKind, FieldLayout, InvertedKind};
use crate::search::context::SearchContext;
use crate::search::facet::ordinals::Strings;
use crate::search::sets::TERMS_A_LOOK;
use crate::segment::bits::Bits;

/// So many values are read out of a column while one term is looked up in a segment's dictionary. None in
/// tests, whose segments are small, so that both ways are gone.
const VALUES_A_TERM: u64 = if cfg!(test) { 0 } else { 256 };
/// So many are read while one document is taken out of postings and looked for among the hits.
const VALUES_A_POSTING: u64 = if cfg!(test) { 1 } else { 2 };

/// The terms of a field, where each value of its column is one of them and is found by it.
pub(super) fn terms_of_values(layout: &FieldLayout) -> Option<Field> {
    let is_term = matches!(layout.inverted_kind, Some(InvertedKind::Term { .. }));
    let of_strings = layout.column.as_ref().is_some_and(|column| column.kind == ColumnKind::Str);
    layout.inverted.filter(|_| is_term && of_strings)
}

/// Of `hits` those that have one of the `chosen` values, numbers of `strings` with their counts: `ascending`
/// in each segment, as whoever sums up reads them, or one value after the other.
pub(super) fn placed(
    context: &SearchContext<'_>,
    (strings, field): (&Strings, Field),
    (hits, chosen): (&[Arc<Bits>], &[(u64, u64)]),
    ascending: bool,
) -> Result<Option<Placed>> {
    let values: u64 = hits.iter().map(|bits| u64::from(bits.count())).sum();
    let mut cost = (chosen.len() as u64 * context.segments.len() as u64).saturating_mul(VALUES_A_TERM);
    // A value has no fewer documents in all than among the hits.
    let fewest: u64 = chosen.iter().map(|(_, count)| *count).sum();
    if cost.saturating_add(fewest.saturating_mul(VALUES_A_POSTING)) > values {
        return Ok(None);
    }
    let mut found = Vec::with_capacity(chosen.len());
    for ((key, _), slot) in chosen.iter().zip(0..) {
        let term = Term::from_field_text(field, &strings.text(*key as usize)?);
        for (number, segment) in context.segments.iter().enumerate() {
            let inverted = segment.reader.inverted_index(field).map_err(from_tantivy)?;
            let Some(info) = inverted.get_term_info(&term).map_err(from_tantivy)? else { continue };
            cost = cost.saturating_add(u64::from(info.doc_freq).saturating_mul(VALUES_A_POSTING));
            if cost > values {
                return Ok(None);
            }
            found.push((number, slot, info));
        }
    }
    // By segment, and in it by place: `sort` is stable.
    found.sort_by_key(|(number, ..)| *number);
    read(context, (field, hits), &found, ascending).map(Some)
}

fn read(
    context: &SearchContext<'_>,
    (field, hits): (Field, &[Arc<Bits>]),
    terms: &[(usize, u32, TermInfo)],
    ascending: bool,
) -> Result<Placed> {
    let mut placed = Placed::new(hits.len());
    let mut read = 0u32;
    for of_segment in terms.chunk_by(|(left, ..), (right, ..)| left == right) {
        let Some(number) = of_segment.first().map(|(number, ..)| *number) else { continue };
        let Some((segment, hits)) = context.segments.get(number).zip(hits.get(number)) else { continue };
        let postings = segment.view.postings().field(segment.reader, field)?;
        let mut pairs = Vec::new();
        for (_, slot, info) in of_segment {
            read += 1;
            if read.is_multiple_of(TERMS_A_LOOK) && context.allowance.is_used_up() {
                return Ok(placed);
            }
            postings.for_each_doc(info, |doc| {
                if hits.contains(doc) {
                    pairs.push((doc, *slot));
                }
            })?;
        }
        if ascending {
            // It is a merge of lists that ascend already.
            pairs.sort_by_key(|(doc, _)| *doc);
        }
        pairs.into_iter().for_each(|(doc, slot)| placed.push(number, doc, slot));
    }
    Ok(placed)
}
