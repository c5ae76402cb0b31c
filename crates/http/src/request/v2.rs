//! The v2 API: each of its verbs is one of the older API's actions, under another path and with its
//! parameters in a JSON body. One table says which; nothing is done here that the older paths do not do.
//! Paths and names are those of Solr 9.10.1.

use hyper::Method;
use plan::Result;
use solr::Params;
use solr::admin::body_params;

use crate::request::node_handler::Info;
use crate::request::node_handler::NodeHandler;
use crate::request::params::decode_segment;

/// One verb.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Verb {
    method: &'static str,
    /// Below `/api`; what is in braces is captured as the parameter of this name.
    path: &'static str,
    pub handler: NodeHandler,
    /// The older API's; empty where the handler reads the body itself.
    action: &'static str,
    /// What parameters of the body are called there.
    renamed: &'static [(&'static str, &'static str)],
}

const fn verb(method: &'static str, path: &'static str, handler: NodeHandler, action: &'static str) -> Verb {
    Verb { method, path, handler, action, renamed: &[] }
}

const fn named(verb: Verb, renamed: &'static [(&'static str, &'static str)]) -> Verb {
    Verb { renamed, ..verb }
}

use NodeHandler::{Collections, Cores};

const VERBS: &[Verb] = &[
    verb("GET", "/collections", Collections, "LIST"),
    named(verb("POST", "/collections", Collections, "CREATE"), &[("config", "collection.configName")]),
    verb("GET", "/collections/{collection}", Collections, "COLSTATUS"),
    verb("DELETE", "/collections/{name}", Collections, "DELETE"),
    verb("POST", "/collections/{name}/reload", Collections, "RELOAD"),
    named(verb("POST", "/collections/{name}/rename", Collections, "RENAME"), &[("to", "target")]),
    named(
        verb("PUT", "/collections/{name}/properties/{propertyName}", Collections, "COLLECTIONPROP"),
        &[("value", "propertyValue")],
    ),
    verb("DELETE", "/collections/{name}/properties/{propertyName}", Collections, "COLLECTIONPROP"),
    verb("GET", "/collections/{collection}/snapshots", Collections, "LISTSNAPSHOTS"),
    verb("POST", "/collections/{collection}/snapshots/{commitName}", Collections, "CREATESNAPSHOT"),
    verb("DELETE", "/collections/{collection}/snapshots/{commitName}", Collections, "DELETESNAPSHOT"),
    named(
        verb("POST", "/collections/{collection}/backups/{name}/versions", Collections, "BACKUP"),
        &[("snapshotName", "commitName")],
    ),
    verb("GET", "/backups/{name}/versions", Collections, "LISTBACKUP"),
    verb("DELETE", "/backups/{name}/versions/{backupId}", Collections, "DELETEBACKUP"),
    named(
        verb("DELETE", "/backups/{name}/versions", Collections, "DELETEBACKUP"),
        &[("retainLatest", "maxNumBackupPoints")],
    ),
    verb("POST", "/backups/{name}/restore", Collections, "RESTORE"),
    verb("GET", "/aliases", Collections, "LISTALIASES"),
    verb("POST", "/aliases", Collections, "CREATEALIAS"),
    verb("DELETE", "/aliases/{name}", Collections, "DELETEALIAS"),
    verb("PUT", "/aliases/{name}/properties", Collections, "ALIASPROP"),
    named(
        verb("POST", "/collections/{collection}/shards/{shard}/replicas", Collections, "ADDREPLICA"),
        &[("nodeSet", "createNodeSet")],
    ),
    verb("DELETE", "/collections/{collection}/shards/{shard}/replicas", Collections, "DELETEREPLICA"),
    verb(
        "DELETE",
        "/collections/{collection}/shards/{shard}/replicas/{replica}",
        Collections,
        "DELETEREPLICA",
    ),
    named(
        verb(
            "PUT",
            "/collections/{collection}/shards/{shard}/replicas/{replica}/properties/{property}",
            Collections,
            "ADDREPLICAPROP",
        ),
        &[("value", "property.value")],
    ),
    verb(
        "DELETE",
        "/collections/{collection}/shards/{shard}/replicas/{replica}/properties/{property}",
        Collections,
        "DELETEREPLICAPROP",
    ),
    verb("POST", "/collections/{collection}/shards/{shard}/force-leader", Collections, "FORCELEADER"),
    verb("PUT", "/collections/{collection}/scale", Collections, "DELETEREPLICA"),
    named(
        verb("POST", "/collections/{collection}/shards", Collections, "CREATESHARD"),
        &[("shardName", "shard"), ("nodeSet", "createNodeSet")],
    ),
    verb("DELETE", "/collections/{collection}/shards/{shard}", Collections, "DELETESHARD"),
    named(
        verb("POST", "/cluster/nodes/{sourceNode}/replace", Collections, "REPLACENODE"),
        &[("targetNodeName", "targetNode")],
    ),
    verb("POST", "/cluster/nodes/{node}/clear", Collections, "DELETENODE"),
    verb("POST", "/cluster/replicas/balance", Collections, "BALANCE_REPLICAS"),
    verb("POST", "/cluster/replicas/migrate", Collections, "MIGRATE_REPLICAS"),
    verb("GET", "/cluster", Collections, "CLUSTERSTATUS"),
    verb("GET", "/cluster/overseer", Collections, "OVERSEERSTATUS"),
    verb("GET", "/cluster/node-roles", Collections, "NODEROLES"),
    verb("GET", "/cluster/node-roles/supported", Collections, "SUPPORTEDROLES"),
    verb("GET", "/cluster/node-roles/role/{role}", Collections, "NODEROLES"),
    verb("GET", "/cluster/node-roles/role/{role}/{mode}", Collections, "NODEROLES"),
    verb("GET", "/cluster/node-roles/node/{roleNode}", Collections, "NODEROLES"),
    named(verb("PUT", "/cluster/properties/{name}", Collections, "CLUSTERPROP"), &[("value", "val")]),
    verb("DELETE", "/cluster/properties/{name}", Collections, "CLUSTERPROP"),
    verb("GET", "/cluster/command-status/{requestid}", Collections, "REQUESTSTATUS"),
    verb("DELETE", "/cluster/command-status/{requestid}", Collections, "DELETESTATUS"),
    verb("GET", "/cores", Cores, "STATUS"),
    named(verb("POST", "/cores", Cores, "CREATE"), CREATED),
    verb("GET", "/cores/{core}", Cores, "STATUS"),
    named(verb("POST", "/cores/{core}", Cores, "SPLIT"), SPLIT),
    verb("POST", "/cores/{core}/reload", Cores, "RELOAD"),
    named(verb("POST", "/cores/{core}/rename", Cores, "RENAME"), &[("to", "other")]),
    named(verb("POST", "/cores/{core}/swap", Cores, "SWAP"), &[("with", "other")]),
    verb("POST", "/cores/{core}/unload", Cores, "UNLOAD"),
    named(
        verb("POST", "/cores/{core}/merge-indices", Cores, "MERGEINDEXES"),
        &[("srcCores", "srcCore"), ("indexDirs", "indexDir")],
    ),
    verb("GET", "/cores/{core}/snapshots", Cores, "LISTSNAPSHOTS"),
    verb("POST", "/cores/{core}/snapshots/{commitName}", Cores, "CREATESNAPSHOT"),
    verb("DELETE", "/cores/{core}/snapshots/{commitName}", Cores, "DELETESNAPSHOT"),
    named(verb("POST", "/cores/{core}/backups", Cores, "BACKUPCORE"), &[("backupName", "name")]),
    named(verb("POST", "/cores/{core}/restore", Cores, "RESTORECORE"), &[("backupName", "name")]),
    verb("GET", "/node/commands/{requestid}", Cores, "REQUESTSTATUS"),
    verb("GET", "/node/logging/levels", NodeHandler::Info(Info::LogLevels), ""),
    verb("PUT", "/node/logging/levels", NodeHandler::Info(Info::LogLevels), ""),
    verb("GET", "/node/logging/messages", NodeHandler::Info(Info::LogMessages), ""),
    verb("PUT", "/node/logging/messages", NodeHandler::Info(Info::LogMessages), ""),
];

