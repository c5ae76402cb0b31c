//! Parts that a configuration gives names of its own: query parsers, response writers, transformers,
//! functions. Each stands for one that all collections have. Read by `solr`, which also looks them up where a
//! request names them.

use serde::{Deserialize, Serialize};

/// The names of a configuration, by what they name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedParts {
    pub parsers: Vec<NamedPart>,
    pub writers: Vec<NamedPart>,
    /// The writer of requests that name none, or one that nobody knows; `None` is JSON.
    #[serde(default)]
    pub writer_assumed: Option<String>,
    pub transformers: Vec<NamedPart>,
    pub functions: Vec<NamedPart>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedPart {
    pub name: String,
    /// What it is called where nothing is declared.
    pub stands_for: String,
    /// What it presets, by the names that a request would use.
    pub settings: Vec<(String, String)>,
}

impl NamedParts {
    pub const NONE: Self = Self {
        parsers: vec![],
        writers: vec![],
        writer_assumed: None,
        transformers: vec![],
        functions: vec![],
    };
}

impl NamedPart {
    pub fn find<'a>(parts: &'a [Self], name: &str) -> Option<&'a Self> {
        parts.iter().find(|part| part.name == name)
    }

    pub fn setting(&self, name: &str) -> Option<&str> {
        self.settings.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}
