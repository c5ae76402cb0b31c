//! Geohashes of twelve characters: base 32 of the interleaved halvings of longitude and latitude (Niemeyer, 2008).

const ALPHABET: &[u8; 32] = b"0123456789bcdefghjkmnpqrstuvwxyz";
const LENGTH: usize = 12;

/// Degrees to text.
pub(super) fn encode(latitude: f64, longitude: f64) -> String {
    let (mut latitudes, mut longitudes) = ((-90.0, 90.0), (-180.0, 180.0));
    let mut text = String::with_capacity(LENGTH);
    let mut even = true;
    for _ in 0..LENGTH {
        let mut digit = 0usize;
        for _ in 0..5 {
            let (range, value) = if even { (&mut longitudes, longitude) } else { (&mut latitudes, latitude) };
            let middle = f64::midpoint(range.0, range.1);
            let above = value > middle;
            if above {
                range.0 = middle
            } else {
                range.1 = middle
            }
            digit = digit << 1 | usize::from(above);
            even = !even;
        }
        text.extend(ALPHABET.get(digit).map(|byte| char::from(*byte)));
    }
    text
}

/// The middle of what the text stands for, in degrees; `None` when it is no geohash.
pub(super) fn decode(text: &str) -> Option<(f64, f64)> {
    let (mut latitudes, mut longitudes) = ((-90.0, 90.0), (-180.0, 180.0));
    let mut even = true;
    for byte in text.bytes() {
        let digit = ALPHABET.iter().position(|known| *known == byte.to_ascii_lowercase())?;
        for bit in (0..5).rev() {
            let range = if even { &mut longitudes } else { &mut latitudes };
            let middle = f64::midpoint(range.0, range.1);
            if digit >> bit & 1 == 1 {
                range.0 = middle
            } else {
                range.1 = middle
            }
            even = !even;
        }
    }
    Some((f64::midpoint(latitudes.0, latitudes.1), f64::midpoint(longitudes.0, longitudes.1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The known example of the format's page.
    #[test]
    fn places_go_both_ways() {
        assert_eq!(encode(57.64911, 10.40744), "u4pruydqqvj8");
        let (latitude, longitude) = decode("u4pruydqqvj8").unwrap();
        assert!((latitude - 57.64911).abs() < 1e-6 && (longitude - 10.40744).abs() < 1e-6);
        assert_eq!(decode("a"), None);
    }
}
