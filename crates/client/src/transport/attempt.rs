//! One attempt: a request on one connection of one server, to the last byte of the answer, or to its first
//! bytes where the caller reads on himself. Knows at its end whether the server may have seen the request;
//! decides nothing about a next attempt.
//!
//! In: a request with its deadline and a server with its pool; out: an answer, or how far the attempt came,
//! and what that says of the server. A kept connection that turns out to be closed is replaced within the
//! attempt.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use coding::{Coding, accepted};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::header::{
    ACCEPT_ENCODING, AUTHORIZATION, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HOST, HeaderName,
    HeaderValue,
};
use hyper::http::response::Parts;
use hyper::{HeaderMap, StatusCode, Uri};
use tokio::sync::OnceCell;
use tokio::time::{Instant, timeout_at};

use super::body::{AnswerBody, text};
use crate::balance::{Server, Verdict};
use crate::error::Error;
use crate::metrics::Metrics;
use crate::options::ClientOptions;
use crate::packing;
use crate::pool::Lease;
use crate::request::Request;

/// An opened answer is given on with so much of it, or with what came in so long after its first bytes:
/// what is short is whole then, and one that breaks off before can be asked for again.
const OPENING_BYTES: usize = 64 << 10;
const OPENING_PATIENCE: Duration = Duration::from_millis(10);

/// A request on its way, with what its attempts share.
pub(super) struct Job<'a> {
    pub request: &'a Request,
    pub extent: Extent,
    pub options: &'a ClientOptions,
    pub metrics: &'a Arc<Metrics>,
    pub started: Instant,
    pub deadline: Instant,
    /// The body packed, once, when first needed, and how; no bytes where packing does not pay.
    pub packed: OnceCell<(Coding, Option<Bytes>)>,
    /// Whether a server did not take how the body was packed.
    pub coding_refused: AtomicBool,
}

/// How much of an answer an attempt brings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    Whole,
    /// Its beginning: the caller reads on.
    Opened,
}

/// An answer, as far as it was read.
pub(super) struct Answer {
    pub status: u16,
    pub content_type: String,
    pub headers: HeaderMap,
    /// Unpacked.
    pub begun: Bytes,
    /// Where `begun` is not all.
    pub rest: Option<AnswerBody>,
}

pub(super) type Outcome = Result<Answer, Failure>;

/// An attempt that brought no answer.
#[derive(Debug)]
pub(super) struct Failure {
    pub error: Error,
    pub reached: Reached,
}

/// How far an attempt came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reached {
    /// It waited for requests of this client to end, or had no time at all: that is not the server's fault.
    Nothing,
    /// It waited for the server, which has not seen the request.
    Server,
    /// The server may have seen the request.
    Sent,
}

