//! `Intersects(shape) distErrPct=0.1`: how Lucene's `SpatialArgsParser` has an operation, a shape and its precision written.
//! Shapes are `plan::Area`'s to read.

use plan::{Area, Error, Relation, Result, RootCause};

use super::measure::Measure;
use super::unreadable;
use crate::query::java_float;

/// Solr's names; none for those that its fields refuse as well.
const OPERATIONS: &[(&str, Option<Relation>)] = &[
    ("Intersects", Some(Relation::Intersects)),
    ("IsWithin", Some(Relation::Within)),
    ("Within", Some(Relation::Within)),
    ("Contains", Some(Relation::Contains)),
    ("IsDisjointTo", None),
    ("Disjoint", None),
    ("IsEqualTo", None),
    ("Equals", None),
    ("Overlaps", None),
    ("BBoxIntersects", None),
    ("BBoxWithin", None),
];

/// What such a text says.
pub(super) struct Arguments {
    pub relation: Relation,
    pub area: Area,
    /// In degrees.
    pub error: Option<f64>,
}

impl Arguments {
    pub(super) fn parse(text: &str, measure: &Measure) -> Result<Self> {
        let (Some(open), Some(close)) = (text.find('('), text.rfind(')')) else {
            return Err(unreadable(&format!("missing parens: {text}")));
        };
        let relation = relation(text.get(..open).unwrap_or_default().trim())?;
        let body = text.get(open + 1..close).unwrap_or_default().trim();
        if body.is_empty() {
            return Err(unreadable(&format!("missing body : {text}")));
        }
        let area = Area::parse(body)?;
        let error = precision(text.get(close + 1..).unwrap_or_default(), &area, measure)?;
        Ok(Self { relation, area, error })
    }
}

fn relation(name: &str) -> Result<Relation> {
    let Some((_, relation)) = OPERATIONS.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)) else {
        return Err(illegal(&format!("Unknown Operation: {name}")));
    };
    relation.ok_or_else(|| {
        Error::bad_request(format!(
            "spatial fields do not know the relation `{name}`; use `Intersects`, `IsWithin` or `Contains`"
        ))
    })
}

fn illegal(message: &str) -> Error {
    Error::bad_request(format!("java.lang.IllegalArgumentException: {message}"))
        .with_root(RootCause::IllegalArgument)
}

/// `distErr=` in the field's unit, or `distErrPct=` of the area.
fn precision(text: &str, area: &Area, measure: &Measure) -> Result<Option<f64>> {
    let mut error = None;
    for word in text.split_whitespace() {
        let (name, value) = word.split_once('=').unwrap_or((word, ""));
        let number = java_float::<f64>(value).filter(|number| number.is_finite() && *number >= 0.0);
        error = match (name, number) {
            ("distErr", Some(number)) => Some(measure.degrees(number)),
            ("distErrPct", Some(part)) => error.or(Some(area.reach() * part.min(0.5))),
            _ => return Err(illegal(&format!("unused parameters: {{{word}}}"))),
        };
    }
    Ok(error)
}
