//! The side that is asked: a message of another member becomes a call of a shard that is open here, and what
//! it answers a message. What may be asked is what the seam has; nothing is decided here.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use meter::{Allowance, Clock, Meters, Trace};
use plan::partial::{ExpandRequest, FetchRequest, HitRef};
use plan::{Commit, Error, Result, SchemaSource, UpdateBatch};
use serde::Serialize;
use serde_bytes::ByteBuf;
use store::SegmentFile;

use super::kept_pins::KeptPins;
use super::message::{
    Moment, PinId, PinQuestion, Question, ReadQuestion, ShardAddress, ShardMessage, ShardReply, decode,
    encode,
};
use crate::shard::{
    AppliedUpdate, CachesRead, DocumentAtRead, ExplainOtherRead, FieldBytesRead, FieldsRead, FilePiece,
    FingerprintRead, GetRead, ImageRead, JoinRead, LikeCountsRead, SegmentsRead, Shard, ShardRead,
    ShardSnapshot, SnapshotRead, TermDocumentsRead, VersionsRead, WhyNotRead,
};

/// Where the shards are found that this member serves.
pub trait Hosted: Send + Sync {
    /// Errors: `Unavailable` for one that is not served here, or not any more.
    fn shard(&self, address: &ShardAddress) -> Result<Arc<dyn Shard>>;

    /// Takes up what the documents say of a shard's collection by now, and looks behind that whether the
    /// shard's home is this member's; of an address without a folder, those of all its shards. Blocks.
    /// Errors: `Unavailable` for a shard that it does not serve.
    fn take_up(&self, address: &ShardAddress) -> Result<()>;

    /// Applies a batch to a shard that is served here, where the updates of this member's own clients pass.
    /// Errors: as [`shard`](Self::shard); `InUse` where its collection takes no updates.
    fn update(&self, address: &ShardAddress, batch: UpdateBatch) -> Result<AppliedUpdate>;

    /// The same of a commit.
    fn commit(&self, address: &ShardAddress, commit: &Commit) -> Result<()>;

    /// One that another leads and of which this member has a copy. Errors: `Unavailable` where it has none.
    fn copy(&self, address: &ShardAddress) -> Result<Arc<dyn Shard>>;

    /// Bytes from `offset` on of a copy of a shard's file, whether the shard is open here or not: as many as
    /// a message takes, none behind its end. `None` where there is no copy of this size; whether it is whole
    /// is for whoever asks to look at. Waits for no lock of the node: who asks may have its own.
    fn file_copy(&self, address: &ShardAddress, file: &SegmentFile, offset: u64) -> Result<Option<Vec<u8>>>;

    /// Of a shard's collection, which is led here. Returns the schema's version. Blocks.
    fn change_schema(&self, address: &ShardAddress, expected: u64, source: SchemaSource) -> Result<u64>;
}

/// What went out of here to other members, since the process began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AnsweredFigures {
    pub messages: u64,
    pub bytes: u64,
}

/// Answers other members.
pub struct Answering {
    clock: Arc<dyn Clock>,
    pins: KeptPins,
    messages: AtomicU64,
    bytes: AtomicU64,
}

