//! Facets over the values of a field: counted (`values`), chosen (`accept`), and cut as deep as the plan lets
//! a shard cut.
//!
//! In: a domain of hits and the facet of a plan; out: values in their order with counts, a part that merges
//! with those of other shards. Whether hits or groups are counted is `units`'; the order in which values are
//! shown is made once, above all shards.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::sync::Arc;

use plan::partial::{ByValue, FieldCounts, FieldPartial, LeftOut, UnitCount};
use plan::{CutDepth, Error, FacetSort, FieldClass, FieldFacet, Query, Result, ShardListing, Value};

use super::accept::Accept;
use super::ordinals::Strings;
use super::units::{GroupSets, Units};
use super::values;
use crate::layout::{ColumnKind, ColumnRef, FieldLayout, InvertedKind};
use crate::search::facet::domain::Domain;
use crate::search::lower::exists_docs;
use crate::segment::columns::{real_value, shown_integer};

pub(super) fn count(units: Units<'_>, facet: &FieldFacet, domain: &Domain) -> Result<FieldPartial> {
    let layout = units.context.layout.field(&facet.field);
    let missing = if facet.missing { Some(missing(units, layout, domain)?) } else { None };
    let counts = match (&facet.terms, layout) {
        (Some(terms), _) => FieldCounts::Named(named(units, terms, domain)?),
        (None, None) => FieldCounts::Values(ByValue::default()),
        (None, Some(layout)) => {
            refuse_text_options(layout, facet)?;
            FieldCounts::Values(
                match layout.column.as_ref().filter(|column| column.kind == ColumnKind::Str) {
                    Some(column) => listed_strings(units, column, facet, domain)?,
                    None => listed(units, layout, facet, domain)?,
                },
            )
        }
    };
    let partial = FieldPartial { counts, missing };
    units.room.reserve(partial.len(), 1)?;
    Ok(partial)
}

/// What of its values a shard gives back.
#[derive(Clone, Copy)]
struct Cut<'f> {
    /// How many hits a value needs.
    least: u64,
    /// How many values the page reaches to. Solr differs: its sum wraps, and the facet fails
    /// (`compat/facet/fields_of_all_types.yaml`).
    wanted: Option<usize>,
    /// How many of these come before the page.
    skipped: usize,
    /// Only these, in value order.
    named: Option<&'f [Value]>,
}

impl<'f> Cut<'f> {
    fn of(facet: &'f FieldFacet, depth: CutDepth) -> Self {
        let whole = Self { least: facet.count_min.min(1), wanted: None, skipped: 0, named: None };
        match (depth, &facet.listing) {
            (CutDepth::Page, _) => Self {
                least: facet.count_min,
                wanted: facet.limit.map(|limit| facet.offset.saturating_add(limit)),
                skipped: facet.offset,
                named: None,
            },
            // What is below a value is of trees alone.
            (CutDepth::Whole, ShardListing::All | ShardListing::Ranked) => whole,
            (CutDepth::Whole, ShardListing::First(wanted) | ShardListing::Leading(wanted)) => {
                Self { wanted: Some(*wanted), ..whole }
            }
            (CutDepth::Whole, ShardListing::Least(least)) => Self { least: *least, ..whole },
            (CutDepth::Whole, ShardListing::Named(values)) => Self { least: 1, named: Some(values), ..whole },
        }
    }

    /// How many hits a value may have that the list leaves out and another shard may have, too.
    fn unlisted_max(self, listing: &ShardListing, listed: impl ExactSizeIterator<Item = u64>) -> u64 {
        match listing {
            ShardListing::Leading(wanted) if listed.len() >= *wanted => listed.min().unwrap_or_default(),
            ShardListing::Least(least) => least.saturating_sub(1),
            _ => 0,
        }
    }

    fn names(self, value: &Value) -> bool {
        self.named.is_none_or(|values| values.binary_search_by(|one| one.order(value)).is_ok())
    }

