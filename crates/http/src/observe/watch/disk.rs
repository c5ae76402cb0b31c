//! Whether the log's disk has become slower than it was: the syncs of the last ten seconds against the 99th
//! percentile of those before. Pure.
//!
//! The median of the recent ones is compared, not their slowest: one in a hundred is above the 99th
//! percentile by its nature. Nothing is reported of few syncs, nor of a disk that stays below what a person
//! would call slow.

use meter::{WaitFigures, WaitLengths};

use super::sign_kind::{Seen, SignKind};

/// What is recent, in looks' time.
const RECENT_NS: u64 = 10_000_000_000;
/// Of fewer no percentile is shown.
const BEFORE_MIN: u64 = 200;
const RECENT_MIN: u64 = 5;
/// However fast it was before: an SSD whose syncs take this long is not what an update waits for.
const SLOW_NS: u64 = 20_000_000;

#[derive(Debug, Default)]
pub struct DiskWatch {
    /// What had been counted when the stretch before the last one began, and the last one, with its moment.
    stretches: Option<[(u64, WaitLengths); 2]>,
    /// Counts of slow stretches, which are no measure of what is usual.
    slow: WaitLengths,
    since_ns: Option<u64>,
}

impl DiskWatch {
    pub fn look(&mut self, log: &WaitFigures, now_ns: u64) -> Option<Seen> {
        let counted = &log.by_length;
        let [(_, before), (began_ns, begun)] =
            self.stretches.get_or_insert_with(|| [(now_ns, counted.clone()), (now_ns, counted.clone())]);
        let recent = counted.since(before);
        let usual = before.since(&self.slow);
        let is_over = now_ns.saturating_sub(*began_ns) >= RECENT_NS;
        let sign = slower(&usual, &recent);
        if is_over {
            let stretch = begun.since(before);
            if self.since_ns.is_some() {
                self.slow = self.slow.plus(&stretch);
            }
            self.stretches = Some([(*began_ns, begun.clone()), (now_ns, counted.clone())]);
        }
        let Some((median_ns, p99_ns)) = sign else {
            self.since_ns = None;
            return None;
        };
        let lasted_ms = now_ns.saturating_sub(*self.since_ns.get_or_insert(now_ns)) / 1_000_000;
        let [median, p99] = [median_ns, p99_ns].map(|ns| format!("{:.1} ms", ns as f64 / 1e6));
        let words = format!(
            "half of the last {} syncs took {median} and longer, where one in a hundred took {p99} before: the log",
            recent.count()
        );
        Some((SignKind::DiskSlow, lasted_ms, words))
    }
}

fn slower(usual: &WaitLengths, recent: &WaitLengths) -> Option<(u64, u64)> {
    if usual.count() < BEFORE_MIN || recent.count() < RECENT_MIN {
        return None;
    }
    let (median_ns, p99_ns) = (recent.percentile_ns(0.5)?, usual.percentile_ns(0.99)?);
    (median_ns > p99_ns && median_ns > SLOW_NS).then_some((median_ns, p99_ns))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Disk {
        watch: DiskWatch,
        lengths: Vec<u64>,
        now_ns: u64,
    }

    impl Disk {
        /// This many seconds with ten syncs each of this length; the last look's sign.
        fn run(&mut self, for_s: u64, sync_ms: u64) -> Option<Seen> {
            let mut seen = None;
            for _ in 0..for_s {
                self.now_ns += 1_000_000_000;
                self.lengths.extend([sync_ms * 1_000_000; 10]);
                let by_length = WaitLengths::of(self.lengths.iter().copied());
                seen = self.watch.look(&WaitFigures { by_length, ..WaitFigures::default() }, self.now_ns);
            }
            seen
        }
    }

    fn disk() -> Disk {
        Disk { watch: DiskWatch::default(), lengths: Vec::new(), now_ns: 0 }
    }

    #[test]
    fn a_disk_that_becomes_slow_is_told_of_until_it_is_not() {
        let mut disk = disk();
        assert_eq!(disk.run(60, 3), None);
        let (kind, lasted_ms, words) = disk.run(40, 90).unwrap();
        assert_eq!(kind, SignKind::DiskSlow);
        // Seen once half of the recent syncs are slow: within two stretches.
        assert!((20_000..40_000).contains(&lasted_ms), "{lasted_ms}");
        assert!(words.contains("one in a hundred took 3"), "{words}");
        // For as long as it takes, what is slow does not become what is usual.
        assert!(disk.run(600, 90).is_some());
        assert_eq!(disk.run(40, 3), None);
    }

    #[test]
    fn few_syncs_and_fast_ones_are_in_order() {
        let mut few = disk();
        few.run(10, 3);
        assert_eq!(few.run(9, 90), None, "nothing is known of before");
        let mut fast = disk();
        fast.run(60, 1);
        assert_eq!(fast.run(60, 15), None, "slower than it was, and fast enough");
        let mut slow = disk();
        assert_eq!(slow.run(300, 90), None, "as slow as ever");
    }
}
