//! How a collection behaves, as its `solrconfig.xml` says: when commits happen, what handlers preset, what
//! updates pass. Read by `solr`, kept by `cluster`, heeded by all. It is replaced as a whole: a change makes
//! a new configuration of new texts, and whoever holds the old one finishes by it. Compiled patterns,
//! analyzers and suggesters are made of it elsewhere.

pub(crate) mod component;
pub(crate) mod elevation;
pub(crate) mod highlight_parts;
pub(crate) mod named_part;
pub(crate) mod processor;
pub(crate) mod score_statistics;

use serde::{Deserialize, Serialize};

use std::sync::Arc;

use crate::config::component::{Component, Components};
use crate::config::named_part::NamedParts;
use crate::config::processor::UpdateProcessing;
use crate::config::score_statistics::ScoreStatistics;
use crate::schema::analyzer::Resources;
use crate::update::commit::AutoCommit;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CollectionConfig {
    pub auto_commit: AutoCommit,
    pub handlers: Vec<HandlerConfig>,
    /// Most clauses of one boolean query.
    pub boolean_clauses_max: usize,
    /// Fewest characters before the star of a prefix query (Solr's `minPrefixQueryTermLength`); `None` is
    /// any.
    #[serde(default)]
    pub prefix_length_min: Option<usize>,
    /// Requests that take as long are logged (Solr's `slowQueryThresholdMillis`); `None` leaves
    /// it to the server.
    #[serde(default)]
    pub slow_query_ms: Option<u64>,
    /// What scores of several shards are by.
    #[serde(default)]
    pub score_statistics: ScoreStatistics,
    /// What is done to updates before they reach the shard.
    #[serde(default)]
    pub updates: UpdateProcessing,
    /// What its handlers may run beside what all collections have.
    #[serde(default)]
    pub components: Components,
    /// What it calls parts that all collections have.
    #[serde(default)]
    pub named: NamedParts,
    /// Parameters under names that handlers and requests call for (`useParams`).
    #[serde(default)]
    pub param_sets: Vec<ParamSet>,
    /// What all of this was read from.
    #[serde(default)]
    pub source: Arc<ConfigSource>,
}

/// The texts that a configuration is made of. A change makes new texts, and of them a whole new
/// configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConfigSource {
    /// `solrconfig.xml`.
    pub xml: String,
    /// The files that it names, where they are there.
    pub files: Resources,
    /// What was changed since: Solr's `configoverlay.json`.
    pub overlay: VersionedText,
    /// Solr's `params.json`.
    pub params: VersionedText,
    /// Which upload of its configset this is; 0 for one that is not uploaded.
    #[serde(default)]
    pub revision: u64,
}

/// A text that requests change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct VersionedText {
    /// How often it was changed; `None`: it is not there.
    pub version: Option<u32>,
    pub text: String,
}

impl VersionedText {
    /// As it is after a change.
    #[must_use]
    pub fn changed(&self, text: String) -> Self {
        Self { version: Some(self.version.map_or(0, |version| version.saturating_add(1))), text }
    }
}

/// Parameters under a name. A section that the set does not have is `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParamSet {
    pub name: String,
    pub defaults: Option<Section>,
    pub appends: Option<Section>,
    pub invariants: Option<Section>,
}

/// Parameters as written; one may repeat.
type Section = Vec<(String, String)>;

impl CollectionConfig {
    /// Adds the sets of these names to what a handler presets, each over the ones before it. A section ends
    /// at the first set that does not have it, as in Solr 9.10.1 (`compat/admin/params.yaml`).
    pub fn add_param_sets(&self, presets: &mut HandlerConfig, names: &[String]) {
        let find = |name: &String| self.param_sets.iter().find(|set| set.name == *name);
        let sections = |section: fn(&ParamSet) -> Option<&Section>| {
            names.iter().map_while(move |name| section(find(name)?))
        };
        for pairs in sections(|set| set.defaults.as_ref()) {
            presets.defaults.retain(|(known, _)| !pairs.iter().any(|(name, _)| name == known));
            presets.defaults.extend(pairs.iter().cloned());
        }
        for pairs in sections(|set| set.appends.as_ref()) {
            presets.appends.splice(0..0, pairs.iter().cloned());
        }
        for pairs in sections(|set| set.invariants.as_ref()) {
            presets.invariants.splice(0..0, pairs.iter().cloned());
        }
    }

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
    /// The file whose absence makes a ping say that the collection is out of service.
    #[serde(default)]
    pub health_check_file: Option<String>,
    /// The sets of parameters that are added to what it presets.
    #[serde(default)]
    pub use_params: Vec<String>,
}

impl HandlerConfig {
    /// What it runs, in order.
    pub fn components(&self) -> &[Component] {
        self.components.as_deref().unwrap_or(&Component::DEFAULT)
    }
}
