//! What a request needs to be permitted, by the handler that serves it: Solr's predefined permission, the
//! handler's own path, and every collection that it touches. As recorded from Solr 9.10.1; where that names
//! no permission, or too little of one, it is decided here.

use cluster::{Collection, Node};
use hyper::Method;
use solr::Params;
use solr::params::Param;
use solr::params::admin::replication::COMMAND;
use solr::params::admin::{collections, configsets, cores, node as node_params};
use solr::security::{Predefined, Scope, Section};

use crate::request::node_handler::{Info, NodeHandler};
use crate::request::route::Handler;
use crate::request::serving::Serving;

pub(crate) struct Needs {
    pub permission: Predefined,
    pub path: String,
    pub scope: Scope,
}

/// Parameters of the node's administration that name collections, cores or lists of them.
const NAMING: [Param<String>; 8] = [
    collections::NAME,
    collections::COLLECTION,
    collections::COLLECTIONS,
    cores::CORE,
    cores::OTHER,
    cores::SOURCES,
    collections::TARGET,
    cores::TARGETS,
];

impl Needs {
    pub fn of(node: &Node, serving: &Serving, method: &Method, params: &Params) -> Self {
        let of_node = |permission, path: &str| Self {
            permission,
            path: path.to_owned(),
            scope: Scope::Node(named(node, params)),
        };
        let reads = matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS);
        match serving {
            Serving::Nothing => of_node(Predefined::Health, "/admin/noop"),
            Serving::Description => of_node(Predefined::Health, "/openapi.json"),
            // As the older request that it stands for; once the body is read, it is looked at again with what
            // that names.
            Serving::V2(v2) => {
                let params = v2.params(params, None).unwrap_or_default();
                Self::of(node, &Serving::Node(v2.verb.handler), method, &params)
            }
            Serving::Node(handler) => of_node(of_handler(*handler, reads, params), path_of(*handler)),
            Serving::Configsets(_) => {
                of_node(either(reads, Predefined::ConfigRead, Predefined::ConfigEdit), "/admin/configs")
            }
            Serving::Several(names, _) | Serving::Elsewhere(names, _) | Serving::Unread(names, _) => Self {
                permission: Predefined::Read,
                path: "/select".to_owned(),
                scope: Scope::Collections(all_of(node, names)),
            },
            Serving::Collection { named: _, collection, beside, core: _, handler, path } => {
                let asked = std::iter::once(collection).chain(beside);
                Self {
                    permission: in_collection(*handler, reads, params),
                    path: path.clone(),
                    scope: Scope::Collections(asked.map(|collection| names_of(collection)).collect()),
                }
            }
        }
    }
}

/// The names that a rule may have for a collection.
pub(crate) fn names_of(collection: &Collection) -> Vec<String> {
    let cores = collection.shard_documents().into_iter().map(|shard| shard.core);
    std::iter::once(collection.name()).chain(cores).collect()
}

fn either<T>(first: bool, one: T, other: T) -> T {
    if first { one } else { other }
}

fn in_collection(handler: Handler, reads: bool, params: &Params) -> Predefined {
    match handler {
        // Solr has none for the analysis of documents.
        Handler::Select
        | Handler::Get
        | Handler::Terms
        | Handler::MoreLike
        | Handler::WhyNot
        | Handler::FieldAnalysis
        | Handler::DocumentAnalysis
        | Handler::Luke
        | Handler::Streaming => Predefined::Read,
        Handler::Update => Predefined::Update,
        Handler::Ping => Predefined::Health,
        // Solr has none for the dump of a request.
        Handler::System | Handler::File | Handler::Dump => Predefined::ConfigRead,
        Handler::Segments | Handler::NotServed => Predefined::MetricsRead,
        // A reader may look; in Solr it may also write a backup.
        Handler::Replication => {
            let looks = matches!(COMMAND.sent(params), Some("details" | "indexversion") | None);
            either(looks, Predefined::Read, Predefined::Update)
        }
        Handler::Config => either(reads, Predefined::ConfigRead, Predefined::ConfigEdit),
        Handler::Schema | Handler::Managed => either(reads, Predefined::SchemaRead, Predefined::SchemaEdit),
    }
}

