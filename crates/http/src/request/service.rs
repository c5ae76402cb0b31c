//! One request from its first byte to its reply: the path says who serves it, the parameters how the answer
//! looks.
//!
//! The order is: who asks, a kept answer, route, rights, body, admission, handler. Each step may end it with
//! a reply of its own, and what was not read of a body is read to its end. Handlers see none of hyper's
//! types; connections see nothing of handlers.

use std::sync::Arc;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HeaderName, WWW_AUTHENTICATE};
use hyper::{Method, Request, Response};
use meter::{Phase, Trace};
use plan::{Error, ErrorKind, Result};
use solr::Params;
use solr::limits::asks_debug;
use solr::params::shards::PREFER_REPLICA;
use solr::params::unsupported::refuse_streams;
use solr::response::Format;
use tokio::sync::Mutex;
use tokio::time::Instant;

use crate::admission::Load;
use crate::connection::listener::Peer;
use crate::handlers;
use crate::members::{FORWARDED_BY, SHARDS_PATH};
use crate::observe::query_log::QueryRecord;
use crate::observe::slow::Watch;
use crate::observe::tally::Tally;
use crate::request::between_members;
use crate::request::body::Upload;
use crate::request::call::{Call, Content, Sender, retry_after_s};
use crate::request::elsewhere;
use crate::request::multipart::{FilePart, is_multipart, read_parts};
use crate::request::params;
use crate::request::reply::Reply;
use crate::request::route::{self, Handler, Target};
use crate::request::serving::Serving;
use crate::request::unpack;
use crate::security::{self, Access, Needs, Refusal};
use crate::server::Server;

const METHODS: &str = "GET, HEAD, OPTIONS, POST";
const FORM: &str = "application/x-www-form-urlencoded";

pub(crate) async fn respond(
    server: &Arc<Server>,
    peer: Peer,
    request: Request<Incoming>,
) -> Response<Full<Bytes>> {
    let packing = server.config.compress.packing(peer.is_near(), request.headers());
    let is_by_script = security::is_by_script(request.headers());
    let mut watch = Watch::new(server, request.method().clone(), request.uri().clone());
    let reply = reply(server, peer, request, &mut watch).await;
    let _writing = watch.trace.enter(Phase::Write);
    watch.status = Some(reply.status);
    let packed = {
        let load = server.admission.packing();
        packing.pack(&reply.body, server.config.compress_bytes_min, load.effort())
    };
    let mut response = reply.into_response(packing, packed);
    if response.status().as_u16() == 401
        && let Some(challenge) = security::challenge(&server.guard, is_by_script)
    {
        response.headers_mut().insert(WWW_AUTHENTICATE, challenge);
    }
    response
}

async fn reply(server: &Arc<Server>, peer: Peer, request: Request<Incoming>, watch: &mut Watch<'_>) -> Reply {
    // Before anybody is asked who they are: members have no log-in, and clients no key.
    if let Some((answering, key)) = server.desk.as_ref().filter(|_| watch.uri.path() == SHARDS_PATH) {
        let answer = Box::pin(between_members::answer(server, (answering, key), request)).await;
        let answer = answer.map_or_else(|error| bare_error(&error), Some);
        return answer.unwrap_or_else(|| Reply::not_found(SHARDS_PATH));
    }
    let started = Instant::now();
    let reply = match Access::of((&server.guard, server.config.read_only), peer, &request, watch.started_ms) {
        Ok(access) => {
            watch.user = server.config.query_log.as_ref().and_then(|_| access.user()).map(str::to_owned);
            match access.reads_all().then(|| kept(server, &request)).flatten() {
                Some(kept) => Some(kept),
                None => match route::target(&watch.method, watch.uri.path()) {
                    Ok(target) => serve(server, request, (target, access), watch).await,
                    Err(error) => bare_error(&error),
                },
            }
        }
        Err(refusal) => Some(refusal.into_reply(watch.uri.path())),
    };
    let reply = reply.unwrap_or_else(|| Reply::not_found(watch.uri.path()));
    let now_ms = server.node.clock().now_ms();
    let elapsed = started.elapsed();
    reply.count(now_ms, elapsed);
    if let (Some(log), Some(search)) = (&server.config.query_log, &reply.search) {
        log.note(&QueryRecord {
            time_ms: watch.started_ms,
            search: search.clone(),
            status: reply.status,
            was_kept: reply.was_kept,
            elapsed,
            user: watch.user.take(),
        });
    }
    let (method, path, elapsed_ms) = (&watch.method, watch.uri.path(), now_ms - watch.started_ms);
    tracing::debug!(%method, path, status = reply.status, elapsed_ms, "served");
    reply
}

fn kept(server: &Server, request: &Request<Incoming>) -> Option<Reply> {
    // Its header is looked at with all else that a request brings, and may be wrong.
    if request.headers().contains_key(PREFER_REPLICA.name) {
        return None;
    }
    server.answers.find(&server.node, request.method(), request.uri().path_and_query())
}