impl Answering {
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        let (messages, bytes) = Default::default();
        Self { pins: KeptPins::new(clock.clone()), clock, messages, bytes }
    }

    pub fn figures(&self) -> AnsweredFigures {
        let [messages, bytes] = [&self.messages, &self.bytes].map(|it| it.load(Ordering::Relaxed));
        AnsweredFigures { messages, bytes }
    }

    /// Blocks. Errors: a message that is not understood; those of the shard are in the answer.
    pub fn answer(&self, hosted: &dyn Hosted, message: &[u8]) -> Result<Vec<u8>> {
        let answer = self.answered(hosted, message)?;
        self.messages.fetch_add(1, Ordering::Relaxed);
        self.bytes.fetch_add(answer.len() as u64, Ordering::Relaxed);
        Ok(answer)
    }

    fn answered(&self, hosted: &dyn Hosted, message: &[u8]) -> Result<Vec<u8>> {
        let ShardMessage { shard, limits, released, question } = decode::<ShardMessage>(message)?;
        // Before the question, which may want the room.
        self.pins.release(&released);
        // Its time begins anew: clocks of two members differ by more than a search takes.
        let allowance = Allowance::new(limits, self.clock.clone(), self.clock.now_ms());
        let meters = Meters { allowance, trace: Trace::default() };
        let address = shard;
        let out = Out { pin: None, meters: &meters };
        match question {
            Question::TakeUp => return out.told(hosted.take_up(&address)),
            Question::ChangeSchema(expected, source) => {
                return out.told(hosted.change_schema(&address, expected, source.into_owned()));
            }
            Question::FileCopy { name, size, crc32, offset } => {
                let file = SegmentFile { name: name.into_owned(), size, crc32 };
                let piece = hosted.file_copy(&address, &file, offset);
                return out.told(piece.map(|piece| piece.map(ByteBuf::from)));
            }
            // Whoever asks waits for one answer, which must not come before the log has it.
            Question::Update(batch) => {
                let applied = hosted.update(&address, batch.into_owned());
                return out.told(applied.map(AppliedUpdate::wait));
            }
            Question::Commit(commit) => return out.told(hosted.commit(&address, &commit)),
            _ => {}
        }
        let shard = match question {
            Question::CatchUp => hosted.copy(&address),
            // Who asks may have heard of another leader before this member has, or not yet: for a search what
            // is here is as good, and it may be all there is.
            Question::Pinned(Moment::Copy, _) | Question::ReadCopy(_) => {
                hosted.copy(&address).or_else(|error| hosted.shard(&address).map_err(|_| error))
            }
            Question::Pinned(Moment::Visible, _) => {
                hosted.shard(&address).or_else(|error| hosted.copy(&address).map_err(|_| error))
            }
            _ => hosted.shard(&address),
        };
        meters.allowance.resume();
        match question {
            Question::CatchUp => out.told(shard.and_then(|shard| shard.catch_up())),
            Question::TakeUp
            | Question::ChangeSchema(..)
            | Question::FileCopy { .. }
            | Question::Update(_)
            | Question::Commit(_) => out.failed(Error::internal("asked of no shard")),
            Question::BuildSuggester(component, name) => {
                out.told(shard.and_then(|shard| shard.build_suggester(&component, &name)))
            }
            Question::Pinned(moment, question) => match self.pinned(shard, moment) {
                Ok((id, pin)) => ask_pin(&*pin, &question, &Out { pin: Some(id), ..out }),
                Err(error) => out.failed(error),
            },
            Question::Read(question) | Question::ReadCopy(question) => match shard {
                Ok(shard) => read(&*shard, &question, &out),
                Err(error) => out.failed(error),
            },
            Question::Moment => out.told(shard.map(|shard| shard.moment())),
            Question::Losses => out.told(shard.map(|shard| shard.losses())),
            Question::Stats => out.told(shard.map(|shard| shard.stats())),
            Question::Position => out.told(shard.map(|shard| shard.position())),
            Question::Capture => {
                let captured = shard.and_then(|shard| shard.capture());
                out.told(captured.map(|image| ByteBuf::from(image.manifest)))
            }
        }
    }

    fn pinned(
        &self,
        shard: Result<Arc<dyn Shard>>,
        moment: Moment,
    ) -> Result<(PinId, Arc<dyn ShardSnapshot>)> {
        let pin = match moment {
            // The shard may be closed by now, or another's: what was pinned is still what it was.
            Moment::Kept(id) => return Ok((id, self.pins.find(id)?)),
            Moment::Visible | Moment::Copy => shard?.pin(),
            Moment::Applied => shard?.pin_applied()?,
            Moment::Led => shard?.pin_led()?,
        };
        Ok((self.pins.keep(pin.clone())?, pin))
    }
}

/// How an answer goes out.
struct Out<'a> {
    pin: Option<PinId>,
    meters: &'a Meters,
}

