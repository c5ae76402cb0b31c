//! `/config` and the sections below it: a collection's configuration as it is in force, in the shape of
//! Solr's Config API. What is shown are the elements of `solrconfig.xml` with the overlay over them, and the
//! handlers that are always there.

use plan::{AutoCommit, CollectionConfig, Error, ErrorKind, Result};

use crate::config::{IMPLICIT, Kind, Overlay, effective, param_sets, set_names};
use crate::params::Params;
use crate::params::admin::config;
use crate::response::{Entries, Name, Node};
use crate::xml_tree::Element;

/// A section and what it shows.
struct Section {
    name: &'static str,
    node: fn(&View<'_>) -> Option<Node>,
}

/// Sections that are no lists of named parts.
const SECTIONS: &[Section] = &[
    Section { name: "luceneMatchVersion", node: |view| view.text("luceneMatchVersion") },
    Section { name: "updateHandler", node: |view| Some(update_handler(view.config)) },
    Section { name: "query", node: |view| Some(query(view)) },
    Section { name: "updateRequestProcessorChain", node: |view| view.list("updateRequestProcessorChain") },
    Section { name: "directoryFactory", node: |view| view.first("directoryFactory") },
    Section { name: "codecFactory", node: |view| view.first("codecFactory") },
    Section { name: "schemaFactory", node: |view| view.first("schemaFactory") },
];

struct View<'a> {
    config: &'a CollectionConfig,
    root: Element,
}

/// The answer to `/config` and to a path below it that names no set of parameters: `section` is empty or its
/// name. Errors: `NotFound` for a section or a part that is not there.
///
/// Solr differs: a part that is not there is an error 500 (`compat/admin/config.yaml`); it leaves lists of
/// settings out, what handlers preset by `initParams` (`compat/admin/params.yaml`), and shows what those
/// preset that are always there.
pub fn config(config: &CollectionConfig, section: &str, params: &Params) -> Result<Entries> {
    match section {
        "overlay" => return overlay(config),
        "znodeVersion" => return Ok(vec![("znodeVersion".into(), versions(config))]),
        _ => {}
    }
    let view = View { config, root: effective(&config.source)? };
    let shown = if section.is_empty() { view.all() } else { view.section(section, params)? };
    Ok(vec![("config".into(), Node::Map(shown))])
}

fn overlay(config: &CollectionConfig) -> Result<Entries> {
    let mut entries: Entries = vec![("znodeVersion".into(), overlay_version(config))];
    entries.extend(Overlay::parse(&config.source.overlay.text)?.shown());
    Ok(vec![("overlay".into(), Node::Map(entries))])
}

fn overlay_version(config: &CollectionConfig) -> Node {
    Node::Long(config.source.overlay.version.map_or(-1, i64::from))
}

fn versions(config: &CollectionConfig) -> Node {
    let params = Node::Long(config.source.params.version.map_or(-1, i64::from));
    Node::map([("params", params), ("overlay", overlay_version(config))])
}

