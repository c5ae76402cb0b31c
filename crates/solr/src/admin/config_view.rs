//! `/config`: a collection's configuration as it is in force, in the shape of Solr's Config API. Reading only: what a request
//! changed here would not outlive the configset.

use plan::{AutoCommit, CollectionConfig, HandlerConfig};

use crate::response::{Entries, Name, Node};

/// The body of the answer to `/config`.
pub fn config(config: &CollectionConfig) -> Entries {
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
    let query = Node::map([("maxBooleanClauses", Node::count(config.boolean_clauses_max as u64))]);
    let body = Node::map([
        ("updateHandler", Node::map([("autoCommit", hard), ("autoSoftCommit", soft)])),
        ("query", query),
        ("requestHandler", handlers(config, None)),
    ]);
    vec![("config".into(), body)]
}

/// The body of the answer to `/config/requestHandler`: all, or the one of this name.
pub fn request_handlers(config: &CollectionConfig, name: Option<&str>) -> Entries {
    vec![("config".into(), Node::map([("requestHandler", handlers(config, name))]))]
}

/// What the configuration declares, then what every collection has anyway.
fn handlers(config: &CollectionConfig, name: Option<&str>) -> Node {
    const ALWAYS: &[(&str, &str)] = &[
        ("/update", "solr.UpdateRequestHandler"),
        ("/update/json", "solr.UpdateRequestHandler"),
        ("/update/csv", "solr.UpdateRequestHandler"),
        ("/update/json/docs", "solr.UpdateRequestHandler"),
        ("/config", "solr.SolrConfigHandler"),
        ("/schema", "solr.SchemaHandler"),
        ("/get", "solr.RealTimeGetHandler"),
        ("/admin/ping", "solr.PingRequestHandler"),
        ("/admin/segments", "solr.SegmentsInfoRequestHandler"),
        ("/admin/luke", "solr.LukeRequestHandler"),
        ("/admin/system", "solr.SystemInfoHandler"),
    ];
    let declared = config.handlers.iter().map(|declared| (declared.path.as_str(), handler(declared)));
    let is_declared = |path: &str| config.handlers.iter().any(|declared| declared.path == path);
    let always = ALWAYS
        .iter()
        .filter(|(path, _)| !is_declared(path))
        .map(|(path, class)| (*path, Node::map([("class", Node::str(*class)), ("name", Node::str(*path))])));
    let wanted = declared.chain(always).filter(|(path, _)| name.is_none_or(|name| name == *path));
    Node::Map(wanted.map(|(path, node)| (Name::Owned(path.to_owned()), node)).collect())
}

fn handler(declared: &HandlerConfig) -> Node {
    let mut entries: Entries = vec![
        ("name".into(), Node::Str(declared.path.clone().into())),
        ("class".into(), Node::Str(declared.class.clone().into())),
    ];
    for (list, pairs) in [
        ("defaults", &declared.defaults),
        ("appends", &declared.appends),
        ("invariants", &declared.invariants),
    ] {
        if !pairs.is_empty() {
            entries.push((list.into(), presets(pairs)));
        }
    }
    Node::Map(entries)
}

/// Parameters by name, those that repeat as lists.
fn presets(pairs: &[(String, String)]) -> Node {
    let mut entries: Vec<(Name, Vec<Node>)> = Vec::new();
    for (name, value) in pairs {
        let value = Node::Str(value.clone().into());
        match entries.iter_mut().find(|(known, _)| **known == **name) {
            Some((_, values)) => values.push(value),
            None => entries.push((Name::Owned(name.clone()), vec![value])),
        }
    }
    let node = |mut values: Vec<Node>| if values.len() == 1 { values.remove(0) } else { Node::Array(values) };
    Node::Map(entries.into_iter().map(|(name, values)| (name, node(values))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::response::{Format, JsonStyle};

    #[test]
    fn handlers_show_what_they_preset() {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let declared = HandlerConfig {
            path: "/select".into(),
            class: "solr.SearchHandler".into(),
            defaults: vec![pair("rows", "10"), pair("fq", "a"), pair("fq", "b")],
            ..HandlerConfig::default()
        };
        let config = CollectionConfig { handlers: vec![declared], ..crate::config::fallback() };
        let mut out = Vec::new();
        let entries = request_handlers(&config, Some("/select"));
        Format::Json(JsonStyle::default()).write(&entries, &mut out);
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "{\"config\":{\"requestHandler\":{\"/select\":{\"name\":\"/select\",\"class\":\"solr.SearchHandler\",\
             \"defaults\":{\"rows\":\"10\",\"fq\":[\"a\",\"b\"]}}}}}"
        );
    }
}
