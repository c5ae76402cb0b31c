//! Rows and files become documents in a collection. `post` sends files as they are, once. The rest is the
//! ingest service: a file (`config`) says where rows come from (`sources`), what they become (`mapping`) and
//! when they may be seen (`publish`). It knows Solr's HTTP API, through `solr_api`, and nothing of the
//! server's inside.

pub mod clock;
pub mod config;
pub mod diff;
pub mod follow;
pub mod mapping;
pub mod mass;
mod post;
pub mod preview;
pub mod publish;
pub mod record;
pub mod reset;
pub mod shape;
pub mod solr_api;
pub mod sources;
pub mod target;
pub mod why;

pub use post::{
    Batch, Batcher, CrateInfo, Format, Payload, Progress, Registry, Sender, SkipReason, SourceFile, Totals,
    Walked, files_below, language_of, read_source,
};
