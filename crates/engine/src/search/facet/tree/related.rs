//! How much of two sets, a foreground and a background, is in each bucket. Neither is narrowed by the search,
//! both are by the buckets above. What their counts say is [`RelatedCounts`]'.
//!
//! In: the queries of both sets, and a way to count documents by bucket (from `terms` and `ranges`); out:
//! four numbers a bucket, which shards add up before the relatedness is computed from their sums.

use std::sync::Arc;

use plan::partial::RelatedCounts;
use plan::{Query, Result};

use super::docs::BucketDocs;
use super::path::{self, Path};
use super::rank::StatRank;
use crate::search::context::SearchContext;
use crate::search::facet::domain::{Domain, query_bits};

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
    /// `None` where nothing was compared.
    pub(super) fn of(&self, slot: usize) -> Option<RelatedCounts> {
        let Self { foreground_size, background_size, foreground, background } = self;
        Some(RelatedCounts {
            foreground_size: *foreground_size,
            background_size: *background_size,
            foreground: *foreground.get(slot)?,
            background: *background.get(slot)?,
        })
    }

    /// Equally related ones by how many there are.
    pub(super) fn rank(&self, slot: usize, popularity_min: f64) -> StatRank {
        let counts = self.of(slot).unwrap_or_default();
        let relatedness =
            self.of(slot).map_or(f64::NEG_INFINITY, |counts| counts.relatedness(popularity_min));
        (1, super::keys::real_key(relatedness), [counts.foreground, counts.background])
    }
}