impl Out<'_> {
    fn told<T: Serialize>(&self, result: Result<T>) -> Result<Vec<u8>> {
        let limits = self.meters.allowance.limits();
        let met = limits.into_iter().filter(|(_, met)| *met).map(|(limit, _)| limit).collect();
        encode(&ShardReply { pin: self.pin, met, result })
    }

    fn failed(&self, error: Error) -> Result<Vec<u8>> {
        self.told(Err::<(), _>(error))
    }
}

fn ask_pin(pin: &dyn ShardSnapshot, question: &PinQuestion<'_>, out: &Out<'_>) -> Result<Vec<u8>> {
    use PinQuestion as Q;
    let meters = out.meters;
    match question {
        Q::Statistics(plan) => out.told(pin.statistics(plan, meters)),
        Q::Heads(plan, step) => out.told(pin.heads(plan, step, meters)),
        Q::Search(plan) => out.told(pin.search(plan, meters)),
        Q::GroupValues(plan, hits) => out.told(pin.group_values(plan, &borrowed(hits), meters)),
        Q::Expand { plan, values, page } => {
            let request = ExpandRequest { values, page: &borrowed(page) };
            out.told(pin.expand(plan, &request, meters))
        }
        Q::Fetch { plan, hits, expanded, highlight } => {
            let (hits, expanded) = (borrowed(hits), borrowed(expanded));
            let request = FetchRequest { hits: &hits, expanded: &expanded, highlight: *highlight };
            out.told(pin.fetch(plan, &request, meters))
        }
        Q::Vectors(plan) => out.told(plan.as_ref().ask_pinned(pin, meters)),
        Q::LikeWords(like) => out.told(like.as_ref().ask_pinned(pin, meters)),
        Q::LikeCounts(like, words) => out.told(LikeCountsRead { like, words }.ask_pinned(pin, meters)),
        Q::Words(plan) => out.told(plan.as_ref().ask_pinned(pin, meters)),
        Q::WhyNot(plan, id) => out.told(WhyNotRead { plan, id }.ask_pinned(pin, meters)),
        Q::DocumentAt { place, fields } => {
            out.told(DocumentAtRead { place: *place, fields }.ask_pinned(pin, meters))
        }
        Q::ExplainOther { plan, other, limit } => {
            out.told(ExplainOtherRead { plan, other, limit: *limit }.ask_pinned(pin, meters))
        }
        Q::Image(has) => out.told(ImageRead { has }.ask_pinned(pin, meters)),
        Q::Piece { segment, file, offset } => {
            let piece = FilePiece { segment, file, offset: *offset };
            out.told(piece.ask_pinned(pin, meters).map(ByteBuf::from))
        }
    }
}

fn read(shard: &dyn Shard, question: &ReadQuestion<'_>, out: &Out<'_>) -> Result<Vec<u8>> {
    use ReadQuestion as Q;
    let meters = out.meters;
    match question {
        Q::Get { ids, fields } => out.told(GetRead { ids, fields }.ask(shard, meters)),
        Q::Joined { join, scored, statistics } => {
            let statistics = statistics.as_deref();
            out.told(JoinRead { join, scored: *scored, statistics }.ask(shard, meters))
        }
        Q::Fields => out.told(FieldsRead.ask(shard, meters)),
        Q::TermDocuments(field) => out.told(TermDocumentsRead { field }.ask(shard, meters)),
        Q::Terms(plan) => out.told(plan.as_ref().ask(shard, meters)),
        Q::Suggest(plan) => out.told(plan.as_ref().ask(shard, meters)),
        Q::Versions(limit) => out.told(VersionsRead { limit: *limit }.ask(shard, meters)),
        Q::Fingerprint(up_to) => out.told(FingerprintRead { up_to: *up_to }.ask(shard, meters)),
        Q::Segments => out.told(SegmentsRead.ask(shard, meters)),
        Q::FieldBytes => out.told(FieldBytesRead.ask(shard, meters)),
        Q::Caches => out.told(CachesRead.ask(shard, meters)),
    }
}

fn borrowed(hits: &[HitRef]) -> Vec<&HitRef> {
    hits.iter().collect()
}
