//! The memory that the work goes through, or that lies beside it, and the work itself. Refuses more than the
//! machine has. The walk goes from word to word by what stands in it, so no step can begin before the one
//! before it has its word. How long a piece took, and what it waited for, is `tail.rs`'s.

use std::fs;
use std::hint::black_box;
use std::mem::MaybeUninit;
use std::time::Instant;

use serde::Serialize;

use crate::error::Error;
use crate::random::Random;

/// One piece of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum JitterWork {
    /// This many words somewhere in the memory, each read and written.
    Steps(u64),
    /// This many readings of the clock. The memory is ballast then: all of it resident, none of it touched
    /// again.
    ClockReads(u64),
}

/// Memory that is all there, and a way through it that no prefetcher guesses.
pub struct Ground {
    words: Vec<u64>,
    random: Random,
}

impl Ground {
    /// `advise` is handed the memory before it is written: afterwards it has its pages.
    pub fn new(megabytes: u64, advise: &dyn Fn(&mut [MaybeUninit<u64>])) -> Self {
        let count = usize::try_from(megabytes << 20).unwrap_or(usize::MAX) / size_of::<u64>();
        let mut words = Vec::with_capacity(count);
        advise(words.spare_capacity_mut());
        // Written, not only asked for: a page of zeros takes no memory.
        words.extend((0..count as u64).map(|word| word | 1));
        Self { words, random: Random::new(42) }
    }

    /// One piece.
    pub fn work(&mut self, work: JitterWork) {
        match work {
            JitterWork::Steps(steps) => self.walk(steps),
            JitterWork::ClockReads(reads) => (0..reads).for_each(|_| {
                black_box(Instant::now());
            }),
        }
    }

    /// This many steps, each a word somewhere that is read and written.
    fn walk(&mut self, steps: u64) {
        let count = self.words.len() as u64;
        let mut sum = 0_u64;
        for _ in 0..steps {
            let at = self.random.below(count) as usize;
            if let Some(word) = self.words.get_mut(at) {
                *word = word.rotate_left(1) ^ sum;
                sum = sum.wrapping_add(*word);
            }
        }
        black_box(sum);
    }
}

/// Refuses what would end in swapping, or in the end of a process.
pub fn check_memory(megabytes: u64) -> Result<(), Error> {
    let Some(available) = fs::read_to_string("/proc/meminfo").ok().as_deref().and_then(available_megabytes)
    else {
        return Ok(());
    };
    if megabytes + megabytes / 10 <= available {
        return Ok(());
    }
    Err(Error::NoMemory { megabytes, available })
}

/// `MemAvailable` of proc(5)'s meminfo.
fn available_megabytes(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    Some(line.split_ascii_whitespace().next()?.parse::<u64>().ok()? >> 10)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn ballast_is_not_touched_again() {
        let advised = Cell::new(0);
        let mut ground = Ground::new(1, &|memory| advised.set(size_of_val(memory)));
        assert_eq!((advised.get(), size_of_val(ground.words.as_slice())), (1 << 20, 1 << 20));
        let before = ground.words.clone();
        ground.work(JitterWork::ClockReads(7_000));
        assert_eq!(ground.words, before);
        ground.work(JitterWork::Steps(100));
        assert_ne!(ground.words, before);
    }

    #[test]
    fn memory_that_is_not_there_is_refused() {
        let meminfo = "MemTotal:        4000000 kB\nMemAvailable:    2048000 kB\n";
        assert_eq!(available_megabytes(meminfo), Some(2000));
        assert_eq!(available_megabytes("nonsense"), None);
        assert!(cfg!(not(target_os = "linux")) || check_memory(u64::MAX >> 30).is_err());
    }
}
