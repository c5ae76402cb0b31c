//! Areas on the earth: points, circles, boxes between parallels and meridians, and collections of these. What
//! spatial4j computes of a shape without an index; how an index is searched by one is the engine's. How they
//! are written is `wkt.rs`.

use serde::{Deserialize, Serialize};

use crate::geo::point::GeoPoint;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Area {
    Point(GeoPoint),
    Circle(Circle),
    Rect(Rect),
    Line(Line),
    /// All of these together; of none it is nowhere.
    Many(Vec<Area>),
}

/// All within this many degrees of a place.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Circle {
    pub centre: GeoPoint,
    /// 180 is the whole earth.
    pub degrees: f64,
}

/// All within this many degrees of the straight lines from each place to the next. Straight on a flat map, as
/// spatial4j has it, so that none crosses the date line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// At least two.
    pub places: Vec<GeoPoint>,
    pub degrees: f64,
}

/// In degrees, edges included. With `west > east` it crosses the date line.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rect {
    pub south: f64,
    pub north: f64,
    pub west: f64,
    pub east: f64,
}

impl Rect {
    pub const EARTH: Self = Self { south: -90.0, north: 90.0, west: -180.0, east: 180.0 };

    /// The parts on one side of the date line each.
    pub fn sides(self) -> impl Iterator<Item = Self> {
        let crosses = self.west > self.east;
        let east = if crosses { 180.0 } else { self.east };
        let rest = crosses.then_some(Self { west: -180.0, ..self });
        std::iter::once(Self { east, ..self }).chain(rest)
    }

    /// Degrees from west to east.
    pub fn width(self) -> f64 {
        let width = self.east - self.west;
        if width < 0.0 { width + 360.0 } else { width }
    }

    pub fn centre(self) -> GeoPoint {
        let longitude = self.west + self.width() / 2.0;
        let longitude = if longitude > 180.0 { longitude - 360.0 } else { longitude };
        GeoPoint::new(f64::midpoint(self.south, self.north), longitude)
    }

    /// Wider by this many degrees of the great circle on each side.
    pub fn buffered(self, degrees: f64) -> Self {
        let (south, north) = (self.south - degrees, self.north + degrees);
        let farthest = self.south.abs().max(self.north.abs());
        let east = longitude_reach(farthest, degrees);
        match east.filter(|east| self.width() + 2.0 * east < 360.0) {
            Some(east) => {
                let (west, east) = (wrapped(self.west - east), wrapped(self.east + east));
                Self { south: south.max(-90.0), north: north.min(90.0), west, east }
            }
            None => Self { south: south.max(-90.0), north: north.min(90.0), ..Self::EARTH },
        }
    }

    fn around(self, other: Self) -> Self {
        let (south, north) = (self.south.min(other.south), self.north.max(other.north));
        // The narrower of the two that begin with either's west.
        let spans = [(self, other), (other, self)].map(|(first, second)| {
            let reach = (second.west - first.west).rem_euclid(360.0) + second.width();
            (first.west, reach.max(first.width()))
        });
        let (west, width) = if spans[0].1 <= spans[1].1 { spans[0] } else { spans[1] };
        if width >= 360.0 {
            return Self { south, north, ..Self::EARTH };
        }
        Self { south, north, west, east: wrapped(west + width) }
    }
}

fn wrapped(longitude: f64) -> f64 {
    match longitude {
        it if it < -180.0 => it + 360.0,
        it if it > 180.0 => it - 360.0,
        it => it,
    }
}

/// How far east a circle of this many degrees reaches from a latitude; `None` when it goes around a pole.
fn longitude_reach(latitude: f64, degrees: f64) -> Option<f64> {
    if latitude.abs() + degrees >= 90.0 {
        return None;
    }
    Some((degrees.to_radians().sin() / latitude.to_radians().cos()).asin().to_degrees())
}

impl Area {
    /// The smallest box around it; nowhere has none.
    pub fn bounds(&self) -> Option<Rect> {
        match self {
            Area::Point(place) => Some(at(*place)).filter(|it| it.south.is_finite() && it.west.is_finite()),
            Area::Circle(circle) if circle.degrees >= 180.0 => Some(Rect::EARTH),
            Area::Circle(circle) => Some(at(circle.centre).buffered(circle.degrees)),
            Area::Rect(rect) => Some(*rect),
            Area::Line(line) => line.bounds(),
            Area::Many(areas) => areas.iter().filter_map(Area::bounds).reduce(Rect::around),
        }
    }

    /// Its middle: a circle's is its own, that of others is that of their box.
    pub fn centre(&self) -> GeoPoint {
        match self {
            Area::Point(place) => *place,
            Area::Circle(circle) => circle.centre,
            other => other.bounds().map_or(GeoPoint::new(f64::NAN, f64::NAN), Rect::centre),
        }
    }

