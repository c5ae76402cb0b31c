//! Interval facets: each interval becomes a range query on the field. The syntax and its messages are Solr's,
//! recorded from 9.10.1; intervals are shown in the order of their starts. In: a `facet.interval` with its
//! sets; out: a `plan::IntervalFacet`, counted as queries are. Ranges that follow from a gap are `range.rs`.

use std::cmp::Ordering;
use std::ops::Bound;

use plan::{Error, IntervalFacet, Query, QueryFacet, Range, Result, Value};

use super::target::{Target, lacks_column};
use crate::params::facet as params;
use crate::query::{Field, QueryContext, RangeText, split_local_params};

pub(super) fn resolve(context: &QueryContext<'_>, text: &str) -> Result<IntervalFacet> {
    let target = Target::parse(context, text)?;
    let field = context.field_quoted(&target.field)?;
    let sets = target.all(context, &params::INTERVAL_SET);
    if sets.is_empty() {
        let (field, name) = (&target.field, params::INTERVAL_SET.name);
        return Err(Error::bad_request(format!(
            "Missing required parameter: f.{field}.{name} (or default: {name})"
        )));
    }
    if lacks_column(&field) {
        return Err(Error::bad_request("Can't use interval faceting on a PointField without docValues"));
    }
    let mut intervals = sets.iter().map(|set| interval(context, &field, set)).collect::<Result<Vec<_>>>()?;
    // Solr counts all of a field's intervals in one pass in this order, and shows them as it counted.
    intervals.sort_by(|left, right| by_start(&left.query, &right.query));
    Ok(IntervalFacet { key: target.key, intervals, exclude_tags: target.local.list("ex") })
}

fn interval(context: &QueryContext<'_>, field: &Field, set: &str) -> Result<QueryFacet> {
    let (local, rest) = split_local_params(set, context.params)?;
    // `{!key=cheap}[0,10)`: the key may be called anything, the interval stands behind.
    let text = local.get("v").unwrap_or(rest).trim();
    let key = local.get("key").unwrap_or(text).to_owned();
    let written = Interval::parse(text)?;
    let class = field.spec.class();
    // Fields without columns of single values have nothing to count.
    let query = match class.is_text() || !(class.is_point() || field.spec.properties.doc_values) {
        true => Query::Nothing,
        false => written.query(context, field, &key)?,
    };
    Ok(QueryFacet { key, query, exclude_tags: vec![] })
}

/// `[start,end)` and its kin, taken apart; `None` is `*`.
#[derive(Debug, PartialEq)]
struct Interval {
    start: Option<String>,
    end: Option<String>,
    start_inclusive: bool,
    end_inclusive: bool,
}

impl Interval {
    fn parse(text: &str) -> Result<Self> {
        let inside = text.get(1..text.len().saturating_sub(1)).unwrap_or_default();
        let (Some(first), Some(last)) = (text.chars().next(), text.chars().next_back()) else {
            return Err(wrong("empty facet interval"));
        };
        let start_inclusive = match first {
            '[' => true,
            '(' => false,
            other => return Err(wrong(&format!("Invalid start character {other} in facet interval {text}"))),
        };
        let end_inclusive = match last {
            ']' => true,
            ')' => false,
            other => return Err(wrong(&format!("Invalid end character {other} in facet interval {text}"))),
        };
        let missing = || wrong(&format!("Missing unescaped comma separating interval ends in {text}"));
        let (start, behind) = up_to_comma(inside);
        let (end, rest) = up_to_comma(behind.ok_or_else(missing)?);
        if rest.is_some() {
            return Err(wrong(&format!("Unexpected text after interval ends in {text}")));
        }
        let open = |value: String| Some(value).filter(|value| value != "*");
        Ok(Self { start: open(start), end: open(end), start_inclusive, end_inclusive })
    }

