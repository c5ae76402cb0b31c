//! `Intersects(shape) distErrPct=0.1`: how Lucene's `SpatialArgsParser` has an operation, a shape and its
//! precision written. Shapes are `plan::Area`'s to read. In: the text and the field's measure; out: relation,
//! area and how far off cells may be. What a field does with a relation that it does not know is decided by
//! its class here, with the message that names those it knows.

use plan::{Area, Error, Relation, Result, RootCause};

use super::measure::Measure;
use crate::params::switch_value;
use crate::query::java_float;
use crate::query::request::Request;

/// Most shapes of an area: each of them is held against each cell that the area is covered with.
const PARTS_MAX: usize = 1024;

/// How a box is related to another. Other fields know fewer: [`BoxRelation::of_shapes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BoxRelation {
    Intersects,
    Within,
    Contains,
    Disjoint,
    Equals,
}

impl BoxRelation {
    /// That of shapes that are no boxes; none for those that Solr's fields refuse as well.
    fn of_shapes(self) -> Option<Relation> {
        match self {
            BoxRelation::Intersects => Some(Relation::Intersects),
            BoxRelation::Within => Some(Relation::Within),
            BoxRelation::Contains => Some(Relation::Contains),
            BoxRelation::Disjoint | BoxRelation::Equals => None,
        }
    }
}

/// A relation by Solr's name.
struct Operation {
    name: &'static str,
    relation: Option<BoxRelation>,
    /// Whether only fields of boxes know it.
    of_boxes: bool,
}

const fn operation(name: &'static str, relation: Option<BoxRelation>, of_boxes: bool) -> Operation {
    Operation { name, relation, of_boxes }
}

const OPERATIONS: &[Operation] = &[
    operation("Intersects", Some(BoxRelation::Intersects), false),
    operation("IsWithin", Some(BoxRelation::Within), false),
    operation("Within", Some(BoxRelation::Within), false),
    operation("Contains", Some(BoxRelation::Contains), false),
    operation("IsDisjointTo", Some(BoxRelation::Disjoint), true),
    operation("Disjoint", Some(BoxRelation::Disjoint), true),
    operation("IsEqualTo", Some(BoxRelation::Equals), true),
    operation("Equals", Some(BoxRelation::Equals), true),
    operation("Overlaps", None, true),
    operation("BBoxIntersects", Some(BoxRelation::Intersects), true),
    operation("BBoxWithin", Some(BoxRelation::Within), true),
];

/// What such a text says.
pub(super) struct Arguments {
    pub relation: Relation,
    pub area: Area,
    /// In degrees.
    pub error: Option<f64>,
}

/// What such a text says to a field of boxes.
pub(super) struct BoxArguments {
    pub relation: BoxRelation,
    pub area: Area,
}

impl Arguments {
    pub(super) fn parse(text: &str, measure: &Measure) -> Result<Self> {
        let (operation, area, error) = parse(text, measure)?;
        let relation = operation.relation.filter(|_| !operation.of_boxes).and_then(BoxRelation::of_shapes);
        let relation =
            relation.ok_or_else(|| unknown(operation, "`Intersects`, `IsWithin` or `Contains`"))?;
        Ok(Self { relation, area, error })
    }
}

impl BoxArguments {
    pub(super) fn parse(text: &str, measure: &Measure) -> Result<Self> {
        let (operation, area, _) = parse(text, measure)?;
        let known = "`Intersects`, `IsWithin`, `Contains`, `IsDisjointTo` or `IsEqualTo`";
        let relation = operation.relation.ok_or_else(|| unknown(operation, known))?;
        Ok(Self { relation, area })
    }
}

fn unknown(operation: &Operation, known: &str) -> Error {
    Error::bad_request(format!("spatial fields do not know the relation `{}`; use {known}", operation.name))
}

/// The relation, the shape, and how far off cells may be.
fn parse(text: &str, measure: &Measure) -> Result<(&'static Operation, Area, Option<f64>)> {
    let (Some(open), Some(close)) = (text.find('('), text.rfind(')')) else {
        return Err(unreadable(&format!("missing parens: {text}")));
    };
    let name = text.get(..open).unwrap_or_default().trim();
    let operation = OPERATIONS.iter().find(|known| known.name.eq_ignore_ascii_case(name));
    let operation = operation.ok_or_else(|| illegal(&format!("Unknown Operation: {name}")))?;
    let body = text.get(open + 1..close).unwrap_or_default().trim();
    if body.is_empty() {
        return Err(unreadable(&format!("missing body : {text}")));
    }
    let area = checked_parts(Area::parse(body)?)?;
    let error = precision(text.get(close + 1..).unwrap_or_default(), &area, measure)?;
    Ok((operation, area, error))
}

/// An area that is not made of too many shapes.
pub(crate) fn checked_parts(area: Area) -> Result<Area> {
    if area.parts() > PARTS_MAX {
        let message =
            format!("an area of `{}` shapes is too much for a search; use up to {PARTS_MAX}", area.parts());
        return Err(Error::bad_request(message));
    }
    Ok(area)
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
            // An absolute `distErr` wins wherever it stands, and no cell may be coarser than half the area.
            ("distErrPct", Some(part)) => error.or(Some(area.reach() * part.min(0.5))),
            _ => return Err(illegal(&format!("unused parameters: {{{word}}}"))),
        };
    }
    Ok(error)
}

/// Whether the area restricts (`filter=`), besides what its scores tell.
pub(super) fn restricts(request: &Request<'_>) -> Result<bool> {
    Ok(request.local.get("filter").map(switch_value).transpose()?.unwrap_or(true))
}

/// As Solr words a text that has no form at all.
fn unreadable(message: &str) -> Error {
    Error::bad_request(format!("java.text.ParseException: {message}")).with_root(RootCause::ShapeSyntax)
}
