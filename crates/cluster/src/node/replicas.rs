//! Replicas that come and go while their collection is served. Each change is one change of the assignment,
//! which the collection's lead makes; whoever had a part before or has one now is told, and whoever cannot be
//! told looks by itself.
//!
//! In: shards and replicas as clients call them, and members by their names; out: the documents that say who
//! has what, and errors in terms of the request.

use std::sync::Arc;

use plan::{Error, Result};

use super::Node;
use super::placing::Dealer;
use crate::collection::Collection;
use crate::offload;
use crate::owners::{Follower, Member, Owners};
use crate::replica::{Replica, ReplicaIdentity, ReplicaKind};
use crate::routing::ShardDocument;

/// A replica that an action is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplicaName {
    pub shard: String,
    /// Solr's `core_nodeN`.
    pub replica: String,
}

impl Node {
    /// Has other members follow a shard, each as a kind: the one of this name, or of the living that have no
    /// replica of it whoever has the fewest shards. All of them or none. Errors: `BadRequest` for a shard or
    /// member that there is not, or one that has a replica.
    pub async fn add_replicas(
        self: &Arc<Self>,
        collection: &Arc<Collection>,
        shard: &str,
        wanted: Vec<(ReplicaKind, Option<String>)>,
    ) -> Result<Vec<(Member, Replica)>> {
        let (node, collection, shard) = (self.clone(), collection.clone(), shard.to_owned());
        let work = move || {
            let document = shard_of(&collection, &shard)?;
            node.change_owners(&collection, |owners| {
                let one = |(kind, on): (ReplicaKind, Option<String>)| {
                    let member = node.free_member(owners, &shard, on.as_deref())?;
                    let replica = owners.follow(&shard, member.clone(), kind);
                    Ok((member, Replica::of(&collection.name(), &document, replica)))
                };
                wanted.into_iter().map(one).collect()
            })
        };
        offload::update(work).await?
    }

    /// Takes a replica away. Where it leads, another that lives and may lead does so first. Errors:
    /// `BadRequest` for one that there is not, for the last one of its shard.
    pub async fn remove_replica(
        self: &Arc<Self>,
        collection: &Arc<Collection>,
        name: ReplicaName,
    ) -> Result<()> {
        let (node, collection) = (self.clone(), collection.clone());
        let work = move || {
            let identity = identity(&node, &collection, &name)?;
            node.change_owners(&collection, |owners| {
                // Before it goes, in the same change: there is no moment without a leader.
                if owners.leading(&collection.entry(), &name.shard) == identity {
                    let next = node.next_leader(owners, &name.shard).ok_or_else(|| last_one(&name))?;
                    owners.promote((&collection.entry(), &name.shard), next);
                }
                owners.followers.entry(name.shard.clone()).or_default().retain(|it| it.replica != identity);
                owners.followers.retain(|_, followers| !followers.is_empty());
                // Its number is never given again, so nobody would find them.
                owners.properties.remove(&name.replica);
                Ok(())
            })
        };
        offload::update(work).await?
    }

    /// Moves a replica, which may lead, to the member of this name, which has none of its shard, or to
    /// whoever has the fewest shards. Returns where it is now. Errors: `BadRequest`.
    pub async fn move_replica(
        self: &Arc<Self>,
        collection: &Arc<Collection>,
        name: ReplicaName,
        to: Option<String>,
    ) -> Result<Member> {
        let (node, collection) = (self.clone(), collection.clone());
        let work = move || {
            let identity = identity(&node, &collection, &name)?;
            node.change_owners(&collection, |owners| {
                let member = node.free_member(owners, &name.shard, to.as_deref())?;
                if owners.leading(&collection.entry(), &name.shard) == identity {
                    owners.set_owner(&name.shard, member.clone());
                }
                let followers = owners.followers.get_mut(&name.shard).into_iter().flatten();
                followers.filter(|it| it.replica == identity).for_each(|it| it.member = member.clone());
                Ok(member)
            })
        };
        offload::update(work).await?
    }

    /// Has a replica that follows its shard lead it; the one before follows. Returns whether it did not lead
    /// already. Errors: `BadRequest` for one that may not, or whose member does not live.
    pub async fn lead_by(self: &Arc<Self>, collection: &Arc<Collection>, name: ReplicaName) -> Result<bool> {
        let (node, collection) = (self.clone(), collection.clone());
        let work = move || {
            let identity = identity(&node, &collection, &name)?;
            node.change_owners(&collection, |owners| {
                let entry = collection.entry();
                if owners.leading(&entry, &name.shard) == identity {
                    return Ok(false);
                }
                let found = owners.followers_of(&name.shard).iter().find(|it| it.replica == identity);
                let Some(next) = found.filter(|it| node.is_alive(&it.member) && identity.kind.may_lead())
                else {
                    return Err(Error::bad_request(format!(
                        "`{}` of `{}` cannot lead: it is a PULL replica, or its node does not live",
                        name.replica, name.shard
                    )));
                };
                owners.promote((&entry, &name.shard), next.replica);
                Ok(true)
            })
        };
        offload::update(work).await?
    }

    /// Has another member lead a shard whose owner is gone, without waiting for what would do so by itself.
    /// Errors: `BadRequest` where its owner lives.
    pub async fn force_leader(self: &Arc<Self>, collection: &Arc<Collection>, shard: &str) -> Result<()> {
        let (node, collection, shard) = (self.clone(), collection.clone(), shard.to_owned());
        let work = move || {
            shard_of(&collection, &shard)?;
            node.change_owners(&collection, |owners| {
                let owner = owners.of_shard(&shard);
                if node.is_alive(owner) {
                    return Err(Error::bad_request(format!(
                        "The shard already has an active leader. Force leader is not applicable. `{shard}` is led \
                         by `{}`",
                        owner.name
                    )));
                }
                match node.next_leader(owners, &shard) {
                    Some(next) => owners.promote((&collection.entry(), &shard), next),
                    None => {
                        let member = node.free_member(owners, &shard, None)?;
                        owners.set_owner(&shard, member);
                    }
                }
                Ok(())
            })
        };
        offload::update(work).await?
    }

