//! An edition of a collection, opened: each shard here, or at another member, or followed here. In: the
//! documents that say what there is and who has it, and what is in service already; out: shards, none of
//! which replaced anything yet.

use std::sync::Arc;

use plan::{AutoCommit, Error, Result, Schema};

use super::Node;
use crate::collection::{Served, ServedShard};
use crate::collection_documents::CollectionDocument;
use crate::followed::{FollowedShard, ShardCopy};
use crate::owners::{Member, Owners};
use crate::remote::{RemoteLeader, RemoteMember, RemoteShard, ShardAddress, ShardReplicas};
use crate::routing::ShardDocument;
use crate::shard::{Shard, ShardSite};

/// What is to be opened, by whom it is had, and what of it is there already.
struct Wanted<'a> {
    entry: &'a CollectionDocument,
    schema: &'a Arc<Schema>,
    auto_commit: AutoCommit,
    owners: Option<&'a Owners>,
    in_service: Option<&'a Served>,
}

/// What was opened for an edition that is not in service yet.
#[derive(Default)]
struct Opened {
    /// Shards that are owned here, each with its name.
    owned: Vec<(String, Arc<dyn Shard>)>,
    copies: Vec<Arc<dyn Shard>>,
}

impl Opened {
    fn close(&self) {
        let owned = self.owned.iter().map(|(_, shard)| shard);
        owned.chain(&self.copies).for_each(|shard| drop(shard.close()));
    }
}

impl Node {
    /// The shards of an edition, each in its folder: opened here, or another member's. Of those that are in
    /// service what is here and still owned is taken over as it is. Where one does not open, those that did
    /// are closed.
    pub(crate) fn open_edition(
        &self,
        entry: &CollectionDocument,
        edition: &str,
        (schema, auto_commit): (&Arc<Schema>, AutoCommit),
        (owners, in_service): (Option<Arc<Owners>>, Option<&Served>),
    ) -> Result<Served> {
        let documents: Arc<[ShardDocument]> = entry.shards().into();
        let mut opened = Opened::default();
        let shards = (|| {
            let wanted = Wanted { entry, schema, auto_commit, owners: owners.as_deref(), in_service };
            let named = documents.iter().zip(entry.folders(edition));
            let open = |(document, folder): (&ShardDocument, String)| {
                self.open_one(&wanted, (document, &folder), &mut opened)
            };
            let shards = named.map(open).collect::<Result<Vec<_>>>()?;
            if !opened.owned.is_empty() {
                self.check_named(entry, opened.owned.iter().map(|(name, _)| name.as_str()))?;
            }
            Ok(shards)
        })();
        let shards = shards.inspect_err(|_| opened.close())?;
        let lead = owners.as_ref().and_then(|owners| self.remote_lead(owners, entry));
        let folders = shards.iter().map(|it| &*it.folder);
        let followers =
            owners.as_ref().map(|owners| self.followers(owners, entry, folders)).unwrap_or_default();
        let (edition, router) = (edition.to_owned(), entry.router.clone());
        Ok(Served { edition, router, documents, shards, owners, lead, followers })
    }

    fn open_one(
        &self,
        wanted: &Wanted<'_>,
        (document, folder): (&ShardDocument, &str),
        opened: &mut Opened,
    ) -> Result<ServedShard> {
        let (name, own) = (&*document.name, self.member());
        let Wanted { entry, schema, auto_commit, owners, in_service } = *wanted;
        let site = || self.shard_site(entry, folder, schema.clone(), auto_commit);
        let exchange = self.views.exchange();
        let of = |owners| ShardReplicas::of((exchange, &own.id), (owners, entry), (document, folder));
        let replicas = owners.map(of).unwrap_or_default();
        let served =
            |shard| ServedShard { replicas: replicas.clone(), ..ServedShard::new(shard, folder.to_owned()) };
        let other = owners.and_then(|owners| Some((owners, self.other_owner(owners, name)?)));
        if let Some((owners, leader)) = other {
            let none = || Error::internal("a shard without an owner");
            let remote = RemoteShard::new(replicas.others.clone(), Some(self.place(entry, folder)))
                .ok_or_else(none)?;
            if !owners.follows(name, &own.id) {
                return Ok(served(Arc::new(remote)));
            }
            let kept = in_service.and_then(|served| served.copy_of(folder));
            let copy = self.copy_of(&site, kept, (leader, ShardAddress::of(entry, folder)))?;
            opened.copies.extend(kept.is_none().then(|| copy.shard.clone()));
            let shard = Arc::new(FollowedShard::new(&copy, remote));
            return Ok(ServedShard { copy: Some(copy), ..served(shard) });
        }
        if let Some(kept) = in_service.and_then(|served| served.own_shard(folder)) {
            return Ok(served(kept));
        }
        // One that was deposed has the same folder here.
        in_service.into_iter().for_each(|served| served.close_own(folder));
        let shard = self.shards.open(site())?;
        opened.owned.push((name.to_owned(), shard.clone()));
        Ok(served(shard))
    }

    /// The other members that follow shards of a collection, which lie in these folders.
    fn followers<'a>(
        &self,
        owners: &Owners,
        entry: &CollectionDocument,
        folders: impl Iterator<Item = &'a str>,
    ) -> Arc<[RemoteMember]> {
        let own = self.member();
        let each = entry.shards().into_iter().zip(folders).flat_map(|(shard, folder)| {
            let all = owners.followers_of(&shard.name).iter().map(|follower| &follower.member);
            let others = all.filter(|it| it.id != own.id);
            others.map(|it| self.remote_follower(it, ShardAddress::of(entry, folder))).collect::<Vec<_>>()
        });
        each.collect()
    }

    /// A copy of a shard that another leads: the one that is open, or another.
    fn copy_of(
        &self,
        site: &dyn Fn() -> ShardSite,
        kept: Option<&ShardCopy>,
        (leader, address): (&Member, ShardAddress),
    ) -> Result<ShardCopy> {
        let exchange = self.views.exchange().clone();
        if let Some(kept) = kept {
            // It goes on from what it shows: opened anew it would go back to what was flushed.
            kept.looks_at.set(exchange, leader.clone(), address);
            return Ok(kept.clone());
        }
        let looks_at = Arc::new(RemoteLeader::new((exchange, self.clock.clone()), leader.clone(), address));
        let shard = self.shards.follow(site(), looks_at.clone())?;
        Ok(ShardCopy { shard, looks_at })
    }
}
