//! How many hits have each value of a field: by numbers of a column, or by the postings of each term. One
//! pass over the hits of each segment, merged by value. Strings of columns are counted by `ordinals`.
//!
//! In: a domain of hits; out: counts by value in no order, for `field` and `units`. A document counts once
//! for a value, however often it has it.

use std::collections::HashMap;

use plan::Result;
use tantivy::columnar::Column;
use tantivy::schema::{Field, IndexRecordOption};

use crate::errors::from_tantivy;
use crate::layout::ColumnRef;
use crate::search::context::SearchContext;
use crate::search::facet::domain::Domain;
use crate::search::sets::TERMS_A_LOOK;
use crate::segment::bits::Bits;
use crate::segment::columns::AnyColumn;

/// Counts by value, zeros included where `zeros` asks for them.
pub(super) type Counts<K> = HashMap<K, u64>;

pub(super) fn each_distinct<T: Copy + PartialEq + PartialOrd + std::fmt::Debug + Send + Sync + 'static>(
    column: &Column<T>,
    doc: u32,
    mut take: impl FnMut(T),
) {
    let mut seen: [Option<T>; 8] = [None; 8];
    for (at, value) in column.values_for_doc(doc).enumerate() {
        let before = column.values_for_doc(doc).take(at);
        let known = if at <= seen.len() {
            seen.iter().take(at).any(|earlier| *earlier == Some(value))
        } else {
            before.into_iter().any(|earlier| earlier == value)
        };
        if let Some(place) = seen.get_mut(at) {
            *place = Some(value);
        }
        if !known {
            take(value);
        }
    }
}

/// Counts of an integer or boolean column; with `zeros`, both ends of its values appear even without hits,
/// which for booleans are all values.
pub(super) fn integers(
    context: &SearchContext<'_>,
    column: &ColumnRef,
    domain: &Domain,
    zeros: bool,
) -> Result<Counts<i64>> {
    let mut counts = Counts::new();
    for (segment, hits) in context.segments.iter().zip(domain).take_while(|_| !context.allowance.is_used_up())
    {
        match segment.view.column(column)? {
            Some(AnyColumn::I64(column)) => add_numbers(&column, hits, zeros, |number| number, &mut counts),
            Some(AnyColumn::Bool(column)) => add_numbers(&column, hits, zeros, i64::from, &mut counts),
            _ => {}
        }
    }
    Ok(counts)
}

fn add_numbers<T: Copy + PartialOrd + std::fmt::Debug + Send + Sync + 'static>(
    column: &Column<T>,
    hits: &Bits,
    zeros: bool,
    key: impl Fn(T) -> i64,
    counts: &mut Counts<i64>,
) {
    if zeros && column.values.num_vals() > 0 {
        counts.entry(key(column.min_value())).or_default();
        counts.entry(key(column.max_value())).or_default();
    }
    hits.iter()
        .for_each(|doc| each_distinct(column, doc, |value| *counts.entry(key(value)).or_default() += 1));
}

/// Counts of a column of reals, by the bits of the values.
pub(super) fn reals(context: &SearchContext<'_>, column: &ColumnRef, domain: &Domain) -> Result<Counts<u64>> {
    let mut counts = Counts::new();
    for (segment, hits) in context.segments.iter().zip(domain).take_while(|_| !context.allowance.is_used_up())
    {
        if let Some(AnyColumn::F64(column)) = segment.view.column(column)? {
            hits.iter().for_each(|doc| {
                each_distinct(&column, doc, |value| *counts.entry(value.to_bits()).or_default() += 1);
            });
        }
    }
    Ok(counts)
}

/// Counts of the terms of an inverted field that begin with `prefix`.
pub(super) fn terms(
    context: &SearchContext<'_>,
    field: Field,
    prefix: &str,
    domain: &Domain,
    zeros: bool,
) -> Result<Counts<Box<str>>> {
    let mut counts = Counts::new();
    for (segment, hits) in context.segments.iter().zip(domain).take_while(|_| !context.allowance.is_used_up())
    {
        let inverted = segment.reader.inverted_index(field).map_err(from_tantivy)?;
        let mut terms = inverted.terms().range().ge(prefix).into_stream().map_err(from_tantivy)?;
        let mut read = 0u32;
        while terms.advance() && terms.key().starts_with(prefix.as_bytes()) {
            read += 1;
            if read.is_multiple_of(TERMS_A_LOOK) && context.allowance.is_used_up() {
                return Ok(counts);
            }
            let mut blocks = inverted
                .read_block_postings_from_terminfo(terms.value(), IndexRecordOption::Basic)
                .map_err(from_tantivy)?;
            let mut count = 0u64;
            while !blocks.docs().is_empty() {
                count += blocks.docs().iter().filter(|doc| hits.contains(**doc)).count() as u64;
                blocks.advance();
            }
            if count > 0 || zeros {
                *counts.entry(String::from_utf8_lossy(terms.key()).into()).or_default() += count;
            }
        }
    }
    Ok(counts)
}
