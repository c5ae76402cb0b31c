//! A shape as ranges of place codes: the earth is halved, by longitude and latitude in turn, as long as a
//! half lies across the shape's edge. Halves inside are ranges whose documents match unseen; of what still
//! lies across when there are enough pieces, each document is looked at.

use std::collections::VecDeque;
use std::ops::RangeInclusive;

use plan::{GeoPoint, Rect};

use super::relation::CellRelation;
use super::shape::Shape;

/// How many pieces are looked at; more cost more than they spare.
const PIECES_MAX: usize = 512;
/// Bits of a code.
const BITS: u32 = 64;

/// Ranges of codes. They overlap nowhere.
#[derive(Default)]
pub(super) struct Cover {
    pub(super) inside: Vec<RangeInclusive<i64>>,
    pub(super) across: Vec<RangeInclusive<i64>>,
}

impl Cover {
    /// Pieces of `detail` bits are not halved: they match if they lie across.
    pub(super) fn of(shape: &Shape, detail: Option<u32>) -> Self {
        let mut cover = Self::default();
        let mut open = VecDeque::from([CodePrefix { bits: 0, length: 0 }]);
        let mut seen = 0;
        while let Some(piece) = open.pop_front() {
            seen += 1;
            match shape.relate(&piece.rect()) {
                CellRelation::Outside => {}
                CellRelation::Inside => cover.inside.push(piece.codes()),
                CellRelation::Across if Some(piece.length) == detail => cover.inside.push(piece.codes()),
                CellRelation::Across if seen >= PIECES_MAX || piece.length == BITS => {
                    cover.across.push(piece.codes());
                }
                CellRelation::Across => open.extend(piece.halves()),
            }
        }
        cover
    }
}

/// The rectangle of the first bits that the code of a place begins with.
pub(super) fn cell_of(code: i64, length: u32) -> Rect {
    CodePrefix { bits: code.cast_unsigned() ^ 1 << 63, length }.rect()
}

/// All codes that begin with the same bits.
#[derive(Clone, Copy)]
struct CodePrefix {
    /// In the upper `length` bits; what is below is of no account.
    bits: u64,
    length: u32,
}

impl CodePrefix {
    fn mask(self) -> u64 {
        u64::MAX.checked_shr(self.length).unwrap_or(0)
    }

    fn codes(self) -> RangeInclusive<i64> {
        let code = |bits: u64| (bits ^ 1 << 63).cast_signed();
        code(self.bits & !self.mask())..=code(self.bits | self.mask())
    }

    /// With its upper edges, which belong to the pieces beside it.
    fn rect(self) -> Rect {
        let GeoPoint { latitude, longitude } = GeoPoint::of_code(*self.codes().start());
        let (east, north) = (self.length.div_ceil(2), self.length / 2);
        let size = |whole: f64, halvings: u32| whole / 2f64.powi(halvings.cast_signed());
        Rect {
            south: latitude,
            north: latitude + size(180.0, north),
            west: longitude,
            east: longitude + size(360.0, east),
        }
    }

    fn halves(self) -> [Self; 2] {
        let bits = self.bits & !self.mask();
        let upper = bits | 1u64.checked_shl(BITS - 1 - self.length.min(BITS - 1)).unwrap_or(0);
        [bits, upper].map(|bits| Self { bits, length: self.length + 1 })
    }
}

#[cfg(test)]
mod tests {
    use plan::{Area, Circle};

    use super::*;

    #[test]
    fn ranges_hold_what_the_shape_holds() {
        let circle = |latitude, longitude, degrees| {
            Area::Circle(Circle { centre: GeoPoint::new(latitude, longitude), degrees })
        };
        let areas = [
            circle(45.15, -93.85, 0.05),
            circle(0.0, 180.0, 30.0),
            circle(89.5, 0.0, 3.0),
            Area::Rect(Rect { south: -5.0, north: 5.0, west: 170.0, east: -170.0 }),
        ];
        for area in &areas {
            let shape = Shape::new(area);
            let cover = Cover::of(&shape, None);
            let bounds = area.bounds().unwrap();
            for number in 0..10_000u32 {
                let part = |by: u32| f64::from(number.wrapping_mul(by) >> 8) / f64::from(1 << 24);
                let longitude = bounds.west - 1.0 + (bounds.width() + 2.0) * part(2_654_435_761);
                let longitude = if longitude > 180.0 { longitude - 360.0 } else { longitude };
                let latitude = bounds.south - 1.0 + (bounds.north - bounds.south + 2.0) * part(40_503_001);
                let code = GeoPoint::new(latitude, longitude).code();
                let within =
                    |ranges: &[RangeInclusive<i64>]| ranges.iter().any(|range| range.contains(&code));
                let place = GeoPoint::of_code(code);
                match (within(&cover.inside), within(&cover.across)) {
                    (true, _) => assert!(shape.contains(place), "{area:?} {place:?}"),
                    (false, false) => assert!(!shape.contains(place), "{area:?} {place:?}"),
                    (false, true) => {}
                }
            }
        }
    }

    #[test]
    fn cells_are_geohashes() {
        let cell = cell_of(GeoPoint::new(57.64911, 10.40744).code(), 5 * 4);
        assert!(cell.south <= 57.64911 && 57.64911 <= cell.north, "{cell:?}");
        // `u4pr` is 45/256 degrees high and 90/256 wide.
        assert_eq!((cell.north - cell.south, cell.east - cell.west), (45.0 / 256.0, 90.0 / 256.0));
        assert_eq!(cell_of(0, 0), Rect::EARTH);
    }
}
