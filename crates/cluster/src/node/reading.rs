//! Collections to be read, whoever serves them: those that are served here, and views of the others. And the
//! other side: the shards that are here, for the members that ask them.

use std::sync::Arc;

use meter::Meters;
use plan::{Commit, Error, ErrorKind, Result, SchemaSource, UpdateBatch};
use store::SegmentFile;

use super::{Directory, Node};
use crate::collection::{Collection, Served};
use crate::documents::lift;
use crate::member::Description;
use crate::offload;
use crate::remote::{Carrier, Hosted, ShardAddress};
use crate::shard::{AppliedUpdate, FilePiece, Shard, ShardPlace, SnapshotRead as _, UpdateContext, piece_of};
use crate::views::Views;

/// How often what others fenced is opened again for one question: each time, another has opened it meanwhile.
const OPENINGS_MAX: usize = 3;

impl Node {
    /// What takes messages to the other members; set once, before any is asked.
    pub fn set_carrier(&self, carrier: Arc<dyn Carrier>) {
        self.views.exchange().set_carrier(carrier);
    }

    /// To be read alone: by the name of a collection, a core, or an alias of one collection, whoever serves
    /// it. Blocks where that is another and it was not asked before. Errors: `Unavailable` where nobody
    /// serves it at the moment.
    pub fn find_to_read(&self, name: &str) -> Result<Option<Arc<Collection>>> {
        self.directory.load().find_to_read(&self.views, name)
    }

    /// A collection to be read that a description names, whoever serves it. As [`Node::find_to_read`].
    pub fn described_to_read(&self, described: &Description) -> Result<Arc<Collection>> {
        match self.find_own(described.name()) {
            Some(own) => Ok(own),
            None => offload::compute(|| self.views.of(described)),
        }
    }

    /// Takes up what others changed of the collections that they serve and this node has read.
    pub async fn renew_views(self: &Arc<Self>) -> Result<()> {
        let node = self.clone();
        offload::update(move || node.renew_views_now()).await?
    }

    /// Of a request that met what this node has not heard of: waits for the end of a change of the collection
    /// that is on its way here, and takes up what its lead changed, where that is another.
    pub async fn await_change(self: &Arc<Self>, collection: &Arc<Collection>) -> Result<()> {
        let (node, collection, seen) = (self.clone(), collection.clone(), collection.changes());
        let wait = move || {
            collection.await_change();
            if collection.lead_elsewhere().is_none() {
                return;
            }
            // Of all requests that wait one reads the documents, and the others find it done.
            let _looking = collection.looking();
            if collection.changes() == seen {
                // Where that fails, the request meets the same once more, and says so.
                drop(node.take_up_own(collection.entry().key()));
            }
        };
        offload::update(wait).await
    }
}

impl Node {
    pub(super) fn renew_views_now(&self) -> Result<()> {
        let directory = self.directory.load();
        let keys: Vec<&str> = directory.elsewhere.values().map(|it| it.entry.key()).collect();
        self.views.renew(&keys)
    }
}

impl Directory {
    pub(super) fn find_to_read(&self, views: &Views, name: &str) -> Result<Option<Arc<Collection>>> {
        match self.find(name) {
            Some(own) => Ok(Some(own)),
            None => match &*self.members_of(name) {
                [one] => self.described(one).map(|it| offload::compute(|| views.of(it))).transpose(),
                _ => Ok(None),
            },
        }
    }
}

impl Node {
    /// The collection of an address, by birth too: one that was made again under the key has other documents.
    fn addressed(&self, address: &ShardAddress) -> Result<Arc<Collection>> {
        let is_it = |it: &Arc<Collection>| {
            let entry = it.entry();
            entry.key() == address.collection && entry.created_ms == address.created_ms
        };
        self.list().into_iter().find(is_it).ok_or_else(|| {
            let message = format!("`{}` is not served here, or not yet; try again", address.collection);
            Error::new(ErrorKind::Unavailable, message)
        })
    }

    /// Of a file of a segment that is shown here.
    fn shown_piece(&self, address: &ShardAddress, file: &SegmentFile, offset: u64) -> Option<Vec<u8>> {
        let served = self.addressed(address).ok()?.served();
        let shard = served.open_in(&address.folder)?;
        // Each file of a segment has its id before the first dot.
        let segment = file.name.split('.').next()?;
        let piece = FilePiece { segment, file: &file.name, offset };
        piece.ask_pinned(&*shard.pin(), &Meters::default()).ok()
    }

