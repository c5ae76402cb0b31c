//! One `<analyzer>` of a field type: its char filters, tokenizer and filters by `name` or `class`, or a whole
//! analyzer by its Lucene class, which becomes the chain that class is made of. In: XML; out: names with
//! attributes (`plan::AnalyzerSpec`). Whether components of these names exist, and take these attributes, is
//! for `analysis`, which builds them.

use plan::{AnalyzerSpec, ComponentSpec, Error, Result, TypeSource};

use crate::xml_tree::Element;

/// Lucene's analyzer classes and what they are made of: tokenizer, then filters. From Lucene's documentation.
const CLASSES: &[(&str, &str, &[&str])] = &[
    ("WhitespaceAnalyzer", "whitespace", &[]),
    ("UnicodeWhitespaceAnalyzer", "whitespace", &[]),
    ("KeywordAnalyzer", "keyword", &[]),
    ("SimpleAnalyzer", "letter", &["lowercase"]),
    ("StopAnalyzer", "letter", &["lowercase", "stop"]),
    ("StandardAnalyzer", "standard", &["lowercase"]),
    ("ClassicAnalyzer", "classic", &["classic", "lowercase", "stop"]),
    ("EnglishAnalyzer", "standard", &["englishPossessive", "lowercase", "stop", "porterStem"]),
];

/// Reads one analyzer into the place its `type` names: index, query, multiterm, or both index and query.
pub(super) fn read(element: &Element, into: &mut TypeSource) -> Result<()> {
    let spec = match element.attribute("class") {
        Some(class) => by_class(class),
        None => chain(element, &into.name)?,
    };
    let place = match element.attribute("type") {
        None => &mut into.analyzer,
        Some("index") => &mut into.index_analyzer,
        Some("query") => &mut into.query_analyzer,
        Some("multiterm") => &mut into.multi_term_analyzer,
        Some(other) => {
            let name = &into.name;
            return Err(wrong(name, &format!("analyzer type `{other}`; use index, query or multiterm")));
        }
    };
    *place = Some(spec);
    Ok(())
}

/// A class that is not known stands for a tokenizer of its name, which nobody can build: a fault of the types
/// that use it.
fn by_class(class: &str) -> AnalyzerSpec {
    let short = class.rsplit('.').next().unwrap_or(class);
    let known = CLASSES.iter().find(|(name, ..)| *name == short);
    let (tokenizer, filters) = known.map_or((class, &[][..]), |(_, tokenizer, filters)| (tokenizer, filters));
    AnalyzerSpec {
        char_filters: Vec::new(),
        tokenizer: plain(tokenizer),
        filters: filters.iter().map(|name| plain(name)).collect(),
    }
}

fn plain(name: &str) -> ComponentSpec {
    ComponentSpec { name: name.to_owned(), ..ComponentSpec::default() }
}

fn chain(element: &Element, owner: &str) -> Result<AnalyzerSpec> {
    let mut spec = AnalyzerSpec::default();
    let mut tokenizers = 0;
    for child in &element.children {
        let component = component(child, owner)?;
        match child.name.as_str() {
            "charFilter" => spec.char_filters.push(component),
            "filter" => spec.filters.push(component),
            "tokenizer" => {
                spec.tokenizer = component;
                tokenizers += 1;
            }
            other => return Err(wrong(owner, &format!("unknown element `{other}` in an analyzer"))),
        }
    }
    match tokenizers {
        1 => Ok(spec),
        0 => Err(wrong(owner, "analyzer without class or tokenizer")),
        _ => Err(wrong(owner, "an analyzer has more than one tokenizer")),
    }
}

fn component(element: &Element, owner: &str) -> Result<ComponentSpec> {
    let name = element.attribute("name").or_else(|| element.attribute("class"));
    let Some(name) = name.filter(|name| !name.is_empty()) else {
        return Err(wrong(owner, &format!("a {} has neither `name` nor `class`", element.name)));
    };
    let args = element.attributes.iter().filter(|(key, _)| key != "name" && key != "class").cloned();
    Ok(ComponentSpec { name: name.to_owned(), args: args.collect() })
}

fn wrong(owner: &str, message: &str) -> Error {
    Error::bad_request(format!("fieldType `{owner}`: {message}"))
}
