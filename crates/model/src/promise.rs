//! What the protocol promises to those who use a shard: the names under which models state their properties
//! and by which a rule says what would break without it. The sentences are here and nowhere else.

/// A promise, which is the name of a property of one or more models.
pub type Promise = &'static str;

pub const NOTHING_ACKNOWLEDGED_IS_LOST: Promise = "nothing acknowledged is lost";
pub const NOTHING_REFUSED_APPEARS: Promise = "nothing refused appears";
pub const UNKNOWN_IS_FOR_ALL_OR_NONE: Promise = "unknown is for all or for none, and for ever";
pub const NOTHING_IS_APPLIED_TWICE: Promise = "nothing is applied twice";
pub const READERS_SEE_ONLY_WHAT_IS_DURABLE: Promise = "readers see only what is durable";
pub const ORDER_IS_KEPT: Promise = "the order of acknowledgements is kept";
pub const NO_GET_IS_STALE: Promise = "no get is stale";
pub const NO_EXPECTED_VERSION_IS_PASSED_OVER: Promise = "an update follows the version that it expected";
pub const A_COMMIT_IS_SEEN_WHEREVER_ONE_ASKS: Promise =
    "behind an acknowledged commit every replica that answers shows it";
pub const NO_FOLLOWER_GOES_BACKWARDS: Promise = "no follower goes backwards";
pub const NOTHING_REACHABLE_IS_DELETED: Promise = "nothing reachable is deleted";
pub const RETAINED_MANIFESTS_CAN_BE_REPLAYED: Promise = "the log reaches back to each retained manifest";
pub const NO_HEALTHY_SHARD_IS_CALLED_DAMAGED: Promise = "no healthy shard is called damaged";
pub const SNAPSHOTS_ARE_SHOWN_WHOLE: Promise = "a snapshot is shown whole or not at all";
pub const NO_CHANGE_IS_LOST: Promise = "no acknowledged change of metadata is lost";
pub const NOBODY_USES_AN_OLDER_SCHEMA: Promise = "nobody replays or resolves with an older schema";
pub const THE_VIEW_GOES_FORWARDS: Promise = "the view of the metadata never goes backwards";
pub const A_COLLECTION_IS_TAKEN_ONCE: Promise = "a collection is taken over once";
pub const EVERY_COLLECTION_COMES_TO_REST: Promise =
    "each collection comes to rest at the owner that its document names";
pub const A_SHARD_IS_TAKEN_ONCE: Promise = "a shard is taken over once";
pub const EVERY_SHARD_COMES_TO_REST: Promise =
    "each shard comes to rest at a live member, which the document names";
pub const A_READING_FENCES_ONCE: Promise = "nobody fences a home twice by one reading";
pub const A_CHANGE_OF_OWNERS_HAS_A_CAUSE: Promise = "owners change no more often than members come and go";
pub const EVERY_DROP_COMES_TO_REST: Promise =
    "what is dropped or half-made comes to rest with nothing open and nothing left";
pub const NO_BIRTH_IS_TAKEN_FOR_ANOTHER: Promise =
    "a collection made again is not answered for by the one before";
pub const EVERY_OWNER_HAS_IT: Promise = "every shard's owner has an acknowledged change";
pub const NOTHING_IS_DONE_BY_A_REPLACED_SCHEMA: Promise =
    "behind an acknowledged change nothing is done by an older schema";
pub const EVERY_LIVE_MEMBER_HAS_IT: Promise = "every live member has an acknowledged change";
pub const NOTHING_IS_ACKNOWLEDGED_BEHIND_A_DROP: Promise = "nothing is acknowledged behind a drop";
pub const UPDATES_GO_TO_THE_NAMED_EDITION: Promise =
    "updates are acknowledged in the edition that the schema names";
pub const NO_SPLIT_IS_STUCK: Promise = "no split is stuck";
pub const VERSIONS_ONLY_GROW: Promise = "a document's versions only grow";
pub const A_SEARCH_SEES_EACH_DOCUMENT_ONCE: Promise = "a search sees each document once";
