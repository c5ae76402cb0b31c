//! What an answer says of shards that have lost a part of their documents: it is partial, as one that was cut
//! short is, and says which shard is without what. In: the collections that are asked, before they are; out:
//! the answer with the header's flags, never kept. What is lost is the shard's to know (`cluster::Losses`).

use std::sync::Arc;

use cluster::{Collection, Losses, ShardSelection};

use super::permit::Permit;
use crate::request::call::Answer;

/// What of the shards that are asked cannot be read, by their cores.
#[derive(Default)]
pub(super) struct Missing(Vec<(String, Arc<Losses>)>);

impl Missing {
    /// Of whole collections. To be asked before they are: what a shard finds again meanwhile is in no harm.
    pub fn of_all<'a>(collections: impl IntoIterator<Item = &'a Arc<Collection>>) -> Self {
        let all = ShardSelection::default();
        Self(collections.into_iter().flat_map(|collection| collection.losses(&all)).collect())
    }

    /// Of some shards of each.
    pub fn of(collections: &[Arc<Collection>], shards: &[ShardSelection]) -> Self {
        let asked = collections.iter().zip(shards);
        Self(asked.flat_map(|(collection, shards)| collection.losses(shards)).collect())
    }

    pub fn add(&mut self, other: Self) {
        for (core, losses) in other.0 {
            if !self.0.iter().any(|(known, _)| *known == core) {
                self.0.push((core, losses));
            }
        }
    }

    /// Of one shard.
    pub fn of_core(&self, core: &str) -> Option<String> {
        self.0.iter().find(|(known, _)| known == core).map(|(_, losses)| losses.to_string())
    }

    /// Makes the answer one that is partial, where anything is missing.
    pub fn mark(&self, permit: &Permit, answer: Answer) -> Answer {
        if self.0.is_empty() {
            return answer;
        }
        let told: Vec<String> = self.0.iter().map(|(core, losses)| format!("`{core}`: {losses}")).collect();
        permit.without(&told.join("; "), answer)
    }
}
