//! The parts of a `solrconfig.xml` that have names and may be added, changed and taken away over HTTP: how
//! commands call them, the element each is, and which classes of it are served. In: nothing but tables; out:
//! for `overlay.rs` and `edit.rs`, which ask whether a class is served before a command is written down.

use crate::config::named_parts::{
    CACHES, CONVERTERS, Classes, FUNCTIONS, LISTENERS, TRANSFORMERS, WRITERS, served,
};
use crate::config::{components, handlers, processors};
use crate::query::PARSER_PLUGINS;

/// A kind of named part.
#[derive(Debug)]
pub(crate) struct Kind {
    /// As in `add-requesthandler`.
    pub command: &'static str,
    /// As in `<requestHandler>` and in `/config/requestHandler`.
    pub element: &'static str,
    /// What a command must say.
    pub required: &'static [&'static str],
    serves: Serves,
}

/// Which classes, by their short names, are served.
#[derive(Debug)]
enum Serves {
    Those(fn(&str) -> bool),
    Listed(Classes),
}

const CLASS: &[&str] = &["name", "class"];

const KINDS: &[Kind] = &[
    Kind::of("requesthandler", "requestHandler", Serves::Those(handlers::serves)),
    Kind::of("searchcomponent", "searchComponent", Serves::Those(components::serves)),
    Kind::of("updateprocessor", "updateProcessor", Serves::Those(processors::serves)),
    Kind { required: &["name"], ..Kind::of("initparams", "initParams", Serves::Those(|_| true)) },
    Kind::of("queryparser", "queryParser", Serves::Listed(PARSER_PLUGINS)),
    Kind::of("queryresponsewriter", "queryResponseWriter", Serves::Listed(WRITERS)),
    Kind::of("valuesourceparser", "valueSourceParser", Serves::Listed(FUNCTIONS)),
    Kind::of("transformer", "transformer", Serves::Listed(TRANSFORMERS)),
    Kind::of("queryconverter", "queryConverter", Serves::Listed(CONVERTERS)),
    Kind::of("expressible", "expressible", Serves::Listed(&[])),
    Kind::of("listener", "listener", Serves::Listed(LISTENERS)),
    Kind::of("cache", "cache", Serves::Listed(CACHES)),
];

impl Kind {
    const fn of(command: &'static str, element: &'static str, serves: Serves) -> Self {
        Self { command, element, required: CLASS, serves }
    }

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
            && match self.serves {
                Serves::Those(serves) => serves(short),
                Serves::Listed(classes) => served(classes, short).is_some(),
            }
    }

    pub fn all() -> &'static [Self] {
        KINDS
    }
}