    /// Sets a property of a replica, or takes it away. One that is unique goes from the others of its shard.
    /// Errors: `BadRequest` for a replica that there is not.
    pub async fn set_replica_property(
        self: &Arc<Self>,
        collection: &Arc<Collection>,
        name: ReplicaName,
        (property, value, is_unique): (String, Option<String>, bool),
    ) -> Result<()> {
        let (node, collection) = (self.clone(), collection.clone());
        let work = move || {
            identity(&node, &collection, &name)?;
            let document = shard_of(&collection, &name.shard)?;
            let replicas = node.describe(&collection).replicas(&document);
            node.change_owners(&collection, |owners| {
                for (replica, _) in replicas.iter().filter(|_| is_unique) {
                    owners.properties.entry(replica.node_name()).or_default().remove(&property);
                }
                let own = owners.properties.entry(name.replica).or_default();
                match value {
                    Some(value) => drop(own.insert(property, value)),
                    None => drop(own.remove(&property)),
                }
                owners.properties.retain(|_, properties| !properties.is_empty());
                Ok(())
            })
        };
        offload::update(work).await?
    }

    /// The first of those that follow a shard that lives and may lead.
    fn next_leader(&self, owners: &Owners, shard: &str) -> Option<ReplicaIdentity> {
        let may_lead = |it: &&Follower| it.replica.kind.may_lead() && self.is_alive(&it.member);
        owners.followers_of(shard).iter().find(may_lead).map(|it| it.replica)
    }

    /// A living member without a replica of a shard.
    fn free_member(&self, owners: &Owners, shard: &str, name: Option<&str>) -> Result<Member> {
        let has_one = |it: &Member| owners.of_shard(shard).id == it.id || owners.follows(shard, &it.id);
        let Some(name) = name else {
            let follow = owners.followers_of(shard).iter().map(|it| it.member.clone());
            let have_one: Vec<Member> = follow.chain([owners.of_shard(shard).clone()]).collect();
            return Dealer::new(self, &[]).follower(&have_one).ok_or_else(|| {
                Error::bad_request(format!(
                    "every node that lives and is there for data has a replica of `{shard}`, and one has one at \
                     most; start another"
                ))
            });
        };
        let living = self.living();
        let found = living.iter().map(|it| &it.member).find(|it| it.name == name).ok_or_else(|| {
            let living: Vec<&str> = living.iter().map(|it| &*it.member.name).collect();
            Error::bad_request(format!("the node `{name}` does not live; use one of {}", living.join(", ")))
        })?;
        if has_one(found) {
            let message =
                format!("`{name}` has a replica of `{shard}`, and one has one at most; use another");
            return Err(Error::bad_request(message));
        }
        Ok(found.clone())
    }

    /// Errors: those of the edit, `Conflict` where another changed it meanwhile.
    fn change_owners<T>(
        &self,
        collection: &Arc<Collection>,
        edit: impl FnOnce(&mut Owners) -> Result<T>,
    ) -> Result<T> {
        let entry = collection.entry();
        let alone = || {
            let message =
                "this node is alone; replicas are on several, which share a store (`serve --zk … --store …`)";
            Error::bad_request(message)
        };
        let found = self.led_at_rest(&entry)?.ok_or_else(alone)?;
        let mut owners = found.value.clone();
        let edited = edit(&mut owners)?;
        // Asked a second time, as behind an answer that was lost: nobody has anything to take up.
        if owners == found.value {
            return Ok(edited);
        }
        self.catalog.set_owners(entry.key(), Some(found.version), &owners)?;
        // What leaves this member is closed before another opens it, which then has little to replay.
        self.take_up_own(entry.key())?;
        self.tell_others(&entry, &found.value);
        self.tell_others(&entry, &owners);
        Ok(edited)
    }
}

fn shard_of(collection: &Collection, name: &str) -> Result<ShardDocument> {
    let found = collection.shard_documents().into_iter().find(|shard| shard.name == name);
    found.ok_or_else(|| {
        Error::bad_request(format!(
            "there is no shard `{name}` in `{}`; CLUSTERSTATUS lists them",
            collection.name()
        ))
    })
}

/// Which replica clients know by this name. Errors: `BadRequest`.
fn identity(node: &Node, collection: &Collection, name: &ReplicaName) -> Result<ReplicaIdentity> {
    let shard = shard_of(collection, &name.shard)?;
    let owners = node.describe(collection).owners.unwrap_or_default();
    let follow = owners.followers_of(&name.shard).iter().map(|it| it.replica);
    let mut all = std::iter::once(owners.leading(&collection.entry(), &name.shard)).chain(follow);
    let is_it = |it: &ReplicaIdentity| Replica::of("", &shard, *it).node_name() == name.replica;
    all.find(is_it).ok_or_else(|| {
        Error::bad_request(format!(
            "`{}` has no replica `{}`; CLUSTERSTATUS lists them",
            name.shard, name.replica
        ))
    })
}

fn last_one(name: &ReplicaName) -> Error {
    let ReplicaName { shard, replica } = name;
    Error::bad_request(format!(
        "`{replica}` leads `{shard}`, and no other replica that lives may lead it; add one first (ADDREPLICA), or \
         move this one (MOVEREPLICA)"
    ))
}
