//! Seeded randomness: the same seed gives the same documents, queries, arrivals and resamples on every
//! machine. Owns the generator and the Zipf sampler; there is no ambient randomness anywhere in the lab. An
//! own generator of thirty lines, and not a crate's, because a corpus has to be the same after any update of
//! dependencies: figures of years are compared by it.

/// xoshiro256** (Blackman and Vigna, 2018), its state filled by SplitMix64.
#[derive(Clone, Debug)]
pub struct Random([u64; 4]);

impl Random {
    pub fn new(seed: u64) -> Self {
        let mut state = seed;
        Self(std::array::from_fn(|_| split_mix(&mut state)))
    }

    /// A generator of its own for item `number` of a seeded sequence, so that items can be made in any order.
    pub fn of_item(seed: u64, number: u64) -> Self {
        let mut state = number;
        Self::new(seed ^ split_mix(&mut state))
    }

    pub fn next_u64(&mut self) -> u64 {
        let state = &mut self.0;
        let result = state[1].wrapping_mul(5).rotate_left(7).wrapping_mul(9);
        let shifted = state[1] << 17;
        state[2] ^= state[0];
        state[3] ^= state[1];
        state[1] ^= state[2];
        state[0] ^= state[3];
        state[2] ^= shifted;
        state[3] = state[3].rotate_left(45);
        result
    }

    /// Uniform in `0..bound`; 0 where `bound` is 0. The bias is below `bound / 2^64`.
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next_u64()) * u128::from(bound)) >> 64) as u64
    }

    /// Uniform in `[0, 1)`.
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }
}

fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// Ranks `0..ranks` drawn with probability in proportion to `1 / (rank + 1)^exponent`, in constant time by
/// Walker's alias method.
#[derive(Clone, Debug)]
pub struct Zipf {
    /// Of each column: below the first number its own rank is drawn, else the second.
    columns: Vec<(f64, u32)>,
}

impl Zipf {
    /// `ranks` is at least one.
    pub fn new(ranks: u32, exponent: f64) -> Self {
        let weights: Vec<f64> = (1..=ranks).map(|rank| f64::from(rank).powf(-exponent)).collect();
        let scale = f64::from(ranks) / weights.iter().sum::<f64>();
        let mut columns: Vec<(f64, u32)> =
            weights.iter().zip(0..).map(|(w, rank)| (w * scale, rank)).collect();
        let (mut small, mut large): (Vec<u32>, Vec<u32>) =
            (0..ranks).partition(|rank| columns[*rank as usize].0 < 1.0);
        while let (Some(poor), Some(rich)) = (small.pop(), large.last().copied()) {
            let missing = 1.0 - columns[poor as usize].0;
            columns[poor as usize].1 = rich;
            columns[rich as usize].0 -= missing;
            if columns[rich as usize].0 < 1.0 {
                large.pop();
                small.push(rich);
            }
        }
        Self { columns }
    }

    pub fn draw(&self, random: &mut Random) -> u32 {
        let column = random.below(self.columns.len() as u64) as u32;
        let (own, alias) = self.columns[column as usize];
        if random.unit() < own { column } else { alias }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_is_a_sequence() {
        let take = |mut random: Random| [random.next_u64(), random.next_u64()];
        assert_eq!(take(Random::new(1)), take(Random::new(1)));
        assert_ne!(take(Random::new(1)), take(Random::new(2)));
        assert_ne!(take(Random::of_item(1, 0)), take(Random::of_item(1, 1)));
        // Pinned: a change here changes every corpus.
        assert_eq!(Random::new(42).next_u64(), 1_546_998_764_402_558_742);
    }

    #[test]
    fn draws_stay_below_their_bound() {
        let mut random = Random::new(7);
        let draws: Vec<u64> = (0..1000).map(|_| random.below(10)).collect();
        assert!((0..10).all(|value| draws.contains(&value)));
        assert!(draws.iter().all(|draw| *draw < 10));
        assert_eq!(random.below(0), 0);
        assert!((0..1000).all(|_| (0.0..1.0).contains(&random.unit())));
    }

    #[test]
    fn ranks_follow_zipfs_law() {
        let zipf = Zipf::new(1000, 1.0);
        let mut random = Random::new(3);
        let mut counts = vec![0u32; 1000];
        for _ in 0..1_000_000 {
            counts[zipf.draw(&mut random) as usize] += 1;
        }
        let harmonic: f64 = (1..=1000).map(|rank| 1.0 / f64::from(rank)).sum();
        for rank in [0usize, 1, 9, 99] {
            let expected = 1_000_000.0 / harmonic / (rank + 1) as f64;
            let seen = f64::from(counts[rank]);
            assert!((seen / expected - 1.0).abs() < 0.1, "rank {rank}: {seen} for {expected}");
        }
    }
}
