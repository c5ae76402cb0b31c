//! Collections that one request asks: one alone, or several as if their shards were those of one. Each is
//! asked by a plan of its own schema, what they answer merges, and lists are cut once.
//!
//! In: a plan for each collection, or one that names no field; out: terms, suggestions, and a pin for
//! searches.

use std::sync::Arc;

use meter::{Meters, Phase, Trace};
use plan::partial::{IndexFingerprint, Merge as _};
use plan::{
    CollectionConfig, CutDepth, ReplicaChoice, Result, SuggestPlan, Suggestion, TermCount, TermsPlan, Version,
};

use super::Collection;
use super::pinned::{PinnedCollection, ShardSelection};
use super::served::ServedShard;
use crate::finish::{finish_suggestions, finish_terms};
use crate::gather::gather_parts;
use crate::offload;
use crate::shard::{FingerprintRead, Shard, ShardRead, VersionsRead};

/// Those that a request asks, in its order; at least one.
#[derive(Clone)]
pub struct Together {
    first: Arc<Collection>,
    /// The first among them.
    all: Vec<Arc<Collection>>,
    /// Of each of them the shards that are asked.
    shards: Vec<ShardSelection>,
    /// Of each shard.
    replicas: ReplicaChoice,
}

impl Together {
    pub fn of(first: Arc<Collection>, others: impl IntoIterator<Item = Arc<Collection>>) -> Self {
        let all: Vec<_> = std::iter::once(first.clone()).chain(others).collect();
        let shards = vec![ShardSelection::default(); all.len()];
        Self { first, all, shards, replicas: ReplicaChoice::default() }
    }

    /// The same, where some shards of each are asked, one selection for each collection.
    pub fn of_shards(self, shards: Vec<ShardSelection>) -> Self {
        Self { shards, ..self }
    }

    /// The same, where searches rather ask some replicas than others.
    pub fn preferring(self, replicas: ReplicaChoice) -> Self {
        Self { replicas, ..self }
    }

    pub fn collections(&self) -> &[Arc<Collection>] {
        &self.all
    }

    /// Of the first, by whose handlers the request is served.
    pub fn config(&self) -> Arc<CollectionConfig> {
        self.first.config()
    }

    /// What searches see now.
    pub fn pin(&self) -> PinnedCollection {
        let pin = |(one, shards): (&Arc<Collection>, &ShardSelection)| one.pin_shards(shards, &self.replicas);
        match (&*self.all, &*self.shards) {
            ([only], [shards]) => pin((only, shards)),
            (several, shards) => {
                PinnedCollection::together(&several.iter().zip(shards).map(pin).collect::<Vec<_>>())
            }
        }
    }

    /// Of each collection those that are asked.
    fn shards(&self) -> impl Iterator<Item = Vec<Arc<dyn Shard>>> {
        self.all.iter().zip(&self.shards).map(|(one, shards)| one.shards_of(shards))
    }

    /// The versions of the documents updated last, visible or not, newest first.
    pub async fn versions(&self, limit: usize) -> Result<Vec<Version>> {
        let read = || {
            let mut versions = Vec::new();
            for shard in self.shards().flatten() {
                versions.extend(VersionsRead { limit }.ask(&*shard, &Meters::default())?);
            }
            versions.sort_by_key(|version| std::cmp::Reverse(version.abs()));
            versions.truncate(limit);
            Ok(versions)
        };
        offload::compute(read)
    }

    /// The versions of all documents in one number, visible or not, up to this one.
    pub async fn fingerprint(&self, up_to: Version) -> Result<IndexFingerprint> {
        offload::compute(|| {
            let each = self
                .shards()
                .flatten()
                .map(|shard| FingerprintRead { up_to }.ask(&*shard, &Meters::default()));
            each.reduce(|all, one| Ok(all?.merge(one?))).unwrap_or_else(|| Ok(IndexFingerprint::default()))
        })
    }

    /// Documents that searches see, in all that are asked.
    pub fn documents(&self) -> u64 {
        self.shards().flatten().map(|shard| shard.stats().num_docs).sum()
    }

    /// Numbers that documents have had, in all that are asked.
    pub fn documents_max(&self) -> u64 {
        self.shards().flatten().map(|shard| shard.stats().max_doc).sum()
    }

    /// The terms of a field that plans list, one plan for each collection; order and cut are the first's.
    pub async fn terms(&self, plans: &[&TermsPlan]) -> Result<Vec<TermCount>> {
        // What is left to do with two million terms takes as long as reading them: no runtime's thread is
        // kept from others by it.
        offload::compute(|| {
            let Some(first) = plans.first() else { return Ok(Vec::new()) };
            let shards: Vec<_> = self.shards().collect();
            let depth =
                if shards.iter().map(Vec::len).sum::<usize>() > 1 { CutDepth::Whole } else { first.depth };
            let asked = plans.iter().zip(&shards).flat_map(|(plan, shards)| {
                let plan = Arc::new(TermsPlan { depth, ..(*plan).clone() });
                shards.iter().map(move |shard| (plan.clone(), shard))
            });
            let merged = gather_parts(asked, |(plan, shard)| (&*plan).ask(&**shard, &Meters::default()))?;
            Ok(finish_terms(first, merged.unwrap_or_default()))
        })
    }

    /// Builds a suggester from what searches see now, in each shard.
    pub async fn build_suggester(&self, component: &str, name: &str) -> Result<()> {
        let (together, component, name) = (self.clone(), component.to_owned(), name.to_owned());
        let build = move || {
            let build = |served: &ServedShard| {
                let (shard, component, name) = (served.shard.clone(), component.clone(), name.clone());
                move || shard.build_suggester(&component, &name)
            };
            let served: Vec<_> = together.all.iter().map(|one| one.home.served()).collect();
            let shards = served.iter().flat_map(|one| one.shards.iter());
            offload::side_by_side(shards.map(build).collect())?.into_iter().collect()
        };
        offload::update(build).await?
    }

    /// What a suggester has for a text.
    pub async fn suggest(&self, plan: Arc<SuggestPlan>, trace: &Trace) -> Result<Vec<Suggestion>> {
        let shards: Vec<Arc<dyn Shard>> = self.shards().flatten().collect();
        let light = plan.is_light();
        let suggest = move || {
            let merged = gather_parts(&shards, |shard| (&*plan).ask(&**shard, &Meters::default()))?;
            Ok(merged.map_or_else(Vec::new, |merged| finish_suggestions(plan.count, merged)))
        };
        offload::read(light, (trace, Phase::Suggest), suggest).await?
    }
}
