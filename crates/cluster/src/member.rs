//! Who serves which collection, where a cluster has several nodes. Each collection has one member, which its
//! document `owner.json` names; the shared documents describe all of them, wherever they are served. That a
//! member is named there is what it goes by; what it may acknowledge, the homes of its shards decide (models
//! `assign_collection`, `takeover`).

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

/// The documents that say what a collection is and who is to serve it.
#[derive(Clone)]
pub(crate) struct Owned {
    pub entry: CollectionDocument,
    /// `None` where nobody was ever named: it was made by a node that owns all there is.
    pub owner: Option<Versioned<Member>>,
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

    pub fn is_own(&self, owned: &Owned) -> bool {
        owned.owner.as_ref().is_some_and(|owner| owner.value.id == self.own.id)
    }
}

/// A collection as the shared documents describe it, wherever it is served.
#[derive(Clone)]
pub struct Description {
    pub(crate) entry: Arc<CollectionDocument>,
    pub(crate) owner: Option<Member>,
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

    /// Who is to serve it; `None` where nobody is named.
    pub fn owner(&self) -> Option<&Member> {
        self.owner.as_ref()
    }
}
