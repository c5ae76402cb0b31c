//! What a search asks of where documents are, and how Lucene prints it: fields of points as boxes of whole
//! steps and circles in metres, fields on a grid as spatial4j's shapes. In: an area in degrees and the
//! field's precision; out: what the engine covers with cells or boxes, and the text for debug output. Nothing
//! is looked up in an index here.

use std::fmt::{Display, Formatter, Result};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::geo::area::{Area, Circle, Line, Rect};
use crate::geo::point::{EARTH_RADIUS_KM, GeoPoint};
use crate::value::java_double;

/// Rounded as spatial4j rounds.
const KM_PER_DEGREE: f64 = 0.017_453_292_519_943_295 * EARTH_RADIUS_KM;

/// How documents' shapes are related to an area.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Relation {
    /// They have a place in common.
    Intersects,
    /// The document's shape lies in the area.
    Within,
    /// The area lies in the document's shape.
    Contains,
}

/// Documents by where they are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spatial {
    pub field: Arc<str>,
    pub relation: Relation,
    pub area: Area,
    /// Of a field on a grid: by which cells to tell; exactly if `None`.
    pub grid: Option<Grid>,
}

/// Cells by their geohashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grid {
    /// Characters that tell.
    pub detail: u8,
    /// Characters that the field keeps.
    pub most: u8,
}

impl Grid {
    /// How far above the finest level Lucene stops asking for each cell and reads on.
    const SCANNED: u8 = 4;

    /// The cells that are as small as a distance in degrees; the finest for none.
    pub fn of_error(degrees: f64, most: u8) -> Self {
        let small = |length: &u8| {
            let (width, height) = Self::size(*length);
            width < degrees && height < degrees
        };
        Self { detail: (1..most).find(small).unwrap_or(most), most }
    }

    /// Degrees of a cell, east to west and south to north.
    pub(crate) fn size(length: u8) -> (f64, f64) {
        let bits = i32::from(length) * 5;
        (360.0 / 2f64.powi((bits + 1) / 2), 180.0 / 2f64.powi(bits / 2))
    }
}

impl Relation {
    /// Lucene's class of queries for it, by a tree of cells.
    pub(crate) fn class(self) -> &'static str {
        match self {
            Relation::Intersects => "IntersectsPrefixTreeQuery",
            Relation::Within => "WithinPrefixTreeQuery",
            Relation::Contains => "ContainsPrefixTreeQuery",
        }
    }
}

impl Spatial {
    /// Lucene's class.
    pub fn class(&self) -> &'static str {
        if self.grid.is_some() { self.relation.class() } else { "IndexOrDocValuesQuery" }
    }
}

impl Display for Spatial {
    fn fmt(&self, out: &mut Formatter<'_>) -> Result {
        let Some(Grid { detail, most }) = self.grid else { return exact(out, &self.field, &self.area) };
        let (class, field) = (self.relation.class(), &self.field);
        write!(out, "{class}(fieldName={field},queryShape={},detailLevel={detail},", Shown(&self.area))?;
        match (self.relation, &self.area) {
            (Relation::Contains, _) => out.write_str("multiOverlappingIndexedShapes=true)"),
            (_, Area::Point(_)) => write!(out, "prefixGridScanLevel={})", detail.saturating_sub(1)),
            _ => write!(out, "prefixGridScanLevel={})", most.saturating_sub(Grid::SCANNED)),
        }
    }
}

fn exact(out: &mut Formatter<'_>, field: &str, area: &Area) -> Result {
    let (index, column) = match area {
        Area::Point(centre) => circle(Circle { centre: *centre, degrees: 0.0 }),
        Area::Circle(of) => circle(*of),
        Area::Rect(rect) => boxed(field, *rect),
        Area::Line(_) | Area::Many(_) => (Shown(area).to_string(), Shown(area).to_string()),
    };
    write!(out, "IndexOrDocValuesQuery(indexQuery={}, dvQuery={field}:{column})", prefixed(field, &index))
}

/// Two boxes name the field themselves.
fn prefixed(field: &str, index: &str) -> String {
    if index.starts_with("ConstantScore") { index.to_owned() } else { format!("{field}:{index}") }
}

fn circle(Circle { centre, degrees }: Circle) -> (String, String) {
    let metres = java_double(degrees * KM_PER_DEGREE * 1000.0);
    let place = format!("{},{}", java_double(centre.latitude), java_double(centre.longitude));
    (
        format!("{place} +/- {metres} meters"),
        format!("INTERSECTS:geometries([CIRCLE([{place}] radius = {metres} meters)])"),
    )
}

