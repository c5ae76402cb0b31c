//! Who serves which collection, where a cluster has several nodes. Each collection has one member that leads
//! it, and each of its shards one that serves it: its document `owner.json` names them. The shared documents
//! describe all collections, wherever they are served. That a member is named there is what it goes by; what
//! it may acknowledge, the homes of its shards decide (models `assign_collection`, `takeover`).

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use crate::collection_documents::CollectionDocument;
use crate::create::FollowerReplica;
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

/// How far a collection is (model `drop_shards`): what says whether it is there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Stage {
    /// Its lead makes its documents and shards. Whoever becomes lead of it drops it.
    Making,
    /// What a release wrote that knew no stages is served where its documents are there.
    #[default]
    Served,
    /// Its lead removes what is left of it. Whoever becomes lead of it goes on with that.
    Dropped,
}

/// Who has which part of a collection, and how far that is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Owners {
    /// Carries out what changes the collection.
    #[serde(flatten)]
    pub lead: Member,
    /// Who serves a shard, by its name, where that is another.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub shards: BTreeMap<String, Member>,
    /// When the collection that is meant was made: one made later under the same key is another. Of any where
    /// nothing is said, as earlier releases wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_ms: Option<i64>,
    #[serde(default)]
    pub stage: Stage,
    /// Who has a copy of a shard, by its name, beside whoever serves it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub followers: BTreeMap<String, Vec<Follower>>,
    /// How many followers there ever were: no two have one number.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub followers_made: u32,
}

/// Has a copy of a shard.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Follower {
    #[serde(flatten)]
    pub member: Member,
    /// By which clients know the replica, whoever has it.
    pub number: u32,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl From<Member> for Owners {
    fn from(lead: Member) -> Self {
        Self { lead, ..Self::default() }
    }
}

impl Owners {
    /// Of these shards, in the order of the documents that name them.
    pub fn of(lead: Member, shards: impl IntoIterator<Item = (String, Member)>) -> Self {
        let others = shards.into_iter().filter(|(_, member)| member.id != lead.id).collect();
        Self { shards: others, ..lead.into() }
    }

    /// Whether this very collection is meant.
    pub fn is_of(&self, entry: &CollectionDocument) -> bool {
        self.created_ms.is_none_or(|created_ms| created_ms == entry.created_ms)
    }

    /// Whether the collection of this document is there.
    pub fn has_served(&self, entry: &CollectionDocument) -> bool {
        self.stage == Stage::Served && self.is_of(entry)
    }

    /// Has a member follow a shard; returns the replica's number.
    pub fn follow(&mut self, shard: &str, member: Member) -> u32 {
        self.followers_made += 1;
        let number = self.followers_made;
        self.followers.entry(shard.to_owned()).or_default().push(Follower { member, number });
        number
    }

    /// Who has a copy of a shard beside whoever serves it.
    pub fn followers_of(&self, shard: &str) -> &[Follower] {
        self.followers.get(shard).map_or(&[], Vec::as_slice)
    }

    pub fn follows(&self, shard: &str, id: &str) -> bool {
        self.followers_of(shard).iter().any(|follower| follower.member.id == id)
    }

    pub fn of_shard(&self, shard: &str) -> &Member {
        self.shards.get(shard).unwrap_or(&self.lead)
    }

    /// Whether a member has any part of it.
    pub fn has(&self, id: &str) -> bool {
        self.members().iter().any(|member| member.id == id)
    }

    /// All that have a part of it, each once.
    pub fn members(&self) -> Vec<&Member> {
        let mut found: Vec<&Member> = Vec::new();
        let followers = self.followers.values().flatten().map(|follower| &follower.member);
        for member in std::iter::once(&self.lead).chain(self.shards.values()).chain(followers) {
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
        let mut followers = self.followers.clone();
        followers.values_mut().flatten().for_each(|follower| follower.member = moved(&follower.member));
        Self { lead: moved(&self.lead), shards: shards.collect(), followers, ..self.clone() }
    }
}

/// The documents that say what a collection is and who is to serve it.
#[derive(Clone)]
pub(crate) struct Owned {
    pub entry: CollectionDocument,
    /// `None` where nobody was ever named: it was made by a node that owns all there is.
    pub owners: Option<Versioned<Owners>>,
}

/// All that the documents say is there, and what is on its way to be or not to be, by key.
#[derive(Default)]
pub(crate) struct OwnedCollections {
    pub there: BTreeMap<String, Owned>,
    /// What is being made or dropped, or was when somebody crashed.
    pub begun: BTreeMap<String, Owners>,
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

