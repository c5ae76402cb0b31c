//! The update chains of a `solrconfig.xml`. There is one built-in chain, that of `_default`, with or without guessing
//! (`update/guess.rs`); a file chooses between the two. Whatever else a chain asks for is a warning.

use plan::{HandlerConfig, Result, UpdateChain, UpdateProcessor};

use crate::config::load::wrong;
use crate::xml_tree::Element;

/// The processor that makes a chain a guessing one.
const GUESSING: &str = "AddSchemaFieldsUpdateProcessorFactory";

/// Processors of `_default`'s chain: their work is done here, as `_default` sets them up.
const BUILT_IN: &[&str] = &[
    GUESSING,
    "UUIDUpdateProcessorFactory",
    "RemoveBlankFieldUpdateProcessorFactory",
    "FieldNameMutatingUpdateProcessorFactory",
    "NumFieldLimitingUpdateRequestProcessorFactory",
    "ParseBooleanFieldUpdateProcessorFactory",
    "ParseLongFieldUpdateProcessorFactory",
    "ParseDoubleFieldUpdateProcessorFactory",
    "ParseDateFieldUpdateProcessorFactory",
    "LogUpdateProcessorFactory",
    "DistributedUpdateProcessorFactory",
    "RunUpdateProcessorFactory",
];

/// Whether the work of a class, by its short name, is done.
pub(super) fn serves(class: &str) -> bool {
    BUILT_IN.contains(&class)
}

/// Whether the chain that updates pass guesses unknown fields.
pub(super) fn guesses(
    root: &Element,
    handlers: &[HandlerConfig],
    warnings: &mut Vec<String>,
) -> Result<bool> {
    let chains: Vec<_> = root.all("updateRequestProcessorChain").collect();
    let update = handlers.iter().find(|it| it.path == "/update");
    let named = update
        .and_then(|it| it.invariants.iter().chain(&it.defaults).find(|(name, _)| name == "update.chain"))
        .map(|(_, value)| value.as_str());
    let chosen = match named {
        Some(name) => {
            let found = chains.iter().find(|it| it.attribute("name") == Some(name));
            Some(found.ok_or_else(|| wrong(&format!("unknown UpdateRequestProcessorChain: {name}")))?)
        }
        None => chains.iter().find(|it| it.attribute("default") == Some("true")),
    };
    let Some(chosen) = chosen else { return Ok(false) };
    let classes = classes(root, chosen)?;
    for class in classes.iter().filter(|class| !BUILT_IN.contains(&short(class))) {
        warnings.push(format!("update processor `{class}` is not supported yet and has no effect"));
    }
    Ok(classes.iter().any(|class| short(class) == GUESSING))
}

/// The chains that requests may name.
pub(super) fn choices(root: &Element, warnings: &mut Vec<String>) -> Result<Vec<UpdateChain>> {
    let named = root.all("updateRequestProcessorChain").filter_map(|it| Some((it, it.attribute("name")?)));
    named
        .map(|(chain, name)| {
            let classes = classes(root, chain)?;
            let guesses = classes.iter().any(|class| short(class) == GUESSING);
            let missing: Vec<_> =
                classes.into_iter().filter(|class| !BUILT_IN.contains(&short(class))).collect();
            if let (Some(class), None) = (missing.first(), chain.attribute("default")) {
                warnings.push(format!(
                    "updateRequestProcessorChain `{name}` cannot be chosen by a request: `{class}` is not supported yet"
                ));
            }
            Ok(UpdateChain { name: name.to_owned(), guesses, missing })
        })
        .collect()
}

/// The processors that requests may name.
pub(super) fn processors(root: &Element) -> Vec<UpdateProcessor> {
    let named = root.all("updateProcessor").filter_map(|it| {
        let class = it.attribute("class").unwrap_or_default();
        Some(UpdateProcessor {
            name: it.attribute("name")?.to_owned(),
            class: class.to_owned(),
            guesses: short(class) == GUESSING,
            served: BUILT_IN.contains(&short(class)),
        })
    });
    named.collect()
}

/// The classes of a chain's processors, those it names first.
fn classes(root: &Element, chain: &Element) -> Result<Vec<String>> {
    let names = chain.attribute("processor").unwrap_or_default().split(',');
    let mut classes = Vec::new();
    for name in names.map(str::trim).filter(|name| !name.is_empty()) {
        let processor = root.all("updateProcessor").find(|it| it.attribute("name") == Some(name));
        let class = processor.and_then(|it| it.attribute("class"));
        classes.push(class.ok_or_else(|| wrong(&format!("No such processor {name}")))?.to_owned());
    }
    let inside = chain.all("processor").filter_map(|it| it.attribute("class"));
    classes.extend(inside.map(str::to_owned));
    Ok(classes)
}

fn short(class: &str) -> &str {
    class.rsplit('.').next().unwrap_or(class)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::components::Declared;
    use crate::config::handlers;
    use crate::xml_tree;

    #[test]
    fn the_chain_in_use_decides() {
        let check = |body: &str, expected: bool, said: &str| {
            let root = xml_tree::parse("test", &format!("<config>{body}</config>"), &|_| None).unwrap();
            let mut warnings = Vec::new();
            let handlers = handlers::read(&root, &Declared::default(), &mut warnings).unwrap();
            assert_eq!(guesses(&root, &handlers, &mut warnings).unwrap(), expected, "{body}");
            choices(&root, &mut warnings).unwrap();
            assert!(warnings.join("\n").contains(said), "{warnings:?}");
        };
        let add = "<processor class='solr.AddSchemaFieldsUpdateProcessorFactory'/>";
        let chain = |attributes: &str, inside: &str| {
            format!("<updateRequestProcessorChain {attributes}>{inside}</updateRequestProcessorChain>")
        };
        check("", false, "");
        check(&chain("name='a' default='true'", add), true, "");
        check(&chain("name='a' default='false'", add), false, "");
        check(&chain("name='a'", add), false, "");
        check(&chain("name='a'", "<processor class='solr.Odd'/>"), false, "`a` cannot be chosen");
        check(&chain("default='true'", "<processor class='solr.LangDetect'/>"), false, "`solr.LangDetect`");
        let preset = "<initParams path='/update/**'><lst name='defaults'><str name='update.chain'>a</str></lst></initParams>";
        check(&format!("{}{preset}", chain("name='a'", add)), true, "");
    }
}
