//! What is sent back, and the few headers that go with it.
//!
//! In: status, type and body from an envelope, or a bare page where nobody serves a path; out: hyper's
//! response, packed where that pays. It knows where it counts, so that kept answers are counted as those that
//! were worked out.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::Response;
use hyper::header::{
    ALLOW, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, HeaderValue, RETRY_AFTER, VARY,
    X_CONTENT_TYPE_OPTIONS,
};

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
    /// When a client that was told it is too much (429) may come again; a second at least.
    pub retry_after_s: u64,
    /// Whether a limit cut the answer short.
    pub partial: bool,
    /// Where it counts.
    pub tally: Option<Arc<Tally>>,
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

    pub fn into_response(self, packing: Packing) -> Response<Full<Bytes>> {
        let packed = packing.pack(&self.body);
        let is_packed = packed.is_some();
        let mut response = Response::new(Full::new(packed.unwrap_or(self.body)));
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
        }
        if is_packed {
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        if self.status == 429 {
            headers.insert(RETRY_AFTER, HeaderValue::from(self.retry_after_s.max(1)));
        }
        if let Some(methods) = self.allow {
            headers.insert(ALLOW, HeaderValue::from_static(methods));
        }
        response
    }
}
