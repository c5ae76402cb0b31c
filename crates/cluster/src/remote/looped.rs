//! Shards that are open here and are asked as if another member served them: each question and each answer
//! goes through bytes. For tests, of this crate and of those above, that what a shard answers is the same by
//! either way.

use std::sync::Arc;

use meter::Meters;
use plan::{Commit, Error, LogPosition, Result, Schema, SchemaSource, UpdateBatch};
use store::{ContentDigest, SegmentFile, ShardImage, Watermark};

use super::answering::{Answering, Hosted};
use super::link::Exchange;
use super::message::ShardAddress;
use super::replica::{RemoteReplica, ReplicaFacts};
use super::shard::RemoteShard;
use super::{Carrier, Letter};
use crate::owners::Member;
use crate::replica::{Replica, ReplicaKind};
use crate::shard::{
    AppliedUpdate, BackedUp, OpenShard, ReadAnswer, ReadRequest, RememberedBatches, Shard, ShardMoment,
    ShardPlace, ShardReader, ShardSettings, ShardSite, ShardSnapshot, ShardStats, ShardUpkeep, ShardWriter,
    UpdateContext, Visit,
};

/// What these open, asked by messages.
pub fn over_messages(inner: Arc<dyn OpenShard>) -> Arc<dyn OpenShard> {
    Arc::new(LoopedShards { inner })
}

struct LoopedShards {
    inner: Arc<dyn OpenShard>,
}

impl OpenShard for LoopedShards {
    fn open(&self, site: ShardSite) -> Result<Arc<dyn Shard>> {
        let clock = site.clock.clone();
        let inner = self.inner.open(site)?;
        // Whoever is asked has this one alone.
        let address = ShardAddress { collection: String::new(), created_ms: 0, folder: String::new() };
        let carrier = Arc::new(Loop { answering: Answering::new(clock), only: Only(inner.clone()) });
        let exchange = Arc::new(Exchange::default());
        exchange.set_carrier(carrier);
        let member = Member::default();
        let replica = Replica { core: String::new(), node_number: 0, kind: ReplicaKind::Nrt };
        let about = ReplicaFacts::of(true, &replica, &member);
        let only = RemoteReplica::new(&exchange, &member, about, &address);
        let none = || Error::internal("nobody has the shard");
        let remote = RemoteShard::new([only].into(), None).ok_or_else(none)?;
        Ok(Arc::new(Looped { remote, inner }))
    }

    fn restore(&self, place: &ShardPlace, image: &BackedUp<'_>) -> Result<()> {
        self.inner.restore(place, image)
    }
}

struct Only(Arc<dyn Shard>);

impl Hosted for Only {
    fn shard(&self, _: &ShardAddress) -> Result<Arc<dyn Shard>> {
        Ok(self.0.clone())
    }

    fn update(&self, _: &ShardAddress, batch: UpdateBatch) -> Result<AppliedUpdate> {
        Ok(self.0.update(batch, UpdateContext::default()))
    }

    fn commit(&self, _: &ShardAddress, commit: &Commit) -> Result<()> {
        self.0.commit(commit)
    }

    fn take_up(&self, _: &ShardAddress) -> Result<()> {
        Ok(())
    }

    fn copy(&self, _: &ShardAddress) -> Result<Arc<dyn Shard>> {
        Err(Error::internal("a shard alone is no copy"))
    }

    fn file_copy(&self, _: &ShardAddress, _: &SegmentFile, _: u64) -> Result<Option<Vec<u8>>> {
        Ok(None)
    }

    fn change_schema(&self, _: &ShardAddress, _: u64, _: SchemaSource) -> Result<u64> {
        Err(Error::internal("a shard alone leads no collection"))
    }
}

struct Loop {
    answering: Answering,
    only: Only,
}

impl Carrier for Loop {
    fn carry(&self, _: &Member, letter: Letter) -> Result<Vec<u8>> {
        self.answering.answer(&self.only, &letter.message)
    }
}

struct Looped {
    remote: RemoteShard,
    inner: Arc<dyn Shard>,
}

impl ShardWriter for Looped {
    /// What goes beside a batch has no message: such a batch is the inner shard's.
    fn update(&self, batch: UpdateBatch, context: UpdateContext) -> AppliedUpdate {
        match context.edit_steps {
            Some(_) => self.inner.update(batch, context),
            None => self.remote.update(batch, context),
        }
    }

    fn position(&self) -> LogPosition {
        self.remote.position()
    }

    fn commit(&self, commit: &Commit) -> Result<()> {
        self.remote.commit(commit)
    }
}

impl ShardReader for Looped {
    fn pin(&self) -> Arc<dyn ShardSnapshot> {
        self.remote.pin()
    }

    fn pin_applied(&self) -> Result<Arc<dyn ShardSnapshot>> {
        self.remote.pin_applied()
    }

    fn read(&self, request: ReadRequest<'_>, meters: &Meters) -> Result<ReadAnswer> {
        self.remote.read(request, meters)
    }

    fn moment(&self) -> ShardMoment {
        self.remote.moment()
    }

    fn losses(&self) -> Arc<engine::Losses> {
        self.remote.losses()
    }

    fn stats(&self) -> ShardStats {
        self.remote.stats()
    }

    fn try_stats(&self) -> Option<ShardStats> {
        self.inner.try_stats()
    }
}

impl ShardUpkeep for Looped {
    fn set_schema(&self, schema: Arc<Schema>) -> Result<()> {
        self.inner.set_schema(schema)
    }

    fn configure(&self, settings: &ShardSettings<'_>) {
        self.inner.configure(settings);
    }

    fn build_suggester(&self, component: &str, name: &str) -> Result<()> {
        self.inner.build_suggester(component, name)
    }

    fn export(&self, after: Option<Watermark>, visit: &mut Visit<'_>) -> Result<Watermark> {
        self.inner.export(after, visit)
    }

    fn end_export(&self) {
        self.inner.end_export();
    }

    fn remembered_batches(&self) -> RememberedBatches {
        self.inner.remembered_batches()
    }

    fn inherit_batches(&self, from: &RememberedBatches) {
        self.inner.inherit_batches(from);
    }

    fn import(&self, record: &[u8], wanted: Option<&dyn Fn(&str) -> bool>) -> Result<()> {
        self.inner.import(record, wanted)
    }

    fn capture(&self) -> Result<ShardImage> {
        self.inner.capture()
    }

    fn content_digest(&self) -> Result<ContentDigest> {
        self.inner.content_digest()
    }

    fn confirm_owner(&self) -> Result<()> {
        self.inner.confirm_owner()
    }

    fn close(&self) -> Result<()> {
        self.inner.close()
    }
}
