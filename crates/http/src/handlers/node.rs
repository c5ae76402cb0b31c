//! What is served below the node's own paths, each by its handler. The path was resolved before
//! (`crates/http/src/request/route.rs`), and whether the caller may; here is only who does the work, and the
//! envelope of the answer.

use meter::Phase;
use solr::params::response as response_params;
use solr::response::{Entries, Name, Node};

use super::{collections, configsets, cores, doctor, info, metrics, security, slow};
use crate::request::call::{Answer, Call, Envelope, Failure, Writers};
use crate::request::node_handler::NodeHandler;
use crate::request::reply::Reply;

/// `below` are the parts of a path that goes on below the handler.
pub(super) async fn run(call: &Call<'_>, handler: NodeHandler, below: Option<Vec<String>>) -> Reply {
    if let (NodeHandler::Metrics, Some("prometheus")) = (handler, response_params::WT.sent(&call.params)) {
        return call.trace.during(Phase::Admin, metrics::as_text(call)).await;
    }
    let envelope =
        match Envelope::parse(Some(call.params.clone()), &call.params, handler.class(), Writers::default()) {
            Ok(envelope) => envelope,
            Err(error) => return Envelope::plain(&call.params).wrap(call, Err(error.into())),
        };
    let answer = call.trace.during(Phase::Admin, answer(call, handler, below)).await;
    envelope.wrap(call, answer.map(Answer::from))
}

async fn answer(
    call: &Call<'_>,
    handler: NodeHandler,
    below: Option<Vec<String>>,
) -> Result<Entries, Failure> {
    let answer = match handler {
        NodeHandler::Root => Ok(root()),
        NodeHandler::Cores => cores::run(call).await,
        NodeHandler::Collections => return collections::run(call).await,
        NodeHandler::System => Ok(info::system(call)),
        NodeHandler::Health => Ok(info::health(call)),
        NodeHandler::Info(info) => info.run(call),
        NodeHandler::Metrics => metrics::run(call).await,
        NodeHandler::Slow => Ok(slow::run(call)),
        NodeHandler::Doctor => doctor::run(call).await,
        NodeHandler::Configsets => configsets::run(call, below.as_deref()).await,
        NodeHandler::Security(section) => security::administrate(call, section).await,
    };
    answer.map_err(Failure::from)
}

fn root() -> Entries {
    vec![
        (Name::Borrowed("server"), Node::str(concat!("Parhelion ", env!("CARGO_PKG_VERSION")))),
        (
            Name::Borrowed("next"),
            Node::str("/solr/admin/info/system, /solr/admin/collections?action=LIST, /solr/openapi.json"),
        ),
    ]
}
