//! Schemas as Solr's files and API spell them: XML to `plan::SchemaSource` and back, views of a resolved
//! schema, and the Schema API's edits. What a schema means is `plan`'s; which analysis components exist is
//! `analysis`'s.

mod analyzer_xml;
mod arguments;
mod chains;
mod edit;
mod edit_type;
mod enumerations;
mod impact;
mod load;
pub mod managed;
mod resources;
mod save;
mod unserved;
mod view;

pub use edit::edit;
pub use impact::{FieldImpact, first_loss, impact, shown as impact_node};
pub use load::{Fault, faults, load, parse, validate};
pub use save::to_xml;
pub use view::view;
