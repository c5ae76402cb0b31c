//! What members say to one another about a shard: the seam's calls as values. CBOR (RFC 8949) with the
//! names of fields, read by what each side knows: a field that is not known is passed over, one that is
//! missing has its default, so a member may be a release older or younger. Whatever an older one would take
//! for something else gets a new name.

use std::borrow::Cow;

use meter::{Limit, Limits};
use plan::partial::{HeadsStep, HitRef, LikeWords, SearchStatistics};
use plan::{
    Commit, Error, ErrorKind, FieldSelection, Join, MoreLike, Query, Result, SchemaSource, SearchPlan,
    SuggestPlan, TermsPlan, UpdateBatch, Value, VectorsPlan, Version, WordsPlan,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::collection_documents::CollectionDocument;
use crate::shard::FollowerHas;

/// Which shard is meant. One that is made again, or rebuilt, is another.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ShardAddress {
    /// The key of its collection.
    pub collection: String,
    /// When that was made.
    pub created_ms: i64,
    pub folder: String,
}

impl ShardAddress {
    pub(crate) fn of(collection: &CollectionDocument, folder: &str) -> Self {
        let (key, created_ms) = (collection.key().to_owned(), collection.created_ms);
        Self { collection: key, created_ms, folder: folder.to_owned() }
    }
}

/// Names a pin that a member keeps for another.
pub(super) type PinId = u64;

/// What is sent.
#[derive(Serialize)]
pub(super) struct AskedMessage<'a> {
    pub shard: &'a ShardAddress,
    pub limits: Limits,
    pub released: Vec<PinId>,
    pub question: &'a Question<'a>,
}

/// The same, as it comes.
#[derive(Deserialize)]
pub(super) struct ShardMessage {
    pub shard: ShardAddress,
    /// What is left of what the request may use up.
    pub limits: Limits,
    /// Pins of this member, of any shard, that nobody asks any more.
    #[serde(default)]
    pub released: Vec<PinId>,
    pub question: Question<'static>,
}

#[derive(Serialize, Deserialize)]
#[serde(bound(deserialize = "T: DeserializeOwned"))]
pub(super) struct ShardReply<T> {
    /// Of a question to a moment: where to ask more of it.
    pub pin: Option<PinId>,
    /// The limits that were met on the way.
    #[serde(default)]
    pub met: Vec<Limit>,
    pub result: Result<T>,
}

#[derive(Serialize, Deserialize)]
pub(super) enum Question<'a> {
    // In a box: plans of some questions are as large as all others together.
    Pinned(Moment, Box<PinQuestion<'a>>),
    Read(ReadQuestion<'a>),
    /// The same of the copy that the member has.
    ReadCopy(ReadQuestion<'a>),
    Moment,
    Losses,
    Stats,
    Position,
    Update(Cow<'a, UpdateBatch>),
    Commit(Commit),
    /// Take up what the documents say of its collection by now.
    TakeUp,
    /// Of its collection, whose lead is asked.
    ChangeSchema(u64, Cow<'a, SchemaSource>),
    /// Of a copy that the member has of it: take up what its leader shows.
    CatchUp,
    /// Publish all that is applied; answered by the manifest of it, as [`serde_bytes::ByteBuf`].
    Capture,
    /// Build this suggester of this component.
    BuildSuggester(Cow<'a, str>, Cow<'a, str>),
    /// Of whatever copy the member has of a file of the shard, open or not: bytes from `offset` on, in
    /// [`serde_bytes::ByteBuf`]; `None` where it has none of this size.
    FileCopy {
        name: Cow<'a, str>,
        size: u64,
        crc32: u32,
        offset: u64,
    },
}

/// Which moment of a shard is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Moment {
    /// What searches see now; it is kept.
    Visible,
    /// What they would see after a commit; it is kept.
    Applied,
    /// What searches see of the copy that the member has; it is kept.
    Copy,
    /// As `Visible`, of an owner that knows itself to be one; it is kept.
    Led,
    Kept(PinId),
}

#[derive(Serialize, Deserialize)]
pub(super) enum PinQuestion<'a> {
    Statistics(Cow<'a, SearchPlan>),
    Heads(Cow<'a, SearchPlan>, Cow<'a, HeadsStep>),
    Search(Cow<'a, SearchPlan>),
    GroupValues(Cow<'a, SearchPlan>, Vec<HitRef>),
    Expand {
        plan: Cow<'a, SearchPlan>,
        values: Cow<'a, [Option<Value>]>,
        page: Vec<HitRef>,
    },
    Fetch {
        plan: Cow<'a, SearchPlan>,
        hits: Vec<HitRef>,
        expanded: Vec<HitRef>,
        highlight: bool,
    },
    Vectors(Cow<'a, VectorsPlan>),
    LikeWords(Cow<'a, MoreLike>),
    LikeCounts(Cow<'a, MoreLike>, Cow<'a, LikeWords>),
    Words(Cow<'a, WordsPlan>),
    WhyNot(Cow<'a, SearchPlan>, Cow<'a, str>),
    DocumentAt {
        place: u64,
        fields: Cow<'a, FieldSelection>,
    },
    ExplainOther {
        plan: Cow<'a, SearchPlan>,
        other: Cow<'a, Query>,
        limit: usize,
    },
    Image(Cow<'a, FollowerHas>),
    /// Answered by [`serde_bytes::ByteBuf`].
    Piece {
        segment: Cow<'a, str>,
        file: Cow<'a, str>,
        offset: u64,
    },
}

#[derive(Serialize, Deserialize)]
pub(super) enum ReadQuestion<'a> {
    Get { ids: Cow<'a, [String]>, fields: Cow<'a, FieldSelection> },
    Joined { join: Cow<'a, Join>, scored: bool, statistics: Option<Cow<'a, SearchStatistics>> },
    Fields,
    TermDocuments(Cow<'a, str>),
    Terms(Cow<'a, TermsPlan>),
    Suggest(Cow<'a, SuggestPlan>),
    Versions(usize),
    Fingerprint(Version),
    Segments,
    FieldBytes,
    Caches,
}

pub(super) fn encode(message: &impl Serialize) -> Result<Vec<u8>> {
    // Structures are written as maps of names, by which members of two releases understand one another.
    minicbor_serde::to_vec(message)
        .map_err(|error| Error::internal("a message between members cannot be written").with_source(error))
}

/// Errors: `Unavailable` for what this release does not understand: another member may.
pub(super) fn decode<T: DeserializeOwned>(message: &[u8]) -> Result<T> {
    minicbor_serde::from_slice(message).map_err(|error| {
        let text =
            format!("a message of another member is not understood ({error}); do both run one release?");
        Error::new(ErrorKind::Unavailable, text).with_source(error)
    })
}
