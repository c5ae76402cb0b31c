//! What a request is, by its method, path and parameters: whose page, which collection, whether it reads or
//! updates. By this it is sent to the right node, and known whether it may be sent twice.
//!
//! In: the request line, and a form where parameters came as one; out: a route. What the parameters mean is
//! the server's, but for `prefer-replica`.

use client::{Preference, is_reader};
use percent_encoding::percent_decode_str;

/// The path that applications ask below, as Solr's.
const CONTEXT: &str = "/solr/";
/// Solr's newer API lies beside it.
const V2: [&str; 2] = ["/api/", "/v2/"];
/// The relay's own pages.
const OWN: &str = "/relay/";
/// Paths below the context that are no collections.
const NO_COLLECTIONS: [&str; 2] = ["admin", "api"];

/// Name of the header and of the parameter.
pub(crate) const PREFER: &str = "prefer-replica";

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    /// A page of the relay itself, by its name.
    Own(String),
    /// Something of a server's.
    Server(ServerRoute),
    Unknown,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ServerRoute {
    /// As [`client::Request::relayed`] takes it.
    pub target: String,
    pub collection: Option<String>,
    pub kind: Kind,
    /// Whether a read must be answered by leaders.
    pub is_from_leaders: bool,
}

impl ServerRoute {
    /// Below the collection, without slashes around it.
    pub fn handler(&self) -> &str {
        let path = self.target.split('?').next().unwrap_or_default();
        path.split_once('/').map_or("", |(_, handler)| handler).trim_matches('/')
    }

    /// Whose documents it changes.
    pub fn written(&self) -> Option<&str> {
        let (handler, _) = self.handler().split_once('/').unwrap_or((self.handler(), ""));
        self.collection.as_deref().filter(|_| handler == "update")
    }

    /// What it may change: documents, the schema, the configuration.
    pub fn changed(&self) -> Option<&str> {
        self.collection.as_deref().filter(|_| self.kind != Kind::Read)
    }

    /// Whether it reads what is not yet searchable too.
    pub fn is_realtime_get(&self) -> bool {
        self.kind == Kind::Read && self.handler() == "get"
    }

    /// Whether its answer comes once what it does is searchable. (A body may say so as well, which is not
    /// looked at: that costs a commit.)
    pub fn waits_for_searcher(&self) -> bool {
        let query = self.target.split_once('?').map(|(_, query)| query);
        let says = |names: [&str; 2], word: &str| {
            pairs(query).any(|(name, value)| names.contains(&name.as_str()) && value == word)
        };
        says(["commit", "softCommit"], "true") && !says(["waitSearcher", "openSearcher"], "false")
    }

    /// With a parameter before all others, so that it is the one that counts.
    #[must_use]
    pub fn with_param(mut self, pair: &str) -> Self {
        let (path, query) = self.target.split_once('?').unwrap_or((&self.target, ""));
        let ampersand = if query.is_empty() { "" } else { "&" };
        self.target = format!("{path}?{pair}{ampersand}{query}");
        self
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// It changes nothing, and may be asked twice.
    Read,
    /// The update handler itself.
    Update,
    /// Everything else, which may change something.
    Other,
}

impl Kind {
    pub const ALL: [Self; 3] = [Kind::Read, Kind::Update, Kind::Other];

    pub fn name(self) -> &'static str {
        match self {
            Kind::Read => "read",
            Kind::Update => "update",
            Kind::Other => "other",
        }
    }
}

/// Of the request line.
pub(crate) fn route(method: &str, path: &str, query: Option<&str>) -> Route {
    let target = |path: &str| query.map_or_else(|| path.to_owned(), |query| format!("{path}?{query}"));
    if let Some(page) = path.strip_prefix(OWN) {
        return Route::Own(page.to_owned());
    }
    if V2.iter().any(|context| path.starts_with(context)) {
        let route =
            ServerRoute { target: target(path), collection: None, kind: Kind::Other, is_from_leaders: false };
        return Route::Server(route);
    }
    let below = match path.strip_prefix(CONTEXT) {
        Some(below) => below,
        None if path == CONTEXT.trim_end_matches('/') => "",
        None => return Route::Unknown,
    };
    // A path that begins with a slash would be taken for one beside the Solr URL.
    let below = below.trim_start_matches('/');
    let (collection, handler) = below.split_once('/').unwrap_or((below, ""));
    let collection = (!handler.is_empty() && !NO_COLLECTIONS.contains(&collection))
        .then(|| percent_decode_str(collection).decode_utf8_lossy().into_owned());
    let asks = matches!(method, "GET" | "HEAD" | "POST");
    let kind = match handler.trim_end_matches('/') {
        "update" | "update/json" if method == "POST" && collection.is_some() => Kind::Update,
        _ if asks && is_reader(below) && !names_handler(query) => Kind::Read,
        _ => Kind::Other,
    };
    Route::Server(ServerRoute { target: target(below), collection, kind, is_from_leaders: false })
}

/// Whether parameters choose the handler: old configurations let `/select?qt=/update` be an update.
pub(crate) fn names_handler(form: Option<&str>) -> bool {
    pairs(form).any(|(name, _)| name == "qt")
}

