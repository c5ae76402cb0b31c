//! How a collection behaves, as its `solrconfig.xml` says: when commits happen, what handlers preset, whether unknown
//! fields are guessed. Read by `solr`, kept by `cluster`, heeded by all.

use serde::{Deserialize, Serialize};

use crate::commit::AutoCommit;
use crate::component::{Component, Components};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CollectionConfig {
    pub auto_commit: AutoCommit,
    /// Whether a field that the schema does not know gets a type by its first value.
    pub guess_unknown_fields: bool,
    pub handlers: Vec<HandlerConfig>,
    /// Most clauses of one boolean query.
    pub boolean_clauses_max: usize,
    /// The update chains that a request may choose.
    #[serde(default)]
    pub update_chains: Vec<UpdateChain>,
    /// The update processors that a request may name.
    #[serde(default)]
    pub update_processors: Vec<UpdateProcessor>,
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

/// A chain of update processors, as far as requests can tell chains apart.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UpdateChain {
    pub name: String,
    /// Whether it guesses unknown fields.
    pub guesses: bool,
    /// Classes of its processors that are not served.
    pub missing: Vec<String>,
}

/// An update processor under the name by which requests call for it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UpdateProcessor {
    pub name: String,
    pub class: String,
    pub guesses: bool,
    /// Whether its work is done here.
    pub served: bool,
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
