//! What a component says of itself: one `Definition` beside its code, with both its names, its arguments,
//! whether it takes part in normalising, how it is built, and what others have to know of it (`Facts`).
//! `registry` collects all of them; components import this file and never the registry.

use plan::{ComponentSpec, PayloadKind, Resources};

use crate::args::{Args, Components};
use crate::error::Error;
use crate::stage::{CharFilter, Filter, Tokenizer};

/// The three places in a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ComponentKind {
    /// Changes the text before it is cut.
    CharFilter,
    /// Cuts the text.
    Tokenizer,
    /// Changes tokens.
    Filter,
}

impl ComponentKind {
    pub(crate) fn noun(self) -> &'static str {
        match self {
            ComponentKind::CharFilter => "char filter",
            ComponentKind::Tokenizer => "tokenizer",
            ComponentKind::Filter => "filter",
        }
    }
}

/// What the reference pages show of a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ComponentInfo {
    /// Its place in a chain.
    pub kind: ComponentKind,
    /// Its name in a schema, `lowercase`.
    pub name: &'static str,
    /// Its factory class, written `solr.LowerCaseFilterFactory` in older schemas.
    pub class: &'static str,
    /// The arguments it takes.
    pub arguments: &'static [&'static str],
    /// Whether wildcard, prefix and range terms pass it.
    pub normalizes: bool,
    /// One sentence.
    pub summary: &'static str,
}

/// What wildcard, prefix and range terms do at a component.
#[derive(Clone, Copy)]
pub(crate) enum Normalizing<T: ?Sized> {
    /// They go round it.
    No,
    /// They pass it like text does.
    Yes,
    /// They pass a variant of it.
    As(Build<T>),
}

/// Builds a component from arguments whose names have been checked.
pub(crate) type Build<T> = fn(&Args<'_>) -> Result<Box<T>, Error>;

/// One component.
pub(crate) struct Definition<T: ?Sized + 'static> {
    pub(crate) name: &'static str,
    /// The factory's class below `org.apache.lucene.analysis`, or its full name.
    class: &'static str,
    arguments: &'static [&'static str],
    normalizing: Normalizing<T>,
    summary: &'static str,
    build: Build<T>,
    facts: Facts,
}

/// What others have to know of a component besides building it; of most there is nothing.
#[derive(Clone, Copy)]
pub(crate) struct Facts {
    /// The arguments that name files.
    pub(crate) files: &'static [&'static str],
    /// What it stores with words.
    pub(crate) payloads: Option<StoredPayloads>,
    /// Whether it drops stop words, which `edismax` may be told to keep.
    pub(crate) drops_stop_words: bool,
    /// Whether it adds words written backwards, for wildcards in front.
    pub(crate) reverses_words: bool,
}

/// What a filter stores with words.
#[derive(Clone, Copy)]
pub(crate) enum StoredPayloads {
    Always(PayloadKind),
    /// As its argument `encoder` says.
    Encoded,
}

pub(crate) type CharFilterDefinition = Definition<dyn CharFilter>;
pub(crate) type TokenizerDefinition = Definition<dyn Tokenizer>;
pub(crate) type FilterDefinition = Definition<dyn Filter>;

/// An argument that every component takes and none reads.
const IGNORED: &str = "luceneMatchVersion";

