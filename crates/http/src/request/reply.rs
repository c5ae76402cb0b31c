//! What is sent back, and the few headers that go with it.
//!
//! In: status, type and body from an envelope, or a bare page where nobody serves a path; out: hyper's
//! response, packed where that pays. It knows where it counts, so that kept answers are counted as those that
//! were worked out.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use coding::{Coding, accepted};
use http_body_util::Full;
use hyper::Response;
use hyper::header::{
    ACCEPT_ENCODING, ALLOW, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, HeaderValue, RETRY_AFTER, VARY,
    X_CONTENT_TYPE_OPTIONS,
};

use crate::observe::query_log::LoggedSearch;
use crate::observe::tally::{Ended, Tally};
use crate::request::compress::Packing;

/// A response before it becomes hyper's.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reply {
    pub status: u16,
    pub content_type: Cow<'static, str>,
    pub body: Bytes,
    /// Methods the path takes, when the one asked for is not among them.
    pub allow: Option<&'static str>,
    /// When a client may come again that is told it is too much (429: a second at least) or cannot be done
    /// now (503: 0 where it is not to come again by itself).
    pub retry_after_s: u64,
    /// Whether the request's body was packed as nobody here can read it.
    pub misses_coding: bool,
    /// Whether a limit cut the answer short.
    pub partial: bool,
    /// Where it counts.
    pub tally: Option<Arc<Tally>>,
    /// Of a search that the query log is to know.
    pub search: Option<Arc<LoggedSearch>>,
    /// Whether it was kept from an earlier request.
    pub was_kept: bool,
}

impl Reply {
    /// The page that a servlet container shows for a path nobody serves: what Solr answers for an unknown
    /// core or handler. Clients look at the status only.
    pub fn not_found(path: &str) -> Self {
        Self::page(404, "Not Found", path)
    }

    /// The same page with another status and message.
    pub fn page(status: u16, message: &str, path: &str) -> Self {
        let mut shown = String::with_capacity(path.len());
        for character in path.chars() {
            match character {
                '<' => shown.push_str("&lt;"),
                '>' => shown.push_str("&gt;"),
                '&' => shown.push_str("&amp;"),
                other => shown.push(other),
            }
        }
        let body = format!(
            "<html>\n<head>\n<meta http-equiv=\"Content-Type\" content=\"text/html;charset=UTF-8\"/>\n\
             <title>Error {status} {message}</title>\n</head>\n<body><h2>HTTP ERROR {status} {message}</h2>\n<table>\n\
             <tr><th>URI:</th><td>{shown}</td></tr>\n<tr><th>STATUS:</th><td>{status}</td></tr>\n\
             <tr><th>MESSAGE:</th><td>{message}</td></tr>\n</table>\n\n</body>\n</html>\n"
        );
        Self { status, content_type: "text/html;charset=utf-8".into(), body: body.into(), ..Self::default() }
    }

    /// Counts it, where its handler is counted.
    pub fn count(&self, now_ms: i64, elapsed: Duration) {
        let elapsed_ns = u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX);
        let ended = Ended { status: self.status, partial: self.partial, elapsed_ns };
        self.tally.iter().for_each(|tally| tally.count(now_ms, ended));
    }

    /// `packed` is its body packed, where that pays.
    pub fn into_response(self, packing: Packing, packed: Option<(Coding, Bytes)>) -> Response<Full<Bytes>> {
        let (coding, body) = packed.map_or((None, self.body), |(coding, body)| (Some(coding), body));
        let mut response = Response::new(Full::new(body));
        *response.status_mut() =
            hyper::StatusCode::from_u16(self.status).unwrap_or(hyper::StatusCode::INTERNAL_SERVER_ERROR);
        let headers = response.headers_mut();
        if !self.content_type.is_empty() {
            let value = match self.content_type {
                Cow::Borrowed(known) => Some(HeaderValue::from_static(known)),
                // One that a configuration declares: it was read as ASCII.
                Cow::Owned(own) => HeaderValue::try_from(own).ok(),
            };
            value.and_then(|value| headers.insert(CONTENT_TYPE, value));
        }
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        if self.status >= 400 {
            headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache, no-store"));
        }
        if packing != Packing::None {
            headers.insert(VARY, HeaderValue::from_static("Accept-Encoding"));
            // By this clients know that they may pack requests (RFC 7694). Behind 415 it would say that it
            // was the packing that is not read.
            if self.status != 415 || self.misses_coding {
                headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(accepted()));
            }
        }
        if let Some(coding) = coding {
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static(coding.name()));
        }
        let retry_after_s = match self.status {
            429 => self.retry_after_s.max(1),
            503 => self.retry_after_s,
            _ => 0,
        };
        if retry_after_s > 0 {
            headers.insert(RETRY_AFTER, HeaderValue::from(retry_after_s));
        }
        if let Some(methods) = self.allow {
            headers.insert(ALLOW, HeaderValue::from_static(methods));
        }
        response
    }
}