/// Where a handler of the node is below `/solr`, however a request spells its path.
fn path_of(handler: NodeHandler) -> &'static str {
    match handler {
        NodeHandler::Root => "/",
        NodeHandler::Cores => "/admin/cores",
        NodeHandler::Collections => "/admin/collections",
        NodeHandler::System => "/admin/info/system",
        NodeHandler::Health => "/admin/info/health",
        NodeHandler::Info(Info::Properties) => "/admin/info/properties",
        NodeHandler::Info(Info::Logging | Info::LogLevels | Info::LogMessages) => "/admin/info/logging",
        NodeHandler::Info(Info::Threads) => "/admin/info/threads",
        NodeHandler::Info(Info::Unknown) => "/admin/info",
        NodeHandler::Metrics => "/admin/metrics",
        NodeHandler::Slow => "/admin/slow",
        NodeHandler::Doctor => "/admin/doctor",
        NodeHandler::Configsets => "/admin/configs",
        NodeHandler::Security(Section::Authentication) => "/admin/authentication",
        NodeHandler::Security(Section::Authorization) => "/admin/authorization",
    }
}

fn of_handler(handler: NodeHandler, reads: bool, params: &Params) -> Predefined {
    // Which of the paths it is, it decides alone what its action is.
    let action = |sent: Option<&str>| sent.unwrap_or_default().to_ascii_uppercase();
    match handler {
        NodeHandler::Root | NodeHandler::Health => Predefined::Health,
        NodeHandler::Cores => {
            let looks =
                matches!(action(cores::ACTION.sent(params)).as_str(), "" | "STATUS" | "REQUESTSTATUS");
            either(looks, Predefined::CoreAdminRead, Predefined::CoreAdminEdit)
        }
        NodeHandler::Collections => {
            let looks = matches!(
                action(collections::ACTION.sent(params)).as_str(),
                "" | "LIST"
                    | "CLUSTERSTATUS"
                    | "LISTALIASES"
                    | "REQUESTSTATUS"
                    | "DELETESTATUS"
                    | "LISTBACKUP"
                    | "VERIFYBACKUP"
                    | "OVERSEERSTATUS"
                    | collections::NODE_ROLES
                    | collections::SUPPORTED_ROLES
            );
            either(looks, Predefined::CollectionAdminRead, Predefined::CollectionAdminEdit)
        }
        NodeHandler::Configsets => {
            let looks = matches!(action(configsets::ACTION.sent(params)).as_str(), "" | "LIST");
            either(looks, Predefined::ConfigRead, Predefined::ConfigEdit)
        }
        NodeHandler::Info(Info::Logging | Info::LogLevels | Info::LogMessages) => {
            let looks = reads && !node_params::SET.is_sent(params);
            either(looks, Predefined::ConfigRead, Predefined::ConfigEdit)
        }
        NodeHandler::Metrics | NodeHandler::Slow | NodeHandler::Info(Info::Threads) => {
            Predefined::MetricsRead
        }
        NodeHandler::System | NodeHandler::Doctor | NodeHandler::Info(Info::Properties | Info::Unknown) => {
            Predefined::ConfigRead
        }
        NodeHandler::Security(Section::Authentication | Section::Authorization) => {
            either(reads, Predefined::SecurityRead, Predefined::SecurityEdit)
        }
    }
}

/// The collections that parameters name, each by all its names; a name of nothing stands for itself.
fn named(node: &Node, params: &Params) -> Vec<Vec<String>> {
    NAMING.iter().flat_map(|param| param.sent_all(params)).flat_map(|value| all_of(node, value)).collect()
}

/// Of a list of names and aliases.
fn all_of(node: &Node, names: &str) -> Vec<Vec<String>> {
    let mut all = Vec::new();
    for name in names.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        let mut own = vec![name.to_owned()];
        match node.resolve(name).unwrap_or_default().as_slice() {
            [one] => own.extend(names_of(one)),
            several => all.extend(several.iter().map(|collection| names_of(collection))),
        }
        all.push(own);
    }
    all
}