/// A core may be asked for as it is, or as the command that the API had before.
const CREATED: &[(&str, &str)] =
    &[("create.name", "name"), ("create.configSet", "configSet"), ("create.async", "async")];

const SPLIT: &[(&str, &str)] = &[
    ("split.path", "path"),
    ("split.targetCore", "targetCore"),
    ("split.splitKey", "split.key"),
    ("split.ranges", "ranges"),
    ("split.async", "async"),
];

/// A verb that a request names, with what its path says.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct V2 {
    pub verb: &'static Verb,
    captured: Vec<(&'static str, String)>,
}

impl V2 {
    /// `None` for what is no verb of the table. Errors: an escape in the path that is none.
    pub fn find(method: &Method, path: &str) -> Result<Option<Self>> {
        let Some(path) = path.strip_prefix("/api/") else { return Ok(None) };
        let segments: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
        let fits = |verb: &&Verb| verb.method == method.as_str() && verb.captures(&segments);
        let Some(verb) = VERBS.iter().find(fits) else { return Ok(None) };
        let mut captured = Vec::new();
        for (name, segment) in verb.parts().zip(&segments) {
            if let Some(name) = param_of(name) {
                captured.push((name, decode_segment(segment)?));
            }
        }
        Ok(Some(Self { verb, captured }))
    }

