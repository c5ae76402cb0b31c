//! The files that a schema's components name (stop words, synonyms, dictionaries). They are read once, when
//! the schema is loaded, and travel with it, so that a schema means the same on every node and after its
//! configset has changed.

use plan::{AnalyzerSpec, ComponentSpec, Error, Resources, Result, SchemaSource, TypeSource};

use crate::schema::chains::chains;
use crate::schema::managed;

/// Values of file arguments that are no file names.
const WORDS_NOT_FILES: &[(&str, &str)] = &[("types", "UTF-8"), ("protected", "")];

/// Attributes of types that name a file: of rates of exchange, of enumerations.
const FILES: [&str; 2] = ["currencyConfig", "enumsConfig"];

/// Reads every file that a component of the source names; those of managed lists may be absent. Errors name
/// the file and the type.
pub(super) fn collect(
    source: &SchemaSource,
    read_resource: &dyn Fn(&str) -> Option<String>,
) -> Result<Resources> {
    let mut resources = managed::files(source, read_resource)?;
    for field_type in &source.types {
        for name in file_names(field_type) {
            if resources.contains_key(&name) {
                continue;
            }
            let text = read_resource(&name).ok_or_else(|| missing(&name, field_type))?;
            resources.insert(name, text);
        }
    }
    Ok(resources)
}

fn missing(name: &str, field_type: &TypeSource) -> Error {
    Error::bad_request(format!(
        "fieldType `{}`: can't find resource `{name}`; add the file to the configset",
        field_type.name
    ))
}

/// Every file that a type's components name, in order, without a leading `./`, and those that it names
/// itself.
pub(super) fn file_names(field_type: &TypeSource) -> Vec<String> {
    let named = chains(field_type).flat_map(components).flat_map(named_by);
    let own = field_type.attributes.iter().filter(|(name, _)| FILES.contains(&name.as_str()));
    named.chain(own.map(|(_, name)| name.clone())).collect()
}

fn components(chain: &AnalyzerSpec) -> impl Iterator<Item = &ComponentSpec> {
    chain.char_filters.iter().chain([&chain.tokenizer]).chain(&chain.filters)
}

fn named_by(component: &ComponentSpec) -> Vec<String> {
    let mut names = Vec::new();
    for (argument, value) in &component.args {
        let is_file = analysis::file_arguments(&component.name).any(|file| file == argument);
        let is_word = WORDS_NOT_FILES.contains(&(argument.as_str(), value.as_str()));
        if is_file && !is_word {
            names.extend(split_names(argument, value));
        }
    }
    names
}

/// Comma-separated names, in which a backslash keeps a comma. Of `rulefiles`, what follows the script's code.
fn split_names(argument: &str, value: &str) -> Vec<String> {
    let mut names = vec![String::new()];
    let mut characters = value.chars();
    while let Some(character) = characters.next() {
        match (character, names.last_mut()) {
            (',', _) => names.push(String::new()),
            ('\\', Some(name)) => name.extend(characters.next()),
            (_, Some(name)) => name.push(character),
            (_, None) => {}
        }
    }
    let file = |name: String| {
        let name = name.trim();
        let name = if argument == "rulefiles" { name.rsplit(':').next().unwrap_or(name) } else { name };
        name.strip_prefix("./").unwrap_or(name).to_owned()
    };
    names.into_iter().map(file).filter(|name| !name.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_arguments() {
        let check = |component: &str, argument: &str, value: &str, expected: &[&str]| {
            let args = [(argument.to_owned(), value.to_owned())].into();
            let found = named_by(&ComponentSpec { name: component.into(), args });
            assert_eq!(found, expected, "{component} {argument}={value}");
        };
        check("stop", "words", "a.txt, lang/b.txt", &["a.txt", "lang/b.txt"]);
        check("solr.StopFilterFactory", "words", "./a\\,b.txt,", &["a,b.txt"]);
        check("icu", "rulefiles", "Latn:my.rules,Thai:other.rules", &["my.rules", "other.rules"]);
        check("patternTyping", "patternFile", "types.txt", &["types.txt"]);
        check("japanesePartOfSpeechStop", "tags", "tags.txt", &["tags.txt"]);
        // The tags themselves: only the Japanese filter takes a file of them.
        check("koreanPartOfSpeechStop", "tags", "E,IC,J", &[]);
        check("stop", "ignoreCase", "true", &[]);
        check("unknown", "words", "a.txt", &[]);
    }
}
