//! Reads the files and the documents of a collection again, shard by shard: for whoever wants to know now
//! what the scrub of each shard finds in a week, or whether two places have the same. The reading and mending
//! itself is each shard's (`crates/store`), as in the scrub; here is only the walk over the shards, told one
//! by one so that a terminal can show how far it is (`parhelion store verify`, `digest`).

use plan::Result;
use store::{ContentDigest, ErrorKind, Verified};

use super::Collection;

/// What was found of a shard's files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShardVerdict {
    pub shard: String,
    pub files: u64,
    pub bytes: u64,
    /// Files with a copy that was damaged and is mended.
    pub mended: Vec<String>,
    /// Files of which no copy is whole, with what is wrong.
    pub damaged: Vec<(String, String)>,
    /// Files of which nobody knows, with why: the place did not answer.
    pub unread: Vec<(String, String)>,
}

impl Collection {
    /// Reads every file that is flushed. Blocks for as long as that takes.
    pub fn verify_files(&self, told: &mut dyn FnMut(ShardVerdict)) {
        for (document, shard) in self.shard_documents().into_iter().zip(&*self.shards()) {
            let mut verdict = ShardVerdict { shard: document.name, ..ShardVerdict::default() };
            shard.verify_files(&mut |file, found| {
                verdict.files += 1;
                verdict.bytes += file.size;
                match found {
                    Ok(Verified::Sound) => {}
                    Ok(Verified::Mended) => verdict.mended.push(file.name.clone()),
                    Err(error) => {
                        let is_damage =
                            matches!(error.kind(), ErrorKind::Corrupt { .. } | ErrorKind::NotFound);
                        let of = if is_damage { &mut verdict.damaged } else { &mut verdict.unread };
                        of.push((file.name.clone(), error.to_string()));
                    }
                }
            });
            told(verdict);
        }
    }

    /// Of each shard, by its name: what its documents come to, however they lie in segments. Blocks for as
    /// long as it takes to read all of them.
    pub fn content_digests(&self) -> Result<Vec<(String, ContentDigest)>> {
        let shards = self.shards();
        let digests = self.shard_documents().into_iter().zip(&*shards);
        digests.map(|(document, shard)| Ok((document.name, shard.content_digest()?))).collect()
    }
}
