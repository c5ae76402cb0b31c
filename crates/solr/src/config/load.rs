//! A `solrconfig.xml` as a `plan::CollectionConfig`. What is read is used; what only tunes Solr's own
//! machinery (caches, locks, directories) is passed over; everything else that is not supported is collected
//! as a warning, never dropped.

use std::cell::RefCell;
use std::sync::Arc;

use plan::{
    CollectionConfig, ConfigSource, HandlerConfig, Resources, Result, ScoreStatistics, VersionedText,
};

use crate::config::chains;
use crate::config::commits::{NO_COMMITS, auto_commit, bound};
use crate::config::components;
use crate::config::handlers;
use crate::config::loaded::LoadedConfig;
use crate::config::named_parts;
use crate::config::overlay::Overlay;
use crate::config::param_sets;
use crate::config::refusal::{not_supported, wrong};
use crate::config::settings::Settings;
use crate::config::unheeded;
use crate::xml_tree::{self, Element};

const FILE: &str = "solrconfig.xml";

/// Solr's bound where the file names none.
const BOOLEAN_CLAUSES_MAX: usize = 1024;

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
    "queryParser",
    "queryResponseWriter",
    "transformer",
    "statsCache",
    "valueSourceParser",
    "queryConverter",
    "expressible",
    "listener",
    "cache",
];

/// Reads a configset's configuration: `solrconfig.xml`, the files that it names, and what the Config API made
/// of a former copy (`configoverlay.json`, `params.json`).
pub fn load(read: &dyn Fn(&str) -> Option<String>) -> Result<LoadedConfig> {
    let xml = read(FILE).ok_or_else(|| wrong("there is none; add the file to the configset"))?;
    let kept = |name: &str| {
        let text = read(name)?;
        Some(VersionedText::default().changed(text))
    };
    let overlay = kept("configoverlay.json").unwrap_or_default();
    let params = kept("params.json").unwrap_or_default();
    rebuild(ConfigSource { xml, overlay, params, ..ConfigSource::default() }, read)
}

/// The configuration that texts make. `read` gives files that they name and do not have yet.
pub(super) fn rebuild(
    mut source: ConfigSource,
    read: &dyn Fn(&str) -> Option<String>,
) -> Result<LoadedConfig> {
    let root = effective(&source)?;
    let taken = RefCell::new(Resources::new());
    let take = |name: &str| {
        let text = source.files.get(name).cloned().or_else(|| read(name))?;
        taken.borrow_mut().insert(name.to_owned(), text.clone());
        Some(text)
    };
    let mut loaded = from_root(root)?.with_files(&take)?;
    loaded.config.param_sets = param_sets::load(&source.params.text)?;
    source.files = taken.into_inner();
    loaded.config.source = Arc::new(source);
    Ok(loaded)
}

/// The file as it counts: with the overlay over it and the user's properties filled in.
pub(crate) fn effective(source: &ConfigSource) -> Result<Element> {
    if source.xml.is_empty() {
        return Err(wrong("it was not kept; create the collection again to see and change it"));
    }
    let overlay = Overlay::parse(&source.overlay.text)?;
    let mut root = xml_tree::parse(FILE, &source.xml, &|name| overlay.user_property(name))?;
    overlay.apply(&mut root);
    Ok(root)
}

/// The configuration of a collection with its sets of parameters changed.
pub fn with_params(config: &CollectionConfig, params: VersionedText) -> Result<CollectionConfig> {
    let param_sets = param_sets::load(&params.text)?;
    let source = Arc::new(ConfigSource { params, ..ConfigSource::clone(&config.source) });
    Ok(CollectionConfig { param_sets, source, ..config.clone() })
}

/// The configuration of a configset, with what was changed in a collection that has it.
pub fn renewed(fresh: &CollectionConfig, current: &CollectionConfig) -> Result<CollectionConfig> {
    let brought = |new: &VersionedText, old: &VersionedText| {
        let text = if new.version.is_some() { &new.text } else { &old.text };
        if *text == old.text { old.clone() } else { old.changed(text.clone()) }
    };
    let mut source = ConfigSource::clone(&fresh.source);
    source.overlay = brought(&source.overlay, &current.source.overlay);
    source.params = brought(&source.params, &current.source.params);
    Ok(rebuild(source, &|_| None)?.config)
}

fn from_root(root: Element) -> Result<LoadedConfig> {
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
    warnings.extend(unheeded::warnings(&root));
    let config = CollectionConfig {
        auto_commit: auto_commit(&root, &mut warnings)?,
        handlers,
        boolean_clauses_max: boolean_clauses_max(&root)?,
        prefix_length_min: prefix_length_min(&root)?,
        slow_query_ms: slow_query_ms(&root)?,
        score_statistics: score_statistics(&root)?,
        updates,
        components: declared.components,
        named: named_parts::read(&root, &mut warnings)?,
        param_sets: vec![],
        source: Arc::default(),
    };
    Ok(LoadedConfig { config, schema_mutable: schema_mutable(&root), warnings, root })
}

impl LoadedConfig {
    /// Reads the files that the configuration names beside itself.
    fn with_files(mut self, read: &dyn Fn(&str) -> Option<String>) -> Result<Self> {
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
        prefix_length_min: None,
        slow_query_ms: None,
        score_statistics: ScoreStatistics::default(),
        updates: plan::UpdateProcessing::default(),
        components: plan::Components::default(),
        named: plan::NamedParts::NONE,
        param_sets: vec![],
        source: Arc::default(),
    }
}

fn boolean_clauses_max(root: &Element) -> Result<usize> {
    let query = root.first("query");
    Ok(match bound(query, "maxBooleanClauses")? {
        Some(number) => usize::try_from(number).unwrap_or(usize::MAX),
        None => BOOLEAN_CLAUSES_MAX,
    })
}

