//! What a search handler runs, and how its components that have settings are set up. Read from
//! `solrconfig.xml` by `solr::config`; the handler's list says what a response holds and in which order.
//! Settings of single components are beside (`elevation.rs`, `highlight_parts.rs`, and with their plans in
//! `search`). What a component does is `solr`'s and the handler's.

use serde::{Deserialize, Serialize};

use crate::config::elevation::ElevationComponent;
use crate::config::highlight_parts::HighlightParts;
use crate::search::spell::SpellComponent;
use crate::search::suggest::SuggestComponent;

/// A step of a search handler. Those that Solr has under a fixed name have no settings here; another that is
/// declared bears its name, under which [`Components`] has its settings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Component {
    Query,
    Facet,
    FacetModule,
    MoreLikeThis,
    Highlight,
    Stats,
    Expand,
    Terms,
    Debug,
    Spell(String),
    Suggest(String),
    Elevation(String),
    TermVectors(String),
    /// One whose class is not served; a handler that has it runs without it.
    Missing(String),
}

impl Component {
    /// What a handler runs that names no `components` of its own, in order.
    pub const DEFAULT: [Component; 9] = [
        Component::Query,
        Component::Facet,
        Component::FacetModule,
        Component::MoreLikeThis,
        Component::Highlight,
        Component::Stats,
        Component::Expand,
        Component::Terms,
        Component::Debug,
    ];

    /// Its name in `solrconfig.xml` and in the timing of debug output.
    pub fn name(&self) -> &str {
        match self {
            Component::Query => "query",
            Component::Facet => "facet",
            Component::FacetModule => "facet_module",
            Component::MoreLikeThis => "mlt",
            Component::Highlight => "highlight",
            Component::Stats => "stats",
            Component::Expand => "expand",
            Component::Terms => "terms",
            Component::Debug => "debug",
            Component::Spell(name)
            | Component::Suggest(name)
            | Component::Elevation(name)
            | Component::TermVectors(name)
            | Component::Missing(name) => name,
        }
    }
}

/// The components with settings that a collection declares.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Components {
    #[serde(default)]
    pub spell: Vec<SpellComponent>,
    #[serde(default)]
    pub suggest: Vec<SuggestComponent>,
    #[serde(default)]
    pub elevation: Vec<ElevationComponent>,
    #[serde(default)]
    pub highlight: HighlightParts,
}

impl Components {
    pub fn spell(&self, name: &str) -> Option<&SpellComponent> {
        self.spell.iter().find(|it| it.name == name)
    }

    pub fn suggest(&self, name: &str) -> Option<&SuggestComponent> {
        self.suggest.iter().find(|it| it.name == name)
    }

    pub fn elevation(&self, name: &str) -> Option<&ElevationComponent> {
        self.elevation.iter().find(|it| it.name == name)
    }
}
