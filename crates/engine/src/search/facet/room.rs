//! How much the facets of one search may list together: facets in facets multiply, and a short request could
//! ask for more than there is memory. Solr differs: it lists until memory ends
//! (`docs/adr/0003-kept-differences.md`).

use std::cell::Cell;

use plan::{Error, Result};

/// A bucket takes one place, and each of its statistics another; about 100 bytes each.
const PLACES: usize = 1 << 23;

/// The places that are left.
pub(super) struct BucketBudget(Cell<usize>);

impl Default for BucketBudget {
    fn default() -> Self {
        Self(Cell::new(PLACES))
    }
}

impl BucketBudget {
    /// To be called before the buckets are made.
    pub(super) fn reserve(&self, buckets: usize, places_each: usize) -> Result<()> {
        let left = self.0.get().checked_sub(buckets.saturating_mul(places_each));
        self.0.set(left.ok_or_else(too_much)?);
        Ok(())
    }
}

fn too_much() -> Error {
    Error::bad_request(format!(
        "facets of more than {PLACES} buckets and statistics; lower their limits, or nest fewer"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facets_in_facets_end_somewhere() {
        let room = BucketBudget::default();
        assert!(room.reserve(1 << 20, 4).is_ok() && room.reserve(1 << 20, 4).is_ok());
        assert!(
            room.reserve(1, 1).is_err() && BucketBudget::default().reserve(usize::MAX, usize::MAX).is_err()
        );
    }
}
