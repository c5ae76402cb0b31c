//! One request from its first byte to its reply: the path says who serves it, the parameters how the answer looks.

use std::sync::Arc;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::header::{CONTENT_ENCODING, CONTENT_TYPE, WWW_AUTHENTICATE};
use hyper::{Method, Request, Response};
use plan::{Error, ErrorKind, Result};
use solr::Params;
use solr::params::unsupported::refuse_streams;
use solr::response::Format;

use crate::call::{Call, Content};
use crate::handlers::{self, Serving};
use crate::reply::Reply;
use crate::route::{self, Handler, Target};
use crate::security::{self, Access, Needs, Refusal};
use crate::server::Server;
use crate::{body, params, unpack};

const METHODS: &str = "GET, HEAD, OPTIONS, POST";
const FORM: &str = "application/x-www-form-urlencoded";

/// `near` says whether the client is on this machine.
pub(crate) async fn respond(
    server: &Arc<Server>,
    near: bool,
    request: Request<Incoming>,
) -> Response<Full<Bytes>> {
    let packing = server.config.compress.packing(near, request.headers());
    let guard = server.guard.as_ref().map(|guard| (guard, security::is_by_script(request.headers())));
    let mut response = reply(server, request).await.into_response(packing);
    if let (401, Some((guard, by_script))) = (response.status().as_u16(), guard)
        && let Some(challenge) = security::challenge(guard, by_script)
    {
        response.headers_mut().insert(WWW_AUTHENTICATE, challenge);
    }
    response
}

async fn reply(server: &Arc<Server>, request: Request<Incoming>) -> Reply {
    let started_ms = server.node.clock().now_ms();
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let reply = match Access::of(server, &request, started_ms) {
        Ok(access) => match access.is_open().then(|| kept(server, &request)).flatten() {
            Some(kept) => Some(kept),
            None => match route::target(&path) {
                Ok(target) => serve(server, request, (target, access), started_ms).await,
                Err(error) => bare_error(&error),
            },
        },
        Err(refusal) => Some(refusal.into_reply(&path)),
    };
    let reply = reply.unwrap_or_else(|| Reply::not_found(&path));
    let elapsed_ms = server.node.clock().now_ms() - started_ms;
    tracing::debug!(%method, path, status = reply.status, elapsed_ms, "served");
    reply
}

fn kept(server: &Server, request: &Request<Incoming>) -> Option<Reply> {
    server.answers.find(&server.node, request.method(), request.uri().path_and_query())
}

/// `None` where nobody serves the path.
async fn serve(
    server: &Arc<Server>,
    request: Request<Incoming>,
    (target, access): (Target, Access),
    started_ms: i64,
) -> Option<Reply> {
    let serving = handlers::find(server, target)?;
    if !access.is_open() {
        match authorized(server, &request, &serving, &access) {
            Ok(Err(refusal)) => return Some(refusal.into_reply(request.uri().path())),
            Err(error) => return bare_error(&error),
            Ok(Ok(())) => {}
        }
        if let Some(kept) = kept(server, &request) {
            return Some(kept);
        }
    }
    let managed = matches!(&serving, Serving::Collection(_, Handler::Managed, _) | Serving::Configsets(_));
    match *request.method() {
        Method::GET | Method::POST => {}
        // Of managed resources, that one is there is an answer of its own, and they are changed by these methods.
        Method::HEAD | Method::PUT | Method::DELETE if managed => {}
        // Clients probe a path so; the answer is that it is there.
        Method::HEAD => {
            return Some(Reply {
                status: 200,
                content_type: Format::default().content_type(),
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
    let reply = match admitted(server, request, (serving, access), started_ms).await {
        Ok(reply) => Some(reply),
        Err(error) => bare_error(&error),
    };
    if head { reply.map(|reply| Reply { body: Bytes::new(), ..reply }) } else { reply }
}

/// Whether the request may be read. A form is read first: what it asks for is among its parameters.
fn authorized(
    server: &Server,
    request: &Request<Incoming>,
    serving: &Serving,
    access: &Access,
) -> Result<Result<(), Refusal>> {
    if brings_form(request) {
        return Ok(Ok(()));
    }
    let mut params = Params::default();
    params::decode_into(&mut params, request.uri().query().unwrap_or_default().as_bytes())?;
    Ok(access.check(
        Needs::of(server, serving, request.method(), &params),
        request.method().as_str(),
        &params,
    ))
}

/// Reads the request first: a client that takes its time must not keep others out.
async fn admitted(
    server: &Arc<Server>,
    request: Request<Incoming>,
    (serving, access): (Serving, Access),
    started_ms: i64,
) -> Result<Reply> {
    let form = (!access.is_open() && brings_form(&request)).then(|| request.uri().path().to_owned());
    let call = read(server, request, access, started_ms).await?;
    if let Some(path) = form {
        let needs = Needs::of(server, &serving, &call.method, &call.params);
        if let Err(refusal) = call.access.check(needs, call.method.as_str(), &call.params) {
            return Ok(refusal.into_reply(&path));
        }
    }
    let _pass = server.admission.enter(serving.load()).await?;
    Ok(handlers::run(&call, serving).await)
}

/// The parameters of URL and form, and any other body as it is.
async fn read(
    server: &Arc<Server>,
    request: Request<Incoming>,
    access: Access,
    started_ms: i64,
) -> Result<Call<'_>> {
    let mut sent = Params::default();
    params::decode_into(&mut sent, request.uri().query().unwrap_or_default().as_bytes())?;
    let method = request.method().clone();
    let with_body = matches!(method, Method::POST | Method::PUT);
    let target =
        request.uri().path_and_query().filter(|_| method == Method::GET && server.answers.is_on()).cloned();
    let header = |name| request.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let (media_type, encoding) = (header(CONTENT_TYPE), header(CONTENT_ENCODING));
    let is_form = brings_form(&request);
    let mut room = server.admission.room(server.config.body_bytes_max);
    let bytes = if with_body {
        let bytes = body::read(request.into_body(), &server.config, &mut room).await?;
        unpack::unpacked(bytes, encoding.as_deref(), &mut room)?
    } else {
        Bytes::new()
    };
    let mut content = None;
    if is_form {
        params::decode_into(&mut sent, &bytes)?;
    } else if with_body {
        content = Some(Content { media_type, bytes });
    }
    refuse_streams(&sent)?;
    Ok(Call { server, method, target, params: sent, access, content, started_ms, room })
}

/// Whether the body is parameters.
fn brings_form(request: &Request<Incoming>) -> bool {
    let kind = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let is_form = |kind: &str| kind.split(';').next().is_some_and(|it| it.trim().eq_ignore_ascii_case(FORM));
    *request.method() == Method::POST && kind.is_some_and(is_form)
}

/// An error before the request could be read: nothing is known of how the answer should look.
#[allow(clippy::unnecessary_wraps, reason = "it stands where a handler's reply would")]
fn bare_error(error: &Error) -> Option<Reply> {
    let format = Format::default();
    let mut body = Vec::new();
    format.write(&vec![solr::error::entry(error)], &mut body);
    Some(Reply {
        status: solr::error::status(error.kind),
        content_type: format.content_type(),
        body: body.into(),
        allow: None,
    })
}
