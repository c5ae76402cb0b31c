//! The request handlers of a `solrconfig.xml`: their presets, and those that `initParams` gives to paths,
//! declared or not. Out: handlers of the plan, which `http` finds by their path; a class that is not served
//! is left out with a warning, so that a file with one of them still loads. Paths that no file declares are
//! `implicit.rs`.

use plan::{HandlerConfig, Result, check_name};

use crate::config::components::{self, Declared};
use crate::config::implicit::{IMPLICIT, Implicit};
use crate::config::param_sets::set_names;
use crate::config::refusal::wrong;
use crate::xml_tree::Element;

/// Handler classes that are served; the reference lists what each answers.
const CLASSES: &[&str] = &[
    "SearchHandler",
    "MoreLikeThisHandler",
    "RealTimeGetHandler",
    "UpdateRequestHandler",
    "PingRequestHandler",
    "FieldAnalysisRequestHandler",
    "DocumentAnalysisRequestHandler",
    "DumpRequestHandler",
];

/// Whether a class, by its short name, is served.
pub(super) fn serves(class: &str) -> bool {
    CLASSES.contains(&class)
}

/// Names the query parsers that a handler's requests may use. Not Solr's: it has no such list.
const ALLOWED_PARSERS: &str = "allowedParsers";

/// Children of a handler that are read, or say nothing that matters.
const KNOWN_LISTS: &[&str] = &["defaults", "appends", "invariants", HEALTH_CHECK];

/// Names the file of a ping's health check.
const HEALTH_CHECK: &str = "healthcheckFile";

/// All handlers, in order of declaration, then the implicit ones.
pub(super) fn read(
    root: &Element,
    declared: &Declared,
    warnings: &mut Vec<String>,
) -> Result<Vec<HandlerConfig>> {
    let mut handlers = Vec::new();
    for element in root.all("requestHandler") {
        handlers.push(handler(element, declared, warnings)?);
    }
    let is_declared =
        |path: &str, handlers: &[HandlerConfig]| handlers.iter().any(|known| known.path == path);
    let implicit: Vec<_> =
        IMPLICIT.iter().filter(|it| !is_declared(it.path, &handlers)).map(Implicit::handler).collect();
    handlers.extend(implicit);
    for element in root.all("initParams") {
        init_params(element, &mut handlers, warnings);
    }
    Ok(handlers)
}

fn handler(element: &Element, declared: &Declared, warnings: &mut Vec<String>) -> Result<HandlerConfig> {
    let name = element.attribute("name").ok_or_else(|| wrong("a requestHandler has no `name`"))?;
    let class = element.attribute("class").unwrap_or_default();
    if !CLASSES.contains(&class.rsplit('.').next().unwrap_or(class)) {
        warnings.push(format!("requestHandler `{name}` of class `{class}` is not supported yet"));
    }
    for child in &element.children {
        let list = child.attribute("name").unwrap_or(&child.name);
        if !KNOWN_LISTS.contains(&list) && list != ALLOWED_PARSERS && !components::LISTS.contains(&list) {
            warnings
                .push(format!("requestHandler `{name}`: `{list}` is not supported yet and has no effect"));
        }
    }
    let path = if name.starts_with('/') { name.to_owned() } else { format!("/{name}") };
    Ok(HandlerConfig {
        path,
        class: class.to_owned(),
        defaults: list(element, "defaults"),
        appends: list(element, "appends"),
        invariants: list(element, "invariants"),
        components: declared.steps_of(element)?,
        allowed_parsers: array(element, ALLOWED_PARSERS),
        health_check_file: health_check(element)?,
        use_params: element.attribute("useParams").map(set_names).unwrap_or_default(),
    })
}

/// Solr differs: the file may be anywhere there; here it is one of the collection's own, by its name alone.
fn health_check(element: &Element) -> Result<Option<String>> {
    let Some(file) = element.children.iter().find(|it| it.attribute("name") == Some(HEALTH_CHECK)) else {
        return Ok(None);
    };
    let name = file.text.trim();
    check_name(HEALTH_CHECK, name)
        .map_err(|_| wrong(&format!("`{HEALTH_CHECK}` is `{name}`; use a file's name without a folder")))?;
    Ok(Some(name.to_owned()))
}

/// The texts of `<arr name="…">`.
fn array(element: &Element, name: &str) -> Option<Vec<String>> {
    let found = element.all("arr").find(|it| it.attribute("name") == Some(name))?;
    Some(found.children.iter().map(|it| it.text.trim().to_owned()).collect())
}

/// The values of `<lst name="…">`; an array repeats its name.
fn list(element: &Element, name: &str) -> Vec<(String, String)> {
    let lists = element.all("lst").filter(|it| it.attribute("name") == Some(name));
    let mut pairs = Vec::new();
    for value in lists.flat_map(|it| &it.children) {
        let key = value.attribute("name").unwrap_or_default();
        if value.name == "arr" {
            pairs.extend(value.children.iter().map(|it| (key.to_owned(), it.text.clone())));
        } else {
            pairs.push((key.to_owned(), value.text.clone()));
        }
    }
    pairs
}

