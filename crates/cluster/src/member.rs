//! Who serves which collection, where a cluster has several nodes. Each collection has one member that leads
//! it, and each of its shards one that serves it: its document `owner.json` names them. The shared documents
//! describe all collections, wherever they are served. That a member is named there is what it goes by; what
//! it may acknowledge, the homes of its shards decide (models `assign_collection`, `takeover`).

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use crate::collection_documents::CollectionDocument;
use crate::documents::Versioned;
use crate::routing::{Router, ShardDocument};

/// A node of a cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// Stored with its data: it outlives addresses.
    pub id: String,
    /// As SolrCloud calls it: `host:port_solr`.
    pub name: String,
    /// Where the others reach it, without a path.
    pub url: String,
}

/// Who has which part of a collection.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Owners {
    /// Carries out what changes the collection.
    #[serde(flatten)]
    pub lead: Member,
    /// Who serves a shard, by its name, where that is another.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub shards: BTreeMap<String, Member>,
}

impl From<Member> for Owners {
    fn from(lead: Member) -> Self {
        Self { lead, shards: BTreeMap::new() }
    }
}

impl Owners {
    /// Of these shards, in the order of the documents that name them.
    pub fn of(lead: Member, shards: impl IntoIterator<Item = (String, Member)>) -> Self {
        let others = shards.into_iter().filter(|(_, member)| member.id != lead.id);
        Self { shards: others.collect(), lead }
    }

    pub fn of_shard(&self, shard: &str) -> &Member {
        self.shards.get(shard).unwrap_or(&self.lead)
    }

    /// Whether a member has any part of it.
    pub fn has(&self, id: &str) -> bool {
        self.lead.id == id || self.shards.values().any(|member| member.id == id)
    }

    /// All that have a part of it, each once.
    pub fn members(&self) -> Vec<&Member> {
        let mut found: Vec<&Member> = Vec::new();
        for member in std::iter::once(&self.lead).chain(self.shards.values()) {
            if !found.iter().any(|known| known.id == member.id) {
                found.push(member);
            }
        }
        found
    }

    /// The same with a member under the address where it is now.
    pub fn at(&self, member: &Member) -> Self {
        let moved = |it: &Member| if it.id == member.id { member.clone() } else { it.clone() };
        let shards = self.shards.iter().map(|(name, it)| (name.clone(), moved(it)));
        Self { lead: moved(&self.lead), shards: shards.collect() }
    }
}

/// The documents that say what a collection is and who is to serve it.
#[derive(Clone)]
pub(crate) struct Owned {
    pub entry: CollectionDocument,
    /// `None` where nobody was ever named: it was made by a node that owns all there is.
    pub owners: Option<Versioned<Owners>>,
}

/// What one of several members knows of its part.
pub(crate) struct Assignment {
    pub own: Member,
    pub secret: String,
    /// As it was told last; nobody before.
    living: Mutex<Vec<Member>>,
}

impl Assignment {
    pub fn new(own: Member, secret: String) -> Self {
        Self { own, secret, living: Mutex::default() }
    }

    pub fn set_living(&self, members: Vec<Member>) {
        *self.living.lock().unwrap_or_else(PoisonError::into_inner) = members;
    }

    pub fn living(&self) -> Vec<Member> {
        self.living.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn is_alive(&self, member: &Member) -> bool {
        let living = self.living.lock().unwrap_or_else(PoisonError::into_inner);
        living.iter().any(|living| living.id == member.id)
    }

    /// Whether any part of it is this member's.
    pub fn has_part(&self, owned: &Owned) -> bool {
        owned.owners.as_ref().is_some_and(|owners| owners.value.has(&self.own.id))
    }
}

/// A collection as the shared documents describe it, wherever it is served.
#[derive(Clone)]
pub struct Description {
    pub(crate) entry: Arc<CollectionDocument>,
    pub(crate) owners: Option<Arc<Owners>>,
    pub(crate) state_version: u32,
}

impl Description {
    pub fn name(&self) -> &str {
        &self.entry.name
    }

    pub fn configset(&self) -> &str {
        &self.entry.configset
    }

    pub fn created_ms(&self) -> i64 {
        self.entry.created_ms
    }

    pub fn router(&self) -> &Router {
        &self.entry.router
    }

    /// Its shards, in order; the first may be the only one.
    pub fn shard_documents(&self) -> Vec<ShardDocument> {
        self.entry.shards()
    }

    /// What clients set for it.
    pub fn properties(&self) -> &BTreeMap<String, String> {
        &self.entry.properties
    }

    /// Grows when its names or properties change, so that clients that keep them know.
    pub fn state_version(&self) -> u32 {
        self.state_version
    }

    /// Who leads it: carries out what changes it, and serves what no other is named for. `None` where nobody
    /// is named.
    pub fn owner(&self) -> Option<&Member> {
        self.owners.as_ref().map(|owners| &owners.lead)
    }

    /// Who serves a shard, by its name.
    pub fn shard_owner(&self, shard: &str) -> Option<&Member> {
        self.owners.as_ref().map(|owners| owners.of_shard(shard))
    }
}
