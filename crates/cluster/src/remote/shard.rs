//! A shard that another member serves, as its readers and writers see it: each call is one message, but for a
//! pin, which the first question to it makes.

use std::borrow::Cow;
use std::sync::Arc;

use meter::Meters;
use plan::{Commit, Error, ErrorKind, LogPosition, Operation, Result, Schema, UpdateBatch, UpdateOutcome};
use serde::de::DeserializeOwned;
use serde_bytes::ByteBuf;
use store::{ContentDigest, ShardImage, Watermark};

use super::link::{Link, Watch, in_turn};
use super::message::{Moment, Question, ReadQuestion};
use super::pin::{RemotePin, asks_another, nobody_answers};
use super::replica::RemoteReplica;
use crate::engine_shards::published_image;
use crate::shard::{
    AppliedUpdate, GetRead, JoinRead, ReadAnswer, ReadRequest, RememberedBatches, ShardMoment, ShardPlace,
    ShardReader, ShardSettings, ShardSnapshot, ShardStats, ShardUpkeep, ShardWriter, TermDocumentsRead,
    UpdateContext, Visit,
};

/// So often a shard is captured whose files are merged away as soon as they are known.
const CAPTURES_MAX: usize = 5;

pub(crate) struct RemoteShard {
    link: Arc<Link>,
    /// All of the others' replicas, its owner's first: what only reads is asked of the next where one does
    /// not answer.
    replicas: Arc<[RemoteReplica]>,
    /// Where its owner publishes it, if that can be read here.
    home: Option<ShardPlace>,
}

impl RemoteShard {
    /// The first of these leads. There is one at least.
    pub fn new(replicas: Arc<[RemoteReplica]>, home: Option<ShardPlace>) -> Option<Self> {
        let link = replicas.first()?.link().clone();
        Some(Self { link, replicas, home })
    }

    /// Of what only reads and need not be of this very moment.
    fn ask_any<T: DeserializeOwned>(&self, question: ReadQuestion<'_>, meters: &Meters) -> Result<T> {
        let (mut question, mut failed) = (question, Vec::new());
        for (replica, watch) in in_turn(&self.replicas, RemoteReplica::link, false) {
            // A copy is another thing to whoever is asked: an owner that was deposed has none.
            let asked = if replica.leads() { Question::Read(question) } else { Question::ReadCopy(question) };
            match replica.link().ask_watched(&asked, meters, watch) {
                Err(error) if asks_another(&error) => failed.push(error),
                answer => return answer,
            }
            let (Question::Read(again) | Question::ReadCopy(again)) = asked else { break };
            question = again;
        }
        Err(nobody_answers(failed))
    }
}

impl RemoteShard {
    /// Of its owner, beside what is asked of any replica; nothing where that does not answer, and is not
    /// worth waiting for since another can do without.
    fn owner_says<T: DeserializeOwned + Default>(&self, question: &Question<'_>) -> T {
        let watch = if self.replicas.len() > 1 { Watch::Leave } else { Watch::Wait };
        if watch == Watch::Leave && self.link.is_silent() {
            return T::default();
        }
        self.link.ask_watched(question, &Meters::default(), watch).unwrap_or_default()
    }

    fn refused(&self, what: &str) -> Error {
        let Link { member, address, .. } = &*self.link;
        let message =
            format!("a shard of `{}` {what} by `{}` alone: ask there", address.collection, member.name);
        Error::new(ErrorKind::Unavailable, message)
    }
}

impl ShardWriter for RemoteShard {
    /// Waits: what is awaited of it is there.
    fn update(&self, batch: UpdateBatch, context: UpdateContext) -> AppliedUpdate {
        let failed = |error| UpdateOutcome { failure: Some(error), ..UpdateOutcome::default() };
        let has_edits = batch.operations.iter().any(|it| matches!(it, Operation::Modify(_)));
        if has_edits && context.edit_steps.is_some() {
            let message = format!(
                "edits that pass steps behind the shard cannot be sent to `{}`, which serves it; send whole documents",
                self.link.member.name
            );
            return AppliedUpdate::done(failed(Error::bad_request(message)));
        }
        let question = Question::Update(Cow::Owned(batch));
        let outcome = self.link.ask(&question, &Meters::default());
        AppliedUpdate::done(outcome.unwrap_or_else(failed))
    }

    fn position(&self) -> LogPosition {
        // The most careful one, where its owner does not tell.
        self.link.ask(&Question::Position, &Meters::default()).unwrap_or_default()
    }

    fn commit(&self, commit: &Commit) -> Result<()> {
        self.link.ask(&Question::Commit(*commit), &Meters::default())
    }
}

impl ShardReader for RemoteShard {
    fn pin(&self) -> Arc<dyn ShardSnapshot> {
        // Nothing is sent: most pins are asked at once, and the first question makes it.
        Arc::new(RemotePin::new(self.replicas.iter().map(RemoteReplica::target).collect(), None))
    }

