//! A `solrconfig.xml` as a `plan::CollectionConfig`. What is read is used; what only tunes Solr's own machinery (caches,
//! locks, directories) is passed over; everything else that is not supported is collected as a warning, never dropped.

use plan::{AutoCommit, CollectionConfig, Error, HandlerConfig, Result};

use crate::config::chains;
use crate::config::components;
use crate::config::handlers;
use crate::xml_tree::{self, Element, Properties};

/// Solr's bound where the file names none.
const BOOLEAN_CLAUSES_MAX: usize = 1024;

/// A configuration and what became of the rest of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadedConfig {
    pub config: CollectionConfig,
    /// Whether the schema may be changed over HTTP and by guessing.
    pub schema_mutable: bool,
    /// What the file asks for and does not get, one sentence each.
    pub warnings: Vec<String>,
}

/// Elements that say how Solr does its work, not what it answers.
const PASSED_OVER: &[&str] = &[
    "luceneMatchVersion",
    "dataDir",
    "directoryFactory",
    "codecFactory",
    "indexConfig",
    "requestDispatcher",
    "indexReaderFactory",
    "jmx",
    "admin",
    "abortOnConfigurationError",
    "initParams",
    "updateProcessor",
    "updateRequestProcessorChain",
    "requestHandler",
    "searchComponent",
    "schemaFactory",
    "updateHandler",
    "query",
];

/// Reads a configuration. `properties` are the values of `${name}`, before the defaults written in the file.
pub fn load(xml: &str, properties: Properties<'_>) -> Result<LoadedConfig> {
    let root = xml_tree::parse("solrconfig.xml", xml, properties)?;
    if root.name != "config" {
        return Err(wrong(&format!("the root element is `{}`, not `config`", root.name)));
    }
    let mut warnings = Vec::new();
    let declared = components::read(&root, &mut warnings)?;
    let handlers = handlers::read(&root, &declared, &mut warnings)?;
    let updates = chains::read(&root)?;
    for element in root.children.iter().filter(|it| !PASSED_OVER.contains(&it.name.as_str())) {
        warnings.push(not_supported(element));
    }
    let config = CollectionConfig {
        auto_commit: auto_commit(&root, &mut warnings)?,
        handlers,
        boolean_clauses_max: boolean_clauses_max(&root)?,
        updates,
        components: declared.components,
    };
    Ok(LoadedConfig { config, schema_mutable: schema_mutable(&root), warnings })
}

impl LoadedConfig {
    /// Reads the files that the configuration names beside itself.
    pub fn with_files(mut self, read: &dyn Fn(&str) -> Option<String>) -> Result<Self> {
        self.with_elevation_rules(read)?;
        self.with_listed_entries(read)?;
        Ok(self)
    }
}

/// The configuration of a collection whose configset has none.
pub fn fallback() -> CollectionConfig {
    CollectionConfig {
        auto_commit: NO_COMMITS,
        handlers: vec![HandlerConfig {
            path: "/select".to_owned(),
            class: "solr.SearchHandler".to_owned(),
            ..HandlerConfig::default()
        }],
        boolean_clauses_max: BOOLEAN_CLAUSES_MAX,
        updates: plan::UpdateProcessing::default(),
        components: plan::Components::default(),
    }
}

const NO_COMMITS: AutoCommit = AutoCommit {
    flush_after_ms: None,
    flush_after_docs: None,
    flush_opens_searcher: false,
    refresh_after_ms: None,
    refresh_after_docs: None,
};

fn not_supported(element: &Element) -> String {
    let name = element.attribute("name").map(|name| format!(" `{name}`")).unwrap_or_default();
    let class = element.attribute("class").map(|class| format!(" of class `{class}`")).unwrap_or_default();
    format!("{}{name}{class} is not supported yet and has no effect", element.name)
}

fn auto_commit(root: &Element, warnings: &mut Vec<String>) -> Result<AutoCommit> {
    let Some(handler) = root.first("updateHandler") else { return Ok(NO_COMMITS) };
    let hard = handler.first("autoCommit");
    let soft = handler.first("autoSoftCommit");
    if hard.and_then(|it| it.first("maxSize")).is_some() {
        warnings.push("autoCommit `maxSize` is not supported yet and has no effect".to_owned());
    }
    for child in &handler.children {
        if !["autoCommit", "autoSoftCommit", "updateLog", "commitWithin"].contains(&child.name.as_str()) {
            warnings.push(format!("updateHandler: {}", not_supported(child)));
        }
    }
    let opens = hard.and_then(|it| it.first("openSearcher")).map(Element::trimmed);
    Ok(AutoCommit {
        flush_after_ms: bound(hard, "maxTime")?,
        flush_after_docs: bound(hard, "maxDocs")?,
        flush_opens_searcher: hard.is_some() && opens != Some("false"),
        refresh_after_ms: bound(soft, "maxTime")?,
        refresh_after_docs: bound(soft, "maxDocs")?,
    })
}