    /// Half the diagonal of its box, in degrees.
    pub fn half_diagonal(&self) -> f64 {
        let diagonal = |rect: Rect| {
            GeoPoint::new(rect.south, rect.west).degrees_to(GeoPoint::new(rect.north, rect.east)) / 2.0
        };
        self.bounds().map_or(0.0, diagonal)
    }

    /// From the middle of its box to the corner nearer to a pole, in degrees.
    pub fn reach(&self) -> f64 {
        let reach = |rect: Rect| {
            let centre = rect.centre();
            let latitude = if centre.latitude >= 0.0 { rect.north } else { rect.south };
            centre.degrees_to(GeoPoint::new(latitude, rect.east))
        };
        self.bounds().map_or(0.0, reach)
    }

    /// How many shapes it is made of.
    pub fn parts(&self) -> usize {
        match self {
            Area::Many(areas) => areas.iter().map(Area::parts).sum(),
            Area::Line(line) => line.places.len(),
            _ => 1,
        }
    }

    /// Wider by this many degrees on each side.
    pub fn buffered(self, degrees: f64) -> Self {
        match self {
            Area::Point(centre) => Area::Circle(Circle { centre, degrees }),
            Area::Circle(circle) => {
                Area::Circle(Circle { degrees: (circle.degrees + degrees).min(180.0), ..circle })
            }
            Area::Rect(rect) => Area::Rect(rect.buffered(degrees)),
            Area::Line(line) => Area::Line(Line { degrees: line.degrees + degrees, ..line }),
            Area::Many(areas) => Area::Many(areas.into_iter().map(|area| area.buffered(degrees)).collect()),
        }
    }
}

impl Line {
    fn bounds(&self) -> Option<Rect> {
        let ends = |of: fn(&GeoPoint) -> f64| {
            let values = || self.places.iter().map(of);
            Some((values().reduce(f64::min)? - self.degrees, values().reduce(f64::max)? + self.degrees))
        };
        let (south, north) = ends(|place| place.latitude)?;
        let (west, east) = ends(|place| place.longitude)?;
        Some(Rect {
            south: south.max(-90.0),
            north: north.min(90.0),
            west: west.max(-180.0),
            east: east.min(180.0),
        })
    }
}

fn at(place: GeoPoint) -> Rect {
    let GeoPoint { latitude, longitude } = place;
    Rect { south: latitude, north: latitude, west: longitude, east: longitude }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Boxes of circles as Solr 9.10.1 prints them.
    #[test]
    fn circles_have_boxes() {
        let check = |latitude: f64, longitude: f64, km: f64, expected: [f64; 4]| {
            let degrees = (km / crate::geo::point::EARTH_RADIUS_KM).to_degrees();
            let circle = Circle { centre: GeoPoint::new(latitude, longitude), degrees: degrees.min(180.0) };
            let Rect { south, north, west, east } = Area::Circle(circle).bounds().unwrap();
            for (found, expected) in [south, north, west, east].into_iter().zip(expected) {
                assert!((found - expected).abs() < 1e-7, "{latitude} {longitude} {km}: {found} {expected}");
            }
        };
        check(45.15, -93.85, 5.0, [45.105_033_981_6, 45.194_966_018_4, -93.913_758_697_8, -93.786_241_302_2]);
        check(89.0, 0.0, 300.0, [86.302_038_896_7, 90.0, -180.0, 180.0]);
        check(
            0.0,
            179.0,
            2000.0,
            [-17.986_407_355_2, 17.986_407_355_2, 161.013_592_644_8, -163.013_592_644_8],
        );
        check(0.0, 0.0, 50_000.0, [-90.0, 90.0, -180.0, 180.0]);
    }

    #[test]
    fn boxes_join_the_shorter_way() {
        let rect = |west, east| Area::Rect(Rect { south: 0.0, north: 1.0, west, east });
        let check = |one: Area, other: Area, west: f64, east: f64| {
            let bounds = Area::Many(vec![one, other]).bounds().unwrap();
            assert_eq!((bounds.west, bounds.east), (west, east));
        };
        check(rect(10.0, 20.0), rect(30.0, 40.0), 10.0, 40.0);
        check(rect(170.0, 175.0), rect(-175.0, -170.0), 170.0, -170.0);
        check(rect(170.0, -170.0), rect(175.0, 178.0), 170.0, -170.0);
        check(rect(-180.0, 180.0), rect(1.0, 2.0), -180.0, 180.0);
        assert_eq!(Area::Many(Vec::new()).bounds(), None);
    }
}
