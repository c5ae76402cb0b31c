//! A collection at one moment, for requests that ask it more than one thing: a hit's number means the same
//! document in all of them, whatever is refreshed meanwhile. It holds files and memory of that moment until
//! it is dropped.

use std::sync::Arc;

use meter::{Meters, Phase};
use plan::{LikeTerm, MoreLike, Result, SearchPlan, SearchResult, SpellFinding, SpellPlan};

use super::Collection;
use crate::finish::spell_words;
use crate::gather::search_shards;
use crate::offload;
use crate::shard::{LikeCountsRead, ShardSnapshot, SnapshotRead};

/// What searches of one request see.
pub struct PinnedCollection {
    shard: Arc<dyn ShardSnapshot>,
}

impl Collection {
    /// What searches see now.
    pub fn pin(&self) -> PinnedCollection {
        PinnedCollection { shard: self.shard().pin() }
    }

    /// Of the newest moment.
    pub async fn search(&self, plan: Arc<SearchPlan>, meters: &Meters) -> Result<SearchResult> {
        let shard = self.shard();
        // Pinned by the thread that searches: a search that waits for one holds no moment meanwhile.
        searched(move || shard.pin(), plan, meters).await
    }
}

impl PinnedCollection {
    pub async fn search(&self, plan: Arc<SearchPlan>, meters: &Meters) -> Result<SearchResult> {
        let pin = self.shard.clone();
        searched(move || pin, plan, meters).await
    }

    /// The words by which documents are like another, the least telling first. The words are those of the one
    /// shard that has the document; how telling they are is decided by all shards' counts.
    pub async fn like_terms(&self, like: &MoreLike, meters: &Meters) -> Result<Vec<LikeTerm>> {
        let words = self.read(like, meters).await?;
        let counts = self.read(LikeCountsRead { like, words: &words }, meters).await?;
        like.chosen(words, &counts)
    }

    /// What dictionaries suggest for words.
    pub async fn spell(&self, plan: SpellPlan, meters: &Meters) -> Result<Vec<SpellFinding>> {
        let (shard, own) = (self.shard.clone(), meters.clone());
        let spell = move || {
            // Once for all look-ups: what is decided between them is the request's time too.
            own.allowance.resume();
            spell_words(&plan, &own.allowance, &|words| words.ask_pinned(&*shard, &own))
        };
        offload::read(false, (&meters.trace, Phase::Spell), spell).await?
    }

    /// Reads anything but hits, on the thread that asks.
    pub async fn read<R: SnapshotRead>(&self, request: R, meters: &Meters) -> Result<R::Answer> {
        offload::compute(|| request.ask_pinned(&*self.shard, meters))
    }
}

async fn searched(
    pin: impl FnOnce() -> Arc<dyn ShardSnapshot> + Send + 'static,
    plan: Arc<SearchPlan>,
    meters: &Meters,
) -> Result<SearchResult> {
    let (light, own) = (plan.is_light(), meters.clone());
    // Both steps on one thread: between them lies less work than it takes to wake another.
    let search = move || search_shards(&[pin()], &plan, &own);
    let result: SearchResult = offload::read(light, (&meters.trace, Phase::Query), search).await??;
    meters.trace.found(result.total);
    Ok(result)
}
