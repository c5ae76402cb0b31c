//! The shapes of a spatial field as `[geo]` writes them: GeoJSON, well-known text, and spatial4j's older
//! form. Numbers have six decimals at most. Forms recorded from Solr 9.10.1. In: a field's values, which are
//! texts of shapes; out: text or a node.

use plan::{Area, Circle, DEGREES_PER_KM, GeoPoint, Line, Rect, Value};

use super::node::Node;
use crate::select::ShapeForm;

/// What a field's values look like; a text that is no shape is shown as it is.
pub(super) fn shown(values: &[Value], many: bool, form: ShapeForm) -> Node {
    let one = |value: &Value| {
        let text = value.to_text();
        match (Area::parse(&text), form) {
            (Ok(area), ShapeForm::GeoJson) => Node::Json(geo_json(&area)),
            (Ok(area), ShapeForm::WellKnownText) => Node::Str(well_known(&area).into()),
            (Ok(area), ShapeForm::Legacy) => Node::Str(legacy(&area).into()),
            (Err(_), _) => Node::Str(text.into()),
        }
    };
    match values {
        [only] if !many => one(only),
        values => Node::Array(values.iter().map(one).collect()),
    }
}

fn number(number: f64) -> String {
    let text = format!("{number:.6}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// Longitude, then latitude.
fn pair(place: GeoPoint, between: &str) -> String {
    format!("{}{between}{}", number(place.longitude), number(place.latitude))
}

fn joined<T>(all: &[T], show: impl Fn(&T) -> String, between: &str) -> String {
    all.iter().map(show).collect::<Vec<_>>().join(between)
}

pub(super) fn geo_json(area: &Area) -> String {
    match area {
        Area::Point(place) => format!(r#"{{"type":"Point","coordinates":[{}]}}"#, pair(*place, ",")),
        Area::Circle(Circle { centre, degrees }) => format!(
            r#"{{"type":"Circle","coordinates":[{}],"radius":{},"properties":{{"radius_units":"km"}}}}"#,
            pair(*centre, ","),
            number(degrees / DEGREES_PER_KM)
        ),
        Area::Rect(Rect { south, north, west, east }) => {
            let ring = [(south, west), (north, west), (north, east), (south, east), (south, west)];
            let corners = ring.map(|(lat, lon)| format!("[{}]", pair(GeoPoint::new(*lat, *lon), ",")));
            format!(r#"{{"type":"Polygon","coordinates":[[{}]]}}"#, corners.join(","))
        }
        Area::Line(Line { places, degrees }) => {
            let places = joined(places, |place| format!("[{}]", pair(*place, ",")), ",");
            let wide = match *degrees > 0.0 {
                true => {
                    let km = number(degrees / DEGREES_PER_KM);
                    format!(r#","buffer":{km},"properties":{{"buffer_units":"km"}}"#)
                }
                false => String::new(),
            };
            format!(r#"{{"type":"LineString","coordinates":[{places}]{wide}}}"#)
        }
        Area::Many(areas) => {
            format!(r#"{{"type":"GeometryCollection","geometries":[{}]}}"#, joined(areas, geo_json, ","))
        }
    }
}

fn well_known(area: &Area) -> String {
    match area {
        Area::Point(place) => format!("POINT ({})", pair(*place, " ")),
        Area::Circle(Circle { centre, degrees }) => {
            format!("BUFFER (POINT ({}), {})", pair(*centre, " "), number(*degrees))
        }
        Area::Rect(Rect { south, north, west, east }) => {
            let sides = [west, east, north, south].map(|side| number(*side));
            format!("ENVELOPE ({})", sides.join(", "))
        }
        Area::Line(Line { places, degrees }) => {
            let line = format!("LINESTRING ({})", joined(places, |place| pair(*place, " "), ", "));
            if *degrees > 0.0 { format!("BUFFER ({line}, {})", number(*degrees)) } else { line }
        }
        Area::Many(areas) => format!("GEOMETRYCOLLECTION ({})", joined(areas, well_known, ",")),
    }
}

fn legacy(area: &Area) -> String {
    match area {
        Area::Point(place) => pair(*place, " "),
        Area::Circle(Circle { centre, degrees }) => {
            format!("Circle({} d={})", pair(*centre, " "), number(*degrees))
        }
        Area::Rect(Rect { south, north, west, east }) => {
            [west, south, east, north].map(|side| number(*side)).join(" ")
        }
        Area::Line(_) => well_known(area),
        Area::Many(areas) => joined(areas, legacy, ", "),
    }
}