/// A positive number; `-1`, 0 and nothing switch it off.
fn bound(element: Option<&Element>, name: &str) -> Result<Option<u64>> {
    let Some(text) = element.and_then(|it| it.first(name)).map(Element::trimmed) else { return Ok(None) };
    if text.is_empty() {
        return Ok(None);
    }
    let number: i64 =
        text.parse().map_err(|_| wrong(&format!("`{name}` is `{text}`; write a whole number")))?;
    Ok(u64::try_from(number).ok().filter(|number| *number > 0))
}

fn boolean_clauses_max(root: &Element) -> Result<usize> {
    let query = root.first("query");
    Ok(match bound(query, "maxBooleanClauses")? {
        Some(number) => usize::try_from(number).unwrap_or(usize::MAX),
        None => BOOLEAN_CLAUSES_MAX,
    })
}

fn schema_mutable(root: &Element) -> bool {
    let Some(factory) = root.first("schemaFactory") else { return true };
    let classic =
        factory.attribute("class").is_some_and(|class| class.ends_with("ClassicIndexSchemaFactory"));
    let fixed =
        factory.all("bool").any(|it| it.attribute("name") == Some("mutable") && it.trimmed() == "false");
    !classic && !fixed
}

pub(super) fn wrong(message: &str) -> Error {
    Error::bad_request(format!("cannot read solrconfig.xml: {message}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::configset;

    fn read(body: &str) -> Result<LoadedConfig> {
        load(&format!("<config>{body}</config>"), &|_| None)
    }

    /// Whether the chain of requests that name none adds fields to the schema.
    fn guesses(config: &CollectionConfig) -> bool {
        let chain = config.updates.default_chain.map(|at| &config.updates.chains[at]);
        chain.is_some_and(|it| it.processors.iter().any(|it| matches!(it, plan::Processor::AddFields(_))))
    }

    #[test]
    fn the_default_configset_loads() {
        let xml = configset::builtin("_default").unwrap().file("solrconfig.xml").unwrap();
        let loaded = load(xml, &|_| None).unwrap();
        let config = &loaded.config;
        assert_eq!(config.auto_commit.flush_after_ms, Some(15_000));
        assert!(!config.auto_commit.flush_opens_searcher);
        assert_eq!((config.auto_commit.refresh_after_ms, config.boolean_clauses_max), (None, 1024));
        assert!(guesses(config) && loaded.schema_mutable);
        let select = config.handlers.iter().find(|it| it.path == "/select").unwrap();
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(
            select.defaults,
            [pair("echoParams", "explicit"), pair("rows", "10"), pair("df", "_text_")]
        );
        let update = config.handlers.iter().find(|it| it.path == "/update").unwrap();
        assert_eq!(update.defaults, [pair("df", "_text_")]);
    }

    #[test]
    fn properties_switch_guessing_off() {
        let xml = configset::builtin("_default").unwrap().file("solrconfig.xml").unwrap();
        let property = |name: &str| (name == "update.autoCreateFields").then(|| "false".to_owned());
        assert!(!guesses(&load(xml, &property).unwrap().config));
    }

    #[test]
    fn commits_and_bounds_are_read() {
        let loaded = read(
            "<updateHandler><autoCommit><maxTime>5</maxTime><maxDocs>7</maxDocs></autoCommit>\
             <autoSoftCommit><maxTime>-1</maxTime><maxDocs>3</maxDocs></autoSoftCommit></updateHandler>\
             <query><maxBooleanClauses>50</maxBooleanClauses></query>\
             <schemaFactory class='ClassicIndexSchemaFactory'/>",
        )
        .unwrap();
        let expected = AutoCommit {
            flush_after_ms: Some(5),
            flush_after_docs: Some(7),
            flush_opens_searcher: true,
            refresh_after_ms: None,
            refresh_after_docs: Some(3),
        };
        assert_eq!(loaded.config.auto_commit, expected);
        assert_eq!((loaded.config.boolean_clauses_max, loaded.schema_mutable), (50, false));
        assert_eq!(read("").unwrap().config.auto_commit, NO_COMMITS);
    }

    #[test]
    fn what_has_no_effect_is_said() {
        let loaded = read(
            "<lib dir='x'/><queryParser name='ltr' class='x.Ltr'/>\
             <updateHandler><autoCommit><maxSize>5m</maxSize></autoCommit><listener event='postCommit'/></updateHandler>",
        )
        .unwrap();
        let shown = loaded.warnings.join("\n");
        for expected in ["lib is not", "queryParser `ltr` of class `x.Ltr`", "`maxSize`", "listener is not"] {
            assert!(shown.contains(expected), "{expected}: {shown}");
        }
        assert!(
            read("<updateHandler><autoCommit><maxTime>x</maxTime></autoCommit></updateHandler>").is_err()
        );
    }

    #[test]
    fn a_fixed_schema_is_not_guessed() {
        let xml = include_str!("../../../../configsets/techproducts-style/solrconfig.xml");
        assert!(!guesses(&load(xml, &|_| None).unwrap().config));
    }
}
