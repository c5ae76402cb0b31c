//! Distances between points: of vectors (`dist`, `sqedist`), on the sphere (`hsin`, `ghhsin`), and `geodist`,
//! which takes its places from its arguments, then from the parameters `pt` and `sfield`. Messages are
//! Solr's, from 9.10.1.

use plan::{EARTH_RADIUS_KM, Error, FieldClass, Function, Operator, PointDistance, Value};

use super::failure::Failure;
use super::field_value::value_of;
use super::parse::FunctionSource;
use crate::params::query;
use crate::query::syntax::SyntaxError;
use crate::query::{Field, Measure, sub_fields};

pub(super) fn distance(source: &mut FunctionSource<'_>) -> Result<Function, Failure> {
    let order = source.float()?;
    vectors(source, Operator::Distance { order })
}

pub(super) fn squared_distance(source: &mut FunctionSource<'_>) -> Result<Function, Failure> {
    vectors(source, Operator::SquaredDistance)
}

/// Two vectors, or numbers of which the first half is one and the second half the other.
fn vectors(source: &mut FunctionSource<'_>, operator: Operator) -> Result<Function, Failure> {
    let mut first = source.functions()?;
    let odd = || Error::bad_request("Illegal number of sources.  There must be an even number of sources");
    if first.len() % 2 != 0 {
        return Err(odd().into());
    }
    let second = first.split_off(first.len() / 2);
    let arguments = match (first.as_slice(), second.as_slice()) {
        // Two arguments are two vectors where either is one; else they are two points on a line.
        ([one], [other]) if is_vector(one) || is_vector(other) => {
            if !(is_vector(one) && is_vector(other)) || dimensions(one) != dimensions(other) {
                return Err(odd().into());
            }
            vec![one.clone(), other.clone()]
        }
        _ => vec![vector(first), vector(second)],
    };
    Ok(Function::call(operator, arguments))
}

fn vector(of: Vec<Function>) -> Function {
    Function::call(Operator::Vector, of)
}

fn is_vector(function: &Function) -> bool {
    matches!(function, Function::Call { operator: Operator::Vector, .. })
}

fn dimensions(function: &Function) -> usize {
    if let Function::Call { arguments, .. } = function { arguments.len() } else { 1 }
}

/// `hsin(radius,degrees,lat,lon,lat,lon)`, or with two vectors.
pub(super) fn haversine(source: &mut FunctionSource<'_>) -> Result<Function, Failure> {
    let radius = source.number("double")?;
    let degrees = source.argument()?.text.is_some_and(|text| text.eq_ignore_ascii_case("true"));
    let (one, two) = (source.function()?, source.function()?);
    let places = if source.cursor.has_more() {
        vec![vector(vec![one, two]), vector(vec![source.function()?, source.function()?])]
    } else if dimensions(&one) == 2 && dimensions(&two) == 2 && is_vector(&one) && is_vector(&two) {
        vec![one, two]
    } else {
        let message = "Input must either be 2 MultiValueSources, or there must be 4 ValueSources";
        return Err(Error::bad_request(message).into());
    };
    Ok(Function::call(Operator::Haversine { radius, degrees }, places))
}

/// `ghhsin(radius,geohash,geohash)`.
pub(super) fn geohash_distance(source: &mut FunctionSource<'_>) -> Result<Function, Failure> {
    let radius = source.number("double")?;
    let places = vec![source.function()?, source.function()?];
    Ok(Function::call(Operator::GeohashDistance { radius }, places))
}

/// One of the two places of `geodist`.
enum GeoArgument {
    Field(Field),
    At(Function, Function),
}

/// What stands between the parentheses of `geodist`: a field that is a place, or a coordinate.
enum Part {
    Place(GeoArgument),
    Coordinate(Function),
}

pub(super) fn geodist(source: &mut FunctionSource<'_>) -> Result<Function, Failure> {
    let mut shown = Vec::new();
    let mut places: Vec<GeoArgument> = Vec::new();
    let mut open: Option<Function> = None;
    while source.cursor.has_more() {
        match (part(source, &mut shown)?, open.take()) {
            (Part::Place(place), None) => places.push(place),
            (Part::Coordinate(latitude), None) => open = Some(latitude),
            (Part::Coordinate(longitude), Some(latitude)) => {
                places.push(GeoArgument::At(latitude, longitude));
            }
            (Part::Place(_), Some(_)) => return Err(wrong("invalid", &shown)),
        }
    }
    if open.is_some() || places.len() > 2 {
        return Err(wrong("invalid", &shown));
    }
    let mut places = places.into_iter();
    let (one, other) = match (places.next(), places.next()) {
        (None, _) => (point(source)?, sfield(source)?),
        (one, None) => {
            let other = point(source)?;
            (one, if other.is_some() { other } else { sfield(source)? })
        }
        both => both,
    };
    let (Some(one), Some(other)) = (one, other) else { return Err(wrong("not enough", &shown)) };
    between(one, other)
}

fn wrong(what: &str, shown: &[String]) -> Failure {
    SyntaxError::plain(format!("geodist - {what} parameters:[{}]", shown.join(", "))).into()
}

