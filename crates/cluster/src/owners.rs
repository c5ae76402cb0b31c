//! A cluster's members, and who of them has which part of a collection: the document `owner.json`, and its
//! changes. What members make of it is in `member`; what each may acknowledge, the homes of shards decide.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::collection_documents::CollectionDocument;
use crate::documents::Versioned;
use crate::replica::{ReplicaCounts, ReplicaIdentity, ReplicaKind};

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
    /// When the collection that is meant was made: one made later under the same key is another. Of any
    /// where nothing is said, as earlier releases wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_ms: Option<i64>,
    #[serde(default)]
    pub stage: Stage,
    /// Who has a copy of a shard, by its name, beside whoever serves it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub followers: BTreeMap<String, Vec<Follower>>,
    /// Which replica it is that leads a shard, by its name, where that is not the one the shard was made
    /// with.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub leading: BTreeMap<String, ReplicaIdentity>,
    /// What clients set for replicas, by Solr's names of them (`core_nodeN`).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub properties: BTreeMap<String, BTreeMap<String, String>>,
    /// Who had which part before the lead took all of it to rebuild it, as it is to be again. Nobody opens
    /// the collection by it but whoever rebuilds it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rebuilding: Option<SpreadBefore>,
    /// How many followers there ever were: no two have one number.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub followers_made: u32,
}

/// Who serves and who follows each shard, all of them named.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SpreadBefore {
    shards: BTreeMap<String, Member>,
    #[serde(default)]
    followers: BTreeMap<String, Vec<Follower>>,
}

/// Has a copy of a shard.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Follower {
    #[serde(flatten)]
    pub member: Member,
    #[serde(flatten)]
    pub replica: ReplicaIdentity,
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

    /// All of it with the lead, and noted how it was. There are as many that follow as before, who answer
    /// searches should the lead be lost meanwhile.
    pub fn gathered(&self, entry: &CollectionDocument) -> Self {
        let shards = entry.shards().into_iter().map(|it| (it.name.clone(), self.of_shard(&it.name).clone()));
        let before = SpreadBefore { shards: shards.collect(), followers: self.followers.clone() };
        let mut followers = self.followers.clone();
        for (shard, all) in &mut followers {
            // The lead has one replica of a shard at most, and leads by it: whoever led follows in its place.
            let own = all.iter_mut().filter(|it| it.member.id == self.lead.id);
            own.for_each(|it| it.member = self.of_shard(shard).clone());
        }
        Self { shards: BTreeMap::new(), followers, rebuilding: Some(before), ..self.clone() }
    }

    /// As it was before it was gathered. Who is gone meanwhile has its part, until another takes it over.
    pub fn spread_again(&self) -> Self {
        let Some(SpreadBefore { shards, followers }) = self.rebuilding.clone() else { return self.clone() };
        let Self { shards, .. } = Self::of(self.lead.clone(), shards);
        Self { shards, followers, rebuilding: None, ..self.clone() }
    }

    /// Whether this very collection is meant.
    pub fn is_of(&self, entry: &CollectionDocument) -> bool {
        self.created_ms.is_none_or(|created_ms| created_ms == entry.created_ms)
    }

    /// Whether the collection of this document is there.
    pub fn has_served(&self, entry: &CollectionDocument) -> bool {
        self.stage == Stage::Served && self.is_of(entry)
    }

    /// Has a member follow a shard.
    pub fn follow(&mut self, shard: &str, member: Member, kind: ReplicaKind) -> ReplicaIdentity {
        self.followers_made += 1;
        let replica = ReplicaIdentity { number: self.followers_made, kind };
        self.followers.entry(shard.to_owned()).or_default().push(Follower { member, replica });
        replica
    }

    /// Which replica leads a shard of this collection.
    pub fn leading(&self, entry: &CollectionDocument, shard: &str) -> ReplicaIdentity {
        let first = || ReplicaIdentity { number: 0, kind: entry.leads };
        self.leading.get(shard).copied().unwrap_or_else(first)
    }

    /// Who has a copy of a shard beside whoever serves it.
    pub fn followers_of(&self, shard: &str) -> &[Follower] {
        self.followers.get(shard).map_or(&[], Vec::as_slice)
    }

    pub fn follows(&self, shard: &str, id: &str) -> bool {
        self.followers_of(shard).iter().any(|follower| follower.member.id == id)
    }

    /// How many replicas of each kind a shard has.
    pub fn replica_counts(&self, entry: &CollectionDocument, shard: &str) -> ReplicaCounts {
        let follow = self.followers_of(shard).iter().map(|it| it.replica.kind);
        let kinds: Vec<ReplicaKind> = follow.chain([self.leading(entry, shard).kind]).collect();
        let count = |kind| kinds.iter().filter(|it| **it == kind).count();
        ReplicaCounts {
            nrt: count(ReplicaKind::Nrt),
            tlog: count(ReplicaKind::Tlog),
            pull: count(ReplicaKind::Pull),
        }
    }

    /// Names nobody for a shard.
    pub fn forget(&mut self, shard: &str) {
        self.shards.remove(shard);
        self.followers.remove(shard);
        self.leading.remove(shard);
    }

    /// Has another member serve a shard, as the replica that led it before.
    pub fn set_owner(&mut self, shard: &str, member: Member) {
        // What no other is named for is the lead's.
        match member.id == self.lead.id {
            true => drop(self.shards.remove(shard)),
            false => drop(self.shards.insert(shard.to_owned(), member)),
        }
    }

    /// Has a member serve a shard whose owner is gone. That one follows when it comes back, where there are
    /// followers: there are as many replicas as before.
    pub fn hand_on(&mut self, (entry, shard): (&CollectionDocument, &str), next: &Member) {
        if self.rebuilding.is_some() {
            // Who is which replica is as it was noted, and comes back with that.
            self.followers.values_mut().for_each(|all| all.retain(|it| it.member.id != next.id));
            return self.set_owner(shard, next.clone());
        }
        let led = self.of_shard(shard).clone();
        let followers = self.followers.get_mut(shard).into_iter().flatten();
        match followers.into_iter().find(|it| it.member.id == next.id) {
            // Clients see the same cores on the same nodes, and another that leads.
            Some(found) if found.replica.kind.may_lead() => {
                let replica = found.replica;
                self.promote((entry, shard), replica);
            }
            found => {
                // Each member has one replica of a shard, and its own may not lead.
                found.into_iter().for_each(|it| it.member = led.clone());
                self.set_owner(shard, next.clone());
            }
        }
    }

    /// Has one that follows a shard lead it; whoever led follows instead, each with its own replica.
    pub fn promote(&mut self, (entry, shard): (&CollectionDocument, &str), next: ReplicaIdentity) {
        let led = Follower { member: self.of_shard(shard).clone(), replica: self.leading(entry, shard) };
        let followers = self.followers.get_mut(shard).into_iter().flatten();
        let Some(found) = followers.into_iter().find(|it| it.replica == next) else { return };
        let Follower { member, replica } = std::mem::replace(found, led);
        self.set_owner(shard, member);
        self.leading.insert(shard.to_owned(), replica);
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
