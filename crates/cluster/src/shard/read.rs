//! What a shard can be asked to read: a search of a pin, and one line in the tables below for each other
//! operation, with its request and its answer. From that line come the two messages that any kind of shard
//! understands, and the typed way in: `request.ask(shard)` gives the answer that belongs to the request. A
//! new operation is its line here and an arm in each kind of shard that can answer it. Requests
//! are plans and plain values; what is alive (meters) goes beside them.
//!
//! There are two tables: what is asked of a shard as it is now, and what is asked of a pin, since it names
//! documents by numbers of a snapshot, explains what a search of it found, or is asked more than once for one
//! answer.

use std::sync::Arc;

use engine::{FilePiece, FollowerHas, JoinedValues, Losses, SegmentStats, ShardStats, SnapshotImage};
use meter::Meters;
use plan::partial::{
    ByValue, ExpandRequest, FetchRequest, Fetched, FieldBytes, GroupPartial, GroupsPartial, HeadsStep,
    HitRef, IndexFingerprint, IndexedFields, LikeCounts, LikeWords, SearchStatistics, ShardResult,
    SuggestPartial, TermCounts, WordCounts,
};
use plan::{
    CacheStats, Document, DocumentVectors, Error, Explanation, FieldSelection, Join, MoreLike, Query, Result,
    SearchPlan, SuggestPlan, TermsPlan, Value, VectorsPlan, Version, WhyNot, WordsPlan,
};
use serde::{Deserialize, Serialize};

/// Reads from a shard.
pub trait ShardReader: Send + Sync {
    /// What searches see now. Dropping it lets go of it.
    fn pin(&self) -> Arc<dyn ShardSnapshot>;
    /// The same, of an owner that has found its home its own lately, for those who follow it (model
    /// `follow_leader`).
    fn pin_led(&self) -> Result<Arc<dyn ShardSnapshot>> {
        Ok(self.pin())
    }
    /// How old what it shows may be; `None` of a copy that has seen nothing of its leader yet.
    fn age_ns(&self) -> Option<u64> {
        Some(0)
    }
    /// What searches would see after a commit. Waits until all of it is durable; shows nobody else anything.
    fn pin_applied(&self) -> Result<Arc<dyn ShardSnapshot>>;
    /// Anything else that is asked; [`ShardRead::ask`] is the typed way to it.
    fn read(&self, request: ReadRequest<'_>, meters: &Meters) -> Result<ReadAnswer>;
    /// Equal moments give equal answers.
    fn moment(&self) -> ShardMoment;
    /// What of it cannot be read: answers are partial then. Asked before a search, it holds for that.
    fn losses(&self) -> Arc<Losses> {
        Arc::default()
    }
    fn stats(&self) -> ShardStats;
    /// Whether another member serves it, so that whoever asks waits for messages.
    fn is_remote(&self) -> bool {
        false
    }
    /// The same without a wait: `None` while its state is with another.
    fn try_stats(&self) -> Option<ShardStats> {
        Some(self.stats())
    }
}

/// What a shard shows at one moment: what several questions of one request are asked of, so that they mean
/// the same documents.
pub trait ShardSnapshot: Send + Sync {
    /// What the plan's scores depend on beside each document, as this shard has it: of several shards the sum
    /// comes with the plan ([`SearchPlan::statistics`]).
    fn statistics(&self, plan: &SearchPlan, meters: &Meters) -> Result<SearchStatistics>;
    /// The best hits of this shard in the groups of a step, of which those of all shards are chosen and come
    /// with the plan ([`SearchPlan::heads`]).
    fn heads(&self, plan: &SearchPlan, step: &HeadsStep, meters: &Meters) -> Result<GroupsPartial>;
    /// The first step of a search: which hits there are, and what is counted of them.
    fn search(&self, plan: &SearchPlan, meters: &Meters) -> Result<ShardResult>;
    /// What hits of this snapshot have in the field by which the plan expands groups.
    fn group_values(
        &self,
        plan: &SearchPlan,
        hits: &[&HitRef],
        meters: &Meters,
    ) -> Result<Vec<Option<Value>>>;
    /// The other members of the page's groups, in the order of the request's values.
    fn expand(
        &self,
        plan: &SearchPlan,
        request: &ExpandRequest<'_>,
        meters: &Meters,
    ) -> Result<Vec<GroupPartial>>;
    /// The second step of a search: what hits of this snapshot show.
    fn fetch(&self, plan: &SearchPlan, request: &FetchRequest<'_>, meters: &Meters) -> Result<Fetched>;
    /// As [`ShardReader::is_remote`].
    fn is_remote(&self) -> bool {
        false
    }
    /// Of another member's that answered, how clients address it.
    fn replica_address(&self) -> Option<String> {
        None
    }
    /// Anything else that is asked; [`SnapshotRead::ask_pinned`] is the typed way to it.
    fn read(&self, request: SnapshotRequest<'_>, meters: &Meters) -> Result<SnapshotAnswer>;
}

/// Which state of a shard answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ShardMoment {
    /// Changes whenever searches may find something else.
    pub snapshot: u64,
    /// Changes whenever a suggester is built or dropped.
    pub suggesters: u64,
}

/// A request to a shard, with the type of its answer.
pub trait ShardRead {
    type Answer;

