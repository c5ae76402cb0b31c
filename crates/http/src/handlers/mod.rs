//! One file for each of Solr's handlers, and the table that finds them. A handler takes a call and gives
//! entries for the response's body or an error; the envelope around both is made here, once.
//!
//! Here also: presets of the path, what a request may use up (`permit`), the second try where the schema
//! changed meanwhile, and which answers may be kept. Splitting a path into collection and handler is
//! `request/route.rs`'s; reading the body and letting the request in are `request/service.rs`'s.

pub(crate) mod zip;

mod again;
mod background;
mod collections;
mod config;
mod configsets;
mod core_parts;
mod cores;
mod doctor;
mod effective;
mod field_analysis;
mod files;
mod get;
mod info;
mod logged;
mod logging;
mod luke;
mod managed;
mod metrics;
mod missing;
mod more_like;
mod node;
mod permit;
mod ping;
mod rebuild;
mod replication;
mod schema;
mod schema_commands;
mod security;
mod segments;
mod select;
mod shown;
mod slow;
mod snapshots;
mod tallied;
mod terms;
mod update;
mod update_body;
mod update_progress;
mod v2;
mod why_not;

use std::sync::Arc;

use cluster::Collection;
use meter::Phase;
use plan::{Error, Result};
use solr::Params;
use solr::params::admin::collections::STATE_VERSIONS;
use solr::params::response::OMIT_HEADER;
use solr::response::{Format, Name, Node};
use solr::security::Section;

use self::again::Attempts;
use self::effective::{EffectiveParams, presets};
use self::missing::Missing;
use self::permit::Permit;
use self::shown::shown;
use crate::openapi;
use crate::request::call::{Answer, Call, Envelope, Failure, Writers};
use crate::request::elsewhere;
use crate::request::node_handler::{Info, NodeHandler};
use crate::request::reply::Reply;
use crate::request::route::{self, Handler, Target};
use crate::request::serving::Serving;
use crate::server::Server;

pub use self::collections::{ViewNode, cluster_view};

/// `None` when there is no such path, collection or handler.
pub(crate) fn find(server: &Server, target: Target) -> Option<Serving> {
    match target {
        Target::Root => Some(Serving::Node(NodeHandler::Root)),
        Target::Description => Some(Serving::Description),
        Target::Node(path) if path == "/noop" => Some(Serving::Nothing),
        Target::Node(path) => {
            let handler = match path.as_str() {
                "/cores" => NodeHandler::Cores,
                "/collections" => NodeHandler::Collections,
                "/info/system" => NodeHandler::System,
                "/info/health" | "/health" => NodeHandler::Health,
                "/configs" => NodeHandler::Configsets,
                "/metrics" => NodeHandler::Metrics,
                "/slow" => NodeHandler::Slow,
                "/doctor" => NodeHandler::Doctor,
                "/authentication" => NodeHandler::Security(Section::Authentication),
                "/authorization" => NodeHandler::Security(Section::Authorization),
                _ => NodeHandler::Info(Info::find(path.strip_prefix("/info/")?)),
            };
            Some(Serving::Node(handler))
        }
        Target::Collection(name, path) => {
            let Some((collection, core)) = server.node.find_addressed(&name) else {
                return match elsewhere::place(server, &name, &path)? {
                    Ok(collections) => in_several(name, collections, path),
                    Err(elsewhere) => Some(elsewhere),
                };
            };
            let handler = route::handler(&path, &collection.config())?;
            // What a collection is, its lead knows first, and changes alone.
            let lead = collection.lead_elsewhere().filter(|_| handler.is_administrative());
            if let Some(lead) = lead {
                return Some(Serving::Elsewhere(name, vec![lead]));
            }
            Some(Serving::Collection { named: name, collection, beside: Vec::new(), core, handler, path })
        }
        Target::Configsets(parts) => Some(Serving::Configsets(parts)),
        Target::V2(v2) => Some(Serving::V2(v2)),
        Target::Unknown => None,
    }
}

/// What reads documents asks all of several collections, by the handler of the first; as in Solr an update
/// goes to the first of them.
fn in_several(name: String, collections: Vec<Arc<Collection>>, path: String) -> Option<Serving> {
    let count = collections.len();
    let mut collections = collections.into_iter();
    let collection = collections.next()?;
    let handler = route::handler(&path, &collection.config())?;
    let beside = match handler {
        _ if handler.asks_several() => collections.collect(),
        Handler::Update | Handler::Ping => Vec::new(),
        _ if count == 1 => Vec::new(),
        _ => return Some(Serving::Several(name, count)),
    };
    Some(Serving::Collection { named: name, collection, beside, core: None, handler, path })
}