    /// Whether the handler reads the body by itself.
    pub fn keeps_body(&self) -> bool {
        self.verb.action.is_empty()
    }

    /// As the older API takes them: the path first, then the body, then what the URL says. Errors: a body
    /// that is no object.
    pub fn params(&self, sent: &Params, body: Option<&str>) -> Result<Params> {
        let mut params = Params::default();
        if !self.keeps_body() {
            params.push("action", self.verb.action);
        }
        self.captured.iter().for_each(|(name, value)| params.push(*name, value.clone()));
        let body = body.filter(|_| !self.keeps_body()).map(body_params).transpose()?.unwrap_or_default();
        for (name, value) in body.pairs().iter().chain(sent.pairs()) {
            let older = self.verb.renamed.iter().find(|(newer, _)| newer == name);
            let older = older.map_or(name.as_str(), |(_, older)| older);
            if self.verb.repeats(older) {
                value.split(',').for_each(|value| params.push(older, value));
            } else {
                params.push(older, value.clone());
            }
        }
        Ok(params)
    }
}

impl Verb {
    fn parts(&self) -> impl Iterator<Item = &'static str> {
        self.path.split('/').skip(1)
    }

    fn captures(&self, segments: &[&str]) -> bool {
        let same = |(part, segment): (&'static str, &&str)| param_of(part).is_some() || part == *segment;
        self.parts().count() == segments.len() && self.parts().zip(segments).all(same)
    }

    /// Parameters that the older API takes several of.
    fn repeats(&self, name: &str) -> bool {
        matches!(
            (self.action, name),
            ("SPLIT", "targetCore" | "path") | ("MERGEINDEXES", "srcCore" | "indexDir")
        )
    }
}

fn param_of(part: &'static str) -> Option<&'static str> {
    part.strip_prefix('{')?.strip_suffix('}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verbs_become_actions() {
        let check = |method: Method, path: &str, body: &str, expected: Option<&str>| {
            let found = V2::find(&method, path).unwrap();
            let shown = found.map(|v2| {
                let params = v2.params(&Params::default(), Some(body)).unwrap();
                let pairs = params.pairs().iter().map(|(name, value)| format!("{name}={value}"));
                pairs.collect::<Vec<_>>().join("&")
            });
            assert_eq!(shown.as_deref(), expected, "{method} {path}");
        };
        check(Method::GET, "/api/collections", "", Some("action=LIST"));
        check(
            Method::POST,
            "/api/collections",
            r#"{"name":"a","config":"_default","numShards":1}"#,
            Some("action=CREATE&name=a&collection.configName=_default&numShards=1"),
        );
        check(Method::DELETE, "/api/collections/a", "", Some("action=DELETE&name=a"));
        check(Method::GET, "/api/collections/a/select", "", None);
        check(Method::GET, "/solr/collections", "", None);
        check(Method::POST, "/api/cores/a%20b/swap", r#"{"with":"c"}"#, Some("action=SWAP&core=a b&other=c"));
        check(
            Method::POST,
            "/api/cores/a",
            r#"{"split":{"targetCore":["b","c"],"splitKey":"x!"}}"#,
            Some("action=SPLIT&core=a&targetCore=b&targetCore=c&split.key=x!"),
        );
        check(
            Method::POST,
            "/api/cores",
            r#"{"create":{"name":"a","configSet":"_default"}}"#,
            Some("action=CREATE&name=a&configSet=_default"),
        );
        check(Method::PUT, "/api/node/logging/levels", "[]", Some(""));
        check(
            Method::POST,
            "/api/aliases",
            r#"{"name":"x","collections":["a","b"]}"#,
            Some("action=CREATEALIAS&name=x&collections=a,b"),
        );
        assert!(V2::find(&Method::GET, "/api/cores/%ff").is_err());
    }
}