fn part(source: &mut FunctionSource<'_>, shown: &mut Vec<String>) -> Result<Part, Failure> {
    let rest = source.cursor.rest();
    let starts = rest.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let name = rest.split([',', ')', '(']).next().unwrap_or_default().trim_end();
    let known = source.context.find(name).filter(|_| starts);
    let behind = rest.get(name.len()..).unwrap_or_default().trim_start();
    if let Some(found) = known.filter(|_| !behind.starts_with('(')) {
        source.cursor.identifier()?;
        source.cursor.delimiter()?;
        let is_place = found.spec.class().is_place();
        // As Solr's message shows such a field.
        shown.push(if is_place { "vector()".to_owned() } else { name.to_owned() });
        return Ok(Part::Place(place_of(source, &found.name)?));
    }
    let function = source.function()?;
    shown.push(function.to_string());
    Ok(match function {
        Function::Call { operator: Operator::Vector, mut arguments } if arguments.len() == 2 => {
            let longitude = arguments.pop().unwrap_or(Function::Constant(Value::Double(0.0)));
            let latitude = arguments.pop().unwrap_or(Function::Constant(Value::Double(0.0)));
            Part::Place(GeoArgument::At(latitude, longitude))
        }
        other => Part::Coordinate(other),
    })
}

fn place_of(source: &FunctionSource<'_>, name: &str) -> Result<GeoArgument, Failure> {
    let found = source.context.field_quoted(name)?;
    match found.spec.class() {
        class if class.is_place() => return Ok(GeoArgument::Field(found)),
        FieldClass::Point => return coordinates(source, &found),
        _ => {}
    }
    value_of(source.context, name)?;
    let message =
        format!("Spatial field must implement MultiValueSource or extend AbstractSpatialFieldType:{name}");
    Err(SyntaxError::plain(message).into())
}

/// The first two coordinates of a PointType.
fn coordinates(source: &FunctionSource<'_>, field: &Field) -> Result<GeoArgument, Failure> {
    let subs = sub_fields(source.context, field)?;
    let [latitude, longitude] = subs.as_slice() else {
        let message = format!("geodist needs 2 dimensions; field `{}` has {}", field.name, subs.len());
        return Err(Error::bad_request(message).into());
    };
    let value = |sub: &Field| value_of(source.context, &sub.name);
    Ok(GeoArgument::At(value(latitude)?, value(longitude)?))
}

/// The parameter `pt`, `lat,lon`.
fn point(source: &FunctionSource<'_>) -> Result<Option<GeoArgument>, Failure> {
    let Some(text) = source.param(query::PT.name) else { return Ok(None) };
    let place = plan::GeoPoint::parse(text)?;
    let constant = |degrees| Function::Constant(Value::Double(degrees));
    Ok(Some(GeoArgument::At(constant(place.latitude), constant(place.longitude))))
}

fn sfield(source: &FunctionSource<'_>) -> Result<Option<GeoArgument>, Failure> {
    source.param(query::SFIELD.name).map(|name| place_of(source, name)).transpose()
}

fn between(one: GeoArgument, other: GeoArgument) -> Result<Function, Failure> {
    match (one, other) {
        (GeoArgument::Field(field), GeoArgument::At(latitude, longitude))
        | (GeoArgument::At(latitude, longitude), GeoArgument::Field(field)) => {
            let (Some(latitude), Some(longitude)) = (constant(&latitude), constant(&longitude)) else {
                return Err(not_constant());
            };
            let Measure { per_metre, grid, .. } = Measure::of(&field.spec)?;
            let from = plan::GeoPoint::new(latitude, longitude);
            Ok(Function::PointDistance(PointDistance { field: field.name, from, per_metre, detail: grid }))
        }
        (GeoArgument::Field(_), GeoArgument::Field(_)) => Err(not_constant()),
        (GeoArgument::At(lat, lon), GeoArgument::At(other_lat, other_lon)) => {
            let (here, there) = (vec![lat, lon], vec![other_lat, other_lon]);
            Ok(match (fixed(&here), fixed(&there)) {
                // A constant place has an operator of its own, as in Solr, and stands in it instead of in an
                // argument.
                (Some(fixed), _) => from_fixed(fixed, there),
                (None, Some(fixed)) => from_fixed(fixed, here),
                (None, None) => {
                    let operator = Operator::Haversine { radius: EARTH_RADIUS_KM, degrees: true };
                    Function::call(operator, vec![vector(here), vector(there)])
                }
            })
        }
    }
}

fn not_constant() -> Failure {
    let message = "When using AbstractSpatialFieldType (e.g. RPT not LatLonType), the point must be supplied as constants";
    SyntaxError::plain(message).into()
}

fn fixed(place: &[Function]) -> Option<(f64, f64)> {
    let [latitude, longitude] = place else { return None };
    Some((constant(latitude)?, constant(longitude)?))
}

fn from_fixed((latitude, longitude): (f64, f64), other: Vec<Function>) -> Function {
    Function::call(Operator::GeoDistance { latitude, longitude }, vec![vector(other)])
}

fn constant(function: &Function) -> Option<f64> {
    match function {
        Function::Constant(Value::Long(number)) => Some(*number as f64),
        Function::Constant(Value::Double(number)) => Some(*number),
        Function::Constant(Value::Bool(flag)) => Some(f64::from(u8::from(*flag))),
        _ => None,
    }
}
