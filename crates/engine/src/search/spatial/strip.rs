//! One piece of a line with what lies beside it. Straight on a flat map, as spatial4j's `BufferedLine`, in
//! degrees.
//!
//! Solr differs: its strips end in corners, ours are round there, by less than the strip is wide.

use plan::{GeoPoint, Line, Rect};

use super::relation::CellRelation;

pub(super) struct Strip {
    from: GeoPoint,
    to: GeoPoint,
    degrees: f64,
}

impl Strip {
    /// The pieces of a line.
    pub(super) fn all(line: &Line) -> impl Iterator<Item = Self> {
        let pieces = line.places.iter().zip(line.places.iter().skip(1));
        pieces.map(|(from, to)| Self { from: *from, to: *to, degrees: line.degrees })
    }

    pub(super) fn degrees(&self) -> f64 {
        self.degrees
    }

    pub(super) fn ends(&self) -> [GeoPoint; 2] {
        [self.from, self.to]
    }

    pub(super) fn bounds(&self) -> Rect {
        let (one, other, wide) = (self.from, self.to, self.degrees);
        Rect {
            south: one.latitude.min(other.latitude) - wide,
            north: one.latitude.max(other.latitude) + wide,
            west: one.longitude.min(other.longitude) - wide,
            east: one.longitude.max(other.longitude) + wide,
        }
    }

    pub(super) fn holds(&self, place: GeoPoint) -> bool {
        self.distance(place) <= self.degrees
    }

    fn distance(&self, place: GeoPoint) -> f64 {
        flat(place, self.at(self.share(place, 1.0)))
    }

    /// The place on the line that is nearest on the earth, by a map that is true near `place`.
    pub(super) fn nearest_to(&self, place: GeoPoint) -> GeoPoint {
        self.at(self.share(place, place.latitude.to_radians().cos()))
    }

    fn at(&self, share: f64) -> GeoPoint {
        let between = |from: f64, to: f64| from + (to - from) * share;
        GeoPoint::new(
            between(self.from.latitude, self.to.latitude),
            between(self.from.longitude, self.to.longitude),
        )
    }

    /// How far along the line the nearest place is, from 0 to 1, where degrees of longitude are so long.
    fn share(&self, place: GeoPoint, longitude: f64) -> f64 {
        let (up, right) =
            (self.to.latitude - self.from.latitude, (self.to.longitude - self.from.longitude) * longitude);
        let length = up * up + right * right;
        if length == 0.0 {
            return 0.0;
        }
        let to = (place.latitude - self.from.latitude, (place.longitude - self.from.longitude) * longitude);
        ((to.0 * up + to.1 * right) / length).clamp(0.0, 1.0)
    }

    pub(super) fn relate(&self, cell: &Rect) -> CellRelation {
        let corners = corners(cell);
        if corners.iter().all(|corner| self.holds(*corner)) {
            return CellRelation::Inside;
        }
        let sides = corners.iter().zip(corners.iter().cycle().skip(1));
        let near = |side: (&GeoPoint, &GeoPoint)| {
            self.apart(&Strip { from: *side.0, to: *side.1, degrees: 0.0 }) <= self.degrees
        };
        let within = self.from.latitude >= cell.south
            && self.from.latitude <= cell.north
            && self.from.longitude >= cell.west
            && self.from.longitude <= cell.east;
        if within || sides.take(4).any(near) { CellRelation::Across } else { CellRelation::Outside }
    }

    pub(super) fn meets(&self, other: &Strip) -> bool {
        self.apart(other) <= self.degrees + other.degrees
    }

    /// Degrees between the two lines.
    fn apart(&self, other: &Strip) -> f64 {
        if self.crosses(other) {
            return 0.0;
        }
        let ends = self.ends().map(|end| other.distance(end));
        let others = other.ends().map(|end| self.distance(end));
        ends.into_iter().chain(others).fold(f64::INFINITY, f64::min)
    }

    fn crosses(&self, other: &Strip) -> bool {
        let sides = |of: &Strip, by: &Strip| {
            let side = |place: GeoPoint| {
                (of.to.longitude - of.from.longitude) * (place.latitude - of.from.latitude)
                    - (of.to.latitude - of.from.latitude) * (place.longitude - of.from.longitude)
            };
            side(by.from) * side(by.to) < 0.0
        };
        sides(self, other) && sides(other, self)
    }
}

fn corners(cell: &Rect) -> [GeoPoint; 4] {
    [(cell.south, cell.west), (cell.north, cell.west), (cell.north, cell.east), (cell.south, cell.east)]
        .map(|(latitude, longitude)| GeoPoint::new(latitude, longitude))
}

/// Degrees on a flat map.
fn flat(one: GeoPoint, other: GeoPoint) -> f64 {
    (one.latitude - other.latitude).hypot(one.longitude - other.longitude)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strip(degrees: f64) -> Strip {
        let line = Line { places: vec![GeoPoint::new(0.0, 0.0), GeoPoint::new(10.0, 10.0)], degrees };
        Strip::all(&line).next().unwrap()
    }

    #[test]
    fn cells_lie_as_the_line_runs() {
        let check = |degrees: f64, south: f64, west: f64, size: f64, expected: CellRelation| {
            let cell = Rect { south, north: south + size, west, east: west + size };
            assert_eq!(strip(degrees).relate(&cell), expected, "{degrees} {cell:?}");
        };
        check(0.0, 2.0, 1.0, 2.0, CellRelation::Across);
        check(0.0, 5.0, 1.0, 2.0, CellRelation::Outside);
        check(0.0, -1.0, -1.0, 20.0, CellRelation::Across);
        check(0.0, 11.0, 11.0, 1.0, CellRelation::Outside);
        check(2.0, 4.5, 4.5, 1.0, CellRelation::Inside);
        check(2.0, 10.5, 10.5, 5.0, CellRelation::Across);
        check(2.0, 7.0, 2.0, 1.0, CellRelation::Outside);
    }

    #[test]
    fn strips_meet_and_hold() {
        assert!(strip(0.0).holds(GeoPoint::new(5.0, 5.0)) && !strip(0.0).holds(GeoPoint::new(5.0, 6.0)));
        assert!(strip(1.0).holds(GeoPoint::new(5.0, 6.0)) && !strip(1.0).holds(GeoPoint::new(12.0, 12.0)));
        let other = |north: f64| Strip {
            from: GeoPoint::new(north, 0.0),
            to: GeoPoint::new(0.0, 10.0),
            degrees: 0.0,
        };
        assert!(strip(0.0).meets(&other(10.0)));
        let apart = Strip { from: GeoPoint::new(10.0, 0.0), to: GeoPoint::new(8.0, 2.0), degrees: 0.0 };
        assert!(!strip(1.0).meets(&apart) && strip(5.0).meets(&apart));
    }
}
