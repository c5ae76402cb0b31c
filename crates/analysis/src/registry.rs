//! The one table of components. A component is one `Definition`, kept beside its code: both its names, its
//! arguments, whether it takes part in normalising, and how it is built. Finding a component, refusing
//! unknown arguments and the list for the reference pages all come from here.

use plan::{ComponentSpec, Resources};

use crate::args::Args;
use crate::error::{Error, ErrorKind};
use crate::stage::{CharFilter, Filter, Tokenizer};
use crate::stages_view::Stage;
use crate::{char_filter, filter, tokenizer};

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
    fn noun(self) -> &'static str {
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
}

/// What Solr has and this server does not, by name and by the beginning of the class.
const UNSUPPORTED: &[(&str, &str)] = &[
    ("japaneseCompletion", "JapaneseCompletion"),
    ("hunspellStem", "HunspellStem"),
    ("openNlp", "OpenNLP"),
    ("hmmChinese", "HMMChinese"),
    ("wikipedia", "Wikipedia"),
    ("concatenateGraph", "ConcatenateGraph"),
    ("morfologik", "Morfologik"),
    ("stempelPolishStem", "StempelPolishStem"),
    ("word2VecSynonym", "Word2VecSynonym"),
    ("dateRecognizer", "DateRecognizer"),
];

/// Whether Solr knows the component.
fn is_solrs(name: &str) -> bool {
    let simple = name.rsplit('.').next().unwrap_or_default();
    let lowered = name.to_ascii_lowercase();
    UNSUPPORTED
        .iter()
        .any(|(spi, class)| simple.starts_with(class) || lowered.starts_with(&spi.to_ascii_lowercase()))
}

/// An argument that every component takes and none reads.
const IGNORED: &str = "luceneMatchVersion";

/// Every component, char filters first, then tokenizers, then filters, each in the order of their names.
pub fn components() -> impl Iterator<Item = ComponentInfo> {
    let chars = char_filter::DEFINITIONS.iter().map(|definition| definition.info(ComponentKind::CharFilter));
    let cutters = tokenizer::DEFINITIONS.iter().map(|definition| definition.info(ComponentKind::Tokenizer));
    let filters = filter::definitions().map(|definition| definition.info(ComponentKind::Filter));
    let mut all: Vec<ComponentInfo> = chars.chain(cutters).chain(filters).collect();
    all.sort_by_key(|info| (info.kind, info.name));
    all.into_iter()
}

pub(crate) fn char_filter(
    spec: &ComponentSpec,
    resources: &Resources,
) -> Result<(Stage, Box<dyn CharFilter>), Error> {
    build(ComponentKind::CharFilter, char_filter::DEFINITIONS.iter().copied(), spec, resources)
}

pub(crate) fn tokenizer(
    spec: &ComponentSpec,
    resources: &Resources,
) -> Result<(Stage, Box<dyn Tokenizer>), Error> {
    build(ComponentKind::Tokenizer, tokenizer::DEFINITIONS.iter().copied(), spec, resources)
}

pub(crate) fn filter(spec: &ComponentSpec, resources: &Resources) -> Result<(Stage, Box<dyn Filter>), Error> {
    build(ComponentKind::Filter, filter::definitions(), spec, resources)
}

/// The component as terms with wildcards pass it, if they do.
pub(crate) fn normalizing_char_filter(
    spec: &ComponentSpec,
    resources: &Resources,
) -> Result<Option<Box<dyn CharFilter>>, Error> {
    let definition = find(ComponentKind::CharFilter, char_filter::DEFINITIONS.iter().copied(), spec)?;
    definition.build_normalizing(&Args::new(spec, resources))
}

/// The component as terms with wildcards pass it, if they do.
pub(crate) fn normalizing_filter(
    spec: &ComponentSpec,
    resources: &Resources,
) -> Result<Option<Box<dyn Filter>>, Error> {
    let definition = find(ComponentKind::Filter, filter::definitions(), spec)?;
    definition.build_normalizing(&Args::new(spec, resources))
}

fn build<T: ?Sized + 'static>(
    kind: ComponentKind,
    definitions: impl Iterator<Item = &'static Definition<T>>,
    spec: &ComponentSpec,
    resources: &Resources,
) -> Result<(Stage, Box<T>), Error> {
    let definition = find(kind, definitions, spec)?;
    definition.check_arguments(kind, spec)?;
    let built = (definition.build)(&Args::new(spec, resources))?;
    Ok((Stage { kind, name: definition.name, class: definition.shown_class(spec) }, built))
}

fn find<T: ?Sized + 'static>(
    kind: ComponentKind,
    definitions: impl Iterator<Item = &'static Definition<T>>,
    spec: &ComponentSpec,
) -> Result<&'static Definition<T>, Error> {
    let mut found = definitions.filter(|definition| definition.is_named(&spec.name));
    found.next().ok_or_else(|| {
        let noun = kind.noun();
        match spec.name.as_str() {
            "" => Error::argument(format!("a {noun} without name; give it a `name` or a `class`")),
            name if is_solrs(name) => Error::unsupported(format!(
                "the {noun} `{name}` of Solr is not supported; choose another one"
            )),
            name => Error::new(
                ErrorKind::UnknownComponent,
                format!("unknown {noun} `{name}`; the reference lists the supported ones"),
            ),
        }
    })
}

impl<T: ?Sized> Definition<T> {
    /// A component that terms with wildcards go round.
    pub(crate) const fn new(
        name: &'static str,
        class: &'static str,
        arguments: &'static [&'static str],
        summary: &'static str,
        build: Build<T>,
    ) -> Self {
        Definition { name, class, arguments, normalizing: Normalizing::No, summary, build }
    }

    /// The same, but terms with wildcards pass it too.
    pub(crate) const fn normalizing(self) -> Self {
        Definition { normalizing: Normalizing::Yes, ..self }
    }

    /// The same, but terms with wildcards pass a variant of it.
    pub(crate) const fn normalizing_as(self, build: Build<T>) -> Self {
        Definition { normalizing: Normalizing::As(build), ..self }
    }

    /// Whether a schema means it: by name, in any case, or by class with or without a package.
    pub(crate) fn is_named(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name) || Some(self.simple_class()) == name.rsplit('.').next()
    }

    /// The factory's class without package.
    fn simple_class(&self) -> &'static str {
        self.class.rsplit('.').next().unwrap_or_default()
    }

    /// The class that Solr shows on its analysis page: as a rule the factory's without `Factory`.
    fn shown_class(&self, spec: &ComponentSpec) -> String {
        let product = match self.class {
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

    fn info(&self, kind: ComponentKind) -> ComponentInfo {
        ComponentInfo {
            kind,
            name: self.name,
            class: self.simple_class(),
            arguments: self.arguments,
            normalizes: !matches!(self.normalizing, Normalizing::No),
            summary: self.summary,
        }
    }

    fn check_arguments(&self, kind: ComponentKind, spec: &ComponentSpec) -> Result<(), Error> {
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
        name == IGNORED || self.arguments.iter().any(known)
    }

    fn build_normalizing(&self, args: &Args<'_>) -> Result<Option<Box<T>>, Error> {
        match self.normalizing {
            Normalizing::No => Ok(None),
            Normalizing::Yes => (self.build)(args).map(Some),
            Normalizing::As(build) => build(args).map(Some),
        }
    }
}
