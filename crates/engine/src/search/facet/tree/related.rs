//! Relatedness: how much more of a foreground is in a bucket than of a background. Neither is narrowed by the search; the
//! foreground is by the buckets above. Grainger et al., "The Semantic Knowledge Graph" (2016), give the measure: how far the
//! count in the foreground is from what the background lets expect, squeezed between -1 and 1.

use std::sync::Arc;

use plan::{Query, Result, StatValue};

use super::docs::BucketDocs;
use super::open::query_bits;
use super::path::{self, Path};
use super::summary::Rank;
use crate::search::SearchContext;
use crate::search::facet::Domain;

/// Both sets, made ready for a snapshot.
pub(super) struct Sets {
    foreground: Domain,
    background: Domain,
}

/// How the buckets of a summary are found among other documents.
pub(super) struct Slots<'s> {
    pub(super) context: &'s SearchContext<'s>,
    /// To the bucket that was cut.
    pub(super) path: Option<&'s Path<'s>>,
    /// How many of the documents each bucket would have.
    pub(super) count: &'s dyn Fn(&BucketDocs<'_>) -> Result<Vec<u64>>,
}

/// Sizes, and counts by bucket.
#[derive(Default)]
pub(super) struct SetCounts {
    foreground_size: u64,
    background_size: u64,
    foreground: Vec<u64>,
    background: Vec<u64>,
}

impl Sets {
    pub(super) fn open(context: &SearchContext<'_>, foreground: &Query, background: &Query) -> Result<Self> {
        let living = |query| {
            let mut bits = query_bits(context, query)?;
            for (bits, segment) in bits.iter_mut().zip(&context.segments) {
                if let Some(alive) = &segment.alive {
                    Arc::make_mut(bits).intersect(alive);
                }
            }
            Ok(bits)
        };
        Ok(Self { foreground: living(foreground)?, background: living(background)? })
    }

    pub(super) fn counts(&self, slots: &Slots<'_>) -> Result<SetCounts> {
        let foreground = BucketDocs::of(self.foreground.clone());
        let foreground = path::restrict(slots.context, foreground, slots.path)?;
        let background = BucketDocs::of(self.background.clone());
        Ok(SetCounts {
            foreground_size: foreground.count(),
            background_size: background.count(),
            foreground: (slots.count)(&foreground)?,
            background: (slots.count)(&background)?,
        })
    }
}

impl SetCounts {
    pub(super) fn value(&self, slot: usize, popularity_min: f64) -> Option<StatValue> {
        let (foreground, background) = self.popularities(slot)?;
        let relatedness = self.relatedness(slot, popularity_min)?;
        Some(StatValue::Relatedness { relatedness, foreground, background })
    }

    /// Equally related ones by how many there are.
    pub(super) fn rank(&self, slot: usize, popularity_min: f64) -> Rank {
        let count = |counts: &[u64]| counts.get(slot).copied().unwrap_or_default();
        let relatedness = self.relatedness(slot, popularity_min).unwrap_or(f64::NEG_INFINITY);
        (1, super::keys::real_key(relatedness), [count(&self.foreground), count(&self.background)])
    }

    fn relatedness(&self, slot: usize, popularity_min: f64) -> Option<f64> {
        let (foreground, background) = self.popularities(slot)?;
        if foreground < popularity_min || background < popularity_min {
            return Some(f64::NEG_INFINITY);
        }
        let (found, known) = (*self.foreground.get(slot)?, *self.background.get(slot)?);
        Some(related((found, self.foreground_size), (known, self.background_size)))
    }

    /// Shares of the background, also the foreground's.
    fn popularities(&self, slot: usize) -> Option<(f64, f64)> {
        let share = |count: &u64| five_digits(*count as f64 / self.background_size as f64);
        Some((share(self.foreground.get(slot)?), share(self.background.get(slot)?)))
    }
}

/// Of counts with the sizes of their sets.
fn related((found, size): (u64, u64), (known, background_size): (u64, u64)) -> f64 {
    let (size, share) = (size as f64, known as f64 / background_size as f64);
    let spread = (size * share * (1.0 - share)).sqrt();
    let distance = (found as f64 - size * share) / if spread == 0.0 { 1e-10 } else { spread };
    let squeezed = |shift: f64, scale: f64| (distance + shift) / (scale + (distance + shift).abs());
    let steps = [(-80.0, 50.0), (-30.0, 30.0), (0.0, 30.0), (30.0, 30.0), (80.0, 50.0)];
    five_digits(steps.iter().map(|(shift, scale)| 0.2 * squeezed(*shift, *scale)).sum())
}

/// Rounded as Java does: what is no number is 0, what is endless the largest long.
fn five_digits(number: f64) -> f64 {
    (number * 1e5 + 0.5).floor() as i64 as f64 / 1e5
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Recorded from Solr 9.10.1 (`compat/facet/relatedness.yaml`).
    #[test]
    fn what_is_expected_is_not_related() {
        assert_eq!(related((2, 7), (10, 38)), 0.00151);
        assert_eq!(related((1, 7), (11, 38)), -0.00941);
        assert_eq!(related((11, 38), (11, 38)), 0.0);
        assert_eq!(related((3, 7), (0, 0)), 0.0);
        assert_eq!(five_digits(f64::INFINITY), 92_233_720_368_547.77);
    }
}
