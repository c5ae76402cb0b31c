//! `solrconfig.xml` to `plan::CollectionConfig`, and the configset that is built in. In: the file with what
//! stands over it (Config API, parameter sets); out: a configuration; a class that is not served is refused
//! or passed over, by its name. Nothing in here touches a file or a collection.

mod chains;
mod commits;
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
mod loaded;
mod named_parts;
mod overlay;
pub mod param_sets;
mod processors;
mod properties;
mod refusal;
mod settings;
mod spelling;
mod suggest_lookups;
mod suggest_sources;
mod suggesters;
mod unheeded;

pub use edit::edit;
pub(crate) use implicit::IMPLICIT;
pub use implicit::is_implicit;
pub(crate) use kinds::Kind;
pub(crate) use load::effective;
pub use load::{fallback, load, renewed, with_params};
pub use loaded::LoadedConfig;
pub(crate) use overlay::Overlay;
pub use param_sets::set_names;
