//! What pieces of work used, on average and in their slowest hundredth, and how much of the slowness that
//! explains. Pure. In: the thread's counters around each piece; out: means and shares. The slowest hundredth
//! is compared with the pieces in the middle and not with all, since the slow ones would hide in a mean of
//! all.

use serde::Serialize;

/// What a thread has used since it began; what its system does not count is absent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub cpu_ns: Option<u64>,
    pub run_queue_ns: Option<u64>,
    pub voluntary_switches: Option<u64>,
    pub involuntary_switches: Option<u64>,
    pub minor_faults: Option<u64>,
    pub major_faults: Option<u64>,
}

impl Counts {
    pub(super) fn since(&self, earlier: &Self) -> Self {
        let less = |now: Option<u64>, then: Option<u64>| Some(now?.saturating_sub(then?));
        Self {
            cpu_ns: less(self.cpu_ns, earlier.cpu_ns),
            run_queue_ns: less(self.run_queue_ns, earlier.run_queue_ns),
            voluntary_switches: less(self.voluntary_switches, earlier.voluntary_switches),
            involuntary_switches: less(self.involuntary_switches, earlier.involuntary_switches),
            minor_faults: less(self.minor_faults, earlier.minor_faults),
            major_faults: less(self.major_faults, earlier.major_faults),
        }
    }
}

/// One piece of work.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WorkUnit {
    pub(super) wall_ns: u64,
    pub(super) used: Counts,
}

/// Of one piece of work, on average over some.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct PieceMean {
    pub wall_us: f64,
    pub cpu_us: Option<f64>,
    /// Ready, with no processor free.
    pub run_queue_us: Option<f64>,
    pub voluntary_switches: Option<f64>,
    pub involuntary_switches: Option<f64>,
    pub minor_faults: Option<f64>,
    pub major_faults: Option<f64>,
}

impl PieceMean {
    pub(super) fn of(pieces: &[WorkUnit]) -> Self {
        let count = pieces.len().max(1) as f64;
        let mean = |of: fn(&Counts) -> Option<u64>| -> Option<f64> {
            let sum: Option<u64> = pieces.iter().map(|piece| of(&piece.used)).sum();
            sum.map(|sum| sum as f64 / count)
        };
        let micros = |ns: f64| ns / 1e3;
        Self {
            wall_us: pieces.iter().map(|piece| piece.wall_ns as f64).sum::<f64>() / count / 1e3,
            cpu_us: mean(|used| used.cpu_ns).map(micros),
            run_queue_us: mean(|used| used.run_queue_ns).map(micros),
            voluntary_switches: mean(|used| used.voluntary_switches),
            involuntary_switches: mean(|used| used.involuntary_switches),
            minor_faults: mean(|used| used.minor_faults),
            major_faults: mean(|used| used.major_faults),
        }
    }
}

/// The slowest hundredth of the pieces, one at least.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Tail {
    pub pieces: u64,
    pub mean: PieceMean,
    /// How much longer than the piece in the middle they took, on average.
    pub excess_us: f64,
    /// Shares of that: more time without a processor, more work. What is left is neither (interrupts, the
    /// host's own doings).
    pub run_queue_share: Option<f64>,
    pub cpu_share: Option<f64>,
}

impl Tail {
    /// `None` of nothing.
    pub(super) fn of(pieces: &[WorkUnit]) -> Option<Self> {
        let mut sorted = pieces.to_vec();
        sorted.sort_by_key(|piece| piece.wall_ns);
        let slowest = sorted.get(sorted.len() - sorted.len().div_ceil(100)..)?;
        // Neighbours of the middle: one piece alone may be odd.
        let middle = sorted.get(sorted.len() * 2 / 5..=sorted.len() * 3 / 5)?;
        let (mean, usual) = (PieceMean::of(slowest), PieceMean::of(middle));
        let excess_us = mean.wall_us - usual.wall_us;
        let share = |slow: Option<f64>, usual: Option<f64>| {
            let more = slow? - usual?;
            (excess_us > 0.0).then(|| (more / excess_us).clamp(0.0, 1.0))
        };
        Some(Self {
            pieces: slowest.len() as u64,
            mean,
            excess_us,
            run_queue_share: share(mean.run_queue_us, usual.run_queue_us),
            cpu_share: share(mean.cpu_us, usual.cpu_us),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(wall: u64, cpu: u64, queue: Option<u64>) -> WorkUnit {
        let used = Counts {
            cpu_ns: Some(cpu * 1000),
            run_queue_ns: queue.map(|queue| queue * 1000),
            ..Counts::default()
        };
        WorkUnit { wall_ns: wall * 1000, used }
    }

    #[test]
    fn the_tail_is_told_with_its_cause() {
        let mut pieces = vec![piece(20, 20, Some(0)); 199];
        pieces.extend([piece(65, 24, Some(36)), piece(65, 24, Some(36))]);
        let tail = Tail::of(&pieces).unwrap();
        assert_eq!((tail.pieces, tail.mean.wall_us, tail.mean.cpu_us), (3, 50.0, Some(68.0 / 3.0)));
        assert_eq!(tail.excess_us, 30.0);
        assert_eq!(tail.run_queue_share, Some(0.8));
        assert!(tail.cpu_share.is_some_and(|share| (share - 0.0889).abs() < 1e-3), "{tail:?}");
    }

    #[test]
    fn what_is_not_counted_or_not_there_is_absent() {
        assert_eq!(Tail::of(&[]), None);
        let even = Tail::of(&[piece(20, 20, None); 10]).unwrap();
        assert_eq!((even.excess_us, even.run_queue_share, even.cpu_share), (0.0, None, None));
        assert_eq!((even.mean.run_queue_us, even.mean.cpu_us), (None, Some(20.0)));
    }
}
