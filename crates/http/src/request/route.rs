//! From a path to what serves it. Solr's own shape: `/solr/admin/…` is the node's, `/solr/<collection>/…` a
//! collection's, where the rest names a handler: one that is always there, or one that the collection's
//! config declares.

use hyper::Method;
use plan::{CollectionConfig, Result};

use crate::request::params::decode_segment;
use crate::request::v2::V2;

/// A path, taken apart.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// `/solr/` and `/`.
    Root,
    /// `/solr/openapi.json`: what is served, described.
    Description,
    /// A path below `/solr/admin`, such as `/info/system`.
    Node(String),
    /// Below `/api/configsets`, the parts of the path there.
    Configsets(Vec<String>),
    /// A verb of the v2 API.
    V2(V2),
    /// A collection or core, and the path below it, such as `/select`.
    Collection(String, String),
    Unknown,
}

/// What serves a collection's path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Handler {
    Select,
    Get,
    Update,
    Ping,
    Luke,
    System,
    Segments,
    Config,
    Schema,
    Managed,
    FieldAnalysis,
    DocumentAnalysis,
    Terms,
    MoreLike,
    WhyNot,
    Replication,
    File,
    Dump,
    /// Solr's exports and expressions, which are refused by name.
    Streaming,
    NotServed,
}

impl Handler {
    /// Whether it is one of Solr's search handlers: only they read bodies of JSON and all keys of `json=`.
    pub fn is_search(self) -> bool {
        matches!(self, Handler::Select | Handler::Get | Handler::Terms)
    }

    /// Whether it asks all of several collections that a request names.
    pub fn asks_several(self) -> bool {
        matches!(self, Handler::Select | Handler::Get | Handler::Terms | Handler::MoreLike)
    }

    /// Whether the query log knows its requests: those that search or list terms. A ping searches too, but
    /// nobody asks it anything, and `/get` is told which documents it is to show.
    pub fn is_logged(self) -> bool {
        matches!(self, Handler::Select | Handler::Terms | Handler::MoreLike)
    }

    /// Tells or changes what the collection is, rather than its documents.
    pub fn is_administrative(self) -> bool {
        match self {
            Self::Select
            | Self::Get
            | Self::Update
            | Self::Ping
            | Self::Terms
            | Self::MoreLike
            | Self::WhyNot
            | Self::Streaming => false,
            Self::Luke | Self::System | Self::Segments | Self::Config | Self::Schema | Self::Managed => true,
            Self::FieldAnalysis | Self::DocumentAnalysis | Self::Replication | Self::File => true,
            Self::Dump | Self::NotServed => true,
        }
    }

    /// Solr's class, which `echoHandler` shows.
    pub fn class(self) -> &'static str {
        match self {
            Handler::Select | Handler::Terms => "org.apache.solr.handler.component.SearchHandler",
            Handler::Replication => "org.apache.solr.handler.ReplicationHandler",
            Handler::File => "org.apache.solr.handler.admin.ShowFileRequestHandler",
            Handler::Dump => "org.apache.solr.handler.DumpRequestHandler",
            Handler::NotServed | Handler::Streaming => "",
            Handler::WhyNot => "parhelion.WhyNotHandler",
            Handler::FieldAnalysis => "org.apache.solr.handler.FieldAnalysisRequestHandler",
            Handler::DocumentAnalysis => "org.apache.solr.handler.DocumentAnalysisRequestHandler",
            Handler::MoreLike => "org.apache.solr.handler.MoreLikeThisHandler",
            Handler::Get => "org.apache.solr.handler.RealTimeGetHandler",
            Handler::Update => "org.apache.solr.handler.UpdateRequestHandler",
            Handler::Ping => "org.apache.solr.handler.PingRequestHandler",
            Handler::Luke => "org.apache.solr.handler.admin.LukeRequestHandler",
            Handler::System => "org.apache.solr.handler.admin.SystemInfoHandler",
            Handler::Segments => "org.apache.solr.handler.admin.SegmentsInfoRequestHandler",
            Handler::Config => "org.apache.solr.handler.SolrConfigHandler",
            Handler::Schema | Handler::Managed => "org.apache.solr.handler.SchemaHandler",
        }
    }
}

/// Takes a path apart. Errors: an escape that is none.
pub(crate) fn target(method: &Method, path: &str) -> Result<Target> {
    Ok(match V2::find(method, path)? {
        Some(v2) => Target::V2(v2),
        None => by_path(path)?,
    })
}

