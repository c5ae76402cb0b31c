//! Spelling: parameters become a plan for the dictionaries, findings become suggestions and corrected queries
//! ("collations"). The handler asks the shard in between, and tries corrected queries out where that is
//! wanted.

mod collation;
mod possibilities;
mod query_words;
mod request;
mod respond;

pub use collation::{Collation, Collations};
pub use request::{HitsBound, SpellRequest, Spelling};