impl View<'_> {
    fn all(&self) -> Entries {
        let mut entries: Entries = vec![("znodeVersion".into(), overlay_version(self.config))];
        let sections = SECTIONS.iter().filter_map(|it| Some((Name::Borrowed(it.name), (it.node)(self)?)));
        entries.extend(sections);
        let kinds = Kind::all().iter().filter_map(|kind| {
            let parts = self.parts(kind);
            (!parts.is_empty()).then(|| (Name::Borrowed(kind.element), shown_parts(kind, parts)))
        });
        entries.extend(kinds);
        entries
    }

    fn section(&self, name: &str, params: &Params) -> Result<Entries> {
        let absent =
            |what: &str| Error::new(ErrorKind::NotFound, format!("{what}; `/config` shows what there is"));
        if let Some(section) = SECTIONS.iter().find(|it| it.name == name) {
            let node = (section.node)(self).ok_or_else(|| absent(&format!("there is no `{name}`")))?;
            return Ok(vec![(section.name.into(), node)]);
        }
        let kind = Kind::of_element(name).ok_or_else(|| absent(&format!("there is no section `{name}`")))?;
        let mut parts = self.parts(kind);
        if let Some(wanted) = config::COMPONENT.sent(params) {
            parts.retain(|(name, _)| **name == *wanted);
            let (_, part) =
                parts.first_mut().ok_or_else(|| absent(&format!("there is no {name} `{wanted}`")))?;
            if kind.element == "requestHandler" && config::EXPAND.read(params)? {
                self.expand(part, params);
            }
        }
        Ok(vec![(kind.element.into(), shown_parts(kind, parts))])
    }

    /// The parts of a kind by their names: those declared, then those that are always there.
    fn parts(&self, kind: &Kind) -> Entries {
        let named = |it: &Element| Name::Owned(it.attribute("name").unwrap_or_default().to_owned());
        let mut parts: Entries = self.root.all(kind.element).map(|it| (named(it), shown(it))).collect();
        if kind.element == "requestHandler" {
            let absent: Vec<_> =
                IMPLICIT.iter().filter(|it| !parts.iter().any(|(name, _)| *name == it.path)).collect();
            parts.extend(absent.into_iter().map(|it| {
                let mut entries: Entries =
                    vec![("class".into(), Node::str(it.class)), ("name".into(), Node::str(it.path))];
                if !it.use_params.is_empty() {
                    entries.push(("useParams".into(), Node::str(it.use_params)));
                }
                (Name::Borrowed(it.path), Node::Map(entries))
            }));
        }
        parts
    }

    /// Adds what the handler's sets of parameters are, and what comes of them.
    fn expand(&self, handler: &mut Node, params: &Params) {
        let Node::Map(entries) = handler else { return };
        let text = |name: &str| match entries.iter().find(|(known, _)| known == name) {
            Some((_, Node::Str(text))) => text.to_string(),
            _ => String::new(),
        };
        let names = set_names(&text("useParams"));
        let Some(declared) = self.config.handler(&text("name")).filter(|_| !names.is_empty()) else { return };
        let expanded = names.iter().map(|name| {
            let set = param_sets::shown(&self.config.source, name);
            (Name::Owned(name.clone()), set.unwrap_or_else(|| Node::str("[NOT AVAILABLE]")))
        });
        let mut presets = declared.clone();
        self.config.add_param_sets(&mut presets, &names);
        let asked = params.pairs().iter().map(|(name, _)| (name.clone(), String::new())).collect();
        let effective = Params::new(asked).with_handler(&presets);
        entries.push(("_useParamsExpanded_".into(), Node::Map(expanded.collect())));
        entries.push(("_effectiveParams_".into(), presets_node(effective.pairs())));
    }

    fn text(&self, name: &str) -> Option<Node> {
        Some(Node::str(self.root.first(name)?.trimmed().to_owned()))
    }

    fn first(&self, name: &str) -> Option<Node> {
        self.root.first(name).map(shown)
    }

    fn list(&self, name: &str) -> Option<Node> {
        let all: Vec<_> = self.root.all(name).map(shown).collect();
        (!all.is_empty()).then_some(Node::Array(all))
    }
}

fn shown_parts(kind: &Kind, parts: Entries) -> Node {
    if kind.is_list() {
        Node::Array(parts.into_iter().map(|(_, part)| part).collect())
    } else {
        Node::Map(parts)
    }
}

fn update_handler(config: &CollectionConfig) -> Node {
    let number = |bound: Option<u64>| bound.map_or(Node::Int(-1), Node::count);
    let AutoCommit {
        flush_after_ms,
        flush_after_docs,
        flush_opens_searcher,
        refresh_after_ms,
        refresh_after_docs,
    } = config.auto_commit;
    let hard = Node::map([
        ("openSearcher", Node::Bool(flush_opens_searcher)),
        ("maxDocs", number(flush_after_docs)),
        ("maxTime", number(flush_after_ms)),
    ]);
    let soft = Node::map([("maxDocs", number(refresh_after_docs)), ("maxTime", number(refresh_after_ms))]);
    let within = Node::map([("softCommit", Node::Bool(true))]);
    Node::map([("commitWithin", within), ("autoCommit", hard), ("autoSoftCommit", soft)])
}

/// What the file says below `<query>`, and the bound that holds if it says nothing.
fn query(view: &View<'_>) -> Node {
    let mut entries: Entries =
        vec![("maxBooleanClauses".into(), Node::count(view.config.boolean_clauses_max as u64))];
    let said = view.root.first("query").map(|query| query.children.as_slice()).unwrap_or_default();
    for element in said.iter().filter(|it| it.name != "maxBooleanClauses" && it.name != "listener") {
        let plain = element.children.is_empty() && !element.trimmed().is_empty();
        let node = if plain { guessed(element.trimmed()) } else { shown(element) };
        entries.push((Name::Owned(element.name.clone()), node));
    }
    Node::Map(entries)
}

/// A text as the number or the switch that it looks like.
fn guessed(text: &str) -> Node {
    match (text.parse::<i32>(), text) {
        (Ok(number), _) => Node::Int(number),
        (_, "true") => Node::Bool(true),
        (_, "false") => Node::Bool(false),
        _ => Node::str(text.to_owned()),
    }
}

/// An element: its attributes, then its settings by their names. What has no name is listed under none.
fn shown(element: &Element) -> Node {
    let attributes = element.attributes.iter();
    let mut entries: Vec<(Name, Vec<Node>)> =
        attributes.map(|(name, value)| (Name::Owned(name.clone()), vec![Node::str(value.clone())])).collect();
    let own = entries.len();
    for child in &element.children {
        let name = child.attribute("name").unwrap_or_default();
        if !entries.iter().take(own).any(|(known, _)| *known == *name) {
            push(&mut entries, name, value(child));
        }
    }
    let listed = |name: &Name, nodes: &[Node]| name.is_empty() || nodes.len() > 1;
    let node = |(name, mut nodes): (Name, Vec<Node>)| {
        let node = if listed(&name, &nodes) { Node::Array(nodes) } else { nodes.pop().unwrap_or(Node::Null) };
        (name, node)
    };
    Node::Map(entries.into_iter().map(node).collect())
}