/// Below 0 is any length.
fn prefix_length_min(root: &Element) -> Result<Option<usize>> {
    Ok(of_query(root, "minPrefixQueryTermLength")?.and_then(|number| usize::try_from(number).ok()))
}

/// 0 tells of all requests; what is below leaves it to the server.
fn slow_query_ms(root: &Element) -> Result<Option<u64>> {
    Ok(of_query(root, "slowQueryThresholdMillis")?.and_then(|number| u64::try_from(number).ok()))
}

/// A number below `<query>`.
fn of_query(root: &Element, name: &str) -> Result<Option<i64>> {
    let text = root.first("query").and_then(|query| query.first(name)).map(Element::trimmed);
    let Some(text) = text.filter(|text| !text.is_empty()) else { return Ok(None) };
    let number = text.parse().map_err(|_| wrong(&format!("`{name}` is `{text}`; write a whole number")))?;
    Ok(Some(number))
}

fn score_statistics(root: &Element) -> Result<ScoreStatistics> {
    let Some(class) = root.first("statsCache").and_then(|it| it.attribute("class")) else {
        return Ok(ScoreStatistics::default());
    };
    let name = class.rsplit('.').next().unwrap_or(class);
    ScoreStatistics::of_class(name).ok_or_else(|| {
        wrong(&format!(
            "the class of `statsCache` is `{class}`; use `LocalStatsCache`, or one of `ExactStatsCache`, \
             `ExactSharedStatsCache` and `LRUStatsCache`, which are the same here"
        ))
    })
}

fn schema_mutable(root: &Element) -> bool {
    let Some(factory) = root.first("schemaFactory") else { return true };
    let classic =
        factory.attribute("class").is_some_and(|class| class.ends_with("ClassicIndexSchemaFactory"));
    !classic && Settings::of(factory).switch("mutable", true)
}

#[cfg(test)]
mod tests {
    use plan::AutoCommit;

    use super::*;
    use crate::config::configset;

    fn load_xml(xml: &str) -> Result<LoadedConfig> {
        load(&|name| (name == FILE).then(|| xml.to_owned()))
    }

    fn read(body: &str) -> Result<LoadedConfig> {
        load_xml(&format!("<config>{body}</config>"))
    }

    /// Whether the chain of requests that name none adds fields to the schema.
    fn guesses(config: &CollectionConfig) -> bool {
        let chain = config.updates.default_chain.map(|at| &config.updates.chains[at]);
        chain.is_some_and(|it| it.processors.iter().any(|it| matches!(it, plan::Processor::AddFields(_))))
    }

    #[test]
    fn the_default_configset_loads() {
        let xml = configset::builtin("_default").unwrap().file("solrconfig.xml").unwrap();
        let loaded = load_xml(xml).unwrap();
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
    fn classes_of_statistics_are_honoured_or_refused() {
        let of = |class: &str| {
            let loaded = read(&format!(r#"<statsCache class="{class}"/>"#))?;
            assert!(loaded.warnings.is_empty(), "{:?}", loaded.warnings);
            Ok(loaded.config.score_statistics)
        };
        let exact = ["ExactStatsCache", "ExactSharedStatsCache", "LRUStatsCache"];
        for class in exact.map(|name| format!("org.apache.solr.search.stats.{name}")) {
            assert_eq!(of(&class).unwrap(), ScoreStatistics::Collection, "{class}");
        }
        assert_eq!(of("solr.LocalStatsCache").unwrap(), ScoreStatistics::Shard);
        let refused: plan::Error = of("com.example.Mine").unwrap_err();
        assert!(refused.to_string().contains("`com.example.Mine`"), "{refused}");
    }

    #[test]
    fn properties_switch_guessing_off() {
        let xml = configset::builtin("_default").unwrap().file("solrconfig.xml").unwrap();
        let overlay = r#"{"userProps":{"update.autoCreateFields":"false"}}"#;
        let files = [(FILE, xml), ("configoverlay.json", overlay)];
        let read = |name: &str| files.iter().find(|it| it.0 == name).map(|it| it.1.to_owned());
        assert!(!guesses(&load(&read).unwrap().config));
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
    fn flags_and_lengths_are_read_or_refused() {
        let prefixes = |text: &str| {
            let query = format!("<minPrefixQueryTermLength>{text}</minPrefixQueryTermLength>");
            read(&format!("<query>{query}</query>")).map(|loaded| loaded.config.prefix_length_min)
        };
        assert_eq!(prefixes("3").unwrap(), Some(3));
        assert_eq!((prefixes("-1").unwrap(), prefixes("").unwrap()), (None, None));
        assert!(prefixes("x").is_err());
        let opens = |text: &str| {
            let hard = format!("<autoCommit><openSearcher>{text}</openSearcher></autoCommit>");
            let loaded = read(&format!("<updateHandler>{hard}</updateHandler>"));
            loaded.map(|loaded| loaded.config.auto_commit.flush_opens_searcher)
        };
        assert!(opens("true").unwrap() && opens("").unwrap() && !opens("False").unwrap());
        assert!(opens("maybe").unwrap_err().to_string().contains("use true or false"));
        let mutable = |text: &str| {
            let flag = format!("<bool name='mutable'>{text}</bool>");
            let factory = format!("<schemaFactory class='ManagedIndexSchemaFactory'>{flag}</schemaFactory>");
            read(&factory).unwrap().schema_mutable
        };
        assert!(mutable("true") && !mutable("FALSE"));
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
        assert!(!guesses(&load_xml(xml).unwrap().config));
    }
}
