//! A place on the earth as one whole number, the way Lucene's `LatLonDocValuesField` keeps it: latitude in the upper half,
//! longitude in the lower, each in 2^32 steps, so that a place is known to about a centimetre.

/// Steps of a coordinate.
const STEPS: f64 = 4_294_967_296.0;
const LATITUDE_STEP: f64 = 180.0 / STEPS;
const LONGITUDE_STEP: f64 = 360.0 / STEPS;

/// What `latitude,longitude` or `longitude latitude` says, both in degrees; `None` when it is neither.
pub(crate) fn encode_text(text: &str) -> Option<i64> {
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|degrees| degrees.is_finite());
    let (latitude, longitude) = match text.split_once(',') {
        Some((latitude, longitude)) => (latitude, longitude),
        None => text.trim().split_once(' ').map(|(longitude, latitude)| (latitude, longitude))?,
    };
    Some(encode(number(latitude)?, number(longitude)?))
}

/// The greatest latitude and longitude are one step below 90 and 180.
fn encode(latitude: f64, longitude: f64) -> i64 {
    let step = |degrees: f64, step: f64| (degrees / step).floor() as i32;
    let (upper, lower) = (step(latitude, LATITUDE_STEP), step(longitude, LONGITUDE_STEP));
    i64::from(upper) << 32 | i64::from(lower as u32)
}

/// Degrees of (latitude, longitude).
pub(crate) fn decode(encoded: i64) -> (f64, f64) {
    let (latitude, longitude) = ((encoded >> 32) as i32, encoded as i32);
    (f64::from(latitude) * LATITUDE_STEP, f64::from(longitude) * LONGITUDE_STEP)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_go_both_ways() {
        let check = |text: &str, latitude: f64, longitude: f64| {
            let found = decode(encode_text(text).unwrap());
            assert!(
                (found.0 - latitude).abs() < 1e-7 && (found.1 - longitude).abs() < 1e-7,
                "{text}: {found:?}"
            );
        };
        check("45.15,-93.85", 45.15, -93.85);
        check(" -93.85 45.15 ", 45.15, -93.85);
        check("90,180", 90.0, 180.0);
        check("-90,-180", -90.0, -180.0);
        for text in ["", "1", "a,b", "1,nan", "1 "] {
            assert_eq!(encode_text(text), None, "{text}");
        }
    }
}
