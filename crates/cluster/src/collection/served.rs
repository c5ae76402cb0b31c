//! The shards that are served, each with where it lives, and the gate that updates pass, so that a rebuild or
//! a change of shards can put others in their place between two of them.
//!
//! What a shard has beside its documents (schema, configuration, moment) is handed to all of them here, and
//! gathered from all of them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockWriteGuard};

use arc_swap::{ArcSwap, Guard};
use plan::{Error, ReplicaChoice, Result, Schema};

use crate::followed::ShardCopy;
use crate::owners::Owners;
use crate::remote::{RemoteMember, ShardReplicas, pin_chosen};
use crate::routing::{Router, ShardDocument};
use crate::shard::{Shard, ShardMoment, ShardSettings, ShardSnapshot};

/// One edition of a collection's documents, open.
#[derive(Clone)]
pub(crate) struct Served {
    pub edition: String,
    pub router: Router,
    /// What the collection's document says of its shards, in its order.
    pub documents: Arc<[ShardDocument]>,
    /// As `documents`.
    pub shards: Vec<ServedShard>,
    /// Who has which part of it; `None` where this node owns all there is.
    pub owners: Option<Arc<Owners>>,
    /// Whoever carries out what changes it, where that is another.
    pub lead: Option<RemoteMember>,
    /// The other members that have a copy of a shard, once for each.
    pub followers: Arc<[RemoteMember]>,
}

#[derive(Clone)]
pub(crate) struct ServedShard {
    pub shard: Arc<dyn Shard>,
    pub folder: String,
    /// Where another leads it and this member follows.
    pub copy: Option<ShardCopy>,
    /// Where the cluster has others.
    pub replicas: ShardReplicas,
}

impl ServedShard {
    /// One that is this member's, or another's alone.
    pub fn new(shard: Arc<dyn Shard>, folder: String) -> Self {
        Self { shard, folder, copy: None, replicas: ShardReplicas::default() }
    }
}

impl ServedShard {
    /// What searches see of it now, by the replica that is preferred.
    pub fn pin(&self, choice: &ReplicaChoice) -> Arc<dyn ShardSnapshot> {
        pin_chosen(choice, &self.shard, &self.replicas)
    }
}

impl Served {
    pub fn configure(&self, settings: &ShardSettings<'_>) {
        self.shards.iter().for_each(|served| served.shard.configure(settings));
        self.tell_followers();
    }

    /// Has them take up what the documents say. One that cannot be told is shown nothing of it, and looks by
    /// itself later.
    fn tell_followers(&self) {
        self.followers.iter().filter(|it| it.is_alive()).for_each(|it| drop(it.take_up()));
    }

    /// The first that fails ends it. Beside the error stands whether any may have the schema now.
    pub fn set_schema(&self, schema: &Arc<Schema>) -> Result<(), (Error, bool)> {
        for (at, served) in self.shards.iter().enumerate() {
            // Another member may have taken it up, though its answer was lost.
            let may_have_it = at > 0 || served.shard.is_remote();
            served.shard.set_schema(schema.clone()).map_err(|error| (error, may_have_it))?;
        }
        // Those of others have looked before they answered. Of one that another fenced nobody knows by which
        // schema that one goes.
        let mut own = self.shards.iter().filter(|served| !served.shard.is_remote());
        own.try_for_each(|served| served.shard.confirm_owner()).map_err(|error| (error, true))?;
        self.tell_followers();
        Ok(())
    }

    /// One that is open here, and neither another's, as far as was heard, nor whole again but for an opening.
    pub fn own_shard(&self, folder: &str) -> Option<Arc<dyn Shard>> {
        let own = |served: &&ServedShard| served.folder == folder && !served.shard.is_remote();
        let found = self.shards.iter().find(own).filter(|served| !served.shard.wants_opening());
        found.map(|served| served.shard.clone())
    }

    /// The folders of those that are open here.
    pub fn own_folders(&self) -> Vec<String> {
        let own = self.shards.iter().filter(|served| !served.shard.is_remote());
        own.map(|served| served.folder.clone()).collect()
    }

    /// What is here of one that another leads.
    pub fn copy_of(&self, folder: &str) -> Option<&ShardCopy> {
        self.shards.iter().find(|served| served.folder == folder)?.copy.as_ref()
    }

    /// What is open here of the shard in a folder, be it the shard or a copy.
    pub fn open_in(&self, folder: &str) -> Option<Arc<dyn Shard>> {
        let served = self.shards.iter().find(|served| served.folder == folder)?;
        let copy = served.copy.as_ref().map(|copy| &copy.shard);
        copy.or(Some(&served.shard).filter(|shard| !shard.is_remote())).cloned()
    }

