//! Geometry that a search needs: whether a place lies in an area, and how an area is related to a cell
//! between parallels and meridians. On a sphere, with great circles.
//!
//! From a place at latitude f0, the cosine of the distance to a place at latitude f and a longitude d away is
//! sin f0 sin f + cos f0 cos f cos d. Along a parallel it falls with d; along a meridian it is R cos(f - m)
//! with m = atan2(sin f0, cos f0 cos d). So the nearest place of a cell lies on its meridian nearest to the
//! centre, and, as far as 90 degrees east or west, the farthest is a corner.

use plan::{Area, Circle, GeoPoint, Rect};

use super::relation::CellRelation;
use super::strip::Strip;

/// An area made ready: its parts, each on one side of the date line.
pub(crate) struct Shape {
    discs: Vec<Disc>,
    rects: Vec<Rect>,
    strips: Vec<Strip>,
}

struct Disc {
    centre: GeoPoint,
    degrees: f64,
    cosine: f64,
    /// Of the square of the half chord.
    bound: f64,
}

impl Shape {
    pub(crate) fn new(area: &Area) -> Self {
        let mut shape = Self { discs: Vec::new(), rects: Vec::new(), strips: Vec::new() };
        shape.add(area);
        shape
    }

    fn add(&mut self, area: &Area) {
        match area {
            Area::Point(centre) => self.discs.push(Disc::new(Circle { centre: *centre, degrees: 0.0 })),
            Area::Circle(circle) if circle.degrees >= 180.0 => self.rects.push(Rect::EARTH),
            Area::Circle(circle) => self.discs.push(Disc::new(*circle)),
            Area::Rect(rect) => self.rects.extend(rect.sides()),
            Area::Line(line) => self.strips.extend(Strip::all(line)),
            Area::Many(areas) => areas.iter().for_each(|area| self.add(area)),
        }
    }

    pub(super) fn is_point(&self) -> bool {
        self.rects.is_empty() && self.strips.is_empty() && self.discs.iter().all(|disc| disc.degrees == 0.0)
    }

    pub(super) fn contains(&self, place: GeoPoint) -> bool {
        self.rects.iter().any(|rect| holds(rect, place))
            || self.discs.iter().any(|disc| disc.contains(place))
            || self.strips.iter().any(|strip| strip.holds(place))
    }

    /// `cell` crosses no date line.
    pub(crate) fn relate(&self, cell: &Rect) -> CellRelation {
        let mut lies = CellRelation::Outside;
        let rects = self.rects.iter().map(|rect| relate(rect, cell));
        let discs = self.discs.iter().map(|disc| disc.relate(cell));
        for one in rects.chain(discs).chain(self.strips.iter().map(|strip| strip.relate(cell))) {
            match one {
                CellRelation::Inside => return CellRelation::Inside,
                CellRelation::Across => lies = CellRelation::Across,
                CellRelation::Outside => {}
            }
        }
        lies
    }

    /// Whether all of it lies in `outer`; decided by its boxes and, of circles, by their edges.
    pub(super) fn lies_in(&self, outer: &Shape) -> bool {
        let rects = self.rects.iter().all(|rect| outer.relate(rect) == CellRelation::Inside);
        let discs = self.discs.iter().all(|disc| disc.lies_in(outer));
        rects && discs && self.strips.iter().all(|strip| strip_lies_in(strip, outer))
    }

    pub(super) fn meets(&self, other: &Shape) -> bool {
        let rects = self.rects.iter().any(|rect| other.relate(rect) != CellRelation::Outside);
        let discs = || self.discs.iter().any(|disc| disc.meets(other));
        rects || discs() || self.strips.iter().any(|strip| strip_meets(strip, other))
    }
}

/// By its box, or by its ends: discs and strips are convex.
fn strip_lies_in(strip: &Strip, outer: &Shape) -> bool {
    let ends = strip.ends();
    let wide = strip.degrees();
    outer.rects.iter().any(|rect| relate(rect, &strip.bounds()) == CellRelation::Inside)
        || outer
            .discs
            .iter()
            .any(|disc| ends.iter().all(|end| disc.centre.degrees_to(*end) + wide <= disc.degrees))
        || outer
            .strips
            .iter()
            .any(|other| wide <= other.degrees() && ends.iter().all(|end| other.holds(*end)))
}

