//! Facets over ranges of a field: from start to end by a gap, or given one by one. Their arithmetic is that
//! of classic range facets. In: a facet's object of JSON; out: `plan::RangesFacet` with what goes below each
//! bucket. Bounds get their type from the schema only after the form of all that lies below was read.

use std::ops::Bound;

use plan::{Error, RangeBucket, RangesFacet, Result, SubFacet, SubFacetKind, Value};

use super::options::Options;
use super::{TreePath, TreeReader};
use crate::facet::range::{self, Include};
use crate::facet::range_values::RangeValues;
use crate::update::RawValue;

impl TreeReader<'_> {
    pub(super) fn ranges(
        &mut self,
        key: &str,
        arguments: &RawValue,
        place: &TreePath<'_>,
        depth: usize,
    ) -> Result<SubFacet> {
        let domain = self.domain(arguments, place)?;
        let RawValue::Map(entries) = arguments else {
            return Err(place.error("Missing range facet arguments"));
        };
        let options = Options { entries, place };
        let spec = RangeSpec::read(&options)?;
        // Before the ranges are worked out: a mistake in the form of what lies below is found before one in
        // values.
        let below = self.bucket(options.get("facet"), place, depth + 1)?;
        let resolved = self.ranges_of(&spec);
        let nothing = || RangesFacet {
            field: "".into(),
            money: None,
            buckets: Vec::new(),
            others: Vec::new(),
            count_min: 0,
        };
        let kind = SubFacetKind::Ranges(self.later(resolved).unwrap_or_else(nothing));
        Ok(SubFacet { key: key.to_owned(), domain, kind, below })
    }

    fn ranges_of(&self, spec: &RangeSpec<'_>) -> Result<RangesFacet> {
        let field = self.context.field_quoted(spec.field)?;
        if !RangeValues::has(&field) {
            return Err(Error::bad_request(format!("Unable to range facet on field:{}", spec.field)));
        }
        let values = RangeValues::of(self.context, &field, spec.form.sample())?;
        let (buckets, others) = match &spec.form {
            RangeForm::Listed(ranges) => {
                let ranges = ranges.iter().map(|range| listed(&values, range));
                (ranges.collect::<Result<_>>()?, Vec::new())
            }
            RangeForm::Stepped { start, end, gap, hard_end } => {
                let (start, end) = (values.parse(start)?, values.parse(end)?);
                let (edges, end) = range::boundaries(&values, start.clone(), end, gap, *hard_end)?;
                let shown = edges.iter().map(|edge| values.displayed(edge));
                let buckets = shown.zip(spec.include.buckets(&values, &edges)).collect();
                let other = |other| (other, spec.include.other(other, &start, &end));
                (buckets, spec.others.iter().copied().map(other).collect())
            }
        };
        let money = values.money();
        Ok(RangesFacet { field: field.name, money, buckets, others, count_min: spec.count_min })
    }
}

/// The options as read, before the schema gives their values a type.
struct RangeSpec<'a> {
    field: &'a str,
    form: RangeForm<'a>,
    include: Include,
    others: Vec<plan::OtherRange>,
    count_min: u64,
}

enum RangeForm<'a> {
    Listed(&'a [RawValue]),
    Stepped { start: String, end: String, gap: String, hard_end: bool },
}

impl RangeForm<'_> {
    /// A bound, by which to know the currency of all.
    fn sample(&self) -> &str {
        match self {
            RangeForm::Listed(_) => "",
            RangeForm::Stepped { start, .. } => start,
        }
    }
}

impl<'a> RangeSpec<'a> {
    fn read(options: &Options<'a>) -> Result<Self> {
        let field = options.text("field")?.unwrap_or_default();
        let required = |name: &str| {
            let missing = || options.place.error(&format!("Missing required parameter: '{name}'"));
            options.get(name).map(RawValue::to_text).ok_or_else(missing)
        };
        let form = match options.get("ranges") {
            Some(RawValue::List(ranges)) => RangeForm::Listed(ranges),
            Some(other) => RangeForm::Listed(std::slice::from_ref(other)),
            None => RangeForm::Stepped {
                start: required("start")?,
                end: required("end")?,
                gap: required("gap")?,
                hard_end: options.flag("hardend")?.unwrap_or(false),
            },
        };
        let count_min = u64::try_from(options.integer("mincount")?.unwrap_or(0)).unwrap_or(0);
        let (include, other) = (options.list("include")?, options.list("other")?);
        let include = Include::parse(&include.iter().map(String::as_str).collect::<Vec<_>>())?;
        let others = range::others(&other.iter().map(String::as_str).collect::<Vec<_>>())?;
        Ok(Self { field, form, include, others, count_min })
    }
}

/// `{from:0,to:10,inclusive_to:true}` or `{range:"[0,10)"}`, with `*` for an open end.
fn listed(values: &RangeValues<'_>, range: &RawValue) -> Result<(Value, RangeBucket)> {
    let RawValue::Map(entries) = range else {
        let found = range.to_text();
        return Err(Error::bad_request(format!("Expected Map for range but got {found}")));
    };
    let options = Options { entries, place: &TreePath { key: "ranges", above: "" } };
    let text = match options.text("range")? {
        Some(text) => text.to_owned(),
        None => {
            let from = options.get("from").map_or_else(|| "*".to_owned(), RawValue::to_text);
            let to = options.get("to").map_or_else(|| "*".to_owned(), RawValue::to_text);
            // Written out as the short form, since that text is the bucket's value in the answer.
            let open = if options.flag("inclusive_from")?.unwrap_or(true) { '[' } else { '(' };
            let close = if options.flag("inclusive_to")?.unwrap_or(false) { ']' } else { ')' };
            format!("{open}{from},{to}{close}")
        }
    };
    let bucket = interval(values, &text)?;
    Ok((Value::Str(text), bucket))
}

fn interval(values: &RangeValues<'_>, text: &str) -> Result<RangeBucket> {
    let wrong = || Error::bad_request(format!("cannot parse range `{text}`; write it as `[0,10)`"));
    let inside = text.trim();
    let (open, close) = (inside.starts_with('['), inside.ends_with(']'));
    let inside = inside.strip_prefix(['[', '(']).and_then(|rest| rest.strip_suffix([']', ')']));
    let (from, to) = inside.and_then(|inside| inside.split_once(',')).ok_or_else(wrong)?;
    let bound = |text: &str, inclusive: bool| -> Result<Bound<Value>> {
        match text.trim() {
            "*" => Ok(Bound::Unbounded),
            text => {
                let value = values.parse(text)?;
                Ok(if inclusive { Bound::Included(value) } else { Bound::Excluded(value) })
            }
        }
    };
    Ok(RangeBucket { label: text.to_owned(), lower: bound(from, open)?, upper: bound(to, close)? })
}
