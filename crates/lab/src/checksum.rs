//! The fingerprint of a corpus or of a set of answers: 64-bit FNV-1a, enough to see that two runs had the
//! same bytes, no protection against anybody. It stands in a run's manifest, and tests hold each workload's
//! against a constant. Not a hash of the standard library, whose values may change with a release.

use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checksum(u64);

impl Default for Checksum {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Checksum {
    pub fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    pub fn value(self) -> u64 {
        self.0
    }

    pub fn of(bytes: &[u8]) -> Self {
        let mut sum = Self::default();
        sum.add(bytes);
        sum
    }
}

impl fmt::Display for Checksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_sums() {
        // Test vectors of the FNV reference page.
        assert_eq!(Checksum::of(b"").to_string(), "cbf29ce484222325");
        assert_eq!(Checksum::of(b"foobar").to_string(), "85944171f73967e8");
        let mut parts = Checksum::of(b"foo");
        parts.add(b"bar");
        assert_eq!(parts, Checksum::of(b"foobar"));
    }
}
