//! Queries on stretches of time (`DateRangeField`): `f:2014-05`, `f:[2014 TO NOW]`, and `{!field f=…
//! op=Within}[2014 TO 2015]`. Owns which texts ask for what; how dates without math are read is
//! `plan::DateSpan`'s, which documents match `plan::DateRangeQuery`'s. Messages are Solr's, recorded from
//! 9.10.1.
//!
//! Solr differs: ends in the wrong order, an empty text and an operation that it does not have are an error
//! 500 there (`compat/query/date_ranges.yaml`).

use plan::{DateRangeQuery, DateSpan, Error, Query, Relation, Result};

use super::context::{Field, QueryContext};
use super::field::RangeText;
use super::request::Request;
use crate::date_math::DateMath;

/// What `op` may be, in any case.
const OPERATIONS: [(&str, Relation); 4] = [
    ("Intersects", Relation::Intersects),
    ("Contains", Relation::Contains),
    ("Within", Relation::Within),
    ("IsWithin", Relation::Within),
];

/// `{!field f=… op=…}`.
pub(super) fn related(request: &Request<'_>, field: &Field) -> Result<Query> {
    let relation = match request.local.get("op") {
        None => Relation::Intersects,
        Some(name) => operation(name)?,
    };
    let span = span_of(request.text, request.context.dates)?;
    Ok(query(field, relation, span))
}

fn operation(name: &str) -> Result<Relation> {
    let found = OPERATIONS.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
    found.map(|(_, relation)| *relation).ok_or_else(|| {
        Error::bad_request(format!(
            "Unknown Operation: {name}; fields of date ranges know Intersects, Contains and Within"
        ))
    })
}

fn query(field: &Field, relation: Relation, span: DateSpan) -> Query {
    Query::DateRange(DateRangeQuery { field: field.name.clone(), relation, span })
}

/// A range, in which dates have no math, or one date, which may.
fn span_of(text: &str, dates: &DateMath) -> Result<DateSpan> {
    if text.contains(" TO ") { DateSpan::parse(text) } else { date_of(text, dates) }
}

/// A date of any precision; one with a zone, or of `NOW`, is an instant.
fn date_of(text: &str, dates: &DateMath) -> Result<DateSpan> {
    match has_math(text) {
        true => dates.parse(text).map(DateSpan::instant),
        false => DateSpan::parse_date(text),
    }
}

/// Whether a text is read as date math, and not as a date of its own precision.
pub(crate) fn has_math(text: &str) -> bool {
    text.starts_with("NOW") || text.contains('Z')
}

impl QueryContext<'_> {
    /// Documents that meet the date or the range of a text.
    pub(super) fn date_query(&self, field: &Field, text: &str) -> Result<Query> {
        Ok(query(field, Relation::Intersects, span_of(text, self.dates)?))
    }

    /// Documents that meet a range. A bound that is left out is its first millisecond, whatever its
    /// precision: `{2014 TO *]` begins a millisecond after 2014 does, and `[* TO 2014}` ends with 2013.
    pub(super) fn dates_between(&self, field: &Field, range: &RangeText<'_>) -> Result<Query> {
        let bound = |text: Option<&str>, out_by: Option<i64>| -> Result<DateSpan> {
            let Some(text) = text else { return Ok(DateSpan::ALL) };
            let date = date_of(text, self.dates)?;
            Ok(out_by.map_or(date, |ms| DateSpan::instant(date.begin().saturating_add(ms))))
        };
        let from = bound(range.lower, (!range.lower_inclusive).then_some(1))?;
        let to = bound(range.upper, (!range.upper_inclusive).then_some(-1))?;
        Ok(query(field, Relation::Intersects, DateSpan::between(from, to)?))
    }
}
