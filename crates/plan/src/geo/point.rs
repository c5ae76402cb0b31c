//! A place on the earth, and the whole number that an index keeps it as: both coordinates in 2^32 steps, as
//! Lucene's `GeoEncodingUtils` cuts them, so that a place is known to about a centimetre. The bits of the two
//! are interleaved, longitude first: the order of the numbers is a Z-order curve, the first `5 * n` bits are
//! a geohash of `n` characters, and what lies in a cell of either is one range of numbers.

use serde::{Deserialize, Serialize};

/// Kilometres, the mean radius as spatial4j and Lucene have it.
pub const EARTH_RADIUS_KM: f64 = 6_371.008_771_4;

/// Degrees of a great circle that a kilometre is, rounded as spatial4j rounds.
pub const DEGREES_PER_KM: f64 = 1.0 / EARTH_RADIUS_KM * 57.295_779_513_082_32;

const STEPS: f64 = 4_294_967_296.0;
const LATITUDE_STEP: f64 = 180.0 / STEPS;
const LONGITUDE_STEP: f64 = 360.0 / STEPS;

/// Degrees.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GeoPoint {
    pub latitude: f64,
    pub longitude: f64,
}

impl GeoPoint {
    pub fn new(latitude: f64, longitude: f64) -> Self {
        Self { latitude, longitude }
    }

    /// The number of the step that the place is in. The greatest latitude and longitude are one step below 90
    /// and 180.
    pub fn code(self) -> i64 {
        let step = |degrees: f64, step: f64| ((degrees / step).floor() as i32).cast_unsigned() ^ 1 << 31;
        let bits =
            spread(step(self.longitude, LONGITUDE_STEP)) << 1 | spread(step(self.latitude, LATITUDE_STEP));
        (bits ^ 1 << 63).cast_signed()
    }

    /// The lower corner of a step.
    pub fn of_code(code: i64) -> Self {
        let bits = code.cast_unsigned() ^ 1 << 63;
        let degrees = |bits: u64, step: f64| f64::from((gather(bits) ^ 1 << 31).cast_signed()) * step;
        Self { latitude: degrees(bits, LATITUDE_STEP), longitude: degrees(bits >> 1, LONGITUDE_STEP) }
    }

    /// The steps, as degrees, that a span of latitudes begins and ends with.
    pub fn latitude_steps(from: f64, to: f64) -> (f64, f64) {
        steps(from, to, LATITUDE_STEP)
    }

    /// As [`GeoPoint::latitude_steps`], of longitudes.
    pub fn longitude_steps(from: f64, to: f64) -> (f64, f64) {
        steps(from, to, LONGITUDE_STEP)
    }

    /// Degrees of the great circle to another place.
    pub fn degrees_to(self, other: GeoPoint) -> f64 {
        let radians = |place: GeoPoint| (place.latitude.to_radians(), place.longitude.to_radians());
        central_angle(radians(self), radians(other)).to_degrees()
    }
}

/// The angle between two places, all of it in radians, by the haversine formula.
pub fn central_angle(one: (f64, f64), other: (f64, f64)) -> f64 {
    if one == other {
        return 0.0;
    }
    let half_sine = |angle: f64| (angle * 0.5).sin();
    let (north, east) = (half_sine(one.0 - other.0), half_sine(one.1 - other.1));
    let h = (north * north + one.0.cos() * other.0.cos() * east * east).min(1.0);
    2.0 * h.sqrt().atan2((1.0 - h).sqrt())
}

fn steps(from: f64, to: f64, step: f64) -> (f64, f64) {
    let (from, to) = ((from / step).ceil() as i32, (to / step).floor() as i32);
    (f64::from(from) * step, f64::from(to) * step)
}

/// Puts a zero above each bit.
fn spread(number: u32) -> u64 {
    const MASKS: [(u32, u64); 5] = [
        (16, 0x0000_ffff_0000_ffff),
        (8, 0x00ff_00ff_00ff_00ff),
        (4, 0x0f0f_0f0f_0f0f_0f0f),
        (2, 0x3333_3333_3333_3333),
        (1, 0x5555_5555_5555_5555),
    ];
    MASKS.iter().fold(u64::from(number), |bits, (by, mask)| (bits | bits << by) & mask)
}

/// Undoes [`spread`], whatever the other bits are.
fn gather(bits: u64) -> u32 {
    const MASKS: [(u32, u64); 5] = [
        (1, 0x3333_3333_3333_3333),
        (2, 0x0f0f_0f0f_0f0f_0f0f),
        (4, 0x00ff_00ff_00ff_00ff),
        (8, 0x0000_ffff_0000_ffff),
        (16, 0x0000_0000_ffff_ffff),
    ];
    MASKS.iter().fold(bits & 0x5555_5555_5555_5555, |bits, (by, mask)| (bits | bits >> by) & mask) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_go_both_ways() {
        let check = |latitude: f64, longitude: f64| {
            let found = GeoPoint::of_code(GeoPoint::new(latitude, longitude).code());
            let near = (found.latitude - latitude).abs() < 1e-7 && (found.longitude - longitude).abs() < 1e-7;
            assert!(near, "{latitude} {longitude}: {found:?}");
        };
        check(45.15, -93.85);
        check(0.0, 0.0);
        check(90.0, 180.0);
        check(-90.0, -180.0);
        check(-17.8, 179.9);
    }

    /// The order is that of geohashes: `9` is left of and below `u`, `s` is above `7`.
    #[test]
    fn codes_follow_the_curve() {
        let code = |latitude, longitude| GeoPoint::new(latitude, longitude).code();
        assert_eq!(code(-90.0, -180.0), i64::MIN);
        assert_eq!(code(90.0, 180.0), i64::MAX);
        let places = [(-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0), (1.0, 1.0)];
        assert!(places.map(|(latitude, longitude)| code(latitude, longitude)).is_sorted());
    }

    /// Recorded from Solr 9.10.1, which prints the steps of a box.
    #[test]
    fn spans_are_of_whole_steps() {
        assert_eq!(GeoPoint::latitude_steps(44.0, 46.0), (44.000_000_017_695_13, 45.999_999_982_304_87));
        assert_eq!(GeoPoint::longitude_steps(-180.0, 180.0), (-180.0, 179.999_999_916_180_97));
    }

    #[test]
    fn distances_are_of_great_circles() {
        let check = |one: GeoPoint, other: GeoPoint, degrees: f64| {
            assert!((one.degrees_to(other) - degrees).abs() < 1e-9, "{one:?} {other:?}");
        };
        check(GeoPoint::new(0.0, 0.0), GeoPoint::new(0.0, 180.0), 180.0);
        check(GeoPoint::new(0.0, 179.0), GeoPoint::new(0.0, -179.0), 2.0);
        check(GeoPoint::new(90.0, 10.0), GeoPoint::new(-90.0, 70.0), 180.0);
        check(GeoPoint::new(10.0, 10.0), GeoPoint::new(10.0, 10.0), 0.0);
    }
}
