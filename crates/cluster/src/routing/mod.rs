//! Which shard a document is of, and which shards a request means: Solr's two routers over the shards of a
//! collection, and the way of a batch that several shards share.
//!
//! In: operations with their ids and routes, as `solr` typed them; out: numbers of shards in the order of the
//! collection's document. Nothing here asks a shard.

mod batch;
mod hash;
mod router;

pub(crate) use batch::SplitBatch;
pub use hash::{HashRange, route_key};
pub use router::{Router, RouterKind, ShardDocument};