    fn pin_applied(&self) -> Result<Arc<dyn ShardSnapshot>> {
        Ok(Arc::new(RemotePin::of(self.link.clone(), Moment::Applied)))
    }

    fn read(&self, request: ReadRequest<'_>, meters: &Meters) -> Result<ReadAnswer> {
        use ReadAnswer as A;
        use ReadQuestion as Q;
        use ReadRequest as R;
        let link = &self.link;
        Ok(match request {
            R::Get(GetRead { ids, fields }) => {
                let (ids, fields) = (Cow::Borrowed(ids), Cow::Borrowed(fields));
                A::Get(link.ask(&Question::Read(Q::Get { ids, fields }), meters)?)
            }
            R::Joined(JoinRead { join, scored, statistics }) => {
                let (join, statistics) = (Cow::Borrowed(join), statistics.map(Cow::Borrowed));
                A::Joined(self.ask_any(Q::Joined { join, scored, statistics }, meters)?)
            }
            R::Fields(_) => A::Fields(self.ask_any(Q::Fields, meters)?),
            R::TermDocuments(TermDocumentsRead { field }) => {
                A::TermDocuments(self.ask_any(Q::TermDocuments(Cow::Borrowed(field)), meters)?)
            }
            R::Terms(plan) => A::Terms(self.ask_any(Q::Terms(Cow::Borrowed(plan)), meters)?),
            R::Suggest(plan) => {
                A::Suggest(link.ask(&Question::Read(Q::Suggest(Cow::Borrowed(plan))), meters)?)
            }
            R::Versions(request) => {
                A::Versions(link.ask(&Question::Read(Q::Versions(request.limit)), meters)?)
            }
            R::Fingerprint(request) => {
                A::Fingerprint(link.ask(&Question::Read(Q::Fingerprint(request.up_to)), meters)?)
            }
            R::Segments(_) => A::Segments(link.ask(&Question::Read(Q::Segments), meters)?),
            R::FieldBytes(_) => A::FieldBytes(self.ask_any(Q::FieldBytes, meters)?),
            R::Caches(_) => A::Caches(link.ask(&Question::Read(Q::Caches), meters)?),
        })
    }

    fn is_remote(&self) -> bool {
        true
    }

    fn moment(&self) -> ShardMoment {
        self.owner_says(&Question::Moment)
    }

    fn losses(&self) -> Arc<engine::Losses> {
        self.owner_says(&Question::Losses)
    }

    fn stats(&self) -> ShardStats {
        self.owner_says(&Question::Stats)
    }

    fn try_stats(&self) -> Option<ShardStats> {
        // Whoever asks so waits for nobody.
        None
    }
}

/// What keeps it in order is its own member's: nothing of that is asked of another.
impl ShardUpkeep for RemoteShard {
    /// Its member reads the document, which was written before.
    fn set_schema(&self, _: Arc<Schema>) -> Result<()> {
        self.link.ask(&Question::TakeUp, &Meters::default())
    }

    /// Its member follows the documents: at once where it can be told, else when it looks by itself.
    fn configure(&self, _: &ShardSettings<'_>) {
        let _ = self.link.ask::<()>(&Question::TakeUp, &Meters::default());
    }

    fn set_own_schema(&self, _: Arc<Schema>) -> Result<()> {
        Ok(())
    }

    fn configure_own(&self, _: &ShardSettings<'_>) {}

    fn build_suggester(&self, component: &str, name: &str) -> Result<()> {
        let question = Question::BuildSuggester(Cow::Borrowed(component), Cow::Borrowed(name));
        self.link.ask(&question, &Meters::default())
    }

    fn export(&self, _: Option<Watermark>, _: &mut Visit<'_>) -> Result<Watermark> {
        Err(self.refused("exported"))
    }

    fn end_export(&self) {}

    fn remembered_batches(&self) -> RememberedBatches {
        RememberedBatches::default()
    }

    fn inherit_batches(&self, _: &RememberedBatches) {}

    fn import(&self, _: &[u8], _: Option<&dyn Fn(&str) -> bool>) -> Result<()> {
        Err(self.refused("filled from elsewhere"))
    }

    /// Its files come from where all members read them, not through its owner.
    fn capture(&self) -> Result<ShardImage> {
        let Some(home) = &self.home else { return Err(self.refused("backed up")) };
        let mut tries = 0;
        loop {
            // Flushed behind all that it acknowledged before, so that the backup lacks nothing of that.
            let manifest: ByteBuf = self.link.ask(&Question::Capture, &Meters::default())?;
            tries += 1;
            match published_image(home, &manifest) {
                // Merged away since; the next one names what it was merged into.
                Err(error) if error.kind == ErrorKind::NotFound && tries < CAPTURES_MAX => {}
                image => return image,
            }
        }
    }

    fn content_digest(&self) -> Result<ContentDigest> {
        Err(self.refused("digested"))
    }

    fn close(&self) -> Result<()> {
        Ok(())
    }
}