pub(crate) async fn run(call: &Call<'_>, serving: Serving) -> Reply {
    match serving {
        Serving::Nothing => Reply { status: 200, ..Reply::default() },
        Serving::Description => Reply {
            status: 200,
            content_type: Format::default().content_type().into(),
            body: openapi::served(),
            allow: None,
            ..Reply::default()
        },
        Serving::Several(name, count) => {
            let error = Error::bad_request(format!(
                "`{name}` stands for `{count}` collections, and only searches, `/get`, `/terms` and `/mlt` ask several at once: name one of them"
            ));
            Envelope::plain(&call.params).wrap(call, Err(error.into()))
        }
        // Sent on before it was read.
        Serving::Elsewhere(name, _) => {
            let error = Error::internal(format!("`{name}` is served elsewhere"));
            Envelope::plain(&call.params).wrap(call, Err(error.into()))
        }
        Serving::Unread(_, error) => Envelope::plain(&call.params).wrap(call, Err(error.into())),
        Serving::Node(handler) => Box::pin(node::run(call, handler, None)).await,
        Serving::Configsets(parts) => Box::pin(node::run(call, NodeHandler::Configsets, Some(parts))).await,
        Serving::V2(v2) => Box::pin(v2::run(call, &v2)).await,
        Serving::Collection { named, collection, beside: _, core: _, handler, path } => {
            in_collection(call, (named, &collection), handler, &path).await
        }
    }
}

async fn in_collection(
    call: &Call<'_>,
    (named, collection): (String, &Arc<Collection>),
    handler: Handler,
    path: &str,
) -> Reply {
    if let (Handler::Schema, Some(file)) = (handler, schema::as_file(call, collection)) {
        return file;
    }
    if let (Handler::File, Some(file)) = (handler, files::as_file(call, collection)) {
        return file;
    }
    let preparing = call.trace.enter(Phase::Prepare);
    let config = collection.config();
    let presets = presets(handler, path, &call.params, &config);
    let params = match handler {
        _ if handler.is_search() => select::effective(call, &presets),
        _ => Ok(EffectiveParams::plainly(&call.params, &presets).with_macros()),
    };
    let made = params.and_then(|EffectiveParams { sent, effective, refused }| {
        let writers = Writers {
            assumed: assumed_format(call, handler),
            own: &config.named.writers,
            otherwise: config.named.writer_assumed.as_deref(),
        };
        Ok((Envelope::parse(sent, &effective, handler.class(), writers)?, effective, refused))
    });
    drop(preparing);
    let (mut envelope, effective, refused) = match made {
        Ok(made) => made,
        Err(error) => return Envelope::plain(&call.params).wrap(call, Err(error.into())),
    };
    if let Some(error) = refused {
        return envelope.wrap(call, Err(error.into()));
    }
    if let Err(error) = tell_fields(&mut envelope.format, collection).await {
        return envelope.wrap(call, Err(error.into()));
    }
    envelope.zookeeper = handler == Handler::Ping && ping::pings(&call.params);
    if let (true, Err(error)) = (handler.is_search(), select::check_body(call)) {
        // Solr has not taken up the parameters and presets by then: only what was sent hides the header.
        envelope.echoed = None;
        envelope.header = !matches!(OMIT_HEADER.read(&call.params), Ok(true));
        return envelope.wrap(call, Err(error.into()));
    }
    let permit = Permit::of(call, config, (handler, path), (envelope.limits, &effective));
    if let Some(refusal) = permit.refusal(&effective) {
        return envelope.wrap(call, Ok(refusal));
    }
    // In a box: each handler's state would be moved along the whole way up, several kilobytes for every
    // request.
    let work = Box::pin(dispatch_until_settled(call, collection, (handler, path), (&effective, &permit)));
    let mut answer = match handler.is_administrative() {
        true => call.trace.during(Phase::Admin, work).await,
        false => work.await,
    };
    // What was cut short because the server gives no more is no answer.
    if let Err(error) = permit.meters.allowance.check() {
        answer = Err(error.into());
    }
    envelope.header |= permit.needs_header();
    if let Ok(answer) = &mut answer {
        answer.entries.extend(newer_state(call, collection));
    }
    let search = logged::search(call, (handler, path), collection, &effective);
    envelope.wrap_and_keep(call, (named, search), answer)
}

/// Clients of a cluster say which state of the collection they know; told that there is another, they read
/// it.
fn newer_state(call: &Call<'_>, collection: &Collection) -> Option<(Name, Node)> {
    let (name, version) = (collection.name(), collection.state_version());
    let known = STATE_VERSIONS.sent(&call.params)?.split('|').find_map(|known| {
        let (known, version) = known.rsplit_once(':')?;
        (known == name).then_some(version)
    })?;
    (known != version.to_string()).then(|| solr::admin::state_version(&name, version))
}

