//! `solrconfig.xml` to `plan::CollectionConfig`, and the configset that is built in.

mod chains;
mod components;
pub mod configset;
mod edit;
mod elevation;
mod expression;
mod handlers;
mod highlighting;
mod implicit;
mod kinds;
mod load;
mod named_parts;
mod overlay;
pub mod param_sets;
mod processors;
mod properties;
mod settings;
mod spelling;
mod suggest_lookups;
mod suggest_sources;
mod suggesters;

pub use edit::edit;
pub use handlers::set_names;
pub(crate) use implicit::IMPLICIT;
pub use implicit::is_implicit;
pub(crate) use kinds::Kind;
pub(crate) use load::effective;
pub use load::{LoadedConfig, fallback, load, renewed, with_params};
pub(crate) use overlay::Overlay;