    /// Of values in the plan's order those on the page, in value order.
    fn page<T: Ord>(self, mut first: Vec<T>) -> (Vec<T>, LeftOut) {
        let before = self.skipped.min(first.len());
        first.drain(..before);
        first.sort_unstable();
        (first, LeftOut { before: before as u64, others: 0 })
    }
}

/// The values to list. Those without hits are looked for only where the others do not fill the list.
fn listed(
    units: Units<'_>,
    layout: &FieldLayout,
    facet: &FieldFacet,
    domain: &Domain,
) -> Result<ByValue<UnitCount>> {
    let cut = Cut::of(facet, units.depth);
    let zeros = cut.least == 0 && !layout.class().is_point();
    if !zeros || (facet.sort == FacetSort::Count && cut.wanted.is_some()) {
        let counts = chosen(facet, cut, counted(units, layout, facet, domain, false)?)?;
        if !zeros || cut.wanted.is_some_and(|wanted| counts.list.len() == wanted - cut.skipped) {
            return Ok(counts);
        }
    }
    chosen(facet, cut, counted(units, layout, facet, domain, true)?)
}

/// The strings to list: chosen by their numbers, which are in their order, so that only texts to show are
/// read, or to look into where the facet asks for that.
fn listed_strings(
    units: Units<'_>,
    column: &ColumnRef,
    facet: &FieldFacet,
    domain: &Domain,
) -> Result<ByValue<UnitCount>> {
    let strings = Strings::open(units.context, column)?;
    let (accept, cut) = (Accept::new(facet)?, Cut::of(facet, units.depth));
    let (mut counts, sets) = units.by_string(&strings, domain)?;
    units.context.allowance.take_bytes(size_of_val(counts.as_slice()));
    if facet.exists && units.groups_of.is_none() {
        counts.iter_mut().for_each(|count| *count = (*count).min(1));
    }
    if let Some(values) = cut.named {
        return Ok(ByValue::all(strings_named(&strings, values, (&counts, &sets))?));
    }
    // No value has more documents than there are numbers for.
    let least = u32::try_from(cut.least).unwrap_or(u32::MAX);
    let numbered = || (0..).zip(counts.iter().copied()).filter(|(_, count)| *count >= least);
    let first: Vec<(usize, u32)> = match (cut.wanted, facet.sort) {
        (Some(wanted), FacetSort::Count) if accept.is_open() => most_frequent(numbered(), wanted, least),
        (Some(wanted), FacetSort::Index) if accept.is_open() => numbered().take(wanted).collect(),
        (wanted, sort) => {
            let mut accepted = Vec::new();
            for (number, count) in numbered() {
                if accept.is_open() || accept.accepts(&strings.text(number)?) {
                    accepted.push((number, count));
                }
            }
            match (wanted, sort) {
                (Some(wanted), FacetSort::Count) => most_frequent(accepted.into_iter(), wanted, least),
                (None, FacetSort::Count) if cut.skipped > 0 => {
                    most_frequent(accepted.into_iter(), usize::MAX, least)
                }
                // Already in the order that parts are in.
                (wanted, _) => {
                    accepted.truncate(wanted.unwrap_or(usize::MAX));
                    accepted
                }
            }
        }
    };
    let unlisted_max = cut.unlisted_max(&facet.listing, first.iter().map(|(_, count)| u64::from(*count)));
    let (page, left_out) = cut.page(first);
    let value = |(number, count)| Ok((Value::Str(strings.text(number)?), sets.unit(number, count)));
    let list = page.into_iter().map(value).collect::<Result<_>>()?;
    Ok(ByValue { list, left_out, unlisted_max, ..ByValue::default() })
}