/// A setting by the name of its element.
fn value(element: &Element) -> Node {
    let text = element.trimmed();
    let typed = match element.name.as_str() {
        "arr" => Some(Node::Array(element.children.iter().map(value).collect())),
        "lst" => {
            let mut inside = element.clone();
            inside.attributes.clear();
            Some(shown(&inside))
        }
        "int" => text.parse().ok().map(Node::Int),
        "long" => text.parse().ok().map(Node::Long),
        "float" => text.parse().ok().map(Node::Float),
        "double" => text.parse().ok().map(Node::Double),
        "bool" => Some(Node::Bool(matches!(text, "true" | "on" | "yes" | "1"))),
        "str" => Some(Node::str(element.text.clone())),
        _ => Some(shown(element)),
    };
    typed.unwrap_or_else(|| Node::str(text.to_owned()))
}

fn push(entries: &mut Vec<(Name, Vec<Node>)>, name: &str, node: Node) {
    match entries.iter_mut().find(|(known, _)| **known == *name) {
        Some((_, nodes)) => nodes.push(node),
        None => entries.push((Name::Owned(name.to_owned()), vec![node])),
    }
}

/// Parameters by name, those that repeat as lists.
fn presets_node(pairs: &[(String, String)]) -> Node {
    let mut entries: Vec<(Name, Vec<Node>)> = Vec::new();
    pairs.iter().for_each(|(name, value)| push(&mut entries, name, Node::str(value.clone())));
    let node = |mut nodes: Vec<Node>| if nodes.len() == 1 { nodes.remove(0) } else { Node::Array(nodes) };
    Node::Map(entries.into_iter().map(|(name, nodes)| (name, node(nodes))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::response::{Format, JsonStyle};

    #[test]
    fn sections_show_what_is_in_force() {
        let xml = "<config><requestHandler name='/select' class='solr.SearchHandler' useParams='p'><lst name='defaults'>\
            <int name='rows'>10</int><arr name='fq'><str>a</str><str>b</str></arr></lst></requestHandler>\
            <query><filterCache size='5'/><maxBooleanClauses>7</maxBooleanClauses></query></config>";
        let files = [("solrconfig.xml", xml), ("params.json", r#"{"params":{"p":{"rows":2,"":{"v":0}}}}"#)];
        let read = |name: &str| files.iter().find(|it| it.0 == name).map(|it| it.1.to_owned());
        let loaded = crate::config::load(&read).unwrap().config;
        let check = |section: &str, pairs: &[(&str, &str)], expected: &str| {
            let pairs = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            let shown = match config(&loaded, section, &Params::new(pairs)) {
                Ok(entries) => {
                    let mut out = Vec::new();
                    Format::Json(JsonStyle::default()).write(&entries, &mut out);
                    String::from_utf8(out).unwrap()
                }
                Err(error) => error.message,
            };
            assert_eq!(shown.trim_end(), expected, "{section} {pairs:?}", pairs = "");
        };
        let select = r#""name":"/select","class":"solr.SearchHandler","useParams":"p","defaults":{"rows":10,"fq":["a","b"]}"#;
        check(
            "requestHandler",
            &[("componentName", "/select")],
            &format!("{{\"config\":{{\"requestHandler\":{{\"/select\":{{{select}}}}}}}}}"),
        );
        check(
            "requestHandler",
            &[("componentName", "/select"), ("expandParams", "true")],
            &format!(
                "{{\"config\":{{\"requestHandler\":{{\"/select\":{{{select},\"_useParamsExpanded_\":{{\"p\":{{\"rows\":2,\"\":{{\"v\":0}}}}}},\
                 \"_effectiveParams_\":{{\"componentName\":\"\",\"expandParams\":\"\",\"fq\":[\"a\",\"b\"],\"rows\":\"2\"}}}}}}}}}}"
            ),
        );
        check("query", &[], r#"{"config":{"query":{"maxBooleanClauses":7,"filterCache":{"size":"5"}}}}"#);
        check("znodeVersion", &[], r#"{"znodeVersion":{"params":0,"overlay":-1}}"#);
        check("overlay", &[], r#"{"overlay":{"znodeVersion":-1}}"#);
        check("nosuch", &[], "there is no section `nosuch`; `/config` shows what there is");
        check(
            "requestHandler",
            &[("componentName", "/x")],
            "there is no requestHandler `/x`; `/config` shows what there is",
        );
    }
}
