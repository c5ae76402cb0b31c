//! Whether two replicas have the same versions of their documents, in one number each, as Solr's
//! `IndexFingerprint` says it. In: the versions of living documents, in any order; out: the number, and what
//! it was made of. Which documents those are is the shard's.

use serde::{Deserialize, Serialize};

use super::merge::Merge;
use crate::Version;

/// Of the living documents of a shard.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexFingerprint {
    /// The greatest version; 0 where there is no document.
    pub greatest: Version,
    /// The greatest of those in the hash, which goes up to a bound.
    pub greatest_hashed: Version,
    /// The hashes of these versions added up, so that their order does not count.
    pub hash: i64,
    pub hashed: u64,
    pub documents: u64,
    /// Documents, dead ones included.
    pub max_doc: u64,
}

impl IndexFingerprint {
    /// Takes the version of one more document.
    pub fn add(&mut self, version: Version, up_to: Version) {
        self.documents += 1;
        self.greatest = self.greatest.max(version);
        if version <= up_to {
            self.greatest_hashed = self.greatest_hashed.max(version);
            self.hash = self.hash.wrapping_add(mixed(version));
            self.hashed += 1;
        }
    }
}

impl Merge for IndexFingerprint {
    fn merge(self, other: Self) -> Self {
        Self {
            greatest: self.greatest.max(other.greatest),
            greatest_hashed: self.greatest_hashed.max(other.greatest_hashed),
            hash: self.hash.wrapping_add(other.hash),
            hashed: self.hashed + other.hashed,
            documents: self.documents + other.documents,
            max_doc: self.max_doc + other.max_doc,
        }
    }
}

/// The last step of MurmurHash3 for 64 bits, which Solr takes for versions.
fn mixed(version: Version) -> i64 {
    let shifted = |bits: u64| bits ^ (bits >> 33);
    let bits = shifted(version.cast_unsigned()).wrapping_mul(0xff51_afd7_ed55_8ccd);
    shifted(shifted(bits).wrapping_mul(0xc4ce_b9fe_1a85_ec53)).cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Solr 9.10.1 said this of three documents.
    #[test]
    fn versions_make_the_number_that_solr_makes() {
        let versions = [1_883_198_554_785_185_792, 1_883_198_554_589_102_080, 1_883_198_554_635_239_424];
        let of = |versions: &[Version], up_to| {
            let mut made = IndexFingerprint::default();
            versions.iter().for_each(|version| made.add(*version, up_to));
            made
        };
        let whole = of(&versions, Version::MAX);
        assert_eq!(
            (whole.hash, whole.hashed, whole.greatest_hashed),
            (8_280_932_915_010_411_221, 3, versions[0])
        );
        // Of two shards as of one, in any order.
        assert_eq!(of(&versions[2..], Version::MAX).merge(of(&versions[..2], Version::MAX)), whole);
        let none = of(&versions, 1);
        assert_eq!((none.hash, none.hashed, none.greatest_hashed, none.greatest), (0, 0, 0, versions[0]));
    }
}
