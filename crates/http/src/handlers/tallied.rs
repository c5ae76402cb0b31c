//! Under which name a request is counted, and what is counted there as metrics: by Solr's categories of
//! handlers. Solr differs: it counts the requests of shards apart, of which there are none here
//! (`compat/admin/figures.yaml`).

use std::sync::Arc;

use cluster::Collection;
use solr::admin::Metric;
use solr::response::Node;
use solr::security::Section;

use crate::observe::tally::{Meter, Tallies, Tally};
use crate::request::node_handler::NodeHandler;
use crate::request::route::{self, Handler};
use crate::request::serving::Serving;
use crate::server::Server;

impl Serving {
    /// Where it counts.
    pub fn tally(&self, server: &Server) -> Option<Arc<Tally>> {
        match self {
            Self::Collection { collection, handler, path, .. } => {
                Some(collection.beside::<Tallies>().of(&name(*handler, path)))
            }
            Self::Node(handler) => Some(server.tallies.of(handler.name()?)),
            Self::V2(v2) => Some(server.tallies.of(v2.verb.handler.name()?)),
            Self::Configsets(_) => Some(server.tallies.of(NodeHandler::Configsets.name()?)),
            Self::Several(..)
            | Self::Elsewhere(..)
            | Self::Unread(..)
            | Self::Description
            | Self::Nothing => None,
        }
    }
}

impl NodeHandler {
    /// As metrics call it.
    fn name(self) -> Option<&'static str> {
        Some(match self {
            Self::Root | Self::Slow | Self::Doctor => return None,
            Self::Cores => "ADMIN./admin/cores",
            Self::Collections => "ADMIN./admin/collections",
            Self::System | Self::Health | Self::Info(_) => "ADMIN./admin/info",
            Self::Metrics => "ADMIN./admin/metrics",
            Self::Configsets => "ADMIN./admin/configs",
            Self::Security(Section::Authentication) => "ADMIN./admin/authentication",
            Self::Security(Section::Authorization) => "ADMIN./admin/authorization",
        })
    }
}

/// Solr's category, and the path by which the handler is declared: what is below it in a request does not
/// count apart.
fn name(handler: Handler, path: &str) -> String {
    let (category, path) = match handler {
        Handler::Select
        | Handler::Get
        | Handler::Terms
        | Handler::MoreLike
        | Handler::WhyNot
        | Handler::FieldAnalysis
        | Handler::DocumentAnalysis
        | Handler::Dump
        | Handler::Streaming => ("QUERY", path),
        Handler::Update => ("UPDATE", path),
        Handler::Replication => ("REPLICATION", path),
        Handler::Config => ("ADMIN", "/config"),
        Handler::Schema | Handler::Managed => ("ADMIN", "/schema"),
        Handler::NotServed => ("ADMIN", "/admin/mbeans"),
        Handler::Ping | Handler::Luke | Handler::System | Handler::Segments | Handler::File => {
            ("ADMIN", path)
        }
    };
    format!("{category}.{path}")
}

/// Handlers that no configuration declares.
const UNDECLARED: [&str; 5] = ["/query", "/replication", "/admin/file", "/debug/dump", "/whynot"];

/// Those of a collection's handlers, whether anyone asked them or not.
pub(super) fn of_collection(collection: &Collection, now_ms: i64) -> Vec<(String, Metric)> {
    let (config, tallies) = (collection.config(), collection.beside::<Tallies>());
    let declared = config.handlers.iter().map(|handler| handler.path.as_str());
    let mut names: Vec<String> = declared
        .chain(UNDECLARED)
        .filter_map(|path| Some(name(route::handler(path, &config)?, path)))
        .chain(tallies.names())
        .collect();
    names.sort_unstable();
    names.dedup();
    let since_ms = collection.opened_ms();
    names.iter().flat_map(|name| metrics(name, &tallies.of(name), (since_ms, now_ms))).collect()
}

/// Those of the node's own.
pub(super) fn of_node(server: &Server, now_ms: i64) -> Vec<(String, Metric)> {
    const ALL: [NodeHandler; 5] = [
        NodeHandler::Collections,
        NodeHandler::Configsets,
        NodeHandler::Cores,
        NodeHandler::System,
        NodeHandler::Metrics,
    ];
    let names = ALL.into_iter().filter_map(NodeHandler::name);
    let since_ms = server.node.started_ms();
    names.flat_map(|name| metrics(name, &server.tallies.of(name), (since_ms, now_ms))).collect()
}

fn metrics(name: &str, tally: &Tally, (since_ms, now_ms): (i64, i64)) -> [(String, Metric); 8] {
    let rates = |meter: &Meter| meter.read(since_ms, now_ms);
    let meter = |meter: &Meter| Metric::Meter(rates(meter));
    let requests = rates(&tally.requests);
    [
        ("clientErrors", meter(&tally.client_errors)),
        ("errors", meter(&tally.errors)),
        ("handlerStart", Metric::Value(Node::Long(since_ms))),
        ("requestTimes", Metric::Timer(requests, tally.times(now_ms))),
        ("requests", Metric::Count(requests.count)),
        ("serverErrors", meter(&tally.server_errors)),
        ("timeouts", meter(&tally.timeouts)),
        ("totalTime", Metric::Count(tally.total_ns())),
    ]
    .map(|(figure, metric)| (format!("{name}.{figure}"), metric))
}