/// A table of all fields needs to know which there are.
async fn tell_fields(format: &mut Format, collection: &Collection) -> Result<()> {
    if let Format::Csv(style) = format
        && style.needs_fields()
    {
        let fields = collection.luke_fields().await?.into_iter().filter(|field| field.in_index);
        style.tell_fields(fields.map(|field| field.name), &collection.schema());
    }
    Ok(())
}

/// Runs a handler until what it meets is not worth another attempt.
async fn dispatch_until_settled(
    call: &Call<'_>,
    collection: &Arc<Collection>,
    (handler, path): (Handler, &str),
    (params, permit): (&Params, &Permit),
) -> Result<Answer, Failure> {
    let mut attempts = Attempts::default();
    loop {
        let result = dispatch(call, collection, (handler, path), (params, permit)).await;
        let Err(failure) = &result else { return result };
        if !attempts.asks_again(failure, (call, collection), (handler, params, permit)).await? {
            return result;
        }
    }
}

async fn dispatch(
    call: &Call<'_>,
    collection: &Arc<Collection>,
    (handler, path): (Handler, &str),
    (params, permit): (&Params, &Permit),
) -> Result<Answer, Failure> {
    let missing = match handler {
        Handler::WhyNot | Handler::Luke => Missing::of_all([collection]),
        // What asks several collections, which knows better whom it asks, and what tells of no documents.
        _ => Missing::default(),
    };
    let answer = answered(call, collection, (handler, path), (params, permit)).await?;
    Ok(missing.mark(permit, answer))
}

async fn answered(
    call: &Call<'_>,
    collection: &Arc<Collection>,
    (handler, path): (Handler, &str),
    (params, permit): (&Params, &Permit),
) -> Result<Answer, Failure> {
    let answer = match handler {
        Handler::Select => return select::run(call, collection, path, (params, permit)).await,
        Handler::Update => return Box::pin(update::run(call, collection, path, (params, permit))).await,
        Handler::Get => return get::run(call, collection, (params, permit)).await,
        Handler::Terms => return terms::run(call, collection, (params, permit)).await,
        Handler::WhyNot => why_not::run(call, collection, (params, permit)).await,
        Handler::MoreLike => return more_like::run(call, collection, (params, permit)).await,
        Handler::Ping => ping::run(call, collection, (path, params)).await,
        Handler::Luke => return luke::run(collection, call.core, params).await.map(Answer::from),
        Handler::System => Ok(info::core_system(call, collection)),
        Handler::Segments => segments::run(collection, call.core, params).await,
        Handler::Replication => replication::run(call, collection).await,
        Handler::File => files::run(collection, params),
        Handler::Dump => Ok(info::dump(call, params, path)),
        Handler::Streaming => Err(not_streamed(path)),
        Handler::NotServed => Err(Error::bad_request(format!(
            "`{path}` is not supported; the figures of cores are at `/solr/admin/metrics`"
        ))),
        Handler::FieldAnalysis => field_analysis::run(collection, params),
        Handler::DocumentAnalysis => field_analysis::documents(call, collection, params),
        Handler::Managed => managed::run(call, collection, path).await,
        Handler::Config => {
            return Box::pin(config::run(call, collection, path, params)).await.map(Answer::from);
        }
        Handler::Schema => {
            return Box::pin(schema::run(call, collection, path, params)).await.map(Answer::from);
        }
    };
    Ok(answer?.into())
}

/// What is answered in where no writer is named: an update in the format of its body. It tells where `json`
/// is declared anew.
fn assumed_format(call: &Call<'_>, handler: Handler) -> Option<&'static str> {
    let media_type = || call.content.as_ref()?.media_type.as_deref();
    match handler {
        Handler::Schema | Handler::Config => Some("json"),
        Handler::Update => {
            let media_type = media_type()?;
            ["xml", "json"].into_iter().find(|format| media_type.contains(format))
        }
        _ => None,
    }
}

/// Solr differs: it answers, but for SQL, which it has as a module (`compat/select/streaming.yaml`).
fn not_streamed(path: &str) -> Error {
    let instead = match path {
        "/export" => "ask `/select` for page after page with `cursorMark`",
        "/sql" => "ask `/select`, with `json.facet` to group",
        _ => "ask `/select`, with `json.facet`, `{!join}` or `{!graph}`, and put answers together yourself",
    };
    Error::bad_request(format!("`{path}` is not supported; {instead}"))
}