/// Those of `values` that have hits.
fn strings_named(
    strings: &Strings,
    values: &[Value],
    (counts, sets): (&[u32], &GroupSets),
) -> Result<Vec<(Value, UnitCount)>> {
    let mut list = Vec::with_capacity(values.len());
    for value in values {
        let Some(number) = strings.find_value(value)? else { continue };
        let number = number as usize;
        if let Some(count) = counts.get(number).filter(|count| **count > 0) {
            list.push((value.clone(), sets.unit(number, *count)));
        }
    }
    Ok(list)
}

/// The `wanted` values of the greatest counts, those first, equal ones in their order, in which `counted`
/// comes. All counts are at least `least`.
fn most_frequent(
    counted: impl Iterator<Item = (usize, u32)>,
    wanted: usize,
    least: u32,
) -> Vec<(usize, u32)> {
    // The least wanted is on top: of the least count, the last.
    let mut best: BinaryHeap<(Reverse<u32>, usize)> = BinaryHeap::new();
    // What the next one needs: most values do not have it, and are passed over by this alone.
    let mut bar = least;
    for (number, count) in counted {
        if count < bar || wanted == 0 {
            continue;
        }
        if best.len() == wanted {
            best.pop();
        }
        best.push((Reverse(count), number));
        if best.len() == wanted {
            bar = best.peek().map_or(bar, |(Reverse(last), _)| last.saturating_add(1));
        }
    }
    best.into_sorted_vec().into_iter().map(|(Reverse(count), number)| (number, count)).collect()
}

fn refuse_text_options(layout: &FieldLayout, facet: &FieldFacet) -> Result<()> {
    if !layout.class().has_number_column() {
        return Ok(());
    }
    if facet.prefix.is_some() {
        return Err(Error::bad_request("facet.prefix is not supported on numeric types"));
    }
    if facet.contains.is_some() || facet.matches.is_some() || !facet.exclude_terms.is_empty() {
        return Err(Error::bad_request(
            "BytesRef term filters (facet.matches, facet.contains, facet.excludeTerms) are not supported on numeric types",
        ));
    }
    Ok(())
}

/// Every value with its count, in no order; those without hits where `zeros` asks for them. A field that has
/// neither a column nor leave to be uninverted shows none, as in Solr.
fn counted(
    units: Units<'_>,
    layout: &FieldLayout,
    facet: &FieldFacet,
    domain: &Domain,
    zeros: bool,
) -> Result<Vec<(Value, UnitCount)>> {
    let counts = match (&layout.column, layout.inverted, layout.inverted_kind) {
        // Places, vectors and stretches of time are kept to be compared; Solr lists none either.
        (Some(_), ..) if !layout.class().is_listed() => Vec::new(),
        (Some(column), ..) => of_column(units, layout, column, domain, zeros)?,
        (
            None,
            Some(field),
            Some(InvertedKind::Text { .. } | InvertedKind::Term { .. } | InvertedKind::Key),
        ) if layout.spec.properties.uninvertible || facet.by_terms => {
            units.only_hits()?;
            let prefix = facet.prefix.as_deref().unwrap_or("");
            values::terms(units.context, field, prefix, domain, zeros)?.into_iter().map(string).collect()
        }
        _ => Vec::new(),
    };
    if !facet.exists || units.groups_of.is_some() {
        return Ok(counts);
    }
    let seen = |count: UnitCount| UnitCount::Number(count.count().min(1));
    Ok(counts.into_iter().map(|(value, count)| (value, seen(count))).collect())
}

fn string((text, hits): (Box<str>, u64)) -> (Value, UnitCount) {
    (Value::Str(text.into_string()), UnitCount::Number(hits))
}

