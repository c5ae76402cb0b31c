//! Which segments to merge next. A tiered policy: segments of like size are merged ten at a time, so that
//! each document is rewritten once a tier, and segments mostly dead are rewritten whatever their size. Pure:
//! sizes in, a choice out.

/// Knobs of the policy. Sizes in bytes of live documents.
#[derive(Clone, Debug, PartialEq)]
pub struct MergePolicy {
    /// Segments of one tier before they are merged, and merged at once.
    pub segments_per_tier: usize,
    /// Smaller segments count as this large.
    pub floor_bytes: u64,
    /// No merge makes a larger segment, unless asked for.
    pub merged_bytes_max: u64,
    /// Share of dead documents from which a segment is rewritten alone, in percent.
    pub dead_percent_max: u32,
}

impl Default for MergePolicy {
    fn default() -> Self {
        Self { segments_per_tier: 10, floor_bytes: 2 << 20, merged_bytes_max: 5 << 30, dead_percent_max: 30 }
    }
}

/// What the policy knows of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Candidate {
    pub(crate) bytes: u64,
    pub(crate) max_doc: u32,
    pub(crate) dead: u32,
}

impl Candidate {
    fn live_bytes(&self) -> u64 {
        let live = u64::from(self.max_doc.saturating_sub(self.dead));
        (u128::from(self.bytes) * u128::from(live) / u128::from(self.max_doc.max(1))) as u64
    }
}

impl MergePolicy {
    /// Places of the segments to merge into one, in index order; empty when all is well.
    pub(crate) fn choose(&self, candidates: &[Candidate]) -> Vec<usize> {
        let tier = self.fullest_tier(candidates);
        if !tier.is_empty() {
            return tier;
        }
        let too_dead = |it: &Candidate| {
            u64::from(it.dead) * 100 > u64::from(it.max_doc) * u64::from(self.dead_percent_max)
        };
        let rewrite = candidates.iter().enumerate().filter(|(_, it)| too_dead(it));
        // One at a time, first the one that gives back most.
        rewrite.max_by_key(|(_, it)| it.dead).map(|(at, _)| vec![at]).unwrap_or_default()
    }

    /// The smallest tier that is full. Tiers are powers of `segments_per_tier` times the floor.
    fn fullest_tier(&self, candidates: &[Candidate]) -> Vec<usize> {
        let per_tier = self.segments_per_tier.max(2);
        let mut tiers: std::collections::BTreeMap<u32, Vec<usize>> = std::collections::BTreeMap::new();
        for (at, candidate) in candidates.iter().enumerate() {
            // Two larger ones would make a segment above the bound.
            if candidate.live_bytes() <= self.merged_bytes_max / 2 {
                tiers.entry(self.tier_of(candidate.live_bytes())).or_default().push(at);
            }
        }
        let full = tiers.into_values().find(|tier| tier.len() >= per_tier);
        full.map(|tier| self.within_bound(candidates, &tier)).unwrap_or_default()
    }

    fn tier_of(&self, bytes: u64) -> u32 {
        let ratio = bytes / self.floor_bytes.max(1);
        if ratio == 0 { 0 } else { 1 + ratio.ilog(self.segments_per_tier.max(2) as u64) }
    }

    /// As many of `places` as make no segment above the bound, at least two.
    fn within_bound(&self, candidates: &[Candidate], places: &[usize]) -> Vec<usize> {
        let mut chosen = Vec::new();
        let mut bytes = 0u64;
        for at in places {
            bytes += candidates.get(*at).map_or(0, Candidate::live_bytes);
            if bytes > self.merged_bytes_max && chosen.len() >= 2 {
                break;
            }
            chosen.push(*at);
        }
        chosen
    }

    /// The next merge towards at most `segments_max` segments, whatever their size.
    pub(crate) fn choose_down_to(&self, candidates: &[Candidate], segments_max: usize) -> Vec<usize> {
        let segments_max = segments_max.max(1);
        if candidates.len() <= segments_max {
            let lone_dead = candidates.iter().position(|it| it.dead > 0);
            return if segments_max == 1 { lone_dead.into_iter().collect() } else { Vec::new() };
        }
        let mut smallest: Vec<usize> = (0..candidates.len()).collect();
        // The smallest cost least to write again.
        smallest.sort_by_key(|at| candidates.get(*at).map(Candidate::live_bytes));
        smallest.truncate(candidates.len() - segments_max + 1);
        smallest.sort_unstable();
        smallest
    }

    /// The next segment to rewrite until none holds dead documents.
    pub(crate) fn choose_expunge(candidates: &[Candidate]) -> Vec<usize> {
        candidates.iter().position(|it| it.dead > 0).into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(mib: &[u64]) -> Vec<Candidate> {
        mib.iter().map(|mib| Candidate { bytes: mib << 20, max_doc: 1000, dead: 0 }).collect()
    }

    #[test]
    fn full_tiers_are_merged_smallest_first() {
        let policy = MergePolicy { segments_per_tier: 3, ..MergePolicy::default() };
        let check =
            |mib: &[u64], expected: &[usize]| assert_eq!(policy.choose(&of(mib)), expected, "{mib:?}");
        check(&[], &[]);
        check(&[1, 1], &[]);
        check(&[1, 100, 0, 1], &[0, 2, 3]);
        check(&[100, 100, 1, 101, 1], &[0, 1, 3]);
        check(&[4000, 4000, 4000], &[]);
        check(&[2000, 2000, 2000, 2000], &[0, 1]);
    }

    #[test]
    fn the_mostly_dead_are_rewritten() {
        let policy = MergePolicy::default();
        let mut candidates = of(&[10, 2000, 10]);
        candidates[1].dead = 301;
        assert_eq!(policy.choose(&candidates), [1]);
        candidates[1].dead = 300;
        assert!(policy.choose(&candidates).is_empty());
        assert_eq!(MergePolicy::choose_expunge(&candidates), [1]);
    }

    #[test]
    fn merging_down_takes_the_smallest() {
        let policy = MergePolicy::default();
        let check = |mib: &[u64], most: usize, expected: &[usize]| {
            assert_eq!(policy.choose_down_to(&of(mib), most), expected, "{mib:?} to {most}");
        };
        check(&[5, 1, 9, 2], 3, &[1, 3]);
        check(&[5, 1, 9, 2], 1, &[0, 1, 2, 3]);
        check(&[5], 1, &[]);
        check(&[5, 1], 2, &[]);
    }
}