/// What the parameters of a query string or form say of replicas. Errors: the client's words for a rule that
/// is none.
pub(crate) fn preferences(form: Option<&str>) -> Result<Vec<Preference>, client::Error> {
    let lists = pairs(form).filter(|(name, _)| name == PREFER);
    let mut found = Vec::new();
    for (_, list) in lists {
        found.extend(Preference::parse_list(&list)?);
    }
    Ok(found)
}

/// Whether all parameters are among these.
pub(crate) fn has_only(form: Option<&str>, names: &[&str]) -> bool {
    pairs(form).all(|(name, _)| names.contains(&name.as_str()))
}

fn pairs(form: Option<&str>) -> impl Iterator<Item = (String, String)> {
    let parts = form.unwrap_or_default().split('&').filter(|part| !part.is_empty());
    parts.map(|part| {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        (decoded(name), decoded(value))
    })
}

fn decoded(text: &str) -> String {
    percent_decode_str(&text.replace('+', " ")).decode_utf8_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_known_by_their_line() {
        let check = |method: &str, line: &str, expected: Option<(&str, Option<&str>, Kind)>| {
            let (path, query) =
                line.split_once('?').map_or((line, None), |(path, query)| (path, Some(query)));
            let expected = expected.map(|(target, collection, kind)| ServerRoute {
                target: target.to_owned(),
                collection: collection.map(str::to_owned),
                kind,
                is_from_leaders: false,
            });
            let expected = expected.map_or(Route::Unknown, Route::Server);
            assert_eq!(route(method, path, query), expected, "{method} {line}");
        };
        let films = Some("films");
        check("GET", "/solr/films/select?q=a%20b", Some(("films/select?q=a%20b", films, Kind::Read)));
        check("POST", "/solr/films/select", Some(("films/select", films, Kind::Read)));
        check("PUT", "/solr/films/select", Some(("films/select", films, Kind::Other)));
        check("GET", "/solr/films/select?qt=/update", Some(("films/select?qt=/update", films, Kind::Other)));
        check(
            "POST",
            "/solr/films/update?commit=true",
            Some(("films/update?commit=true", films, Kind::Update)),
        );
        check("POST", "/solr/films/update/", Some(("films/update/", films, Kind::Update)));
        check(
            "GET",
            "/solr/films/update?commit=true",
            Some(("films/update?commit=true", films, Kind::Other)),
        );
        check("POST", "/solr/films/update/extract", Some(("films/update/extract", films, Kind::Other)));
        check("POST", "/solr/films/schema", Some(("films/schema", films, Kind::Other)));
        check("GET", "/solr/admin/collections", Some(("admin/collections", None, Kind::Other)));
        check("GET", "/solr/admin/info/health", Some(("admin/info/health", None, Kind::Read)));
        check("GET", "/solr//films/select", Some(("films/select", films, Kind::Read)));
        check("GET", "/solr", Some(("", None, Kind::Other)));
        check("GET", "/api/cores", Some(("/api/cores", None, Kind::Other)));
        check("GET", "/", None);
        check("GET", "/solrx/films/select", None);
        assert_eq!(route("GET", "/relay/metrics", None), Route::Own("metrics".to_owned()));
    }

    #[test]
    fn updates_are_known_and_whether_they_show_themselves() {
        let of = |method: &str, path: &str, query: &str| match route(method, path, Some(query)) {
            Route::Server(route) => route,
            other => panic!("{other:?}"),
        };
        let check = |path: &str, query: &str, expected: (Option<&str>, bool)| {
            let route = of("POST", path, query);
            assert_eq!((route.written(), route.waits_for_searcher()), expected, "{path} {query}");
        };
        check("/solr/films/update", "", (Some("films"), false));
        check("/solr/films/update/json/docs/", "softCommit=true", (Some("films"), true));
        check("/solr/films/update", "commit=true&waitSearcher=false", (Some("films"), false));
        check("/solr/films/update", "commit=true&openSearcher=false", (Some("films"), false));
        check("/solr/films/select", "q=update", (None, false));
        check("/solr/films/updates", "", (None, false));
        check("/solr/admin/update", "", (None, false));
        assert!(of("GET", "/solr/films/get", "id=1").is_realtime_get());
        assert!(!of("GET", "/solr/films/select", "id=1").is_realtime_get());
        let target = |query: &str| of("GET", "/solr/films/select", query).with_param("a=b").target;
        assert_eq!((target("q=x"), target("")), ("films/select?a=b&q=x".into(), "films/select?a=b".into()));
    }

    #[test]
    fn parameters_are_looked_at_decoded() {
        let prefer = |form: &str| preferences(Some(form)).map(|found| found.len()).ok();
        assert_eq!(prefer("q=*:*"), Some(0));
        assert_eq!(prefer("prefer%2Dreplica=zone%3Awest,type:PULL&x=1"), Some(2));
        assert_eq!(prefer("prefer-replica=moon"), None);
        assert!(names_handler(Some("a=1&q%74=x")) && !names_handler(Some("a=qt")));
        assert!(has_only(Some("wt=json&commitWithin=10"), &["wt", "commitWithin"]));
        assert!(!has_only(Some("wt=json&commit=true"), &["wt"]) && has_only(None, &[]));
    }
}