/// Gives presets to the handlers that a path pattern names. What a handler says itself stays.
fn init_params(element: &Element, handlers: &mut [HandlerConfig], warnings: &mut Vec<String>) {
    let Some(patterns) = element.attribute("path") else {
        let name = element.attribute("name").unwrap_or_default();
        return warnings.push(format!("initParams `{name}` has no `path` and has no effect"));
    };
    let patterns: Vec<&str> = patterns.split(',').map(str::trim).collect();
    for handler in handlers.iter_mut() {
        if !patterns.iter().any(|pattern| covers(pattern, &handler.path)) {
            continue;
        }
        let fresh: Vec<_> = list(element, "defaults")
            .into_iter()
            .filter(|(name, _)| !handler.defaults.iter().any(|(known, _)| known == name))
            .collect();
        handler.defaults.extend(fresh);
        handler.appends.extend(list(element, "appends"));
        handler.invariants.extend(list(element, "invariants"));
    }
}

/// `/a` itself, `/a/*` one step below, `/a/**` itself and all below.
fn covers(pattern: &str, path: &str) -> bool {
    if let Some(above) = pattern.strip_suffix("/**") {
        return path.strip_prefix(above).is_some_and(|below| below.is_empty() || below.starts_with('/'));
    }
    if let Some(above) = pattern.strip_suffix("/*") {
        let below = path.strip_prefix(above).and_then(|below| below.strip_prefix('/'));
        return below.is_some_and(|below| !below.is_empty() && !below.contains('/'));
    }
    pattern == path
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xml_tree;

    #[test]
    fn presets_come_from_handlers_and_paths() {
        let xml = "<config><requestHandler name='/browse' class='solr.SearchHandler'>\
            <lst name='defaults'><str name='df'>text</str><int name='rows'>5</int></lst>\
            <lst name='appends'><arr name='fq'><str>a:1</str><str>b:2</str></arr></lst>\
            <lst name='invariants'><str name='wt'>json</str></lst><arr name='odd'><str>x</str></arr>\
            </requestHandler><initParams path='/browse,/update/*'><lst name='defaults'><str name='df'>other</str>\
            <str name='x'>1</str></lst></initParams></config>";
        let root = xml_tree::parse("test", xml, &|_| None).unwrap();
        let mut warnings = Vec::new();
        let handlers = read(&root, &Declared::default(), &mut warnings).unwrap();
        let shown: Vec<_> = handlers
            .iter()
            .filter(|it| !it.defaults.is_empty())
            .map(|it| format!("{} {:?} {:?} {:?}", it.path, it.defaults, it.appends, it.invariants))
            .collect();
        let presets = r#"[("df", "other"), ("x", "1")] [] []"#;
        assert_eq!(
            shown,
            [
                r#"/browse [("df", "text"), ("rows", "5"), ("x", "1")] [("fq", "a:1"), ("fq", "b:2")] [("wt", "json")]"#
                    .to_owned(),
                format!("/update/json {presets}"),
                format!("/update/cbor {presets}"),
                format!("/update/csv {presets}"),
            ]
        );
        assert_eq!(warnings, ["requestHandler `/browse`: `odd` is not supported yet and has no effect"]);
    }

    #[test]
    fn patterns_cover_paths() {
        for (pattern, path, expected) in [
            ("/a", "/a", true),
            ("/a", "/a/b", false),
            ("/a/*", "/a/b", true),
            ("/a/*", "/a", false),
            ("/a/*", "/a/b/c", false),
            ("/a/**", "/a", true),
            ("/a/**", "/a/b/c", true),
            ("/a/**", "/ab", false),
        ] {
            assert_eq!(covers(pattern, path), expected, "{pattern} {path}");
        }
    }

    #[test]
    fn a_handler_may_name_its_parsers() {
        let xml = "<config><requestHandler name='/a' class='solr.SearchHandler'><arr name='allowedParsers'>\
            <str>lucene</str><str> edismax </str></arr></requestHandler>\
            <requestHandler name='/b' class='solr.SearchHandler'/></config>";
        let root = xml_tree::parse("test", xml, &|_| None).unwrap();
        let mut warnings = Vec::new();
        let handlers = read(&root, &Declared::default(), &mut warnings).unwrap();
        let allowed: Vec<_> =
            handlers.iter().take(2).map(|handler| handler.allowed_parsers.clone()).collect();
        assert_eq!(allowed, [Some(vec!["lucene".to_owned(), "edismax".to_owned()]), None]);
        assert!(warnings.is_empty(), "{warnings:?}");
    }
}
