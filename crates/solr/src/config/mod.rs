//! `solrconfig.xml` to `plan::CollectionConfig`, and the configset that is built in.

mod chains;
pub mod configset;
mod handlers;
mod load;

pub use load::{LoadedConfig, fallback, load};