/// Takes a path apart; escapes are decoded segment by segment, so that an encoded slash separates nothing.
fn by_path(path: &str) -> Result<Target> {
    let mut segments = Vec::new();
    for segment in path.split('/').filter(|segment| !segment.is_empty()) {
        segments.push(decode_segment(segment)?);
    }
    let below = |from: usize| {
        let rest = segments.get(from..).unwrap_or_default();
        rest.iter().map(|segment| format!("/{segment}")).collect::<String>()
    };
    Ok(match segments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] | ["solr"] => Target::Root,
        ["solr" | "api", "openapi.json"] => Target::Description,
        ["api", "configsets", ..] => Target::Configsets(segments.split_off(2)),
        ["solr", "admin", ..] => Target::Node(below(2)),
        ["api", "collections" | "c" | "cores", collection, _, ..] => {
            Target::Collection(collection.to_owned(), below(3))
        }
        ["api", "node", "system" | "health" | "properties" | "logging" | "threads"] => {
            Target::Node(format!("/info{}", below(2)))
        }
        ["api", "node", "metrics"] => Target::Node(below(2)),
        ["solr", collection, _, ..] => Target::Collection(collection.to_owned(), below(2)),
        _ => Target::Unknown,
    })
}

/// Paths that every collection has, whatever its config declares.
pub(crate) const IMPLICIT: &[(&str, Handler)] = &[
    ("/select", Handler::Select),
    ("/query", Handler::Select),
    ("/get", Handler::Get),
    ("/terms", Handler::Terms),
    ("/analysis/field", Handler::FieldAnalysis),
    ("/analysis/document", Handler::DocumentAnalysis),
    ("/whynot", Handler::WhyNot),
    ("/update", Handler::Update),
    ("/update/json", Handler::Update),
    ("/update/json/docs", Handler::Update),
    ("/update/csv", Handler::Update),
    ("/update/cbor", Handler::Update),
    ("/admin/ping", Handler::Ping),
    ("/admin/luke", Handler::Luke),
    ("/admin/system", Handler::System),
    ("/admin/segments", Handler::Segments),
    ("/replication", Handler::Replication),
    ("/admin/file", Handler::File),
    ("/debug/dump", Handler::Dump),
    ("/admin/mbeans", Handler::NotServed),
    ("/admin/plugins", Handler::NotServed),
    ("/schema", Handler::Schema),
];

/// What every collection of Solr's has for sorted exports and for expressions over several searches.
pub(crate) const STREAMING: [&str; 4] = ["/export", "/stream", "/graph", "/sql"];

/// The handler of a path below a collection. The config's own paths count when their class is one served
/// here.
pub(crate) fn handler(path: &str, config: &CollectionConfig) -> Option<Handler> {
    if let Some((_, handler)) = IMPLICIT.iter().find(|(known, _)| *known == path) {
        return Some(*handler);
    }
    Some(match path {
        _ if is_below(path, "/config") => Handler::Config,
        _ if is_below(path, "/schema/managed") || is_below(path, "/schema/analysis") => Handler::Managed,
        _ if path.starts_with("/schema/") => Handler::Schema,
        _ => {
            // A configuration may have a search of its own at one of these paths.
            let declared = config.handlers.iter().find(|handler| handler.path == path);
            let served = declared.and_then(|declared| by_class(&declared.class));
            return served.or_else(|| STREAMING.contains(&path).then_some(Handler::Streaming));
        }
    })
}

fn is_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn by_class(class: &str) -> Option<Handler> {
    match class.rsplit('.').next()? {
        "SearchHandler" => Some(Handler::Select),
        "FieldAnalysisRequestHandler" => Some(Handler::FieldAnalysis),
        "DocumentAnalysisRequestHandler" => Some(Handler::DocumentAnalysis),
        "MoreLikeThisHandler" => Some(Handler::MoreLike),
        "UpdateRequestHandler" => Some(Handler::Update),
        "RealTimeGetHandler" => Some(Handler::Get),
        "PingRequestHandler" => Some(Handler::Ping),
        "LukeRequestHandler" => Some(Handler::Luke),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_taken_apart() {
        let check = |path: &str, expected: Target| assert_eq!(by_path(path).unwrap(), expected, "{path}");
        let collection = |name: &str, rest: &str| Target::Collection(name.into(), rest.into());
        check("/", Target::Root);
        check("/solr", Target::Root);
        check("/solr/", Target::Root);
        check("/solr/openapi.json", Target::Description);
        check("/solr/admin/info/system", Target::Node("/info/system".into()));
        check("/solr/films/select", collection("films", "/select"));
        check("/solr/films/select/", collection("films", "/select"));
        check("/solr/films/update/json/docs", collection("films", "/update/json/docs"));
        check("/api/collections/films/select", collection("films", "/select"));
        check("/api/node/system", Target::Node("/info/system".into()));
        check("/solr/films", Target::Unknown);
        check("/solr/a%2Fb/select", collection("a/b", "/select"));
        check("/other/films/select", Target::Unknown);
        check("/api/configsets", Target::Configsets(vec![]));
        check(
            "/api/configsets/x/lang/a.txt",
            Target::Configsets(vec!["x".into(), "lang".into(), "a.txt".into()]),
        );
        assert!(by_path("/solr/%ff/select").is_err());
    }
}
