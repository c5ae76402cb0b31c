//! `solrconfig.xml` to `plan::CollectionConfig`, and the configset that is built in.

mod chains;
mod components;
pub mod configset;
mod elevation;
mod expression;
mod handlers;
mod highlighting;
mod load;
mod processors;
mod settings;
mod spelling;
mod suggest_lookups;
mod suggest_sources;
mod suggesters;

pub use load::{LoadedConfig, fallback, load};
