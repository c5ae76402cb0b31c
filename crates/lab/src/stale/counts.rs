//! What bursts of requests came to: how many, how many failed, how long they took. Pools fill them, arms add
//! them up. A lease is the time until a connection is in hand, a latency that until the answer is there: a
//! check before each use shows in the first, a connection that was dead in the second.

use std::time::Duration;

use hdrhistogram::Histogram;

use crate::load::{histogram, merge};

/// What a burst, or many, came to.
pub(super) struct BurstCounts {
    pub(super) requests: u64,
    pub(super) failed: u64,
    pub(super) resets: u64,
    pub(super) latency_ns: Histogram<u64>,
    pub(super) lease_ns: Histogram<u64>,
}

impl Default for BurstCounts {
    fn default() -> Self {
        Self { requests: 0, failed: 0, resets: 0, latency_ns: histogram(), lease_ns: histogram() }
    }
}

impl BurstCounts {
    pub(super) fn add(&mut self, part: &BurstCounts) {
        self.requests += part.requests;
        self.failed += part.failed;
        self.resets += part.resets;
        merge(&mut self.latency_ns, &part.latency_ns);
        merge(&mut self.lease_ns, &part.lease_ns);
    }

    pub(super) fn record(&mut self, latency: Duration) {
        self.requests += 1;
        self.latency_ns.saturating_record(nanoseconds(latency));
    }
}

pub(super) fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
