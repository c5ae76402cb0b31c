//! A place on the earth as one whole number, the way Lucene's `LatLonDocValuesField` has it: latitude in the upper half,
//! longitude in the lower, each scaled to 32 bits.

/// Steps of a coordinate.
const STEPS: f64 = 4_294_967_296.0;

/// Degrees of (latitude, longitude).
pub(crate) fn decode(encoded: i64) -> (f64, f64) {
    let (latitude, longitude) = ((encoded >> 32) as i32, encoded as i32);
    (f64::from(latitude) * (180.0 / STEPS), f64::from(longitude) * (360.0 / STEPS))
}