fn strip_meets(strip: &Strip, other: &Shape) -> bool {
    other.rects.iter().any(|rect| strip.relate(rect) != CellRelation::Outside)
        || other.discs.iter().any(|disc| disc.meets_strip(strip))
        || other.strips.iter().any(|other| strip.meets(other))
}

fn holds(rect: &Rect, place: GeoPoint) -> bool {
    let GeoPoint { latitude, longitude } = place;
    (rect.south <= latitude && latitude <= rect.north) && (rect.west <= longitude && longitude <= rect.east)
}

fn relate(rect: &Rect, cell: &Rect) -> CellRelation {
    let apart = cell.north < rect.south || cell.south > rect.north;
    if apart || cell.east < rect.west || cell.west > rect.east {
        return CellRelation::Outside;
    }
    let within = rect.south <= cell.south && cell.north <= rect.north;
    if within && rect.west <= cell.west && cell.east <= rect.east {
        CellRelation::Inside
    } else {
        CellRelation::Across
    }
}

impl Disc {
    fn new(Circle { centre, degrees }: Circle) -> Self {
        let half = (degrees.to_radians() / 2.0).sin();
        Self { centre, degrees, cosine: centre.latitude.to_radians().cos(), bound: half * half }
    }

    fn contains(&self, place: GeoPoint) -> bool {
        let half_sine = |degrees: f64| (degrees.to_radians() * 0.5).sin();
        let north = half_sine(place.latitude - self.centre.latitude);
        let east = half_sine(place.longitude - self.centre.longitude);
        north * north + self.cosine * place.latitude.to_radians().cos() * east * east <= self.bound
    }

    fn relate(&self, cell: &Rect) -> CellRelation {
        if self.nearest(cell) > self.degrees {
            return CellRelation::Outside;
        }
        let farthest = self.farthest(cell);
        if farthest.is_some_and(|farthest| farthest <= self.degrees) {
            CellRelation::Inside
        } else {
            CellRelation::Across
        }
    }

    /// Degrees to the nearest place of a cell.
    fn nearest(&self, cell: &Rect) -> f64 {
        let GeoPoint { latitude, longitude } = self.centre;
        if holds(cell, self.centre) {
            return 0.0;
        }
        let east = if cell.west <= longitude && longitude <= cell.east {
            longitude
        } else if apart(longitude, cell.west) <= apart(longitude, cell.east) {
            cell.west
        } else {
            cell.east
        };
        let cosine = apart(longitude, east).to_radians().cos() * self.cosine;
        let middle = latitude.to_radians().sin().atan2(cosine).to_degrees();
        let turning = (cell.south..=cell.north).contains(&middle).then_some(middle);
        let candidates = [Some(cell.south), Some(cell.north), turning].into_iter().flatten();
        let distance = |latitude| self.centre.degrees_to(GeoPoint::new(latitude, east));
        candidates.map(distance).fold(f64::INFINITY, f64::min)
    }

    /// Degrees to the farthest place of a cell; `None` where it need not be a corner.
    fn farthest(&self, cell: &Rect) -> Option<f64> {
        let ends = [cell.west, cell.east];
        let near = |longitude: f64| apart(self.centre.longitude, longitude) <= 90.0;
        if !ends.into_iter().all(near) || cell.east - cell.west > 180.0 {
            return None;
        }
        let corners = ends.into_iter().flat_map(|east| [(cell.south, east), (cell.north, east)]);
        let distance = |(latitude, east)| self.centre.degrees_to(GeoPoint::new(latitude, east));
        Some(corners.map(distance).fold(0.0, f64::max))
    }