fn boxed(field: &str, rect: Rect) -> (String, String) {
    let (south, north) = GeoPoint::latitude_steps(rect.south, rect.north);
    let span = |(from, to): (f64, f64)| format!("[{} TO {}]", java_double(from), java_double(to));
    let part = |side: Rect| {
        format!("{},{}", span((south, north)), span(GeoPoint::longitude_steps(side.west, side.east)))
    };
    let mut parts: Vec<_> = rect.sides().map(part).collect();
    parts.reverse();
    let index = match parts.as_slice() {
        [only] => only.clone(),
        both => {
            let both: Vec<_> = both.iter().map(|part| format!("{field}:{part}")).collect();
            format!("ConstantScore({})", both.join(" "))
        }
    };
    let (west, east) = GeoPoint::longitude_steps(rect.west, rect.east);
    let [south, north, west, east] = [south, north, west, east].map(java_double);
    (index, format!("box(minLat={south}, maxLat={north}, minLon={west}, maxLon={east})"))
}

impl Area {
    /// As spatial4j prints it.
    pub fn shown(&self) -> impl Display + '_ {
        Shown(self)
    }
}

/// An area as spatial4j prints it.
struct Shown<'a>(&'a Area);

impl Display for Shown<'_> {
    fn fmt(&self, out: &mut Formatter<'_>) -> Result {
        let point = |place: &GeoPoint| {
            format!("Pt(x={},y={})", java_double(place.longitude), java_double(place.latitude))
        };
        match self.0 {
            Area::Point(place) => out.write_str(&point(place)),
            Area::Circle(Circle { centre, degrees }) => {
                let km = degrees * KM_PER_DEGREE;
                write!(out, "Circle({}, d={degrees:.1}° {km:.2}km)", point(centre))
            }
            Area::Rect(Rect { south, north, west, east }) => {
                let [west, east, south, north] = [west, east, south, north].map(|it| java_double(*it));
                write!(out, "Rect(minX={west},maxX={east},minY={south},maxY={north})")
            }
            Area::Line(Line { places, degrees }) => {
                let place = |place: &GeoPoint| {
                    format!("{} {}", java_double(place.longitude), java_double(place.latitude))
                };
                let places: Vec<_> = places.iter().map(place).collect();
                write!(out, "BufferedLineString(buf={} pts={})", java_double(*degrees), places.join(", "))
            }
            Area::Many(areas) => {
                let parts: Vec<_> = areas.iter().map(|area| Shown(area).to_string()).collect();
                write!(out, "ShapeCollection({})", parts.join(", "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Recorded from Solr 9.10.1.
    #[test]
    fn queries_read_as_lucenes() {
        let check = |relation, text: &str, grid, expected: &str| {
            let area = Area::parse(text).unwrap();
            let query = Spatial { field: "at".into(), relation, area, grid };
            assert_eq!(query.to_string(), expected);
        };
        check(
            Relation::Intersects,
            "ENVELOPE(170,-170,44,-44)",
            None,
            "IndexOrDocValuesQuery(indexQuery=ConstantScore(at:[-43.99999997578561 TO 43.99999997578561],\
             [-180.0 TO -170.00000000931323] at:[-43.99999997578561 TO 43.99999997578561],\
             [170.00000000931323 TO 179.99999991618097]), dvQuery=at:box(minLat=-43.99999997578561, \
             maxLat=43.99999997578561, minLon=170.00000000931323, maxLon=-170.00000000931323))",
        );
        check(
            Relation::Intersects,
            "BUFFER(POINT(-93.85 45.15), 0.5)",
            None,
            "IndexOrDocValuesQuery(indexQuery=at:45.15,-93.85 +/- 55597.53986718437 meters, \
             dvQuery=at:INTERSECTS:geometries([CIRCLE([45.15,-93.85] radius = 55597.53986718437 meters)]))",
        );
        check(
            Relation::Within,
            "ENVELOPE(-96,-91,48,43)",
            Some(Grid { detail: 5, most: 11 }),
            "WithinPrefixTreeQuery(fieldName=at,queryShape=Rect(minX=-96.0,maxX=-91.0,minY=43.0,maxY=48.0),\
             detailLevel=5,prefixGridScanLevel=7)",
        );
    }

    /// As Solr 9.10.1 chooses them.
    #[test]
    fn cells_are_as_small_as_asked() {
        let check = |text: &str, expected: u8| {
            let error = Area::parse(text).unwrap().reach() * 0.025;
            assert_eq!(Grid::of_error(error, 11).detail, expected, "{text}");
        };
        check("POINT(1 2)", 11);
        check("BUFFER(POINT(-93.85 45.15), 0.045)", 7);
        check("BUFFER(POINT(-93.85 45.15), 4.5)", 5);
        check("ENVELOPE(-94,-93,46,44)", 6);
        check("ENVELOPE(-96,-91,48,43)", 5);
        check("ENVELOPE(-93.9137,-93.7862,45.1949,45.1050)", 7);
    }
}
