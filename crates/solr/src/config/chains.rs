//! The update chains of a `solrconfig.xml`, and the processors that have names of their own. A class that is
//! not known fails the whole file, as in Solr: a collection must not take updates that miss a step. In: the
//! XML of the file; out: chains of settings (`plan::UpdateChain`). They are compiled to steps by `update/`,
//! and each class's settings are read in `processors/`.

use plan::{DefaultValue, Processor, Result, UpdateChain, UpdateProcessing, UpdateProcessor};

use crate::config::processors;
use crate::config::refusal::wrong;
use crate::xml_tree::Element;

/// Names under which requests find processors that no file declares.
const IMPLIED: &[(&str, Processor)] = &[
    ("atomic", Processor::EditByParameters),
    ("template", Processor::Templates),
    ("uuid", Processor::Default { field: None, value: DefaultValue::Uuid }),
];

/// Reads all chains and named processors.
pub(super) fn read(root: &Element) -> Result<UpdateProcessing> {
    let named = named(root)?;
    let mut updates = UpdateProcessing { named, ..UpdateProcessing::default() };
    let mut nameless = None;
    for (at, element) in root.all("updateRequestProcessorChain").enumerate() {
        let chain = chain(element, &updates.named)?;
        if element.attribute("default") == Some("true") && updates.default_chain.replace(at).is_some() {
            return Err(wrong("Multiple updateRequestProcessorChain plugins configured as default"));
        }
        if chain.name.is_empty() {
            nameless = Some(at);
        }
        updates.chains.push(chain);
    }
    updates.default_chain = updates.default_chain.or(nameless);
    Ok(updates)
}

fn named(root: &Element) -> Result<Vec<UpdateProcessor>> {
    let mut named = Vec::new();
    for element in root.all("updateProcessor") {
        let name = element.attribute("name").ok_or_else(|| wrong("an updateProcessor has no `name`"))?;
        let processor = processors::read(element)?;
        named.push(UpdateProcessor { name: name.to_owned(), processor });
    }
    let implied = IMPLIED.iter().filter(|(name, _)| !named.iter().any(|it| it.name == *name));
    let implied: Vec<_> = implied
        .map(|(name, processor)| UpdateProcessor { name: (*name).to_owned(), processor: processor.clone() })
        .collect();
    named.extend(implied);
    Ok(named)
}

/// A chain: the processors that it names come first, right before the shard those of `post-processor`.
fn chain(element: &Element, named: &[UpdateProcessor]) -> Result<UpdateChain> {
    let name = element.attribute("name").unwrap_or_default().to_owned();
    let list = |attribute: &str| {
        let names = element.attribute(attribute).unwrap_or_default().split(',');
        let names = names.map(str::trim).filter(|name| !name.is_empty());
        names.map(|name| find(named, name)).collect::<Result<Vec<_>>>()
    };
    let mut chain = list("processor")?;
    let inside = element.all("processor").map(processors::read);
    chain.extend(
        inside
            .collect::<Result<Vec<_>>>()
            .map_err(|error| error.context(format!("updateRequestProcessorChain `{name}`: ")))?,
    );
    let after = list("post-processor")?;
    let run = chain.iter().position(|it| *it == Processor::Run);
    if let Some(run) = run {
        let distribute = chain.iter().position(|it| *it == Processor::Distribute);
        let distribute = distribute.unwrap_or_else(|| {
            chain.insert(run, Processor::Distribute);
            run
        });
        chain.splice(distribute + 1..distribute + 1, after);
    }
    Ok(UpdateChain { name, processors: chain })
}

fn find(named: &[UpdateProcessor], name: &str) -> Result<Processor> {
    let found = named.iter().find(|it| it.name == name);
    found.map(|it| it.processor.clone()).ok_or_else(|| wrong(&format!("No such processor {name}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xml_tree;

    fn read_body(body: &str) -> Result<UpdateProcessing> {
        read(&xml_tree::parse("test", &format!("<config>{body}</config>"), &|_| None)?)
    }

    #[test]
    fn the_shard_is_handed_documents_once() {
        let check = |attributes: &str, inside: &str, expected: &str| {
            let named = "<updateProcessor name='ts' class='solr.TemplateUpdateProcessorFactory'/>";
            let inside: String = inside
                .split_whitespace()
                .map(|class| format!("<processor class='solr.{class}UpdateProcessorFactory'/>"))
                .collect();
            let chain = format!(
                "{named}<updateRequestProcessorChain {attributes}>{inside}</updateRequestProcessorChain>"
            );
            let updates = read_body(&chain).unwrap();
            let shown: Vec<_> = updates.chains[0].processors.iter().map(|it| format!("{it:?}")).collect();
            assert_eq!(shown.join(" "), expected, "{attributes} {inside}");
        };
        check("name='a'", "Run", "Distribute Run");
        check("name='a'", "Log Distributed Run", "Nothing Distribute Run");
        check("name='a' processor='ts, atomic'", "Run", "Templates EditByParameters Distribute Run");
        check("name='a' post-processor='ts'", "Log Run", "Nothing Distribute Templates Run");
        check("name='a' processor='ts'", "", "Templates");
    }

    #[test]
    fn one_chain_is_the_default() {
        let check = |body: &str, expected: Option<usize>| {
            assert_eq!(read_body(body).unwrap().default_chain, expected, "{body}");
        };
        let chain = |attributes: &str| {
            format!("<updateRequestProcessorChain {attributes}></updateRequestProcessorChain>")
        };
        check("", None);
        check(&chain("name='a'"), None);
        check(&chain("name='a' default='false'"), None);
        check(&format!("{}{}", chain("name='a'"), chain("name='b' default='true'")), Some(1));
        check(&format!("{}{}", chain("name='a'"), chain("")), Some(1));
        let twice = chain("name='a' default='true'").repeat(2);
        assert!(read_body(&twice).unwrap_err().message.contains("Multiple"));
    }

    #[test]
    fn what_is_not_known_is_named() {
        let check = |inside: &str, part: &str| {
            let body =
                format!("<updateRequestProcessorChain name='a'>{inside}</updateRequestProcessorChain>");
            let message = read_body(&body).unwrap_err().message;
            assert!(message.contains(part) && message.contains("`a`"), "{message}");
        };
        check("<processor class='x.Odd'/>", "`x.Odd`");
        check("<processor class='solr.StatelessScriptUpdateProcessorFactory'/>", "not supported");
        check("<processor/>", "no `class`");
        let chain = "<updateRequestProcessorChain name='a' processor='no'></updateRequestProcessorChain>";
        assert!(read_body(chain).unwrap_err().message.contains("No such processor no"));
    }
}
