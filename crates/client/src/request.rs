//! A request as the caller means it: what is asked of which handler, until when, and whether asking twice
//! does harm. Which server it goes to, and over which connection, is not its business.
//!
//! In: path, parameters and body from the caller; out: what `transport` sends. GET of a handler that is known
//! to read is safe by itself; anything else only if the caller says so.

use std::time::Duration;

use bytes::Bytes;
use hyper::Method;
use hyper::header::{HeaderName, HeaderValue};
use tokio::time::Instant;

use crate::balance::{Candidate, Preference};
use crate::error::Error;
use crate::url::{SolrUrl, target};

/// Handlers that read and never change anything. All others, the administration's and those of names that a
/// configuration made up, may: Solr's change things by GET too, so the method alone says nothing.
const READERS: [&str; 13] = [
    "select", "query", "get", "terms", "suggest", "spell", "mlt", "export", "tvrh", "browse", "ping", "luke",
    "health",
];

/// One request.
///
/// ```
/// use client::Request;
/// use std::time::Duration;
///
/// let search = Request::get("films/select", &[("q", "solaris")]).timeout(Duration::from_millis(200));
/// let update = Request::post("films/update", &[], "application/json", "[{\"id\":\"1\"}]");
/// assert!(search.is_safe() && !update.is_safe());
/// ```
#[derive(Clone, Debug)]
pub struct Request {
    pub(crate) method: Method,
    /// Path and query below the Solr URL, escaped; beside it where they begin with a slash.
    pub(crate) target: String,
    pub(crate) content: Option<Content>,
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) deadline: Option<Instant>,
    pub(crate) preferences: Vec<Preference>,
    pub(crate) only: Option<Vec<Candidate>>,
    safe: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Content {
    pub content_type: Option<String>,
    pub bytes: Bytes,
}

impl Request {
    /// GET of a path below the Solr URL, such as `films/select`.
    pub fn get(path: &str, params: &[(&str, &str)]) -> Self {
        Self { safe: is_reader(path), ..Self::new(Method::GET, path, params) }
    }

    /// POST of `body`. It is taken to change something, also at a handler that only reads: see
    /// [`Request::safe`].
    pub fn post(path: &str, params: &[(&str, &str)], content_type: &str, body: impl Into<Bytes>) -> Self {
        let content = Content { content_type: Some(content_type.to_owned()), bytes: body.into() };
        Self { content: Some(content), ..Self::new(Method::POST, path, params) }
    }

    /// Any method, for what passes requests of others on. `target` is path and query as they stand in a
    /// request line: below the Solr URL (`films/select?q=x`), or with a slash before it beside the Solr URL
    /// (`/api/cores`). Never safe by itself: see [`Request::safe`] and [`is_reader`]. Errors:
    /// [`Error::Request`].
    pub fn relayed(method: &str, target: &str) -> Result<Self, Error> {
        let is_text = target.bytes().all(|byte| byte.is_ascii_graphic());
        let method = Method::from_bytes(method.as_bytes()).ok().filter(|_| is_text);
        let method = method.ok_or_else(|| Error::Request("the request line is malformed".to_owned()))?;
        Ok(Self::new(method, target, &[]))
    }

    /// With this body. What `content_type` does not describe may be in headers.
    #[must_use]
    pub fn body(mut self, content_type: Option<&str>, bytes: impl Into<Bytes>) -> Self {
        let content_type = content_type.map(str::to_owned);
        self.content = Some(Content { content_type, bytes: bytes.into() });
        self
    }

    fn new(method: Method, path: &str, params: &[(&str, &str)]) -> Self {
        Self {
            method,
            target: target(path, params),
            content: None,
            headers: Vec::new(),
            timeout: None,
            deadline: None,
            preferences: Vec::new(),
            only: None,
            safe: false,
        }
    }

    /// Says that it may be sent more than once: it only reads, or doing it twice is doing it once. Only such
    /// requests are sent again after they may have reached a server, and only such are hedged.
    #[must_use]
    pub fn safe(mut self) -> Self {
        self.safe = true;
        self
    }

    pub fn is_safe(&self) -> bool {
        self.safe
    }

    /// Bounds all of it: waiting for a connection, every attempt, the last byte of the answer. The client's
    /// own bound holds besides.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// The same as a point in time, for callers who were given one.
    #[must_use]
    pub fn deadline(mut self, deadline: Instant) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// Which servers to prefer for this request, before the client's own preferences.
    #[must_use]
    pub fn prefer(mut self, preference: Preference) -> Self {
        self.preferences.push(preference);
        self
    }

    /// Confines it to these of the client's servers.
    #[must_use]
    pub fn only(self, urls: Vec<SolrUrl>) -> Self {
        self.candidates(urls.into_iter().map(Candidate::from).collect())
    }

    #[must_use]
    pub(crate) fn candidates(mut self, candidates: Vec<Candidate>) -> Self {
        self.only = Some(candidates);
        self
    }

    /// Errors: [`Error::Request`] for what no header can hold.
    pub fn header(self, name: &str, value: &str) -> Result<Self, Error> {
        self.header_bytes(name, value.as_bytes())
    }

    /// The same for a value that need not be text, as others' need not.
    pub fn header_bytes(mut self, name: &str, value: &[u8]) -> Result<Self, Error> {
        let name = HeaderName::try_from(name).map_err(|error| Error::Request(error.to_string()))?;
        let value = HeaderValue::try_from(value).map_err(|error| Error::Request(error.to_string()))?;
        self.headers.push((name, value));
        Ok(self)
    }
}

/// Whether the handler at this path (and query) is known to read and never to change anything.
pub fn is_reader(target: &str) -> bool {
    let path = target.split('?').next().unwrap_or_default();
    let handler = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    READERS.contains(&handler)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_readers_are_safe_by_themselves() {
        let check = |path: &str, safe: bool| assert_eq!(Request::get(path, &[]).is_safe(), safe, "{path}");
        check("films/select", true);
        check("films/admin/ping", true);
        check("admin/info/health", true);
        check("films/update", false);
        check("admin/collections", false);
        check("films/dataimport", false);
        check("", false);
        let relayed =
            |method: &str, target: &str| Request::relayed(method, target).map(|it| it.is_safe()).ok();
        assert!(is_reader("films/select?q=a/update") && is_reader("films/admin/ping/?x"));
        assert!(!is_reader("films/update?commit=true&x=/select"));
        assert_eq!(relayed("GET", "films/select"), Some(false));
        assert_eq!(relayed("PUT", "/api/cores"), Some(false));
        assert_eq!(relayed("GET", "films/select?q=a b"), None);
        assert_eq!(relayed("G ET", "films/select"), None);
        assert!(!Request::post("films/select", &[], "text/plain", "").is_safe());
        assert!(Request::post("films/select", &[], "text/plain", "").safe().is_safe());
    }
}
