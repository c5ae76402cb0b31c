//! What orders buckets by a statistic: one comparable value, whatever the statistic is, so that buckets are
//! sorted before any of them is written.

/// Whether there is one, its key, and what decides between equal ones.
pub(super) type StatRank = (u8, u64, [u64; 2]);

/// Of a bucket without the statistic: before all others.
pub(super) const NO_RANK: StatRank = (0, 0, [0; 2]);
