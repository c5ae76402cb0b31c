//! A request of an application from its head to an answer: read, sent on as the client may send it, answered
//! as the server did. Here it is decided that something may be sent more than once: only what reads.
//!
//! In: a request with its body still coming; out: an answer, whose body may still come. Where it goes is
//! `upstream`'s, how often and over what the client's.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use client::{Error, Preference, Request, StreamedResponse};
use hyper::body::Incoming;
use hyper::header::{AGE, AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::http::request::Parts;
use hyper::{HeaderMap, StatusCode};
use tokio::time::Instant;

use crate::body::{Answer, RelayBody};
use crate::cache::{CacheLookup, CachedAnswer};
use crate::headers::{HOPS, add_request_headers, connection_options, passes};
use crate::own_pages;
use crate::refusal::{Outcome, Refusal};
use crate::request_body::BodyBounds;
use crate::route::{Kind, PREFER, Route, ServerRoute, names_handler, preferences, route};
use crate::shared::Shared;
use crate::upstream::{Answered, SplitAnswers, Upstream, WholeAnswer};
use crate::writes::{TOKEN, Token};

/// More relays in a row are a circle.
const HOPS_MAX: u32 = 8;

pub(crate) async fn respond(shared: Arc<Shared>, request: hyper::Request<Incoming>) -> Answer {
    let (head, body) = request.into_parts();
    let route = match route(head.method.as_str(), head.uri.path(), head.uri.query()) {
        Route::Own(page) => return own_pages::answer(&shared, &head.method, &page),
        Route::Unknown => {
            let message = "a relay passes on what is below `/solr/` and `/api/`, and answers `/relay/health`, `/relay/metrics` and `/relay/config`";
            return Refusal::new(StatusCode::NOT_FOUND, message).answer();
        }
        Route::Server(route) => route,
    };
    let (started, kind) = (Instant::now(), route.kind);
    let answer = pass_on(&shared, &head, body, route).await.unwrap_or_else(|refusal| {
        shared.metrics.refused.add(1);
        tracing::debug!(status = refusal.status.as_u16(), reason = refusal.message, "refused");
        refusal.answer()
    });
    shared.metrics.answered(kind, answer.status().as_u16(), started.elapsed());
    answer
}

async fn pass_on(
    shared: &Arc<Shared>,
    head: &Parts,
    body: Incoming,
    route: ServerRoute,
) -> Result<Answer, Refusal> {
    let hops = hops(&head.headers)?;
    let mut token = token(&head.headers)?;
    let limits = &shared.limits;
    let bounds =
        BodyBounds { bytes_max: limits.body_bytes_max, room: &shared.room, stall_max: limits.stall_max };
    // The room is held until there is an answer: the body lives as long.
    let (bytes, _room) = bounds.read(body).await?;
    shared.metrics.bytes_from_applications.add(bytes.len());
    let upstream = shared.upstream();
    let mut ticket = None;
    // A body would be a part of what is asked.
    if let Some(cache) = upstream.cache.as_ref().filter(|_| bytes.is_empty()) {
        ticket = match cache.look_up(head, &route) {
            Some(CacheLookup::Hit(kept, age)) => {
                shared.metrics.cache_hits.add(1);
                return Ok(from_cache(kept, age));
            }
            Some(CacheLookup::Miss(ticket)) => Some(ticket),
            None => None,
        };
        shared.metrics.cache_misses.add(usize::from(ticket.is_some()));
    }
    let route = show_writes(&upstream, head, route, token.as_mut(), hops).await?;
    let request = request(head, &route, &bytes)?.header(HOPS.as_str(), &hops.to_string())?;
    let is_packed = head.headers.contains_key(CONTENT_ENCODING);
    let content = content_type(&head.headers).filter(|_| !is_packed).map(|kind| (kind, &bytes));
    let begun = upstream.writes.now();
    let changed = route.changed().filter(|_| upstream.cache.is_some());
    // Before, for a part of it may be seen while it is under way; and behind it, for others may have asked
    // meanwhile.
    let forget =
        || changed.iter().for_each(|name| upstream.cache.iter().for_each(|cache| cache.written(name)));
    forget();
    let sent = upstream.send(&route, request, content).await;
    forget();
    if let Some(collection) = route.written().filter(|_| may_be_done(&sent)) {
        let shows_itself = route.waits_for_searcher() && is_done(&sent);
        let written = upstream.writes.acknowledge(collection, begun, shows_itself);
        // What it came to goes out all the same, with the token as it was.
        if let Some(Err(reason)) = token.as_mut().map(|token| token.add(written)) {
            tracing::warn!(reason, "an update has no token");
            token = None;
        }
    }
    let mut answer = match sent? {
        Answered::One(answer) => {
            let whole = answer.whole().cloned().filter(|_| answer.status == 200);
            let answer = give_on(shared, *answer)?;
            if let (Some(cache), Some(ticket), Some(body)) = (&upstream.cache, ticket, whole) {
                cache.keep(ticket, CachedAnswer { headers: answer.headers().clone(), body });
            }
            answer
        }
        Answered::Split(split) => {
            shared.metrics.splits.add(1);
            conclude(split)?
        }
    };
    if let Some(value) = token.and_then(|token| HeaderValue::try_from(token.to_string()).ok()) {
        answer.headers_mut().insert(HeaderName::from_static(TOKEN), value);
    }
    Ok(answer)
}

/// As the server gave it, and how long ago.
fn from_cache(kept: CachedAnswer, age: Duration) -> Answer {
    let mut answer = with_head(StatusCode::OK, kept.headers, RelayBody::from(kept.body));
    answer.headers_mut().insert(AGE, HeaderValue::from(age.as_secs()));
    answer
}

/// Errors: what is no token.
fn token(headers: &HeaderMap) -> Result<Option<Token>, Refusal> {
    let malformed = |message| Refusal::new(StatusCode::BAD_REQUEST, message);
    let parse = |value: &HeaderValue| Token::parse(value.to_str().unwrap_or_default()).map_err(malformed);
    headers.get(TOKEN).map(parse).transpose()
}

/// Waits until a read shows the writes that it must. Where there are any to show, it is for the leaders.
async fn show_writes(
    upstream: &Upstream,
    head: &Parts,
    mut route: ServerRoute,
    token: Option<&mut Token>,
    hops: u32,
) -> Result<ServerRoute, Refusal> {
    let is_asked = token.is_some() || upstream.config.shows_own_writes;
    if route.kind != Kind::Read || route.collection.is_none() || !is_asked {
        return Ok(route);
    }
    let needs = upstream.writes.needs(route.collection.as_deref(), token);
    // What is got by its id is there before it is searchable.
    if !route.is_realtime_get() {
        let prepare = |commit: Request| {
            let commit = commit.header(HOPS.as_str(), &hops.to_string())?;
            match head.headers.get(AUTHORIZATION) {
                Some(login) => commit.header_bytes(AUTHORIZATION.as_str(), login.as_bytes()),
                None => Ok(commit),
            }
        };
        upstream.show(&needs, prepare).await.map_err(|error| Refusal {
            message: format!("the relay: writes that the read must show cannot be shown yet: {error}"),
            // Nothing but a commit can have happened.
            outcome: Outcome::Nothing,
            ..Refusal::from(error)
        })?;
    }
    route.is_from_leaders = true;
    // To Solr's nodes, which ask each other: of each shard the leader.
    Ok(route.with_param("shards.preference=replica.leader:true"))
}

/// Whether an update may have done something.
fn may_be_done(sent: &Result<Answered, Error>) -> bool {
    match sent {
        Ok(Answered::One(answer)) => answer.status != 429,
        Ok(Answered::Split(split)) => !split.answers.iter().all(did_nothing),
        Err(error) => Outcome::of(error) == Outcome::Unknown,
    }
}

/// Whether it was done as a whole.
fn is_done(sent: &Result<Answered, Error>) -> bool {
    match sent {
        Ok(Answered::One(answer)) => (200..300).contains(&answer.status),
        Ok(Answered::Split(split)) => split.answers.iter().all(is_success),
        Err(_) => false,
    }
}

/// One more than it says.
fn hops(headers: &HeaderMap) -> Result<u32, Refusal> {
    let passed = headers.get(HOPS).and_then(|value| value.to_str().ok()?.parse().ok()).unwrap_or(0_u32);
    if passed >= HOPS_MAX {
        let message = "relays send this request in a circle; name servers as upstream, not relays";
        return Err(Refusal::new(StatusCode::LOOP_DETECTED, message));
    }
    Ok(passed + 1)
}

fn request(head: &Parts, route: &ServerRoute, bytes: &Bytes) -> Result<Request, Error> {
    let content_type = content_type(&head.headers);
    let is_form = content_type.is_some_and(|kind| kind.starts_with("application/x-www-form-urlencoded"));
    let form = std::str::from_utf8(bytes).ok().filter(|_| is_form);
    let mut request =
        add_request_headers(Request::relayed(head.method.as_str(), &route.target)?, &head.headers)?;
    for preference in all_preferences(head, form)? {
        request = request.prefer(preference);
    }
    if route.kind == Kind::Read && !names_handler(form) {
        request = request.safe();
    }
    // Not for GET: a body of length 0 would be one.
    if !bytes.is_empty() || !matches!(head.method.as_str(), "GET" | "HEAD") {
        request = request.body(content_type, bytes.clone());
    }
    Ok(request)
}

/// Of the header, the query string and a form, in this order.
fn all_preferences(head: &Parts, form: Option<&str>) -> Result<Vec<Preference>, Error> {
    let mut found = Vec::new();
    for list in head.headers.get_all(PREFER) {
        found.extend(Preference::parse_list(list.to_str().unwrap_or_default())?);
    }
    found.extend(preferences(head.uri.query())?);
    found.extend(preferences(form)?);
    Ok(found)
}

fn content_type(headers: &HeaderMap) -> Option<&str> {
    headers.get(CONTENT_TYPE)?.to_str().ok()
}

/// The server's answer as the application gets it.
fn give_on(shared: &Arc<Shared>, answer: StreamedResponse) -> Result<Answer, Refusal> {
    let (status, headers) = head_of(&answer)?;
    let body = match answer.whole() {
        Some(whole) => RelayBody::from(whole.clone()),
        None => {
            let shared = shared.clone();
            RelayBody::pieces(answer, move |error| {
                shared.metrics.broken_off.add(1);
                tracing::warn!(%error, "an answer broke off behind its head");
            })
        }
    };
    Ok(with_head(status, headers, body))
}

/// Errors: a server that sends on elsewhere, which nobody follows: neither the relay, which would ask an
/// address that a server named, nor the application, which would go past the relay.
fn head_of(answer: &StreamedResponse) -> Result<(StatusCode, HeaderMap), Refusal> {
    let unknown = |message: String| Refusal {
        status: StatusCode::BAD_GATEWAY,
        message: format!("the relay: {message}"),
        outcome: Outcome::Unknown,
    };
    let status = StatusCode::from_u16(answer.status).map_err(|error| unknown(error.to_string()))?;
    if status.is_redirection() && status != StatusCode::NOT_MODIFIED {
        let to = answer.header("location").unwrap_or_default();
        return Err(unknown(format!(
            "the server sends on to `{to}`, which is not followed; name that as upstream"
        )));
    }
    let options = connection_options(answer.header("connection"));
    let mut headers = HeaderMap::new();
    for (name, value) in answer.headers().filter(|(name, _)| passes(name, &options)) {
        let name = HeaderName::try_from(name).map_err(|error| unknown(error.to_string()))?;
        let value = HeaderValue::try_from(value).map_err(|error| unknown(error.to_string()))?;
        headers.append(name, value);
    }
    Ok((status, headers))
}

fn with_head(status: StatusCode, headers: HeaderMap, body: RelayBody) -> Answer {
    let mut answer = Answer::new(body);
    *answer.status_mut() = status;
    *answer.headers_mut() = headers;
    answer
}

/// One answer for the parts of an update: the first that is no success, else the first.
fn conclude(SplitAnswers { answers }: SplitAnswers) -> Result<Answer, Refusal> {
    let count = answers.len();
    let succeeded = answers.iter().filter(|answer| is_success(answer)).count();
    // Of one part alone that may be done the whole may be: what says that nothing was must not go on then.
    let is_nothing = answers.iter().all(did_nothing);
    let failed = answers.iter().position(|answer| !is_success(answer));
    let told = format!(" ({succeeded} of {count} parts of this update are done)");
    match answers.into_iter().nth(failed.unwrap_or(0)) {
        Some(Ok(refused)) if refused.head.status == 429 && !is_nothing => {
            let message =
                format!("the relay: a server has too much to do for its part, and refused it{told}");
            Err(Refusal {
                outcome: Outcome::Unknown,
                ..Refusal::new(StatusCode::SERVICE_UNAVAILABLE, message)
            })
        }
        // Its own words, as where one server had all the documents: some before the error may be there.
        Some(Ok(answer)) => whole(&answer),
        Some(Err(error)) => {
            let mut refusal = Refusal::from(error);
            if !is_nothing {
                refusal.outcome = Outcome::Unknown;
            }
            refusal.message += &told;
            Err(refusal)
        }
        None => Err(Refusal::new(StatusCode::BAD_REQUEST, "the update has no documents")),
    }
}

fn is_success(answer: &Result<WholeAnswer, Error>) -> bool {
    answer.as_ref().is_ok_and(|answer| (200..300).contains(&answer.head.status))
}

/// Whether a server says that it did nothing of its part, or none has seen it.
fn did_nothing(answer: &Result<WholeAnswer, Error>) -> bool {
    match answer {
        Ok(answer) => answer.head.status == 429,
        Err(error) => Outcome::of(error) == Outcome::Nothing,
    }
}

fn whole(answer: &WholeAnswer) -> Result<Answer, Refusal> {
    let (status, headers) = head_of(&answer.head)?;
    Ok(with_head(status, headers, RelayBody::from(answer.body.clone())))
}
