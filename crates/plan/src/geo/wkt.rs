//! How places and areas are written: `latitude,longitude`, `longitude latitude`, and as well-known text with
//! the additions of spatial4j: `POINT`, `MULTIPOINT`, `LINESTRING`, `MULTILINESTRING`, `ENVELOPE(west, east,
//! north, south)`, `BUFFER(shape, degrees)`, `GEOMETRYCOLLECTION`. Requests and documents are read by the
//! same rules. Messages are Solr's, recorded from 9.10.1. Polygons Solr refuses as we do, unless it was given
//! another library (`compat/query/spatial_errors.yaml`).

use std::fmt::{Display, Formatter};

use crate::error::{Error, Result, RootCause};
use crate::geo::area::{Area, Circle, Line, Rect};
use crate::geo::point::GeoPoint;

/// How deep shapes may lie in one another.
const DEPTH_MAX: usize = 16;

/// Most places of one line, which an index keeps as one term.
const PLACES_MAX: usize = 512;

const UNREADABLE: &str = "Unable to parse shape given formats \"lat,lon\", \"x y\" or as WKT because ";

impl GeoPoint {
    /// Reads `latitude,longitude` or `longitude latitude`.
    pub fn parse(text: &str) -> Result<Self> {
        let (latitude, longitude) = match (text.split_once(','), text.trim().split_once(' ')) {
            (Some(pair), _) => pair,
            (None, Some((longitude, latitude))) => (latitude, longitude),
            (None, None) => {
                let message = format!("Point must be in 'lat, lon' or 'x y' format: {text}");
                return Err(Error::bad_request(message).with_root(RootCause::InvalidShape));
            }
        };
        let read = || -> Result<Self> {
            let place = Self::new(degrees(latitude)?, degrees(longitude)?);
            check(place)?;
            Ok(place)
        };
        read().map_err(|error| {
            let number = error.root == Some(RootCause::NumberFormat);
            let class = if number { "java.lang.NumberFormatException: " } else { "" };
            error.context(format!("Can't parse point '{text}' because: {class}"))
        })
    }
}

fn degrees(text: &str) -> Result<f64> {
    let text = text.trim();
    text.parse().ok().filter(|degrees: &f64| degrees.is_finite()).ok_or_else(|| {
        Error::bad_request(format!("For input string: \"{text}\"")).with_root(RootCause::NumberFormat)
    })
}

fn check(place: GeoPoint) -> Result<()> {
    let (axis, value) = match place {
        GeoPoint { latitude, .. } if latitude.abs() > 90.0 => ('Y', latitude),
        GeoPoint { longitude, .. } if longitude.abs() > 180.0 => ('X', longitude),
        _ => return Ok(()),
    };
    let value = crate::value::java_double(value);
    let message = format!(
        "Bad {axis} value {value} is not in boundary Rect(minX=-180.0,maxX=180.0,minY=-90.0,maxY=90.0)"
    );
    Err(Error::bad_request(message).with_root(RootCause::InvalidShape))
}

impl Area {
    /// Reads an area in any of the forms.
    pub fn parse(text: &str) -> Result<Self> {
        if !text.trim_start().starts_with(char::is_alphabetic) {
            return GeoPoint::parse(text).map(Area::Point).map_err(|_| unknown(text));
        }
        let mut reader = WktReader { text, at: 0 };
        let read = reader.shape(0).and_then(|area| match reader.peek() {
            None => Ok(area),
            Some(_) => Err(syntax("end of shape expected")),
        });
        read.map_err(|mut error| {
            let class = match error.root {
                Some(RootCause::InvalidShape) => "org.locationtech.spatial4j.exception.InvalidShapeException",
                _ if error.message.is_empty() => return unknown(text),
                _ => "java.text.ParseException",
            };
            error.message = format!("{UNREADABLE}{class}: {} input: {text}", error.message);
            error
        })
    }
}

fn unknown(text: &str) -> Error {
    let message = format!("{UNREADABLE}java.text.ParseException: Unknown Shape definition [{text}]");
    Error::bad_request(message).with_root(RootCause::ShapeSyntax)
}

fn syntax(message: impl Into<String>) -> Error {
    Error::bad_request(message).with_root(RootCause::ShapeSyntax)
}

