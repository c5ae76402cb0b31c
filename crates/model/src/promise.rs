//! What the protocol promises to those who use a shard: the names under which models state their properties and by
//! which a rule says what would break without it. The sentences are here and nowhere else.

/// A promise, which is the name of a property of one or more models.
pub type Promise = &'static str;

pub const NOTHING_ACKNOWLEDGED_IS_LOST: Promise = "nothing acknowledged is lost";
pub const NOTHING_REFUSED_APPEARS: Promise = "nothing refused appears";
pub const UNKNOWN_IS_FOR_ALL_OR_NONE: Promise = "unknown is for all or for none, and for ever";
pub const NOTHING_IS_APPLIED_TWICE: Promise = "nothing is applied twice";
pub const READERS_SEE_ONLY_WHAT_IS_DURABLE: Promise = "readers see only what is durable";
pub const ORDER_IS_KEPT: Promise = "the order of acknowledgements is kept";