impl Job<'_> {
    /// Errors: when the deadline passes first, too.
    pub async fn attempt(&self, server: &Arc<Server>) -> Outcome {
        self.metrics.attempts.increment();
        let reached = Mutex::new(Reached::Nothing);
        let outcome = match Instant::now() < self.deadline {
            true => timeout_at(self.deadline, self.exchange(server, &reached)).await.ok(),
            false => None,
        };
        let reached = reached.into_inner().unwrap_or_else(PoisonError::into_inner);
        let timeout = || {
            let seconds = self.deadline.saturating_duration_since(self.started).as_secs();
            let (url, sent) = (server.endpoint.url.to_string(), reached == Reached::Sent);
            Err(Error::Timeout { url, seconds, sent })
        };
        outcome.unwrap_or_else(timeout).map_err(|error| Failure { error, reached })
    }

    async fn exchange(&self, server: &Arc<Server>, reached: &Mutex<Reached>) -> Result<Answer, Error> {
        let under_way = server.begin();
        let reach = |place: Reached| *reached.lock().unwrap_or_else(PoisonError::into_inner) = place;
        let permit = server.pool.permit().await?;
        reach(Reached::Server);
        let (mut lease, mut is_renewed) = (server.pool.lease(permit).await?, false);
        let (head, body) = loop {
            let request = self.build(server, &lease).await?;
            let is_packed = request.headers().contains_key(CONTENT_ENCODING) && !self.comes_packed();
            reach(Reached::Sent);
            match lease.send(request).await {
                Ok(response) => {
                    self.learn_coding(server, &response, is_packed);
                    break response.into_parts();
                }
                Err(mut failed) => {
                    let unsent = failed.take_message().is_some();
                    let unseen = unsent || is_refused(failed.error());
                    reach(if unseen { Reached::Server } else { Reached::Sent });
                    // Closed between the lease and the first byte: nothing was sent, so a new connection gets
                    // it, once. What was refused would be refused again: whether to repeat that is not
                    // decided here.
                    if unsent && !std::mem::replace(&mut is_renewed, true) && lease.was_idle {
                        self.metrics.connections_found_closed.increment();
                        lease = lease.renew().await?;
                        continue;
                    }
                    self.metrics.connections_broken.increment();
                    return Err(Error::broken(&server.endpoint.url, failed.error()));
                }
            }
        };
        let mut body = AnswerBody::new(body, &head.headers, lease, under_way, self.metrics)?;
        let begun = match self.extent {
            Extent::Whole => self.collect(server, &head.headers, &mut body).await?,
            Extent::Opened => begin(&mut body).await?,
        };
        Ok(answer(head, begun, body))
    }

    async fn build(&self, server: &Server, lease: &Lease) -> Result<hyper::Request<Full<Bytes>>, Error> {
        let Request { method, target, headers, content, .. } = self.request;
        let url = &server.endpoint.url;
        let path = match target.starts_with('/') {
            true => target.clone(),
            false => format!("{}/{target}", url.context()),
        };
        let (scheme, authority) = (url.scheme(), url.authority());
        let uri = if lease.is_http2() { format!("{scheme}://{authority}{path}") } else { path };
        let uri = Uri::try_from(uri).map_err(|error| Error::Request(error.to_string()))?;
        let mut request = hyper::Request::builder().method(method).uri(uri);
        if !lease.is_http2() {
            request = request.header(HOST, authority);
        }
        if let Some(login) = url.login() {
            request = request.header(AUTHORIZATION, login.header());
        }
        if self.options.compression.responses && self.may_pack(lease) {
            request = request.header(ACCEPT_ENCODING, accepted());
        }
        if let Some(name) = self.options.deadline_header {
            let left = self.deadline.saturating_duration_since(Instant::now());
            request = request.header(name, u64::try_from(left.as_millis()).unwrap_or(u64::MAX));
        }
        let (body, coding) = self.body(server, lease).await;
        if let Some(content_type) = content.as_ref().and_then(|content| content.content_type.as_ref()) {
            request = request.header(CONTENT_TYPE, content_type);
        }
        if let Some(coding) = coding {
            request = request.header(CONTENT_ENCODING, coding);
        }
        let built = request.body(Full::new(body)).map_err(|error| Error::Request(error.to_string()));
        built.map(|request| with_own_headers(request, headers))
    }

    fn may_pack(&self, lease: &Lease) -> bool {
        self.options.compression.on_loopback || !lease.is_loopback()
    }

    /// Whether the caller has packed the body himself.
    fn comes_packed(&self) -> bool {
        self.request.headers.iter().any(|(name, _)| *name == CONTENT_ENCODING)
    }

    /// What an answer says of how its server takes bodies; `is_packed` tells how this request's went.
    fn learn_coding(&self, server: &Server, response: &hyper::Response<Incoming>, is_packed: bool) {
        if is_packed && response.status() == StatusCode::UNSUPPORTED_MEDIA_TYPE {
            server.coding.refuse();
            self.coding_refused.store(true, Ordering::Relaxed);
        } else {
            server.coding.learn(response.headers());
        }
    }

    /// The body for this connection, and how it is packed.
    async fn body(&self, server: &Server, lease: &Lease) -> (Bytes, Option<&'static str>) {
        let Some(content) = &self.request.content else { return (Bytes::new(), None) };
        let plain = &content.bytes;
        let compression = &self.options.compression;
        let is_long = plain.len() >= compression.request_bytes_min.max(1);
        let wanted = server.coding.choose(compression.requests);
        let coding = wanted.filter(|_| is_long && !self.comes_packed() && self.may_pack(lease));
        let packed = match coding {
            Some(coding) => {
                let pack = async || (coding, packing::pack(plain, coding).await);
                let (packed_as, packed) = self.packed.get_or_init(pack).await;
                // Servers that differ in what they take are hardly one after the other: then it goes as it
                // is.
                packed.clone().filter(|_| *packed_as == coding)
            }
            None => None,
        };
        let coding = coding.filter(|_| packed.is_some()).map(Coding::name);
        let body = packed.unwrap_or_else(|| plain.clone());
        self.metrics.request_bytes.add(plain.len());
        self.metrics.request_bytes_sent.add(body.len());
        (body, coding)
    }

    /// To the end. Errors: [`Error::TooLong`], also where its head says so.
    async fn collect(
        &self,
        server: &Server,
        headers: &HeaderMap,
        body: &mut AnswerBody,
    ) -> Result<Bytes, Error> {
        let (url, bytes_max) = (&server.endpoint.url, self.options.response_bytes_max);
        let too_long = || Error::TooLong { url: url.to_string(), bytes_max };
        if content_length(headers).is_some_and(|length| length > bytes_max as u64) {
            return Err(too_long());
        }
        let Some(first) = body.piece().await? else { return Ok(Bytes::new()) };
        if body.is_over() {
            // Most answers come in one part, which then need not be copied.
            return if first.len() > bytes_max { Err(too_long()) } else { Ok(first) };
        }
        let mut whole = BytesMut::from(&first[..]);
        while whole.len() <= bytes_max {
            let Some(piece) = body.piece().await? else { return Ok(whole.freeze()) };
            whole.extend_from_slice(&piece);
        }
        Err(too_long())
    }
}