/// Well-known text from left to right.
struct WktReader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> WktReader<'a> {
    fn rest(&mut self) -> &'a str {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let trimmed = rest.trim_start();
        self.at += rest.len() - trimmed.len();
        trimmed
    }

    fn peek(&mut self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Takes what `part` allows.
    fn take(&mut self, part: fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let taken = rest.get(..rest.find(|c| !part(c)).unwrap_or(rest.len())).unwrap_or_default();
        self.at += taken.len();
        taken
    }

    fn expect(&mut self, wanted: char) -> Result<()> {
        match self.peek() {
            Some(found) if found == wanted => {
                self.at += found.len_utf8();
                Ok(())
            }
            Some(found) => Err(syntax(format!("Expected [{wanted}] found [{found}]"))),
            None => Err(syntax(format!("Expected [{wanted}] found EOF"))),
        }
    }

    fn next_is(&mut self, wanted: char) -> bool {
        self.peek() == Some(wanted) && self.expect(wanted).is_ok()
    }

    fn number(&mut self) -> Result<f64> {
        let text = self.take(|c| c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | 'e' | 'E'));
        text.parse().ok().filter(|it: &f64| it.is_finite()).ok_or_else(|| syntax("Expected a number"))
    }

    fn shape(&mut self, depth: usize) -> Result<Area> {
        if depth > DEPTH_MAX {
            return Err(syntax(format!("shapes nest deeper than {DEPTH_MAX}; write fewer in one another")));
        }
        let name = self.take(char::is_alphanumeric).to_ascii_uppercase();
        let empty = self.rest().get(..5).is_some_and(|word| word.eq_ignore_ascii_case("EMPTY"));
        match name.as_str() {
            "POINT" | "MULTIPOINT" | "LINESTRING" | "MULTILINESTRING" | "ENVELOPE" | "GEOMETRYCOLLECTION"
                if empty => {
                self.at += "EMPTY".len();
                Ok(Area::Many(Vec::new()))
            }
            "POINT" => self.point().map(Area::Point),
            "MULTIPOINT" => self.list(|reader| match reader.peek() {
                Some('(') => reader.point().map(Area::Point),
                _ => reader.coordinates().map(Area::Point),
            }),
            "LINESTRING" => self.line(),
            "MULTILINESTRING" => self.list(Self::line),
            "ENVELOPE" => self.envelope(),
            "BUFFER" => {
                self.expect('(')?;
                let inner = self.shape(depth + 1)?;
                self.expect(',')?;
                let distance = self.number()?;
                self.expect(')')?;
                buffered(inner, distance)
            }
            "GEOMETRYCOLLECTION" => self.list(|reader| reader.shape(depth + 1)),
            "POLYGON" | "MULTIPOLYGON" => Err(Error::bad_request(
                "java.lang.UnsupportedOperationException: Unsupported shape of this SpatialContext. Try JTS or Geo3D.",
            )
            .with_root(RootCause::Unsupported)),
            _ => Err(syntax("")),
        }
    }

    fn coordinates(&mut self) -> Result<GeoPoint> {
        let (longitude, latitude) = (self.number()?, self.number()?);
        let place = GeoPoint::new(latitude, longitude);
        check(place)?;
        Ok(place)
    }

    fn point(&mut self) -> Result<GeoPoint> {
        self.expect('(')?;
        let place = self.coordinates()?;
        self.expect(')')?;
        Ok(place)
    }

    fn line(&mut self) -> Result<Area> {
        self.expect('(')?;
        let mut places = vec![self.coordinates()?];
        while self.next_is(',') {
            places.push(self.coordinates()?);
            if places.len() > PLACES_MAX {
                return Err(syntax(format!("a line has more than {PLACES_MAX} places; write it as several")));
            }
        }
        self.expect(')')?;
        // A line of one place goes from there to there.
        if let [only] = places.as_slice() {
            places.push(*only);
        }
        Ok(Area::Line(Line { places, degrees: 0.0 }))
    }

    fn list(&mut self, mut item: impl FnMut(&mut Self) -> Result<Area>) -> Result<Area> {
        self.expect('(')?;
        let mut areas = vec![item(self)?];
        while self.next_is(',') {
            areas.push(item(self)?);
        }
        self.expect(')')?;
        Ok(Area::Many(areas))
    }

    fn envelope(&mut self) -> Result<Area> {
        self.expect('(')?;
        let west = self.number()?;
        self.expect(',')?;
        let east = self.number()?;
        self.expect(',')?;
        let north = self.number()?;
        self.expect(',')?;
        let south = self.number()?;
        self.expect(')')?;
        rect(GeoPoint::new(south, west), GeoPoint::new(north, east)).map(Area::Rect)
    }
}

fn buffered(area: Area, distance: f64) -> Result<Area> {
    if distance < 0.0 {
        let message = format!("distance must be >= 0; got {}", crate::value::java_double(distance));
        return Err(Error::bad_request(message).with_root(RootCause::InvalidShape));
    }
    Ok(area.buffered(distance))
}

/// The box between two corners.
pub fn rect(lower: GeoPoint, upper: GeoPoint) -> Result<Rect> {
    check(lower)?;
    check(upper)?;
    let (south, north) = (lower.latitude, upper.latitude);
    if south > north {
        let show = crate::value::java_double;
        let message = format!("maxY must be >= minY: {} to {}", show(south), show(north));
        return Err(Error::bad_request(message).with_root(RootCause::InvalidShape));
    }
    Ok(Rect { south, north, west: lower.longitude, east: upper.longitude })
}