    /// What this member is to write of who has which part: of collections that it leads, and of those whose
    /// leads are gone and that are due to it, the parts of whoever is gone go to whoever has the fewest
    /// shards. All members work out the same from the same, so that each takes its part; where they differ,
    /// the first one has it.
    pub fn due<'a>(&self, owned: &'a BTreeMap<String, Owned>) -> BTreeMap<&'a str, Owners> {
        let living = self.living();
        // Nobody is chosen, and nothing taken, before it was told who lives.
        let mut load: BTreeMap<&str, usize> = living.iter().map(|member| (member.id.as_str(), 0)).collect();
        let nobody = Owners::default();
        let owners = |owned: &'a Owned| owned.owners.as_ref().map(|owners| &owners.value);
        for owned in owned.values() {
            for shard in owned.entry.shards() {
                let owner = &owners(owned).unwrap_or(&nobody).of_shard(&shard.name).id;
                load.get_mut(owner.as_str()).into_iter().for_each(|count| *count += 1);
            }
        }
        let mut due = BTreeMap::new();
        for (key, owned) in owned {
            let before = owners(owned).unwrap_or(&nobody);
            let shards = owned.entry.shards();
            let is_alive = |member: &Member| living.iter().any(|it| it.id == member.id);
            let of = |id: &str| living.iter().find(|it| it.id == id);
            let Some(lead) = (match is_alive(&before.lead) {
                true => Some(&before.lead),
                // Whoever has a part of it has it open.
                false => {
                    let next = load.iter().min_by_key(|(id, count)| (!before.has(id), **count, **id));
                    next.and_then(|(id, _)| of(id))
                }
            }) else {
                break;
            };
            let mut after = Vec::with_capacity(shards.len());
            let mut followers = before.followers.clone();
            for shard in &shards {
                let owner = before.of_shard(&shard.name);
                // Who has a copy has its files at hand.
                let mut copies = before.followers_of(&shard.name).iter().map(|follower| &follower.member);
                let follower = copies.find(|it| is_alive(it));
                // What no other was named for stays together, with the lead.
                let next = match (is_alive(owner), follower, before.shards.contains_key(&shard.name)) {
                    (true, ..) => owner,
                    (false, Some(follower), _) => follower,
                    (false, None, false) => lead,
                    (false, None, true) => {
                        let least = load.iter().min_by_key(|(id, count)| (**count, **id));
                        least.and_then(|(id, _)| of(id)).unwrap_or(lead)
                    }
                };
                if next.id != owner.id {
                    load.get_mut(next.id.as_str()).into_iter().for_each(|count| *count += 1);
                    // Whoever was its owner follows when it comes back: there are as many copies as before.
                    let copies = followers.get_mut(&shard.name).into_iter().flatten();
                    copies.filter(|it| it.member.id == next.id).for_each(|it| it.member = owner.clone());
                }
                after.push((shard.name.clone(), next.clone()));
            }
            let created_ms = Some(owned.entry.created_ms);
            let followers_made = before.followers_made;
            let after = Owners { created_ms, followers, followers_made, ..Owners::of(lead.clone(), after) };
            let is_changed = (&after.lead, &after.shards) != (&before.lead, &before.shards);
            if lead.id == self.own.id && is_changed {
                due.insert(key.as_str(), after);
            }
        }
        due
    }

    /// Whether this member is to end what was begun so: it began it, or is the first of those who live where
    /// whoever did is gone.
    pub fn may_end(&self, begun: &Owners) -> bool {
        let first = || self.living().into_iter().map(|member| member.id).min();
        begun.lead.id == self.own.id || !self.is_alive(&begun.lead) && first().as_ref() == Some(&self.own.id)
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

    /// Who has any part of it, each once, its lead first.
    pub fn members(&self) -> Vec<&Member> {
        self.owners.as_ref().map(|owners| owners.members()).unwrap_or_default()
    }

    /// Who has a copy of a shard beside whoever serves it, and what clients call the replica.
    pub fn followers(&self, shard: &str) -> Vec<(FollowerReplica, &Member)> {
        let followers = self.owners.iter().flat_map(|owners| owners.followers_of(shard));
        let named = |it| FollowerReplica::of(self.name(), shard, it);
        followers.map(|it: &Follower| (named(it.number), &it.member)).collect()
    }
}