fn of_column(
    units: Units<'_>,
    layout: &FieldLayout,
    column: &ColumnRef,
    domain: &Domain,
    zeros: bool,
) -> Result<Vec<(Value, UnitCount)>> {
    let class = layout.class();
    let hits = |(value, hits): (Value, u64)| (value, UnitCount::Number(hits));
    Ok(match column.kind {
        ColumnKind::Str => {
            Strings::open(units.context, column)?.all(domain, zeros)?.into_iter().map(hits).collect()
        }
        ColumnKind::I64 | ColumnKind::Place | ColumnKind::DateSpans | ColumnKind::Vector => {
            // An enumeration's column is all the dictionary that it has. Solr differs: it lists none
            // of fields with several values (`compat/schema/enumerations.yaml`).
            let zeros = zeros && class == FieldClass::Enum;
            let kind = &layout.spec.field_type;
            units.by_integer(column, domain, zeros, |number| shown_integer(kind, number))?
        }
        ColumnKind::Bool => units.by_integer(column, domain, zeros, |flag| Value::Bool(flag != 0))?,
        ColumnKind::F64 => {
            units.only_hits()?;
            let counts = values::reals(units.context, column, domain)?;
            let value = |bits| real_value(class, f64::from_bits(bits));
            counts.into_iter().map(|(bits, count)| hits((value(bits), count))).collect()
        }
    })
}

/// Those of the domain without a value.
fn missing(units: Units<'_>, layout: Option<&Arc<FieldLayout>>, domain: &Domain) -> Result<UnitCount> {
    let Some(layout) = layout else { return units.among(domain) };
    let mut without = domain.clone();
    for (segment, hits) in units.context.segments.iter().zip(&mut without) {
        Arc::make_mut(hits).subtract(&exists_docs(segment.view, layout)?);
    }
    units.among(&without)
}

/// The hits of the values asked for by name, in that order, counted one by one as they are.
fn named(units: Units<'_>, terms: &[(String, Query)], domain: &Domain) -> Result<Vec<u64>> {
    terms.iter().map(|(_, query)| Ok(units.hits().matching(query, domain)?.count())).collect()
}

/// What the facet's options leave, cut.
fn chosen(
    facet: &FieldFacet,
    cut: Cut<'_>,
    mut counted: Vec<(Value, UnitCount)>,
) -> Result<ByValue<UnitCount>> {
    let accept = Accept::new(facet)?;
    counted.retain(|(value, count)| {
        count.count() >= cut.least
            && cut.names(value)
            && (accept.is_open() || indexed(value).is_none_or(|text| accept.accepts(text)))
    });
    let by_value = |left: &(Value, UnitCount), right: &(Value, UnitCount)| left.0.order(&right.0);
    let mut before = 0;
    if cut.skipped > 0 || cut.wanted.is_some_and(|wanted| wanted < counted.len()) {
        order(&mut counted, cut.wanted, |left, right| {
            let by_count = if facet.sort == FacetSort::Count {
                right.1.count().cmp(&left.1.count())
            } else {
                Ordering::Equal
            };
            by_count.then_with(|| by_value(left, right))
        });
        before = cut.skipped.min(counted.len());
        counted.drain(..before);
    }
    counted.sort_unstable_by(by_value);
    let unlisted_max = cut.unlisted_max(&facet.listing, counted.iter().map(|(_, count)| count.count()));
    let left_out = LeftOut { before: before as u64, others: 0 };
    Ok(ByValue { list: counted, left_out, unlisted_max, ..ByValue::default() })
}

/// What options on text are tried on: a truth is one letter in the index.
fn indexed(value: &Value) -> Option<&str> {
    match value {
        Value::Bool(flag) => Some(if *flag { "T" } else { "F" }),
        other => other.as_str(),
    }
}

/// Sorts, only as far as `wanted` where that is less than all.
fn order<T>(counted: &mut Vec<T>, wanted: Option<usize>, by: impl Fn(&T, &T) -> Ordering) {
    if let Some(wanted) = wanted.filter(|wanted| *wanted < counted.len()) {
        if wanted > 0 {
            counted.select_nth_unstable_by(wanted - 1, &by);
        }
        counted.truncate(wanted);
    }
    counted.sort_by(by);
}