/// Well-known text, which [`Area::parse`] reads back.
impl Display for Area {
    fn fmt(&self, out: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            Area::Point(place) => write!(out, "POINT ({} {})", place.longitude, place.latitude),
            Area::Circle(Circle { centre, degrees }) => {
                write!(out, "BUFFER (POINT ({} {}), {degrees})", centre.longitude, centre.latitude)
            }
            Area::Rect(Rect { south, north, west, east }) => {
                write!(out, "ENVELOPE ({west}, {east}, {north}, {south})")
            }
            Area::Line(Line { places, degrees }) => {
                let place = |place: &GeoPoint| format!("{} {}", place.longitude, place.latitude);
                let places = places.iter().map(place).collect::<Vec<_>>().join(", ");
                match *degrees > 0.0 {
                    true => write!(out, "BUFFER (LINESTRING ({places}), {degrees})"),
                    false => write!(out, "LINESTRING ({places})"),
                }
            }
            Area::Many(areas) if areas.is_empty() => out.write_str("GEOMETRYCOLLECTION EMPTY"),
            Area::Many(areas) => {
                let parts: Vec<_> = areas.iter().map(Area::to_string).collect();
                write!(out, "GEOMETRYCOLLECTION ({})", parts.join(", "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_are_read_and_written() {
        let check = |text: &str, expected: &str| {
            let shown = Area::parse(text).map_or_else(|error| error.message, |area| area.to_string());
            assert_eq!(shown, expected, "{text}");
        };
        check("45.15,-93.85", "POINT (-93.85 45.15)");
        check(" 1 , 2 ", "POINT (2 1)");
        check("1 2", "POINT (1 2)");
        check("point(1 2)", "POINT (1 2)");
        check("ENVELOPE(-95,-92,47,44)", "ENVELOPE (-95, -92, 47, 44)");
        check("BUFFER(POINT(-93.85 45.15), 0.5)", "BUFFER (POINT (-93.85 45.15), 0.5)");
        check("MULTIPOINT((1 2),3 4)", "GEOMETRYCOLLECTION (POINT (1 2), POINT (3 4))");
        check(
            "GEOMETRYCOLLECTION(POINT(1 2), ENVELOPE(1,2,4,3))",
            "GEOMETRYCOLLECTION (POINT (1 2), ENVELOPE (1, 2, 4, 3))",
        );
        check("linestring(1 2, 3 4,5 6)", "LINESTRING (1 2, 3 4, 5 6)");
        check("BUFFER(LINESTRING(1 2,3 4), 0.5)", "BUFFER (LINESTRING (1 2, 3 4), 0.5)");
        check(
            "MULTILINESTRING((1 2,3 4),(5 6))",
            "GEOMETRYCOLLECTION (LINESTRING (1 2, 3 4), LINESTRING (5 6, 5 6))",
        );
        check("POINT EMPTY", "GEOMETRYCOLLECTION EMPTY");
    }

    /// Messages recorded from Solr 9.10.1.
    #[test]
    fn errors_say_what_is_wrong() {
        let check = |text: &str, expected: &str| {
            assert_eq!(Area::parse(text).unwrap_err().message, format!("{UNREADABLE}{expected}"), "{text}");
        };
        check("1", "java.text.ParseException: Unknown Shape definition [1]");
        check("1,181", "java.text.ParseException: Unknown Shape definition [1,181]");
        check("bogus", "java.text.ParseException: Unknown Shape definition [bogus]");
        check("POINT(1 2", "java.text.ParseException: Expected [)] found EOF input: POINT(1 2");
        check(
            "ENVELOPE(-96,-91,48)",
            "java.text.ParseException: Expected [,] found [)] input: ENVELOPE(-96,-91,48)",
        );
        check(
            "ENVELOPE(-96,-91,43,48)",
            "org.locationtech.spatial4j.exception.InvalidShapeException: maxY must be >= minY: 48.0 to 43.0 \
             input: ENVELOPE(-96,-91,43,48)",
        );
        check(
            "BUFFER(POINT(1 1),x)",
            "java.text.ParseException: Expected a number input: BUFFER(POINT(1 1),x)",
        );
        let deep = format!("{}POINT(1 1)", "BUFFER(".repeat(100));
        assert!(Area::parse(&deep).unwrap_err().message.contains("nest deeper"));
        let long = format!("LINESTRING({}1 1)", "1 2,".repeat(1000));
        assert!(Area::parse(&long).unwrap_err().message.contains("more than 512 places"));
        let polygon = Area::parse("POLYGON((0 0))").unwrap_err().message;
        assert!(polygon.contains("UnsupportedOperationException"), "{polygon}");
    }

    #[test]
    fn places_outside_the_earth_are_refused() {
        let check = |text: &str, expected: &str| {
            assert_eq!(GeoPoint::parse(text).unwrap_err().message, expected);
        };
        check("1", "Point must be in 'lat, lon' or 'x y' format: 1");
        check(
            "x,1",
            "Can't parse point 'x,1' because: java.lang.NumberFormatException: For input string: \"x\"",
        );
        check(
            "91,1",
            "Can't parse point '91,1' because: Bad Y value 91.0 is not in boundary \
             Rect(minX=-180.0,maxX=180.0,minY=-90.0,maxY=90.0)",
        );
    }
}
