//! Facets over the values of a field: counted (`values`), chosen (`accept`), ordered and cut as the facet says.

use plan::{Error, FacetSort, FieldFacet, FieldFacetResult, Result, Value};

use super::accept::Accept;
use super::{Domain, integer_value, real_value, values};
use crate::layout::{ColumnKind, FieldLayout, InvertedKind};
use crate::search::SearchContext;
use crate::search::lower::exists_docs;

pub(super) fn count(
    context: &SearchContext<'_>,
    facet: &FieldFacet,
    domain: &Domain,
) -> Result<FieldFacetResult> {
    let Some(layout) = context.layout.field(&facet.field) else {
        let missing = facet.missing.then(|| hits(domain));
        return Ok(FieldFacetResult { key: facet.key.clone(), counts: named_zeros(facet), missing });
    };
    refuse_text_options(layout, facet)?;
    let counted = counted(context, layout, facet, domain)?;
    let missing = if facet.missing { Some(missing(context, layout, domain)?) } else { None };
    let counts = match &facet.terms {
        Some(terms) => named(terms, &counted),
        None => chosen(facet, layout, counted)?,
    };
    let counts =
        counts.into_iter().map(|(value, count)| (value, if facet.exists { count.min(1) } else { count }));
    Ok(FieldFacetResult { key: facet.key.clone(), counts: counts.collect(), missing })
}

fn hits(domain: &Domain) -> u64 {
    domain.iter().map(|bits| u64::from(bits.count())).sum()
}

fn named_zeros(facet: &FieldFacet) -> Vec<(Value, u64)> {
    facet.terms.iter().flatten().map(|term| (Value::Str(term.clone()), 0)).collect()
}

fn refuse_text_options(layout: &FieldLayout, facet: &FieldFacet) -> Result<()> {
    if !layout.class().is_point() {
        return Ok(());
    }
    let option = match facet {
        FieldFacet { prefix: Some(_), .. } => "facet.prefix",
        FieldFacet { contains: Some(_), .. } => "facet.contains",
        _ => return Ok(()),
    };
    Err(Error::bad_request(format!("{option} is not supported on numeric types: `{}`", layout.name)))
}

/// Every value with its count, in no order. Points never show values without hits, as in Solr.
fn counted(
    context: &SearchContext<'_>,
    layout: &FieldLayout,
    facet: &FieldFacet,
    domain: &Domain,
) -> Result<Vec<(Value, u64)>> {
    let class = layout.class();
    let zeros = facet.count_min == 0 && facet.terms.is_none();
    let strings = |(text, count): (Box<str>, u64)| (Value::Str(text.into_string()), count);
    Ok(match (&layout.column, layout.inverted, layout.inverted_kind) {
        (Some(column), ..) => match column.kind {
            ColumnKind::Str => {
                values::strings(context, column, domain, zeros)?.into_iter().map(strings).collect()
            }
            ColumnKind::I64 => {
                let counts = values::integers(context, column, domain)?;
                counts.into_iter().map(|(number, count)| (integer_value(class, number), count)).collect()
            }
            ColumnKind::Bool => {
                let counts = values::integers(context, column, domain)?;
                counts.into_iter().map(|(number, count)| (Value::Bool(number != 0), count)).collect()
            }
            ColumnKind::F64 => {
                let counts = values::reals(context, column, domain)?;
                let value = |bits| real_value(class, f64::from_bits(bits));
                counts.into_iter().map(|(bits, count)| (value(bits), count)).collect()
            }
        },
        (
            None,
            Some(field),
            Some(InvertedKind::Text { .. } | InvertedKind::Term { .. } | InvertedKind::Key),
        ) => {
            let prefix = facet.prefix.as_deref().unwrap_or("");
            values::terms(context, field, prefix, domain, zeros)?.into_iter().map(strings).collect()
        }
        _ => {
            return Err(Error::bad_request(format!(
                "cannot facet on `{}`: it has no docValues; set docValues=\"true\" and index again",
                layout.name
            )));
        }
    })
}

fn missing(context: &SearchContext<'_>, layout: &FieldLayout, domain: &Domain) -> Result<u64> {
    let mut total = hits(domain);
    for (segment, hits) in context.segments.iter().zip(domain) {
        total -= u64::from(exists_docs(segment.reader, layout)?.count_common(hits));
    }
    Ok(total)
}

/// The values asked for by name, in that order, with or without hits.
fn named(terms: &[String], counted: &[(Value, u64)]) -> Vec<(Value, u64)> {
    let count_of = |term: &String| counted.iter().find(|(value, _)| value.to_text() == *term);
    terms
        .iter()
        .map(|term| count_of(term).cloned().unwrap_or_else(|| (Value::Str(term.clone()), 0)))
        .collect()
}

fn chosen(
    facet: &FieldFacet,
    layout: &FieldLayout,
    mut counted: Vec<(Value, u64)>,
) -> Result<Vec<(Value, u64)>> {
    let accept = Accept::new(facet)?;
    let count_min = if layout.class().is_point() { facet.count_min.max(1) } else { facet.count_min };
    counted.retain(|(value, count)| {
        *count >= count_min && (accept.is_open() || value.as_str().is_none_or(|text| accept.accepts(text)))
    });
    let wanted = facet.limit.map(|limit| facet.offset.saturating_add(limit));
    order(&mut counted, facet.sort, wanted);
    Ok(counted.into_iter().skip(facet.offset).take(facet.limit.unwrap_or(usize::MAX)).collect())
}

/// Sorts, only as far as `wanted` where that is less than all.
fn order(counted: &mut Vec<(Value, u64)>, sort: FacetSort, wanted: Option<usize>) {
    let by = |left: &(Value, u64), right: &(Value, u64)| {
        let by_count =
            if sort == FacetSort::Count { right.1.cmp(&left.1) } else { std::cmp::Ordering::Equal };
        by_count.then_with(|| crate::prepare::compare(&left.0, &right.0))
    };
    if let Some(wanted) = wanted.filter(|wanted| *wanted < counted.len()) {
        if wanted > 0 {
            counted.select_nth_unstable_by(wanted - 1, by);
        }
        counted.truncate(wanted);
    }
    counted.sort_by(by);
}
