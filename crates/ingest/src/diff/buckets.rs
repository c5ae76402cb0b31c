//! Documents added up: by a hash of the id into some thousand buckets, in each how many, and their digests in
//! a sum that does not depend on the order. Two sides with equal buckets have equal documents, but for a
//! chance of one in 2^64 a bucket.

use std::collections::HashSet;

use crate::mapping::digest_of;

/// 64 KiB a side; of a million documents 250 a bucket, which is what one difference makes the second reading
/// keep.
const COUNT: usize = 4096;

#[derive(Clone, Debug)]
pub struct Buckets(Vec<Bucket>);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Bucket {
    documents: u64,
    /// Wrapping: a sum, where an exclusive or would lose a document that is there twice.
    digests: u64,
}

impl Default for Buckets {
    fn default() -> Self {
        Self(vec![Bucket::default(); COUNT])
    }
}

impl Buckets {
    pub fn of(id: &str) -> usize {
        usize::try_from(digest_of(id.as_bytes()) % COUNT as u64).unwrap_or_default()
    }

    pub fn add(&mut self, id: &str, digest: &str) {
        let bucket = &mut self.0[Self::of(id)];
        bucket.documents += 1;
        // A byte that neither has, so that id and digest cannot swap characters.
        let both = [id.as_bytes(), &[0xff], digest.as_bytes()].concat();
        bucket.digests = bucket.digests.wrapping_add(digest_of(&both));
    }

    pub fn documents(&self) -> u64 {
        self.0.iter().map(|bucket| bucket.documents).sum()
    }

    pub fn differing(&self, other: &Self) -> HashSet<usize> {
        let pairs = self.0.iter().zip(&other.0).enumerate();
        pairs.filter(|(_, (one, other))| one != other).map(|(at, _)| at).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_difference_is_one_bucket_in_any_order() {
        let of = |documents: &[(&str, &str)]| {
            let mut buckets = Buckets::default();
            documents.iter().for_each(|(id, digest)| buckets.add(id, digest));
            buckets
        };
        let one = of(&[("a", "1"), ("b", "2"), ("c", "3")]);
        assert!(one.differing(&of(&[("c", "3"), ("a", "1"), ("b", "2")])).is_empty());
        for other in [
            &[("a", "1"), ("b", "2")][..],
            &[("a", "1"), ("b", "2"), ("c", "4")],
            &[("a", "1"), ("b", "2"), ("c", "3"), ("c", "3")],
            &[("a", "1"), ("b", "2"), ("c", "3"), ("d", "")],
        ] {
            assert_eq!(one.differing(&of(other)).len(), 1, "{other:?}");
        }
        assert_eq!(one.documents(), 3);
    }
}
