//! Reading and mending what lies at a place, shard by shard. In: where documents and shards are; out: of each
//! shard what was found and what became of it. How it is done is the engine's (`engine::verify`, `repair`);
//! here is only the walk, which opens no collection: that would leave out what is damaged.

use std::sync::Arc;

use engine::{FilesVerdict, RepairReport};
use plan::Result;
use store::{ReadOnlyMetadata, Site};

use super::{Node, NodeConfig};
use crate::catalog::MetadataHomes;
use crate::engine_shards::{repair_shard, verify_shard};
use crate::shard::ShardPlace;

/// A shard of a collection, and what was found of its files.
#[derive(Debug)]
pub struct VerifiedShard {
    pub collection: String,
    pub shard: String,
    pub verdict: FilesVerdict,
}

/// A shard of a collection, and what became of it.
#[derive(Debug)]
pub struct RepairedShard {
    pub collection: String,
    pub shard: String,
    /// An error leaves the shard as it was.
    pub report: Result<RepairReport>,
}

impl Node {
    /// Reads all that is flushed at a place again, beside whoever serves it; tells of each shard when it is
    /// read. Blocks.
    pub fn verify_at(
        config: NodeConfig,
        homes: MetadataHomes,
        site: Arc<dyn Site>,
        told: &mut dyn FnMut(VerifiedShard),
    ) -> Result<()> {
        let homes = MetadataHomes { shared: Arc::new(ReadOnlyMetadata::new(homes.shared)), ..homes };
        let node = Self::begin(config, homes, site)?;
        node.each_shard(None, &mut |collection, shard, place| {
            let verdict = verify_shard(place)?;
            told(VerifiedShard { collection, shard, verdict });
            Ok(())
        })
    }

    /// Mends all shards of a place, or those of one collection. Takes them over: who serves them is deposed.
    /// Blocks for as long as it takes to read all files.
    pub fn repair_at(
        config: NodeConfig,
        homes: MetadataHomes,
        site: Arc<dyn Site>,
        (collection, accepts_loss): (Option<&str>, bool),
    ) -> Result<Vec<RepairedShard>> {
        let node = Self::begin(config, homes, site)?;
        let mut repaired = Vec::new();
        node.each_shard(collection, &mut |collection, shard, place| {
            let report = repair_shard(place, accepts_loss);
            repaired.push(RepairedShard { collection, shard, report });
            Ok(())
        })?;
        Ok(repaired)
    }

    /// Of all collections, or of the one that is called so.
    fn each_shard(
        &self,
        named: Option<&str>,
        visit: &mut dyn FnMut(String, String, &ShardPlace) -> Result<()>,
    ) -> Result<()> {
        for key in self.catalog.keys()? {
            let Some(entry) = self.catalog.collection(&key)? else { continue };
            if named.is_some_and(|name| name != entry.name) {
                continue;
            }
            let edition = self.catalog.schema(&key)?.value;
            for (shard, folder) in entry.shards().into_iter().zip(entry.folders(edition.edition())) {
                visit(entry.name.clone(), shard.name, &self.place(&entry, &folder))?;
            }
        }
        Ok(())
    }
}