    /// Looks at the homes of what an address means and is served here: one, or all. False where another
    /// fenced one of them, so that it has to be opened again. Without the node's lock: it asks the store.
    fn confirm_owner_of(&self, address: &ShardAddress) -> Result<bool> {
        let folders = match &*address.folder {
            // Of a collection as a whole it may have no part any more, as when it is gone.
            "" => self.addressed(address).map(|it| it.served().own_folders()).unwrap_or_default(),
            folder => vec![folder.to_owned()],
        };
        for folder in folders {
            let shard = self.shard(&ShardAddress { folder, ..address.clone() })?;
            match shard.confirm_owner() {
                Err(_) if shard.is_deposed() => return Ok(false),
                confirmed => confirmed?,
            }
        }
        Ok(true)
    }
}

/// Of what a collection serves, the shard of an address. Errors: as [`Hosted::shard`].
fn here(served: &Served, address: &ShardAddress) -> Result<Arc<dyn Shard>> {
    // A rebuild put others in the place of those that were there.
    let moved = || Error::new(ErrorKind::SchemaChanged, "the shard was rebuilt; ask the one of today");
    let found = served.shards.iter().find(|it| it.folder == address.folder).ok_or_else(moved)?;
    if found.shard.is_remote() {
        // It would be sent round.
        let message =
            format!("a shard of `{}` is no longer, or not yet, served here; try again", address.collection);
        return Err(Error::new(ErrorKind::Unavailable, message));
    }
    Ok(found.shard.clone())
}

impl Hosted for Node {
    fn shard(&self, address: &ShardAddress) -> Result<Arc<dyn Shard>> {
        here(&self.addressed(address)?.served(), address)
    }

    fn take_up(&self, address: &ShardAddress) -> Result<()> {
        // Whoever asks for a change of the schema takes a conflict for one of its own.
        let in_between = |error: Error| match error.kind {
            ErrorKind::Conflict => Error::new(ErrorKind::Unavailable, error.message),
            _ => error,
        };
        self.refresh()?;
        for _ in 0..OPENINGS_MAX {
            self.take_up_own(&address.collection).map_err(in_between)?;
            if self.confirm_owner_of(address)? {
                return Ok(());
            }
        }
        let message =
            format!("others open the shards of `{}` again and again; try again", address.collection);
        Err(Error::new(ErrorKind::Unavailable, message))
    }

    fn update(&self, address: &ShardAddress, batch: UpdateBatch) -> Result<AppliedUpdate> {
        // Whoever was asked by the client may have heard neither of another edition nor of a collection that
        // takes no updates. Behind the gate the shard is looked up: one that was exchanged while this waited
        // acknowledges what nobody reads any more (model `rebuild_shards`).
        let update = |served: &Served| Ok(here(served, address)?.update(batch, UpdateContext::default()));
        self.addressed(address)?.pass_update(update)
    }

    fn commit(&self, address: &ShardAddress, commit: &Commit) -> Result<()> {
        self.addressed(address)?.pass(|served| here(served, address)?.commit(commit))
    }

    fn copy(&self, address: &ShardAddress) -> Result<Arc<dyn Shard>> {
        let collection = self.addressed(address)?;
        let is_copied = collection.served().copy_of(&address.folder).is_some();
        let copy = collection.shard_of_folder(&address.folder).filter(|_| is_copied);
        let none = || {
            let message = format!("there is no copy of a shard of `{}` here", address.collection);
            Error::new(ErrorKind::Unavailable, message)
        };
        copy.ok_or_else(none)
    }

    fn file_copy(&self, address: &ShardAddress, file: &SegmentFile, offset: u64) -> Result<Option<Vec<u8>>> {
        // What searches read is whole in memory too where a follower had it from its leader.
        if let Some(piece) = self.shown_piece(address, file, offset) {
            return Ok(Some(piece));
        }
        let ShardPlace { site, id } = self.place_of(address);
        let copy = site.archive(&id).and_then(|archive| archive.copy(file)).map_err(lift)?;
        Ok(copy.map(|bytes| piece_of(&bytes, offset).unwrap_or_default().to_vec()))
    }

    fn change_schema(&self, address: &ShardAddress, expected: u64, source: SchemaSource) -> Result<u64> {
        let collection = self.addressed(address)?;
        if let Some(lead) = collection.lead_elsewhere() {
            let message = format!("`{}` is led by `{}` now; try again", collection.name(), lead.name);
            return Err(Error::new(ErrorKind::Unavailable, message));
        }
        collection.swap_schema(expected, source)
    }
}