/// `None` where nobody serves the path.
async fn serve(
    server: &Arc<Server>,
    request: Request<Incoming>,
    (target, access): (Target, Access),
    watch: &mut Watch<'_>,
) -> Option<Reply> {
    let serving = handlers::find(server, target)?;
    watch.begin(&serving);
    // Who may is the owner's to say, by the same rules.
    if let Serving::Elsewhere(name, members) = &serving {
        let answer = Box::pin(elsewhere::forward(server, request, (name, members))).await;
        return answer.map_or_else(|error| bare_error(&error), Some);
    }
    let sent = match url_params(&request) {
        Ok(sent) => sent,
        Err(error) => {
            return bare_error(&error).map(|reply| Reply { tally: serving.tally(server), ..reply });
        }
    };
    if !access.is_open() {
        if let Err(refusal) = authorized(server, &request, &serving, (&access, &sent)) {
            return Some(refusal.into_reply(request.uri().path()));
        }
        if let Some(kept) = kept(server, &request) {
            return Some(kept);
        }
    }
    let managed = matches!(
        &serving,
        Serving::Collection { handler: Handler::Managed, .. } | Serving::Configsets(_) | Serving::V2(_)
    );
    match *request.method() {
        Method::GET | Method::POST => {}
        // Of managed resources, that one is there is an answer of its own, and they are changed by these
        // methods.
        Method::HEAD | Method::PUT | Method::DELETE if managed => {}
        // Clients probe a path so; the answer is that it is there.
        Method::HEAD => {
            return Some(Reply {
                status: 200,
                content_type: Format::default().content_type().into(),
                ..Reply::default()
            });
        }
        Method::OPTIONS => return Some(Reply { status: 200, allow: Some(METHODS), ..Reply::default() }),
        ref method => {
            let error = Error::new(
                ErrorKind::MethodNotAllowed,
                format!("Request contained unexpected HTTP method: {method}"),
            );
            return bare_error(&error).map(|reply| Reply { allow: Some(METHODS), ..reply });
        }
    }
    let head = *request.method() == Method::HEAD;
    let tally = serving.tally(server);
    let misses_coding = unpack::is_unknown(request.headers());
    // In a box: the future of each function above holds its callee's twice, so that this one's six kilobytes
    // were twenty-seven at the top, which every request moved along.
    let admitted = Box::pin(admitted(server, (request, sent), (serving, tally.clone(), access), watch));
    let reply = match admitted.await {
        Ok(reply) => Some(reply),
        Err(error) => bare_error(&error),
    };
    let reply = reply.map(|reply| Reply { tally, misses_coding, ..reply });
    if head { reply.map(|reply| Reply { body: Bytes::new(), ..reply }) } else { reply }
}

fn url_params(request: &Request<Incoming>) -> Result<Params> {
    let mut params = Params::default();
    params::decode_into(&mut params, request.uri().query().unwrap_or_default().as_bytes())?;
    Ok(params)
}

/// Whether the request may be read. A form is read first: what it asks for is among its parameters.
fn authorized(
    server: &Server,
    request: &Request<Incoming>,
    serving: &Serving,
    (access, sent): (&Access, &Params),
) -> Result<(), Refusal> {
    // An update is one whatever its parameters say: only those who may bring one make the server keep it.
    let body = BodyKind::of(request);
    if body == BodyKind::Form || body == BodyKind::Multipart && serving.load() != Load::Update {
        return Ok(());
    }
    access.check(Needs::of(&server.node, serving, request.method(), sent), request.method().as_str(), sent)
}

/// Reads the request first: a client that takes its time must not keep others out. Of an update, that is its
/// parameters: it enters with each piece of its body.
async fn admitted(
    server: &Arc<Server>,
    (request, sent): (Request<Incoming>, Params),
    (serving, tally, access): (Serving, Option<Arc<Tally>>, Access),
    watch: &mut Watch<'_>,
) -> Result<Reply> {
    let load = serving.load();
    let has_more_params = !access.is_open() && BodyKind::of(&request) != BodyKind::Plain;
    let reading = watch.trace.wait(Phase::Read);
    let mut call = read(server, (request, sent), (load, access), watch.started_ms).await?;
    drop(reading);
    if has_more_params {
        let needs = Needs::of(&server.node, &serving, &call.method, &call.params);
        if let Err(refusal) = call.access.check(needs, call.method.as_str(), &call.params) {
            return Ok(refusal.into_reply(watch.uri.path()));
        }
    }
    serving.check_files(call.more_files.len())?;
    if asks_debug(&call.params) {
        watch.look_closely();
    }
    (call.trace, call.tally, call.core) = (watch.trace.clone(), tally, serving.core());
    call.beside = serving.beside().to_vec();
    let reply = if call.upload().is_some() {
        handlers::run(&call, serving).await
    } else {
        let waiting = watch.trace.wait(Phase::Admission);
        let _pass = server.admission.enter(load).await?;
        drop(waiting);
        handlers::run(&call, serving).await
    };
    // Of files nothing is left on the wire.
    if let Some(upload) = call.content.and_then(|content| content.upload) {
        Box::pin(upload.into_inner().drain()).await;
    }
    watch.params = Some(call.params);
    Ok(reply)
}

