//! Range facets: boundaries from start, end and gap; which bounds belong to a range; what lies outside.
//! Arithmetic by type is `range_values.rs`. In: a `facet.range` with its parameters; out: a
//! `plan::RangeFacet` whose bounds are values of the field's type, ready to count. Facets of JSON share the
//! boundaries (`tree/ranges.rs`).

use std::ops::Bound;

use plan::{Error, OtherRange, RangeBucket, RangeFacet, Result, Value};

use super::range_values::RangeValues;
use super::target::Target;
use crate::params::Param;
use crate::params::facet as params;
use crate::query::QueryContext;

/// Most ranges of one facet: more are a mistake in the gap.
const BUCKETS_MAX: usize = 100_000;

pub(super) fn resolve(context: &QueryContext<'_>, text: &str) -> Result<RangeFacet> {
    let target = Target::parse(context, text)?;
    let field = context.field_quoted(&target.field)?;
    let read = |param: &Param<String>| param.read_for(context.params, &target.local, &target.field);
    let start = read(&params::RANGE_START)?;
    let values = RangeValues::of(context, &field, start.as_deref().unwrap_or_default())?;
    let start = values.parse(&required(&read, &params::RANGE_START, &target)?)?;
    let end = values.parse(&required(&read, &params::RANGE_END, &target)?)?;
    if values.before(&end, &start) {
        return Err(Error::bad_request(format!(
            "range facet 'end' comes before 'start': {} < {}",
            values.shown(&end),
            values.shown(&start)
        )));
    }
    let gap = required(&read, &params::RANGE_GAP, &target)?;
    check_method(read(&params::RANGE_METHOD)?.as_deref())?;
    let hard_end = params::RANGE_HARD_END.read_for(context.params, &target.local, &target.field)?;
    let include = Include::parse(&target.all(context, &params::RANGE_INCLUDE))?;
    values.check_gap(&gap)?;
    let (edges, end) = boundaries(&values, start.clone(), end, &gap, hard_end)?;
    let others = others(&target.all(context, &params::RANGE_OTHER))?;
    let count_min = params::MIN_COUNT.read_for(context.params, &target.local, &target.field)?.unwrap_or(0);
    Ok(RangeFacet {
        key: target.key,
        field: field.name.clone(),
        money: values.money(),
        buckets: include.buckets(&values, &edges),
        others: others.into_iter().map(|other| (other, include.other(other, &start, &end))).collect(),
        start: values.displayed(&start),
        end: values.displayed(&end),
        gap: values.displayed_gap(gap),
        count_min: u64::try_from(count_min).unwrap_or(0),
        exclude_tags: target.local.list("ex"),
    })
}

fn required(
    read: &dyn Fn(&Param<String>) -> Result<Option<String>>,
    param: &Param<String>,
    target: &Target,
) -> Result<String> {
    read(param)?.ok_or_else(|| {
        let (field, name) = (&target.field, param.name);
        Error::bad_request(format!("Missing required parameter: f.{field}.{name} (or default: {name})"))
    })
}

fn check_method(method: Option<&str>) -> Result<()> {
    match method {
        None | Some("filter" | "dv") => Ok(()),
        Some(other) => Err(Error::bad_request(format!("{other} is not a valid method for range faceting"))),
    }
}

