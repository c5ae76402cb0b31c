//! A seeded-by-number shuffle of `0..size` that needs no memory: multiplication by a number without a factor
//! in common with the size. It spreads neighbours apart and can be undone, which is how counts stay known in
//! advance.

#[derive(Clone, Copy, Debug)]
pub struct Permutation {
    size: u64,
    stride: u64,
    /// Of the stride, modulo the size.
    inverse: u64,
}

impl Permutation {
    /// Another order for each `index`; `size` is at least one.
    pub fn new(size: u64, index: u64) -> Self {
        let first = (size / 3 + 7919 * (index + 1)) % size;
        let stride = (first.max(1)..).find(|candidate| gcd(*candidate, size) == 1).unwrap_or(1);
        Self { size, stride, inverse: inverse(stride, size) }
    }

    /// Where rank `rank`, below the size, is put.
    pub fn place(&self, rank: u64) -> u64 {
        mul_mod(rank, self.stride, self.size)
    }

    /// Which rank was put at `place`.
    pub fn rank(&self, place: u64) -> u64 {
        mul_mod(place, self.inverse, self.size)
    }
}

fn mul_mod(a: u64, b: u64, modulus: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(modulus)) as u64
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The inverse of `a` modulo `modulus` by the extended Euclidean algorithm; `a` must have no factor in common
/// with it.
fn inverse(a: u64, modulus: u64) -> u64 {
    let (mut old_rest, mut rest) = (i128::from(a), i128::from(modulus));
    let (mut old_factor, mut factor) = (1i128, 0i128);
    while rest != 0 {
        let quotient = old_rest / rest;
        (old_rest, rest) = (rest, old_rest - quotient * rest);
        (old_factor, factor) = (factor, old_factor - quotient * factor);
    }
    old_factor.rem_euclid(i128::from(modulus)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_is_taken_once_and_can_be_traced_back() {
        for size in [1, 2, 10, 997, 1000, 1024] {
            for index in 0..3 {
                let permutation = Permutation::new(size, index);
                let mut places: Vec<u64> = (0..size).map(|rank| permutation.place(rank)).collect();
                assert!(
                    (0..size).all(|rank| permutation.rank(permutation.place(rank)) == rank),
                    "{size} {index}"
                );
                places.sort_unstable();
                assert!(places.into_iter().eq(0..size), "{size} {index}");
            }
        }
    }
}