/// The parameters of URL and form, and any other body as it is; that of an update as it arrives. Of a body in
/// several parts, fields are parameters, and files are bodies.
async fn read(
    server: &Arc<Server>,
    (request, mut sent): (Request<Incoming>, Params),
    (load, access): (Load, Access),
    started_ms: i64,
) -> Result<Call<'_>> {
    let method = request.method().clone();
    let target =
        request.uri().path_and_query().filter(|_| method == Method::GET && server.answers.is_on()).cloned();
    let header = |name| request.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let media_type = header(CONTENT_TYPE);
    let sender = Sender {
        authorization: request.headers().get(AUTHORIZATION).map(|shown| shown.as_bytes().to_vec()),
        is_forwarded: request.headers().contains_key(FORWARDED_BY),
        preferred: header(HeaderName::from_static(PREFER_REPLICA.name)),
    };
    let kind = BodyKind::of(&request);
    let (mut contents, mut room) = (vec![], None);
    if matches!(method, Method::POST | Method::PUT) {
        let bytes_max = match kind == BodyKind::Form || load == Load::Query {
            true => server.config.query_bytes_max.min(server.config.body_bytes_max),
            false => server.config.body_bytes_max,
        };
        let upload = Upload::new(server, request, bytes_max)?;
        match kind {
            BodyKind::Multipart => {
                let content_type = media_type.as_deref().unwrap_or_default();
                let parts = Box::pin(read_parts(server, (content_type, upload), bytes_max)).await?;
                params::append(&mut sent, &parts.fields)?;
                let files = parts.files.into_iter().map(|file| content_of(server, file, load));
                contents = files.collect::<Result<_>>()?;
                room = Some(parts.room);
            }
            BodyKind::Plain if load == Load::Update => {
                let upload = Some(Mutex::new(upload));
                contents = vec![Content { media_type, bytes: Bytes::new(), upload }];
            }
            BodyKind::Form | BodyKind::Plain => {
                let (bytes, taken) = Box::pin(upload.whole()).await?;
                room = Some(taken);
                if kind == BodyKind::Form {
                    params::decode_form_into(&mut sent, &bytes, media_type.as_deref())?;
                } else {
                    contents = vec![Content { media_type, bytes, upload: None }];
                }
            }
        }
    }
    let mut contents = contents.into_iter();
    let (content, more_files) = (contents.next(), contents.collect());
    refuse_streams(&sent)?;
    PREFER_REPLICA.read(&sent)?;
    PREFER_REPLICA.parse(sender.preferred.as_deref())?;
    let trace = Trace::default();
    let (core, tally) = (None, None);
    let beside = Vec::new();
    Ok(Call {
        server,
        method,
        target,
        core,
        beside,
        params: sent,
        access,
        sender,
        content,
        more_files,
        started_ms,
        trace,
        tally,
        room,
    })
}

/// A file of a multipart body as a body of its own: of an update it is taken piece by piece.
fn content_of(server: &Arc<Server>, file: FilePart, load: Load) -> Result<Content> {
    let media_type = file.media_type.clone();
    if load == Load::Update {
        let upload = Some(Mutex::new(Upload::of_file(server, file.parts)?));
        return Ok(Content { media_type, bytes: Bytes::new(), upload });
    }
    Ok(Content { media_type, bytes: file.whole(), upload: None })
}

/// What a body is, by its header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BodyKind {
    /// Parameters.
    Form,
    /// Parameters and files.
    Multipart,
    Plain,
}

impl BodyKind {
    fn of(request: &Request<Incoming>) -> Self {
        let kind = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        match kind.filter(|_| *request.method() == Method::POST) {
            Some(kind) if is_multipart(kind) => Self::Multipart,
            Some(kind) if kind.split(';').next().is_some_and(|it| it.trim().eq_ignore_ascii_case(FORM)) => {
                Self::Form
            }
            _ => Self::Plain,
        }
    }
}

/// An error before the request could be read: nothing is known of how the answer should look.
#[allow(clippy::unnecessary_wraps, reason = "it stands where a handler's reply would")]
fn bare_error(error: &Error) -> Option<Reply> {
    let format = Format::default();
    let mut body = Vec::new();
    format.write(&vec![solr::error::entry(error)], &mut body);
    Some(Reply {
        status: solr::error::status(error.kind),
        retry_after_s: retry_after_s(error.kind),
        content_type: format.content_type().into(),
        body: body.into(),
        ..Reply::default()
    })
}
