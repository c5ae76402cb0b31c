//! The one table of components, from the definitions that stand beside their code. Finding a component,
//! refusing one that is unknown, the list for the reference pages, and what others ask of components without
//! building them all come from here.

use plan::{AnalyzerSpec, ComponentSpec, PayloadKind, Resources};

use crate::args::Components;
use crate::definition::{ComponentInfo, ComponentKind, Definition, Facts, StoredPayloads};
use crate::error::{Error, ErrorKind};
use crate::stage::{CharFilter, Filter, Tokenizer};
use crate::stages_view::Stage;
use crate::{char_filter, filter, tokenizer};

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
        // By prefix: one row stands for a component's filter and tokenizer, and for each of its factories'
        // endings.
        .any(|(spi, class)| simple.starts_with(class) || lowered.starts_with(&spi.to_ascii_lowercase()))
}

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
    definition.build_normalizing(spec, resources, &Registry)
}

/// The component as terms with wildcards pass it, if they do.
pub(crate) fn normalizing_filter(
    spec: &ComponentSpec,
    resources: &Resources,
) -> Result<Option<Box<dyn Filter>>, Error> {
    let definition = find(ComponentKind::Filter, filter::definitions(), spec)?;
    definition.build_normalizing(spec, resources, &Registry)
}

fn build<T: ?Sized + 'static>(
    kind: ComponentKind,
    definitions: impl Iterator<Item = &'static Definition<T>>,
    spec: &ComponentSpec,
    resources: &Resources,
) -> Result<(Stage, Box<T>), Error> {
    let definition = find(kind, definitions, spec)?;
    definition.check_arguments(kind, spec)?;
    let built = definition.build(spec, resources, &Registry)?;
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

/// What builds the components that are named inside of others.
#[derive(Clone, Copy, Debug)]
struct Registry;

impl Components for Registry {
    fn filter(&self, spec: &ComponentSpec, resources: &Resources) -> Result<Box<dyn Filter>, Error> {
        Ok(filter(spec, resources)?.1)
    }

    fn tokenizer(&self, spec: &ComponentSpec, resources: &Resources) -> Result<Box<dyn Tokenizer>, Error> {
        Ok(tokenizer(spec, resources)?.1)
    }
}

/// The arguments of a component that name files; none of one that there is not, which is refused with or
/// without its files.
pub fn file_arguments(name: &str) -> impl Iterator<Item = &'static str> {
    fn of<T: ?Sized>(definition: &Definition<T>, name: &str) -> &'static [&'static str] {
        if definition.is_named(name) { definition.facts().files } else { &[] }
    }
    let chars = char_filter::DEFINITIONS.iter().flat_map(move |definition| of(definition, name));
    let cutters = tokenizer::DEFINITIONS.iter().flat_map(move |definition| of(definition, name));
    chars
        .chain(cutters)
        .chain(filter::definitions().flat_map(move |definition| of(definition, name)))
        .copied()
}

/// What the words of a chain carry; `None` if nothing.
pub fn payload_kind(chain: &AnalyzerSpec) -> Option<PayloadKind> {
    chain.filters.iter().rev().find_map(|spec| {
        Some(match filter_facts(spec)?.payloads? {
            StoredPayloads::Always(kind) => kind,
            StoredPayloads::Encoded => PayloadKind::encoded(spec.args.get("encoder").map(String::as_str)),
        })
    })
}

/// Whether a chain adds words written backwards.
pub fn reverses_words(chain: &AnalyzerSpec) -> bool {
    chain.filters.iter().any(|spec| filter_facts(spec).is_some_and(|facts| facts.reverses_words))
}

/// Whether a filter drops stop words.
pub(crate) fn drops_stop_words(spec: &ComponentSpec) -> bool {
    filter_facts(spec).is_some_and(|facts| facts.drops_stop_words)
}

/// `None` of a filter that there is not.
fn filter_facts(spec: &ComponentSpec) -> Option<Facts> {
    filter::definitions().find(|definition| definition.is_named(&spec.name)).map(Definition::facts)
}
