//! `solrconfig.xml` to `plan::CollectionConfig`, and the configset that is built in.

mod chains;
mod components;
pub mod configset;
mod elevation;
mod handlers;
mod load;
mod settings;
mod spelling;
mod suggesters;

pub use load::{LoadedConfig, fallback, load};