    /// Blocks.
    fn ask(self, shard: &dyn ShardReader, meters: &Meters) -> Result<Self::Answer>;
}

/// A request to a pin, with the type of its answer.
pub trait SnapshotRead {
    type Answer;

    /// Blocks.
    fn ask_pinned(self, pin: &dyn ShardSnapshot, meters: &Meters) -> Result<Self::Answer>;
}

macro_rules! reads {
    ($lifetime:lifetime, $requests:ident, $answers:ident, $read:ident::$ask:ident(dyn $asked:ident):
        $($(#[$doc:meta])* $name:ident($request:ty) -> $answer:ty;)*) => {
        /// Any request of the table.
        #[derive(Clone, Copy)]
        pub enum $requests<$lifetime> {
            $($(#[$doc])* $name($request),)*
        }

        /// The answer to the request of the same name.
        pub enum $answers {
            $($name($answer),)*
        }

        impl $requests<'_> {
            /// What a shard without anything says.
            #[cfg(any(test, feature = "memory"))]
            pub fn empty_answer(&self) -> $answers {
                match self {
                    $(Self::$name(_) => $answers::$name(Default::default()),)*
                }
            }
        }

        $(#[allow(clippy::extra_unused_lifetimes, reason = "some requests borrow nothing")]
        impl<$lifetime> $read for $request {
            type Answer = $answer;

            fn $ask(self, asked: &dyn $asked, meters: &Meters) -> Result<$answer> {
                match asked.read($requests::$name(self), meters)? {
                    $answers::$name(answer) => Ok(answer),
                    // The compiler cannot know that a shard answers what it was asked; a shard of another
                    // node might not.
                    _ => Err(Error::internal("a shard gave the answer to another request")),
                }
            }
        })*
    };
}

reads! { 'a, ReadRequest, ReadAnswer, ShardRead::ask(dyn ShardReader):
    /// Sees updates that no commit has made visible. One entry an id, `None` where absent.
    Get(GetRead<'a>) -> Vec<Option<Document>>;
    /// What the documents of a join's query have in its field.
    Joined(JoinRead<'a>) -> JoinedValues;
    /// The fields that documents have, by their concrete names.
    Fields(FieldsRead) -> IndexedFields;
    /// The documents of each term of a field.
    TermDocuments(TermDocumentsRead<'a>) -> ByValue<u64>;
    /// The terms of a field, with their counts.
    Terms(&'a TermsPlan) -> TermCounts;
    /// What a suggester has for a text.
    Suggest(&'a SuggestPlan) -> SuggestPartial;
    /// The versions of the documents updated last, visible or not, newest first.
    Versions(VersionsRead) -> Vec<Version>;
    /// The versions of all living documents in one number, visible or not; of a copy those that it shows.
    Fingerprint(FingerprintRead) -> IndexFingerprint;
    /// The segments that searches see.
    Segments(SegmentsRead) -> Vec<SegmentStats>;
    /// What each field takes of these segments.
    FieldBytes(FieldBytesRead) -> FieldBytes;
    /// A shard's caches, by Solr's names.
    Caches(CachesRead) -> Vec<(String, CacheStats)>;
}

reads! { 'a, SnapshotRequest, SnapshotAnswer, SnapshotRead::ask_pinned(dyn ShardSnapshot):
    /// The terms of documents, from their stored texts.
    Vectors(&'a VectorsPlan) -> Vec<DocumentVectors>;
    /// The words of what documents are to be like.
    LikeWords(&'a MoreLike) -> LikeWords;
    /// How many documents have each of these words.
    LikeCounts(LikeCountsRead<'a>) -> LikeCounts;
    /// What the terms of a field have of some words, for spelling; shorter lists where the allowance is used
    /// up.
    Words(&'a WordsPlan) -> WordCounts;
    /// Why the document with this id is no hit of the plan, as far as filters and query say.
    WhyNot(WhyNotRead<'a>) -> WhyNot;
    /// The living document with this number ([`plan::Hit::place`]): id and fields.
    DocumentAt(DocumentAtRead<'a>) -> Option<(String, Document)>;
    /// How the query of the plan scores the first documents of another, whether it finds them or not, by id.
    ExplainOther(ExplainOtherRead<'a>) -> Vec<(String, Explanation)>;
    /// What it shows, for a follower; `None` where that has all of it.
    Image(ImageRead<'a>) -> Option<SnapshotImage>;
    /// Bytes of a file of what it shows.
    Piece(FilePiece<'a>) -> Vec<u8>;
}

#[derive(Clone, Copy)]
pub struct GetRead<'a> {
    pub ids: &'a [String],
    pub fields: &'a FieldSelection,
}

#[derive(Clone, Copy)]
pub struct JoinRead<'a> {
    pub join: &'a Join,
    /// Whether scores are asked for too.
    pub scored: bool,
    /// What they are reckoned by, of all shards together; `None` where a shard is alone and counts its own.
    pub statistics: Option<&'a SearchStatistics>,
}

#[derive(Clone, Copy)]
pub struct FieldsRead;

#[derive(Clone, Copy)]
pub struct TermDocumentsRead<'a> {
    pub field: &'a str,
}

#[derive(Clone, Copy)]
pub struct LikeCountsRead<'a> {
    pub like: &'a MoreLike,
    pub words: &'a LikeWords,
}

#[derive(Clone, Copy)]
pub struct WhyNotRead<'a> {
    pub plan: &'a SearchPlan,
    pub id: &'a str,
}

#[derive(Clone, Copy)]
pub struct DocumentAtRead<'a> {
    pub place: u64,
    pub fields: &'a FieldSelection,
}

#[derive(Clone, Copy)]
pub struct ExplainOtherRead<'a> {
    pub plan: &'a SearchPlan,
    pub other: &'a Query,
    /// Documents of `other`.
    pub limit: usize,
}

#[derive(Clone, Copy)]
pub struct ImageRead<'a> {
    pub has: &'a FollowerHas,
}

#[derive(Clone, Copy)]
pub struct VersionsRead {
    pub limit: usize,
}

#[derive(Clone, Copy)]
pub struct FingerprintRead {
    /// Later versions are left out of the number.
    pub up_to: Version,
}

#[derive(Clone, Copy)]
pub struct SegmentsRead;

#[derive(Clone, Copy)]
pub struct FieldBytesRead;

#[derive(Clone, Copy)]
pub struct CachesRead;