    fn query(&self, context: &QueryContext<'_>, field: &Field, key: &str) -> Result<Query> {
        let range = |lower: Option<&str>, upper: Option<&str>| {
            let (lower_inclusive, upper_inclusive) = (self.start_inclusive, self.end_inclusive);
            context.range_query(field, &RangeText { lower, upper, lower_inclusive, upper_inclusive })
        };
        let invalid = |end: &str| {
            let end = end.to_owned();
            let named = format!(" for field {}", field.name);
            move |error: Error| {
                let reason = error.message.strip_suffix(&named).unwrap_or(&error.message);
                wrong(&format!("Invalid {end} interval for key '{key}': {reason}"))
            }
        };
        // Each end by itself first, for the message that names it.
        range(self.start.as_deref(), None).map_err(invalid("start"))?;
        range(None, self.end.as_deref()).map_err(invalid("end"))?;
        let query = range(self.start.as_deref(), self.end.as_deref())?;
        if let Query::Range(Range { lower, upper, .. }) = &query
            && let (Some(lower), Some(upper)) = (value(lower), value(upper))
            && compare(lower, upper) == Ordering::Greater
        {
            return Err(wrong(&format!("Start is higher than end in interval for key: {key}")));
        }
        Ok(query)
    }
}

/// Text before the first comma that no backslash escapes, trimmed and without escapes, and what is behind it.
fn up_to_comma(text: &str) -> (String, Option<&str>) {
    let mut value = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            ',' => return (value.trim().to_owned(), text.get(at + 1..)),
            '\\' => value.extend(chars.next().map(|(_, escaped)| escaped)),
            _ => value.push(c),
        }
    }
    (value.trim().to_owned(), None)
}

fn value(bound: &Bound<Value>) -> Option<&Value> {
    match bound {
        Bound::Included(value) | Bound::Excluded(value) => Some(value),
        Bound::Unbounded => None,
    }
}

/// Values of one field, hence of one type. Solr differs: intervals of an enumeration are a class cast, an
/// error 500 (`compat/schema/enumerations.yaml`).
fn compare(left: &Value, right: &Value) -> Ordering {
    match (left, right) {
        (Value::Int(left), Value::Int(right)) => left.cmp(right),
        (Value::Long(left), Value::Long(right)) | (Value::Date(left), Value::Date(right)) => left.cmp(right),
        (Value::Float(left), Value::Float(right)) => left.total_cmp(right),
        (Value::Double(left), Value::Double(right)) => left.total_cmp(right),
        (Value::Bool(left), Value::Bool(right)) => left.cmp(right),
        (Value::Enum(left), Value::Enum(right)) => left.cmp(right),
        (left, right) => left.to_text().cmp(&right.to_text()),
    }
}

fn by_start(left: &Query, right: &Query) -> Ordering {
    let start = |query: &Query| match query {
        Query::Range(range) => value(&range.lower).cloned(),
        _ => None,
    };
    let closed = |query: &Query| matches!(query, Query::Range(Range { lower: Bound::Excluded(_), .. }));
    let by_value = match (start(left), start(right)) {
        (Some(left), Some(right)) => compare(&left, &right),
        (left, right) => left.is_some().cmp(&right.is_some()),
    };
    by_value.then_with(|| closed(left).cmp(&closed(right)))
}

fn wrong(message: &str) -> Error {
    Error::bad_request(format!("org.apache.solr.search.SyntaxError: {message}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Messages recorded from Solr 9.10.1.
    #[test]
    fn intervals_are_taken_apart() {
        let parts = |start: Option<&str>, end: Option<&str>, start_inclusive, end_inclusive| Interval {
            start: start.map(str::to_owned),
            end: end.map(str::to_owned),
            start_inclusive,
            end_inclusive,
        };
        let check = |text: &str, expected: Result<Interval, &str>| {
            let expected =
                expected.map_err(|message| format!("org.apache.solr.search.SyntaxError: {message}"));
            assert_eq!(Interval::parse(text).map_err(|error| error.message), expected, "{text}");
        };
        check("[0,100]", Ok(parts(Some("0"), Some("100"), true, true)));
        check("( 5 , * )", Ok(parts(Some("5"), None, false, false)));
        check("[a\\,b,c]", Ok(parts(Some("a,b"), Some("c"), true, true)));
        check("", Err("empty facet interval"));
        check("1,2]", Err("Invalid start character 1 in facet interval 1,2]"));
        check("[1,2", Err("Invalid end character 2 in facet interval [1,2"));
        check("[1]", Err("Missing unescaped comma separating interval ends in [1]"));
        check("[", Err("Invalid end character [ in facet interval ["));
        check("ä", Err("Invalid start character ä in facet interval ä"));
    }
}
