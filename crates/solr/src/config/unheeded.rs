//! What a `solrconfig.xml` says that nobody reads: elements and attributes beside those of the table below,
//! and settings of Solr's own machinery that would show in an answer. In: the file as it counts; out: a
//! warning for each. What a reader of its own takes up (handlers, components, processors, named parts) is
//! checked there, down to its settings; here are their attributes, and all that has no reader.

use crate::xml_tree::Element;

/// What may stand inside an element.
#[derive(Clone, Copy)]
enum Inside {
    /// Elements of these names; of a text, none.
    Elements(&'static [&'static str]),
    /// Settings of these names, whatever their types.
    Settings(&'static [&'static str]),
    /// Whatever its own reader takes.
    Read,
}

/// The path of an element below the root, its attributes, and what may stand in it.
type Heeded = (&'static str, &'static [&'static str], Inside);

const NOTHING: Inside = Inside::Elements(&[]);

const HEEDED: &[Heeded] = &[
    ("luceneMatchVersion", &[], NOTHING),
    ("dataDir", &[], NOTHING),
    ("directoryFactory", &["name", "class"], Inside::Read),
    ("codecFactory", &["name", "class"], Inside::Read),
    ("indexReaderFactory", &["name", "class"], Inside::Read),
    ("schemaFactory", &["name", "class"], Inside::Settings(&["mutable", "managedSchemaResourceName"])),
    ("statsCache", &["class"], NOTHING),
    (
        "updateHandler",
        &["class", "name"],
        // What is neither of these has its warning in `load.rs`.
        Inside::Read,
    ),
    ("updateHandler/updateLog", &["class", "name"], Inside::Read),
    ("updateHandler/autoCommit", &[], Inside::Elements(&["maxTime", "maxDocs", "openSearcher", "maxSize"])),
    ("updateHandler/autoSoftCommit", &[], Inside::Elements(&["maxTime", "maxDocs"])),
    ("updateHandler/commitWithin", &[], Inside::Elements(&["softCommit"])),
    (
        "query",
        &[],
        Inside::Elements(&[
            "maxBooleanClauses",
            "minPrefixQueryTermLength",
            "slowQueryThresholdMillis",
            "filterCache",
            "queryResultCache",
            "documentCache",
            "fieldValueCache",
            "featureVectorCache",
            "cache",
            "listener",
            "enableLazyFieldLoading",
            "useFilterForSortedQuery",
            "queryResultWindowSize",
            "queryResultMaxDocsCached",
            "useColdSearcher",
            "maxWarmingSearchers",
            "boolTofilterOptimizer",
            "HashDocSet",
        ]),
    ),
    (
        "indexConfig",
        &[],
        Inside::Elements(&[
            "lockType",
            "writeLockTimeout",
            "ramBufferSizeMB",
            "ramPerThreadHardLimitMB",
            "maxBufferedDocs",
            "maxCommitMergeWaitTime",
            "useCompoundFile",
            "mergePolicyFactory",
            "mergeScheduler",
            "mergedSegmentWarmer",
            "deletionPolicy",
            "infoStream",
            "checkIntegrityAtMerge",
            "metrics",
            "nrtMode",
            "unlockOnStartup",
        ]),
    ),
    ("requestDispatcher", &["handleSelect"], Inside::Elements(&["requestParsers", "httpCaching"])),
    (
        "requestDispatcher/requestParsers",
        &[
            "enableRemoteStreaming",
            "enableStreamBody",
            "multipartUploadLimitInKB",
            "formdataUploadLimitInKB",
            "addHttpRequestToContext",
        ],
        NOTHING,
    ),
    ("initParams", &["name", "path", "class"], Inside::Settings(&["defaults", "appends", "invariants"])),
    ("requestHandler", &["name", "class", "startup", "useParams"], Inside::Read),
    ("searchComponent", &["name", "class", "startup"], Inside::Read),
    ("updateProcessor", &["name", "class"], Inside::Read),
    (
        "updateRequestProcessorChain",
        &["name", "default", "processor", "post-processor"],
        Inside::Elements(&["processor"]),
    ),
    ("queryParser", &["name", "class"], Inside::Read),
    ("queryResponseWriter", &["name", "class", "startup", "default"], Inside::Read),
    ("transformer", &["name", "class"], Inside::Read),
    ("valueSourceParser", &["name", "class"], Inside::Read),
    ("queryConverter", &["name", "class"], Inside::Read),
];

/// A warning for each thing that is said in vain.
pub(super) fn warnings(root: &Element) -> Vec<String> {
    let mut found = Vec::new();
    root.children.iter().for_each(|child| walk(child, &child.name, &mut found));
    found.extend(answers_by_machinery(root));
    found
}

fn walk(element: &Element, path: &str, found: &mut Vec<String>) {
    if let Some((_, attributes, inside)) = HEEDED.iter().find(|(known, ..)| *known == path) {
        let shown = element.attribute("name").map(|name| format!(" `{name}`")).unwrap_or_default();
        let mut vain = |what: &str, name: &str| {
            found.push(format!("{path}{shown}: the {what} `{name}` is not known and has no effect"));
        };
        let unknown = element.attributes.iter().filter(|(name, _)| !attributes.contains(&name.as_str()));
        unknown.for_each(|(name, _)| vain("attribute", name));
        for child in &element.children {
            match inside {
                Inside::Elements(known) if !known.contains(&child.name.as_str()) => {
                    vain("element", &child.name);
                }
                Inside::Settings(known) => {
                    let name = child.attribute("name").unwrap_or(&child.name);
                    if !known.contains(&name) {
                        vain("setting", name);
                    }
                }
                Inside::Elements(_) | Inside::Read => {}
            }
        }
    }
    for child in &element.children {
        walk(child, &format!("{path}/{}", child.name), found);
    }
}

/// Solr's machinery, where it would show in answers.
fn answers_by_machinery(root: &Element) -> Vec<String> {
    let mut found = Vec::new();
    let inside = |above: &str, name: &str| root.first(above).and_then(|it| it.first(name));
    let shows =
        |caching: &Element| caching.attribute("never304") != Some("true") || !caching.children.is_empty();
    if inside("requestDispatcher", "httpCaching").is_some_and(shows) {
        found.push(
            "requestDispatcher/httpCaching: answers bear no Last-Modified, ETag or Cache-Control and are never 304; \
             say `never304=\"true\"` alone"
                .to_owned(),
        );
    }
    if class(inside("indexConfig", "mergePolicyFactory")) == Some("SortingMergePolicyFactory") {
        found.push(
            "indexConfig/mergePolicyFactory: segments are not sorted; documents that tie come in the order in which \
             they were indexed"
                .to_owned(),
        );
    }
    let classes = [
        ("updateHandler", &["DirectUpdateHandler2"][..]),
        ("schemaFactory", &["ManagedIndexSchemaFactory", "ClassicIndexSchemaFactory"]),
    ];
    for (name, known) in classes {
        if let Some(other) = class(root.first(name)).filter(|class| !known.contains(class)) {
            found.push(format!("{name} of class `{other}` is not supported and has no effect"));
        }
    }
    found.extend(schema_file(root).filter(|file| !SCHEMA_FILES.contains(file)).map(|file| {
        format!(
            "schemaFactory: the schema is not read from `{file}` but from the first that is there of {}; rename it",
            SCHEMA_FILES.join(", ")
        )
    }));
    found
}

/// Where schemas are looked for.
const SCHEMA_FILES: &[&str] = &["managed-schema.xml", "managed-schema", "schema.xml"];

fn schema_file(root: &Element) -> Option<&str> {
    let factory = root.first("schemaFactory")?;
    let named = |it: &&Element| it.attribute("name") == Some("managedSchemaResourceName");
    factory.children.iter().find(named).map(Element::trimmed).filter(|file| !file.is_empty())
}

/// The class of an element without its package.
fn class(element: Option<&Element>) -> Option<&str> {
    element?.attribute("class")?.rsplit('.').next()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::load::load;
    use crate::xml_tree;

    /// All that loading a file has to say of it.
    fn told(body: &str) -> Vec<String> {
        let xml = format!("<config>{body}</config>");
        let loaded = load(&|name| (name == "solrconfig.xml").then(|| xml.clone()));
        loaded.map_or_else(|error| vec![error.message], |loaded| loaded.warnings)
    }

    /// The element at a path with something of its own inside or beside its attributes.
    fn written(path: &str, attributes: &str, inside: &str) -> String {
        let mut xml = String::new();
        let mut names: Vec<&str> = path.split('/').collect();
        let last = names.pop().unwrap_or_default();
        names.iter().for_each(|name| xml += &format!("<{name}>"));
        xml += &format!("<{last} {attributes}>{inside}</{last}>");
        names.iter().rev().for_each(|name| xml += &format!("</{name}>"));
        xml
    }

    #[test]
    fn whatever_is_not_in_the_table_is_told_of() {
        for (path, attributes, inside) in HEEDED {
            assert!(!attributes.contains(&"frobnicate"));
            let class = match *path {
                "statsCache" => "LocalStatsCache",
                "updateProcessor" => "RunUpdateProcessorFactory",
                _ => "SearchHandler",
            };
            let needed = format!("name='n' class='solr.{class}' path='/n'");
            let all = told(&written(path, &format!("{needed} frobnicate='1'"), ""));
            assert!(all.iter().any(|it| it.contains("attribute `frobnicate`")), "{path}: {all:?}");
            let children = match inside {
                Inside::Elements(_) => "<frobnicate/>",
                Inside::Settings(_) => "<str name='frobnicate'/>",
                Inside::Read => continue,
            };
            let all = told(&written(path, &needed, children));
            assert!(all.iter().any(|it| it.contains("`frobnicate`")), "{path}: {all:?}");
        }
    }

    /// What has a reader of its own: it heeds the setting, or tells of it, or refuses it.
    #[test]
    fn settings_that_a_reader_does_not_know_are_told_of() {
        let frob = "<str name='frobnicate'>1</str>";
        let own = |element: &str, class: &str| {
            format!("<{element} name='n' class='solr.{class}'>{frob}</{element}>")
        };
        let components = [
            "SpellCheckComponent",
            "SuggestComponent",
            "QueryElevationComponent",
            "HighlightComponent",
            "TermVectorComponent",
            "QueryComponent",
            "FacetComponent",
            "FacetModule",
            "MoreLikeThisComponent",
            "StatsComponent",
            "ExpandComponent",
            "TermsComponent",
            "DebugComponent",
        ];
        for class in components {
            let all = told(&own("searchComponent", class));
            assert!(!all.is_empty(), "{class}");
        }
        for class in ["SearchHandler", "UpdateRequestHandler", "RealTimeGetHandler", "PingRequestHandler"] {
            assert!(told(&own("requestHandler", class)).concat().contains("`frobnicate`"), "{class}");
        }
        let list = |component: &str, list: &str, more: &str| {
            format!(
                "<searchComponent name='n' class='solr.{component}'><lst name='{list}'>{more}{frob}</lst></searchComponent>"
            )
        };
        let field = "<str name='field'>f</str>";
        for class in ["DirectSolrSpellChecker", "IndexBasedSpellChecker", "WordBreakSolrSpellChecker"] {
            let checker = format!("<str name='classname'>solr.{class}</str>{field}");
            let all = told(&list("SpellCheckComponent", "spellchecker", &checker));
            assert!(all.concat().contains("`frobnicate`"), "{class}: {all:?}");
        }
        let lookup = "<str name='lookupImpl'>FSTLookupFactory</str>";
        let all = told(&list("SuggestComponent", "suggester", &format!("{lookup}{field}")));
        assert!(all.concat().contains("`frobnicate`"), "{all:?}");
    }

    #[test]
    fn machinery_that_would_show_is_told_of() {
        let check = |body: &str, expected: &str| {
            let all = told(body).concat();
            assert!(
                if expected.is_empty() { all.is_empty() } else { all.contains(expected) },
                "{body}: {all}"
            );
        };
        let dispatcher = |inside: &str| format!("<requestDispatcher>{inside}</requestDispatcher>");
        check(&dispatcher("<httpCaching never304='true'/>"), "");
        check(&dispatcher("<httpCaching lastModFrom='openTime'/>"), "Last-Modified");
        check(
            &dispatcher("<httpCaching never304='true'><cacheControl>max-age=30</cacheControl></httpCaching>"),
            "Cache-Control",
        );
        let policy = |name: &str| {
            format!("<indexConfig><mergePolicyFactory class='org.apache.solr.index.{name}'/></indexConfig>")
        };
        check(&policy("TieredMergePolicyFactory"), "");
        check(&policy("SortingMergePolicyFactory"), "not sorted");
        check("<updateHandler class='x.Mine'/>", "class `Mine`");
        let file = |name: &str| {
            format!(
                "<schemaFactory class='ManagedIndexSchemaFactory'><str name='managedSchemaResourceName'>{name}</str>\
                 </schemaFactory>"
            )
        };
        check(&file("managed-schema"), "");
        check(&file("mine.xml"), "`mine.xml`");
    }

    #[test]
    fn no_configset_of_ours_says_anything_in_vain() {
        for xml in [
            include_str!("../../../../configsets/_default/solrconfig.xml"),
            include_str!("../../../../configsets/techproducts-style/solrconfig.xml"),
            include_str!("../../../../configsets/names/solrconfig.xml"),
            include_str!("../../../../configsets/processing/solrconfig.xml"),
            include_str!("../../../../configsets/suggestions/solrconfig.xml"),
        ] {
            let root = xml_tree::parse("test", xml, &|_| None).unwrap();
            assert_eq!(warnings(&root), Vec::<String>::new());
        }
    }
}
