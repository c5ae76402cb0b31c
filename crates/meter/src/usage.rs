//! What a thread has used since it began, as its system counts it: processor time, the wait for a processor,
//! switches, page faults. Plain numbers; who reads them is the [`crate::Clock`] that is handed in. What a
//! system does not count is absent, never zero.

/// Counters that only grow, or the difference of two readings of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Processor time, of the program and of the system for it.
    pub cpu_ns: Option<u64>,
    /// Time in which the thread could run and no processor was free (Linux: `/proc/thread-self/schedstat`).
    pub run_queue_ns: Option<u64>,
    /// It had to wait for something: a disk, a lock, a message.
    pub voluntary_switches: Option<u64>,
    /// Its processor was given to another.
    pub involuntary_switches: Option<u64>,
    /// Pages that were in memory and had to be mapped.
    pub minor_faults: Option<u64>,
    /// Pages that had to be read.
    pub major_faults: Option<u64>,
}

impl Usage {
    /// What was used after `earlier` was read, on the same thread.
    pub fn since(&self, earlier: &Self) -> Self {
        self.zip(earlier, |now, then| Some(now?.saturating_sub(then?)))
    }

    /// Both together. What only one of them knows is what is known.
    pub fn plus(&self, other: &Self) -> Self {
        self.zip(other, |one, other| match (one, other) {
            (Some(one), Some(other)) => Some(one.saturating_add(other)),
            (one, other) => one.or(other),
        })
    }

    fn zip(&self, other: &Self, both: impl Fn(Option<u64>, Option<u64>) -> Option<u64>) -> Self {
        Self {
            cpu_ns: both(self.cpu_ns, other.cpu_ns),
            run_queue_ns: both(self.run_queue_ns, other.run_queue_ns),
            voluntary_switches: both(self.voluntary_switches, other.voluntary_switches),
            involuntary_switches: both(self.involuntary_switches, other.involuntary_switches),
            minor_faults: both(self.minor_faults, other.minor_faults),
            major_faults: both(self.major_faults, other.major_faults),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_counts_stays_absent() {
        let one = Usage { cpu_ns: Some(5), major_faults: Some(1), ..Usage::default() };
        let other = Usage { cpu_ns: Some(7), minor_faults: Some(2), ..Usage::default() };
        assert_eq!(other.since(&one), Usage { cpu_ns: Some(2), ..Usage::default() });
        let sum =
            Usage { cpu_ns: Some(12), minor_faults: Some(2), major_faults: Some(1), ..Usage::default() };
        assert_eq!(one.plus(&other), sum);
    }
}
