//! The parts of a `solrconfig.xml` that have names and may be added, changed and taken away over HTTP: how commands call
//! them, the element each is, and which classes of it are served.

use crate::config::named_parts::{self, served};
use crate::config::{components, handlers, processors};

/// A kind of named part.
#[derive(Debug)]
pub(crate) struct Kind {
    /// As in `add-requesthandler`.
    pub command: &'static str,
    /// As in `<requestHandler>` and in `/config/requestHandler`.
    pub element: &'static str,
    /// What a command must say.
    pub required: &'static [&'static str],
    /// Whether a class, by its short name, is served.
    serves: fn(&str) -> bool,
}

const CLASS: &[&str] = &["name", "class"];

const KINDS: &[Kind] = &[
    Kind { command: "requesthandler", element: "requestHandler", required: CLASS, serves: handlers::serves },
    Kind {
        command: "searchcomponent",
        element: "searchComponent",
        required: CLASS,
        serves: components::serves,
    },
    Kind {
        command: "updateprocessor",
        element: "updateProcessor",
        required: CLASS,
        serves: processors::serves,
    },
    Kind { command: "initparams", element: "initParams", required: &["name"], serves: |_| true },
    Kind {
        command: "queryparser",
        element: "queryParser",
        required: CLASS,
        serves: |it| served(named_parts::PARSERS, it).is_some(),
    },
    Kind {
        command: "queryresponsewriter",
        element: "queryResponseWriter",
        required: CLASS,
        serves: |it| served(named_parts::WRITERS, it).is_some(),
    },
    Kind {
        command: "valuesourceparser",
        element: "valueSourceParser",
        required: CLASS,
        serves: |it| served(named_parts::FUNCTIONS, it).is_some(),
    },
    Kind {
        command: "transformer",
        element: "transformer",
        required: CLASS,
        serves: |it| served(named_parts::TRANSFORMERS, it).is_some(),
    },
    Kind {
        command: "queryconverter",
        element: "queryConverter",
        required: CLASS,
        serves: |it| served(named_parts::CONVERTERS, it).is_some(),
    },
    Kind { command: "expressible", element: "expressible", required: CLASS, serves: |_| false },
    Kind {
        command: "listener",
        element: "listener",
        required: CLASS,
        serves: |it| served(named_parts::LISTENERS, it).is_some(),
    },
    Kind {
        command: "cache",
        element: "cache",
        required: CLASS,
        serves: |it| served(named_parts::CACHES, it).is_some(),
    },
];

impl Kind {
    pub fn of_command(command: &str) -> Option<&'static Self> {
        KINDS.iter().find(|kind| kind.command == command)
    }

    pub fn of_element(element: &str) -> Option<&'static Self> {
        KINDS.iter().find(|kind| kind.element == element)
    }

    /// Whether parts are shown as a list: they need no names in a file.
    pub fn is_list(&self) -> bool {
        matches!(self.element, "initParams" | "listener")
    }

    /// Whether it is a class of Solr's that is served.
    pub fn serves(&self, class: &str) -> bool {
        let (package, short) = class.rsplit_once('.').unwrap_or(("solr", class));
        package.strip_prefix("org.apache.").unwrap_or(package).split('.').next() == Some("solr")
            && (self.serves)(short)
    }

    pub fn all() -> &'static [Self] {
        KINDS
    }
}
