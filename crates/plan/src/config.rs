//! How a collection behaves, as its `solrconfig.xml` says: when commits happen, what handlers preset, what updates
//! pass. Read by `solr`, kept by `cluster`, heeded by all.

use serde::{Deserialize, Serialize};

use crate::commit::AutoCommit;
use crate::component::{Component, Components};
use crate::processor::UpdateProcessing;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CollectionConfig {
    pub auto_commit: AutoCommit,
    pub handlers: Vec<HandlerConfig>,
    /// Most clauses of one boolean query.
    pub boolean_clauses_max: usize,
    /// What is done to updates before they reach the shard.
    #[serde(default)]
    pub updates: UpdateProcessing,
    /// What its handlers may run beside what all collections have.
    #[serde(default)]
    pub components: Components,
}

impl CollectionConfig {
    /// What it declares for a path.
    pub fn handler(&self, path: &str) -> Option<&HandlerConfig> {
        self.handlers.iter().find(|it| it.path == path)
    }
}

/// Parameters that a request handler presets. A parameter may repeat.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HandlerConfig {
    /// The path below the collection, such as `/select`.
    pub path: String,
    pub class: String,
    /// Used where the request says nothing.
    pub defaults: Vec<(String, String)>,
    /// Added to what the request says.
    pub appends: Vec<(String, String)>,
    /// Used whatever the request says.
    pub invariants: Vec<(String, String)>,
    /// What a search handler runs, in order; `None` is [`Component::DEFAULT`].
    #[serde(default)]
    pub components: Option<Vec<Component>>,
    /// The query parsers that its requests may use; `None` is all.
    #[serde(default)]
    pub allowed_parsers: Option<Vec<String>>,
}

impl HandlerConfig {
    /// What it runs, in order.
    pub fn components(&self) -> &[Component] {
        self.components.as_deref().unwrap_or(&Component::DEFAULT)
    }
}