/// The edges of all ranges, and the end that applies: without `hardend` it moves up to the last edge.
pub(super) fn boundaries(
    values: &RangeValues<'_>,
    start: Value,
    mut end: Value,
    gap: &str,
    hard_end: bool,
) -> Result<(Vec<Value>, Value)> {
    let mut edges = vec![start];
    while let Some(low) = edges.last().filter(|low| values.before(low, &end)) {
        let mut high = values.add(low, gap)?;
        if values.before(&end, &high) {
            if hard_end {
                high = end.clone();
            } else {
                // Without `hardend` the last range is as long as the others, and "between" reaches as far.
                end = high.clone();
            }
        }
        // A sum that went down has overflowed, or the gap leads backwards: either would never reach the end.
        if values.before(&high, low) {
            return Err(Error::bad_request(
                "range facet infinite loop (is gap negative? did the math overflow?)",
            ));
        }
        if !values.before(low, &high) {
            let (low, high) = (values.shown(low), values.shown(&high));
            return Err(Error::bad_request(format!(
                "range facet infinite loop: gap is either zero, or too small relative start/end and caused underflow: {low} + {gap} = {high}"
            )));
        }
        edges.push(high);
        if edges.len() > BUCKETS_MAX {
            return Err(Error::bad_request(format!(
                "more than {BUCKETS_MAX} ranges; use a larger `facet.range.gap`"
            )));
        }
    }
    Ok((edges, end))
}

/// Which outside counts are wanted; `none` wins over all.
pub(super) fn others(names: &[&str]) -> Result<Vec<OtherRange>> {
    let all = [OtherRange::Before, OtherRange::After, OtherRange::Between];
    let mut wanted = Vec::new();
    for name in names {
        match name.to_ascii_lowercase().as_str() {
            "before" => wanted.push(OtherRange::Before),
            "after" => wanted.push(OtherRange::After),
            "between" => wanted.push(OtherRange::Between),
            "all" => wanted.extend(all),
            // Wherever it stands in the list, as in Solr.
            "none" => return Ok(Vec::new()),
            _ => {
                let message = format!("{name} is not a valid type of 'other' range facet information");
                return Err(Error::bad_request(message));
            }
        }
    }
    Ok(all.into_iter().filter(|other| wanted.contains(other)).collect())
}

/// Which bounds belong to a range (`facet.range.include`).
#[derive(Clone, Copy, Default)]
pub(super) struct Include {
    lower: bool,
    upper: bool,
    edge: bool,
    outer: bool,
}

impl Include {
    pub(super) fn parse(names: &[&str]) -> Result<Self> {
        let mut include = Self { lower: names.is_empty(), ..Self::default() };
        for name in names {
            match name.to_ascii_lowercase().as_str() {
                "lower" => include.lower = true,
                "upper" => include.upper = true,
                "edge" => include.edge = true,
                "outer" => include.outer = true,
                "all" => include = Self { lower: true, upper: true, edge: true, outer: true },
                _ => {
                    let message = format!("{name} is not a valid type of for range 'include' information");
                    return Err(Error::bad_request(message));
                }
            }
        }
        Ok(include)
    }

    pub(super) fn buckets(self, values: &RangeValues<'_>, edges: &[Value]) -> Vec<RangeBucket> {
        let last = edges.len().saturating_sub(2);
        let pairs = edges.iter().zip(edges.iter().skip(1)).enumerate();
        pairs
            .map(|(at, (low, high))| RangeBucket {
                label: values.displayed(low).to_text(),
                lower: bound(low, self.lower || (self.edge && at == 0)),
                upper: bound(high, self.upper || (self.edge && at == last)),
            })
            .collect()
    }

    pub(super) fn other(self, other: OtherRange, start: &Value, end: &Value) -> RangeBucket {
        // Outside begins where the outermost ranges end: a bound that they include is not outside, unless
        // `outer` says so.
        let (first, last) = (self.lower || self.edge, self.upper || self.edge);
        let (label, lower, upper) = match other {
            OtherRange::Before => ("before", Bound::Unbounded, bound(start, self.outer || !first)),
            OtherRange::After => ("after", bound(end, self.outer || !last), Bound::Unbounded),
            OtherRange::Between => ("between", bound(start, first), bound(end, last)),
        };
        RangeBucket { label: label.to_owned(), lower, upper }
    }
}

fn bound(value: &Value, inclusive: bool) -> Bound<Value> {
    if inclusive { Bound::Included(value.clone()) } else { Bound::Excluded(value.clone()) }
}
