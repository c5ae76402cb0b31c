//! Replicas that come and go while their collection is served. Each change is one change of the assignment,
//! which the collection's lead makes; whoever had a part before or has one now is told, and whoever cannot be
//! told looks by itself.

use std::sync::Arc;

use plan::{Error, Result};

use super::Node;
use crate::collection::Collection;
use crate::create::FollowerReplica;
use crate::member::{Follower, Member, Owners};
use crate::offload;
use crate::routing::ShardDocument;

impl Node {
    /// Has another member follow a shard: the one of this name, or of the living that have no replica of it
    /// whoever has the fewest shards. Errors: `BadRequest` for a shard or member that there is not, or one
    /// that has a replica.
    pub async fn add_replica(
        self: &Arc<Self>,
        collection: &Arc<Collection>,
        shard: &str,
        on: Option<&str>,
    ) -> Result<(Member, FollowerReplica)> {
        let (node, collection) = (self.clone(), collection.clone());
        let (shard, on) = (shard.to_owned(), on.map(str::to_owned));
        let work = move || {
            shard_of(&collection, &shard)?;
            let mut added = None;
            node.change_owners(&collection, |owners| {
                let member = node.free_member(owners, &shard, on.as_deref())?;
                let number = owners.follow(&shard, member.clone());
                added = Some((member, FollowerReplica::of(&collection.name(), &shard, number)));
                Ok(())
            })?;
            added.ok_or_else(|| Error::internal("nobody was added"))
        };
        offload::update(work).await?
    }

    /// Takes a follower's replica away, named as clients see it (`core_nodeN`). Errors: `BadRequest` for one
    /// that there is not, or that leads.
    pub async fn remove_replica(
        self: &Arc<Self>,
        collection: &Arc<Collection>,
        shard: &str,
        replica: &str,
    ) -> Result<()> {
        let (node, collection) = (self.clone(), collection.clone());
        let (shard, replica) = (shard.to_owned(), replica.to_owned());
        let work = move || {
            let document = shard_of(&collection, &shard)?;
            node.change_owners(&collection, |owners| {
                if document.node_number == number_of(&replica)? {
                    return Err(Error::bad_request(format!(
                        "`{replica}` leads `{shard}`; move it to another node (MOVEREPLICA), then remove what follows"
                    )));
                }
                let number = follower(owners, &shard, &replica)?.number;
                owners.followers.entry(shard.clone()).or_default().retain(|it| it.number != number);
                owners.followers.retain(|_, followers| !followers.is_empty());
                Ok(())
            })
        };
        offload::update(work).await?
    }

    /// Moves a replica, which may lead, to the member of this name, which has none of its shard. Returns
    /// where it is now. Errors: `BadRequest`.
    pub async fn move_replica(
        self: &Arc<Self>,
        collection: &Arc<Collection>,
        (shard, replica): (&str, &str),
        to: &str,
    ) -> Result<Member> {
        let (node, collection) = (self.clone(), collection.clone());
        let (shard, replica, to) = (shard.to_owned(), replica.to_owned(), to.to_owned());
        let work = move || {
            let document = shard_of(&collection, &shard)?;
            let mut moved = None;
            node.change_owners(&collection, |owners| {
                let member = node.free_member(owners, &shard, Some(&to))?;
                moved = Some(member.clone());
                if document.node_number == number_of(&replica)? {
                    // What no other is named for is the lead's.
                    match member.id == owners.lead.id {
                        true => drop(owners.shards.remove(&shard)),
                        false => drop(owners.shards.insert(shard.clone(), member)),
                    }
                    return Ok(());
                }
                follower(owners, &shard, &replica)?.member = member;
                Ok(())
            })?;
            moved.ok_or_else(|| Error::internal("nothing was moved"))
        };
        offload::update(work).await?
    }

    /// A living member without a replica of a shard.
    fn free_member(&self, owners: &Owners, shard: &str, name: Option<&str>) -> Result<Member> {
        let has_one = |it: &Member| owners.of_shard(shard).id == it.id || owners.follows(shard, &it.id);
        let Some(name) = name else {
            return self.least_loaded(|it| !has_one(it)).ok_or_else(|| {
                Error::bad_request(format!(
                    "every node that lives has a replica of `{shard}`, and one has one at most; start another"
                ))
            });
        };
        let living = self.living();
        let found = living.iter().find(|it| it.name == name).ok_or_else(|| {
            let living: Vec<&str> = living.iter().map(|it| &*it.name).collect();
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
    fn change_owners(
        &self,
        collection: &Arc<Collection>,
        edit: impl FnOnce(&mut Owners) -> Result<()>,
    ) -> Result<()> {
        let entry = collection.entry();
        let alone = || {
            let message =
                "this node is alone; replicas are on several, which share a store (`serve --zk … --store …`)";
            Error::bad_request(message)
        };
        let found = self.catalog.owners(entry.key())?.filter(|_| self.is_member()).ok_or_else(alone)?;
        if !found.value.has_served(&entry) {
            return Err(super::unknown(&entry.name));
        }
        self.check_own(&entry)?;
        let mut owners = found.value.clone();
        edit(&mut owners)?;
        self.catalog.set_owners(entry.key(), Some(found.version), &owners)?;
        // What leaves this member is closed before another opens it, which then has little to replay.
        self.take_up_own(entry.key())?;
        self.tell_others(&entry, &found.value);
        self.tell_others(&entry, &owners);
        Ok(())
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

fn number_of(replica: &str) -> Result<u32> {
    let number = replica.strip_prefix("core_node").and_then(|number| number.parse().ok());
    number.ok_or_else(|| {
        Error::bad_request(format!("`{replica}` is no replica; they are called `core_node1` …"))
    })
}

/// The follower that clients know by this name.
fn follower<'a>(owners: &'a mut Owners, shard: &str, replica: &str) -> Result<&'a mut Follower> {
    let number = number_of(replica)?;
    let followers = owners.followers.get_mut(shard).into_iter().flatten();
    let mut followers =
        followers.filter(|it| FollowerReplica::of("", shard, it.number).node_number == number);
    followers.next().ok_or_else(|| {
        Error::bad_request(format!("`{shard}` has no replica `{replica}`; CLUSTERSTATUS lists them"))
    })
}
