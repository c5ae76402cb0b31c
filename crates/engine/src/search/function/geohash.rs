//! Geohashes of twelve characters: base 32 of the interleaved halvings of longitude and latitude (Niemeyer,
//! 2008). Pure: texts and degrees in, degrees and texts out. They are of the function `geohash` alone: the
//! grid by which spatial fields are indexed is another.

const ALPHABET: &[u8; 32] = b"0123456789bcdefghjkmnpqrstuvwxyz";
const LENGTH: usize = 12;

/// What is left of the earth: (from, to) of latitude and longitude.
struct Cell {
    latitudes: (f64, f64),
    longitudes: (f64, f64),
    /// Whether longitude is halved next.
    across: bool,
}

impl Cell {
    fn earth() -> Self {
        Self { latitudes: (-90.0, 90.0), longitudes: (-180.0, 180.0), across: true }
    }

    /// The range that is halved next.
    fn range(&mut self) -> &mut (f64, f64) {
        if self.across { &mut self.longitudes } else { &mut self.latitudes }
    }

    fn halve(&mut self, above: bool) {
        let range = self.range();
        let middle = f64::midpoint(range.0, range.1);
        *range = if above { (middle, range.1) } else { (range.0, middle) };
        self.across = !self.across;
    }
}

/// Degrees to text.
pub(super) fn encode(latitude: f64, longitude: f64) -> String {
    let mut cell = Cell::earth();
    let mut text = String::with_capacity(LENGTH);
    for _ in 0..LENGTH {
        let mut digit = 0usize;
        for _ in 0..5 {
            let value = if cell.across { longitude } else { latitude };
            let range = *cell.range();
            let above = value > f64::midpoint(range.0, range.1);
            cell.halve(above);
            digit = digit << 1 | usize::from(above);
        }
        text.extend(ALPHABET.get(digit).map(|byte| char::from(*byte)));
    }
    text
}

/// The middle of what the text stands for, in degrees; `None` when it is no geohash.
pub(super) fn decode(text: &str) -> Option<(f64, f64)> {
    let mut cell = Cell::earth();
    for byte in text.bytes() {
        let digit = ALPHABET.iter().position(|known| *known == byte.to_ascii_lowercase())?;
        (0..5).rev().for_each(|bit| cell.halve(digit >> bit & 1 == 1));
    }
    let middle = |(from, to): (f64, f64)| f64::midpoint(from, to);
    Some((middle(cell.latitudes), middle(cell.longitudes)))
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