impl<T: ?Sized> Definition<T> {
    /// A component that terms with wildcards go round.
    pub(crate) const fn new(
        name: &'static str,
        class: &'static str,
        arguments: &'static [&'static str],
        summary: &'static str,
        build: Build<T>,
    ) -> Self {
        let facts = Facts { files: &[], payloads: None, drops_stop_words: false, reverses_words: false };
        Definition { name, class, arguments, normalizing: Normalizing::No, summary, build, facts }
    }

    /// The same, but terms with wildcards pass it too.
    pub(crate) const fn normalizing(self) -> Self {
        Definition { normalizing: Normalizing::Yes, ..self }
    }

    /// The same, but terms with wildcards pass a variant of it.
    pub(crate) const fn normalizing_as(self, build: Build<T>) -> Self {
        Definition { normalizing: Normalizing::As(build), ..self }
    }

    /// The same, which reads the files that these arguments name. No other argument may name one.
    pub(crate) const fn reading(self, files: &'static [&'static str]) -> Self {
        Definition { facts: Facts { files, ..self.facts }, ..self }
    }

    /// The same, which stores payloads.
    pub(crate) const fn storing(self, payloads: StoredPayloads) -> Self {
        Definition { facts: Facts { payloads: Some(payloads), ..self.facts }, ..self }
    }

    /// The same, which drops stop words.
    pub(crate) const fn dropping_stop_words(self) -> Self {
        Definition { facts: Facts { drops_stop_words: true, ..self.facts }, ..self }
    }

    /// The same, which adds words written backwards.
    pub(crate) const fn reversing_words(self) -> Self {
        Definition { facts: Facts { reverses_words: true, ..self.facts }, ..self }
    }

    /// Whether a schema means it: by name, in any case, or by class with or without a package.
    pub(crate) fn is_named(&self, name: &str) -> bool {
        // Any package: `solr.`, Lucene's own and those from before Lucene 9 moved classes all stand in real
        // schemas.
        self.name.eq_ignore_ascii_case(name) || Some(self.simple_class()) == name.rsplit('.').next()
    }

    /// The factory's class without package.
    fn simple_class(&self) -> &'static str {
        self.class.rsplit('.').next().unwrap_or_default()
    }

    /// The class that Solr shows on its analysis page: as a rule the factory's without `Factory`.
    pub(crate) fn shown_class(&self, spec: &ComponentSpec) -> String {
        let product = match self.class {
            // These factories build a class of another name, which clients of the analysis page show.
            "miscellaneous.KeywordMarkerFilterFactory" if spec.args.contains_key("pattern") => {
                "miscellaneous.PatternKeywordMarkerFilter"
            }
            "miscellaneous.KeywordMarkerFilterFactory" => "miscellaneous.SetKeywordMarkerFilter",
            "snowball.SnowballPorterFilterFactory" => "snowball.SnowballFilter",
            "ngram.EdgeNGramFilterFactory" => "ngram.EdgeNGramTokenFilter",
            "ngram.NGramFilterFactory" => "ngram.NGramTokenFilter",
            class => class.strip_suffix("Factory").unwrap_or(class),
        };
        if product.starts_with("org.") {
            product.to_owned()
        } else {
            format!("org.apache.lucene.analysis.{product}")
        }
    }

    pub(crate) fn info(&self, kind: ComponentKind) -> ComponentInfo {
        ComponentInfo {
            kind,
            name: self.name,
            class: self.simple_class(),
            arguments: self.arguments,
            normalizes: !matches!(self.normalizing, Normalizing::No),
            summary: self.summary,
        }
    }

    pub(crate) fn check_arguments(&self, kind: ComponentKind, spec: &ComponentSpec) -> Result<(), Error> {
        let unknown: Vec<String> = spec
            .args
            .iter()
            .filter(|(name, _)| !self.takes(name))
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        if unknown.is_empty() {
            return Ok(());
        }
        let known = if self.arguments.is_empty() { "none".to_owned() } else { self.arguments.join(", ") };
        let list = unknown.join(", ");
        let noun = kind.noun();
        Err(Error::argument(format!(
            "Unknown parameters: `{{{list}}}` of the {noun} `{}`; it takes {known}",
            spec.name
        )))
    }

    /// An argument that ends in `.*` stands for all names that start so.
    fn takes(&self, name: &str) -> bool {
        let known = |argument: &&str| match argument.strip_suffix('*') {
            Some(prefix) => name.starts_with(prefix),
            None => *argument == name,
        };
        // Every factory of Lucene takes `luceneMatchVersion`, and old schemas carry it; refusing it would
        // refuse them.
        name == IGNORED || self.arguments.iter().any(known)
    }

    pub(crate) fn build(
        &self,
        spec: &ComponentSpec,
        resources: &Resources,
        components: &'static dyn Components,
    ) -> Result<Box<T>, Error> {
        (self.build)(&self.args(spec, resources, components))
    }

    /// As terms with wildcards pass it, if they do.
    pub(crate) fn build_normalizing(
        &self,
        spec: &ComponentSpec,
        resources: &Resources,
        components: &'static dyn Components,
    ) -> Result<Option<Box<T>>, Error> {
        let args = &self.args(spec, resources, components);
        match self.normalizing {
            Normalizing::No => Ok(None),
            Normalizing::Yes => (self.build)(args).map(Some),
            Normalizing::As(build) => build(args).map(Some),
        }
    }

    fn args<'a>(
        &self,
        spec: &'a ComponentSpec,
        resources: &'a Resources,
        components: &'static dyn Components,
    ) -> Args<'a> {
        Args::new(spec, resources, self.facts.files, components)
    }

    pub(crate) fn facts(&self) -> Facts {
        self.facts
    }
}