    fn lies_in(&self, outer: &Shape) -> bool {
        let in_disc = |disc: &Disc| self.centre.degrees_to(disc.centre) + self.degrees <= disc.degrees;
        let bounds = Area::Circle(Circle { centre: self.centre, degrees: self.degrees }).bounds();
        let in_rects = bounds.is_some_and(|bounds| {
            bounds
                .sides()
                .all(|side| outer.rects.iter().any(|rect| relate(rect, &side) == CellRelation::Inside))
        });
        let in_strip = |strip: &Strip| self.degrees == 0.0 && strip.holds(self.centre);
        in_rects || outer.discs.iter().any(in_disc) || outer.strips.iter().any(in_strip)
    }

    fn meets(&self, other: &Shape) -> bool {
        let meets = |disc: &Disc| self.centre.degrees_to(disc.centre) <= self.degrees + disc.degrees;
        other.rects.iter().any(|rect| self.nearest(rect) <= self.degrees)
            || other.discs.iter().any(meets)
            || other.strips.iter().any(|strip| self.meets_strip(strip))
    }

    fn meets_strip(&self, strip: &Strip) -> bool {
        self.centre.degrees_to(strip.nearest_to(self.centre)) <= self.degrees + strip.degrees()
    }
}

/// Degrees of longitude between two, the shorter way.
fn apart(one: f64, other: f64) -> f64 {
    let around = (one - other).abs();
    if around > 180.0 { 360.0 - around } else { around }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn circle(latitude: f64, longitude: f64, degrees: f64) -> Shape {
        Shape::new(&Area::Circle(Circle { centre: GeoPoint::new(latitude, longitude), degrees }))
    }

    /// Against a net of places in each cell: `Inside` and `Outside` must be sure.
    #[test]
    fn cells_lie_as_their_places_do() {
        let shapes = [
            circle(45.0, -93.0, 7.0),
            circle(89.0, 10.0, 4.0),
            circle(-88.0, 170.0, 40.0),
            circle(0.0, 179.0, 20.0),
            circle(10.0, 20.0, 120.0),
            Shape::new(&Area::Rect(Rect { south: -20.0, north: 33.0, west: 160.0, east: -150.0 })),
        ];
        for (number, shape) in shapes.iter().enumerate() {
            let mut known = 0;
            for south in (-90..90).step_by(15).map(f64::from) {
                for west in (-180..180).step_by(15).map(f64::from) {
                    let cell = Rect { south, north: south + 15.0, west, east: west + 15.0 };
                    let net = (0..=20).flat_map(|up| (0..=20).map(move |right| (up, right)));
                    let inside = net
                        .map(|(up, right)| (f64::from(up) * 0.75, f64::from(right) * 0.75))
                        .filter(|(up, right)| shape.contains(GeoPoint::new(south + up, west + right)))
                        .count();
                    match shape.relate(&cell) {
                        CellRelation::Outside => assert_eq!(inside, 0, "{number}: {cell:?}"),
                        CellRelation::Inside => assert_eq!(inside, 441, "{number}: {cell:?}"),
                        CellRelation::Across => continue,
                    }
                    known += 1;
                }
            }
            assert!(known > 100, "{number}: {known}");
        }
    }

    #[test]
    fn shapes_lie_in_shapes() {
        let rect = |south, north, west, east| Shape::new(&Area::Rect(Rect { south, north, west, east }));
        assert!(circle(45.0, -93.0, 1.0).lies_in(&rect(40.0, 50.0, -100.0, -90.0)));
        assert!(!circle(45.0, -93.0, 6.0).lies_in(&rect(40.0, 50.0, -100.0, -90.0)));
        assert!(rect(44.0, 46.0, -94.0, -92.0).lies_in(&circle(45.0, -93.0, 2.0)));
        // Where rounding would put the nearest place of a cell beside its middle.
        for at in [1.5, 46.5, -33.3, 0.1] {
            assert!(circle(at, at, 0.0).meets(&rect(at - 1.0, at + 1.0, at - 1.0, at + 1.0)), "{at}");
        }
        assert!(circle(45.0, -93.0, 2.0).meets(&rect(46.0, 50.0, -94.0, -90.0)));
        assert!(!circle(45.0, -93.0, 2.0).meets(&circle(45.0, -83.0, 2.0)));
    }
}