/// The first pieces, as far as they come without delay.
async fn begin(body: &mut AnswerBody) -> Result<Bytes, Error> {
    let Some(first) = body.piece().await? else { return Ok(Bytes::new()) };
    if body.is_over() {
        return Ok(first);
    }
    let mut begun = BytesMut::from(&first[..]);
    let enough = Instant::now() + OPENING_PATIENCE;
    while begun.len() < OPENING_BYTES {
        let Ok(piece) = timeout_at(enough, body.piece()).await else { break };
        let Some(piece) = piece? else { break };
        begun.extend_from_slice(&piece);
    }
    Ok(begun.freeze())
}

fn answer(head: Parts, begun: Bytes, body: AnswerBody) -> Answer {
    let (status, mut headers) = (head.status.as_u16(), head.headers);
    let content_type = text(&headers, CONTENT_TYPE).to_owned();
    // They spoke of the body as it was sent.
    if headers.remove(CONTENT_ENCODING).is_some() {
        headers.remove(CONTENT_LENGTH);
    }
    let rest = (!body.is_over()).then_some(body);
    Answer { status, content_type, headers, begun, rest }
}

/// What the caller set replaces what would be there; one that he set twice is there twice.
fn with_own_headers(
    mut request: hyper::Request<Full<Bytes>>,
    headers: &[(HeaderName, HeaderValue)],
) -> hyper::Request<Full<Bytes>> {
    for (name, _) in headers {
        request.headers_mut().remove(name);
    }
    for (name, value) in headers {
        request.headers_mut().append(name, value.clone());
    }
    request
}

fn content_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// HTTP/2's way to say that a request was not looked at (RFC 9113, 8.7).
fn is_refused(error: &hyper::Error) -> bool {
    let mut source: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(error) = source {
        if let Some(error) = error.downcast_ref::<h2::Error>() {
            return error.reason() == Some(h2::Reason::REFUSED_STREAM);
        }
        source = error.source();
    }
    false
}

/// What an outcome says of the server.
pub(super) fn verdict(outcome: &Outcome) -> Option<Verdict> {
    match outcome {
        Ok(Answer { status: 502..=504, .. }) => Some(Verdict::Failed),
        Ok(_) => Some(Verdict::Good),
        Err(failure) => match &failure.error {
            Error::Connect { .. } | Error::Tls(_) => Some(Verdict::Unreachable),
            Error::Timeout { .. } if failure.reached == Reached::Nothing => None,
            Error::Broken { .. } | Error::Timeout { .. } => Some(Verdict::Failed),
            // The caller's own doing.
            _ => None,
        },
    }
}