    /// Whether any of them is another member's.
    pub fn is_remote(&self) -> bool {
        self.shards.iter().any(|served| served.shard.is_remote())
    }

    /// Whether other members have any part of it.
    pub fn is_spread(&self) -> bool {
        self.is_remote() || !self.followers.is_empty()
    }

    /// Closes the one of this folder, if it is open here: another is about to be opened in its place.
    pub fn close_own(&self, folder: &str) {
        let own = self.shards.iter().filter(|it| it.folder == folder && !it.shard.is_remote());
        // What could not be flushed is in the log.
        own.for_each(|served| drop(served.shard.close()));
    }

    /// What is open here, shards and copies of shards.
    pub fn open_here(&self) -> impl Iterator<Item = &Arc<dyn Shard>> {
        self.shards.iter().filter_map(|served| match &served.copy {
            Some(copy) => Some(&copy.shard),
            None => Some(&served.shard).filter(|shard| !shard.is_remote()),
        })
    }

    /// Closes what is open here and not in service elsewhere.
    pub fn close_all_but(&self, in_service: &Self) {
        let is_kept = |shard: &&Arc<dyn Shard>| in_service.open_here().any(|kept| Arc::ptr_eq(kept, shard));
        // What could not be flushed is in the log, which is its new owner's.
        self.open_here().filter(|shard| !is_kept(shard)).for_each(|shard| drop(shard.close()));
    }

    /// As [`Served::configure`], of the shards that are here.
    pub fn configure_own(&self, settings: &ShardSettings<'_>) {
        self.shards.iter().for_each(|served| served.shard.configure_own(settings));
    }

    /// Of the shards that are here; the first that fails ends it.
    pub fn set_own_schema(&self, schema: &Arc<Schema>) -> Result<()> {
        self.shards.iter().try_for_each(|served| served.shard.set_own_schema(schema.clone()))
    }

    /// Of the shards that are here: those of others are not asked for it.
    pub fn moment(&self) -> ShardMoment {
        let own = self.shards.iter().filter(|served| !served.shard.is_remote());
        own.fold(ShardMoment::default(), |all, served| {
            let ShardMoment { snapshot, suggesters } = served.shard.moment();
            ShardMoment { snapshot: all.snapshot + snapshot, suggesters: all.suggesters + suggesters }
        })
    }

    /// Closes all of them; the first error is returned, after all were tried.
    pub fn close(&self) -> Result<()> {
        let closed: Vec<_> = self.shards.iter().map(|served| served.shard.close()).collect();
        closed.into_iter().collect()
    }
}

/// Where requests find the shards.
pub(crate) struct Home {
    served: ArcSwap<Served>,
    gate: RwLock<()>,
    /// Whether the collection takes no updates; changed between two of them.
    is_read_only: AtomicBool,
}

impl Home {
    pub fn new(served: Served, is_read_only: bool) -> Self {
        let (served, gate) = (ArcSwap::from_pointee(served), RwLock::new(()));
        Self { served, gate, is_read_only: AtomicBool::new(is_read_only) }
    }

    pub fn is_read_only(&self) -> bool {
        self.is_read_only.load(Ordering::Acquire)
    }

    /// Behind the updates that have passed.
    pub fn set_read_only(&self, is_read_only: bool) {
        if is_read_only != self.is_read_only() {
            // Whoever passed before is in the log; whoever comes after is refused.
            let _alone = self.alone();
            self.is_read_only.store(is_read_only, Ordering::Release);
        }
    }

    pub fn served(&self) -> Guard<Arc<Served>> {
        self.served.load()
    }

    pub fn served_full(&self) -> Arc<Served> {
        self.served.load_full()
    }

    pub fn put(&self, served: Served) {
        self.served.store(Arc::new(served));
    }

    /// Lets an update pass.
    pub fn pass<T>(&self, update: impl FnOnce(&Served) -> T) -> T {
        // Shared: updates do not hold up each other here, only the moment in which shards are exchanged holds
        // up all.
        let _passing = self.gate.read().unwrap_or_else(PoisonError::into_inner);
        update(&self.served.load())
    }

    /// Holds up updates as long as it lives; those that passed are in the shards.
    pub fn alone(&self) -> RwLockWriteGuard<'_, ()> {
        self.gate.write().unwrap_or_else(PoisonError::into_inner)
    }
}
