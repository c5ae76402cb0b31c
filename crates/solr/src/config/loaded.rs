//! What reading a configuration comes to: the configuration, and what it asks for in vain. The files that it
//! names beside itself add to it in the rooms of what they are for (`elevation.rs`, `suggest_sources.rs`).

use plan::CollectionConfig;

use crate::xml_tree::Element;

/// A configuration and what became of the rest of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadedConfig {
    pub config: CollectionConfig,
    /// Whether the schema may be changed over HTTP and by guessing.
    pub schema_mutable: bool,
    /// What the file asks for and does not get, one sentence each.
    pub warnings: Vec<String>,
    /// The file as it counts: with the overlay, and with properties filled in.
    pub(crate) root: Element,
}
