//! One attempt: a request on one connection of one server, to the last byte of the answer. Knows at its end
//! whether the server may have seen the request; decides nothing about a next attempt.
//!
//! In: a request with its deadline and a server with its pool; out: an answer, or how far the attempt came,
//! and what that says of the server. A kept connection that turns out to be closed is replaced within the
//! attempt.

use std::sync::{Mutex, PoisonError};

use bytes::{Bytes, BytesMut};
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Body as _, Incoming};
use hyper::header::{
    ACCEPT_ENCODING, AUTHORIZATION, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HOST, HeaderName,
    HeaderValue,
};
use hyper::{HeaderMap, StatusCode, Uri};
use tokio::sync::OnceCell;
use tokio::time::{Instant, timeout_at};

use crate::balance::{Server, Verdict};
use crate::coding::{self, Unpackable};
use crate::error::Error;
use crate::metrics::Metrics;
use crate::options::{ClientOptions, Coding};
use crate::pool::Lease;
use crate::request::Request;
use crate::response::Response;

/// A request on its way, with what its attempts share.
pub(super) struct Job<'a> {
    pub request: &'a Request,
    pub options: &'a ClientOptions,
    pub metrics: &'a Metrics,
    pub started: Instant,
    pub deadline: Instant,
    /// The body packed, once, when first needed; `None` where packing does not pay.
    pub packed: OnceCell<Option<Bytes>>,
}

pub(super) type Outcome = Result<Response, Failure>;

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
    pub async fn attempt(&self, server: &Server) -> Outcome {
        let _under_way = server.begin();
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

    async fn exchange(&self, server: &Server, reached: &Mutex<Reached>) -> Result<Response, Error> {
        let reach = |place: Reached| *reached.lock().unwrap_or_else(PoisonError::into_inner) = place;
        let permit = server.pool.permit().await?;
        reach(Reached::Server);
        let (mut lease, mut is_renewed) = (server.pool.lease(permit).await?, false);
        let (head, body) = loop {
            let request = self.build(server, &lease).await?;
            reach(Reached::Sent);
            match lease.send(request).await {
                Ok(response) => break response.into_parts(),
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
        let body = self.collect(server, &head.headers, body).await?;
        lease.give_back(head.headers.get("keep-alive"));
        self.metrics.response_bytes_received.add(body.len());
        self.understand(server, head.status, head.headers, body).await
    }

    async fn build(&self, server: &Server, lease: &Lease) -> Result<hyper::Request<Full<Bytes>>, Error> {
        let Request { method, target, headers, content, .. } = self.request;
        let url = &server.endpoint.url;
        let path = format!("{}/{target}", url.context());
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
            request = request.header(ACCEPT_ENCODING, coding::ACCEPTED);
        }
        if let Some(name) = self.options.deadline_header {
            let left = self.deadline.saturating_duration_since(Instant::now());
            request = request.header(name, u64::try_from(left.as_millis()).unwrap_or(u64::MAX));
        }
        let (body, coding) = self.body(lease).await;
        if let Some(content) = content {
            request = request.header(CONTENT_TYPE, &content.content_type);
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

    /// The body for this connection, and how it is packed.
    async fn body(&self, lease: &Lease) -> (Bytes, Option<&'static str>) {
        let Some(content) = &self.request.content else { return (Bytes::new(), None) };
        let plain = &content.bytes;
        let compression = &self.options.compression;
        let is_long = plain.len() >= compression.request_bytes_min.max(1);
        let coding = compression.requests.filter(|_| is_long && self.may_pack(lease));
        let packed = match coding {
            Some(coding) => self.packed.get_or_init(|| coding::pack(plain, coding)).await.clone(),
            None => None,
        };
        let coding = coding.filter(|_| packed.is_some()).map(Coding::name);
        let body = packed.unwrap_or_else(|| plain.clone());
        self.metrics.request_bytes.add(plain.len());
        self.metrics.request_bytes_sent.add(body.len());
        (body, coding)
    }

    /// Whole, as it was sent.
    async fn collect(
        &self,
        server: &Server,
        headers: &HeaderMap,
        mut body: Incoming,
    ) -> Result<Bytes, Error> {
        let (url, bytes_max) = (&server.endpoint.url, self.options.response_bytes_max);
        let too_long = || Error::TooLong { url: url.to_string(), bytes_max };
        if content_length(headers).is_some_and(|length| length > bytes_max as u64) {
            return Err(too_long());
        }
        let mut whole = BytesMut::new();
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|error| {
                self.metrics.connections_broken.increment();
                Error::broken(url, &error)
            })?;
            let Ok(data) = frame.into_data() else { continue };
            if whole.is_empty() && body.is_end_stream() {
                // Most answers come in one part, which then need not be copied.
                return if data.len() > bytes_max { Err(too_long()) } else { Ok(data) };
            }
            whole.extend_from_slice(&data);
            if whole.len() > bytes_max {
                return Err(too_long());
            }
        }
        Ok(whole.freeze())
    }

    async fn understand(
        &self,
        server: &Server,
        status: StatusCode,
        mut headers: HeaderMap,
        body: Bytes,
    ) -> Result<Response, Error> {
        let url = server.endpoint.url.to_string();
        let text =
            |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok()).unwrap_or_default();
        let (content_type, coding) = (text(CONTENT_TYPE).to_owned(), text(CONTENT_ENCODING).to_owned());
        let bytes_max = self.options.response_bytes_max;
        let body = coding::unpack(body, &coding, bytes_max).await.map_err(|unpackable| match unpackable {
            Unpackable::TooLong => Error::TooLong { url: url.clone(), bytes_max },
            Unpackable::Malformed(reason) => Error::Broken { url: url.clone(), reason },
        })?;
        self.metrics.response_bytes.add(body.len());
        // They spoke of the body as it was sent.
        if headers.remove(CONTENT_ENCODING).is_some() {
            headers.remove(CONTENT_LENGTH);
        }
        Ok(Response { status: status.as_u16(), content_type, body, headers })
    }
}

/// What the caller set replaces what would be there.
fn with_own_headers(
    mut request: hyper::Request<Full<Bytes>>,
    headers: &[(HeaderName, HeaderValue)],
) -> hyper::Request<Full<Bytes>> {
    for (name, value) in headers {
        request.headers_mut().insert(name, value.clone());
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
        Ok(Response { status: 502..=504, .. }) => Some(Verdict::Failed),
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
