//! An answer as received, and Solr's error message inside it.
//!
//! In: status, headers and an unpacked body from `transport`; out: JSON or an error with the server's own
//! words. What an answer holds besides is not looked at.

use std::time::Duration;

use bytes::Bytes;
use hyper::HeaderMap;
use hyper::header::{LOCATION, RETRY_AFTER};
use serde_json::Value;

use crate::error::Error;

/// Whoever asks for more is not understood, or should not be: points in time must not overflow.
const RETRY_AFTER_SECONDS_MAX: u64 = 24 * 60 * 60;

#[derive(Clone, Debug, Default)]
pub struct Response {
    pub status: u16,
    /// Empty when the server sent none.
    pub content_type: String,
    /// Unpacked.
    pub body: Bytes,
    pub(crate) headers: HeaderMap,
}

impl Response {
    /// The first value of a header, where it is text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// How long the server asks to be left alone, a day at most. (Of its two forms the one in seconds; nobody
    /// sends the other with 429.)
    pub fn retry_after(&self) -> Option<Duration> {
        retry_after(&self.headers)
    }

    /// Itself when the status is 2xx, else the server's own message as an error.
    pub fn ok(self) -> Result<Self, Error> {
        if (200..300).contains(&self.status) {
            return Ok(self);
        }
        Err(Error::Status { status: self.status, message: self.message() })
    }

    pub fn json(&self) -> Result<Value, Error> {
        serde_json::from_slice(&self.body).map_err(|error| Error::NotJson(error.to_string()))
    }

    /// `error.msg` of a JSON body; where a page for browsers came, what its status means; else the body's
    /// first line.
    fn message(&self) -> String {
        if let (300..400, Some(location)) = (self.status, self.header(LOCATION.as_str())) {
            return format!(
                "the server sends on to `{location}`, which is not followed; name that URL if it is right"
            );
        }
        let json = self.json().ok();
        let message = json.as_ref().and_then(|body| body.pointer("/error/msg")?.as_str());
        match (message, self.status) {
            (Some(message), _) => message.trim_end().to_owned(),
            (None, 401) => {
                "the server asks who you are: say it with --user-file, --user or --api-key".to_owned()
            }
            (None, 403) => "the server knows who you are and does not permit this".to_owned(),
            // With a page only where log-ins are counted: who is one too many otherwise gets JSON.
            (None, 429) if self.body.trim_ascii_start().starts_with(b"<") => {
                "too many log-ins have failed; try again in some minutes".to_owned()
            }
            (None, 404) => "there is no such collection or handler".to_owned(),
            (None, _) => String::from_utf8_lossy(&self.body)
                .lines()
                .next()
                .unwrap_or_default()
                .chars()
                .take(200)
                .collect(),
        }
    }
}

/// As [`Response::retry_after`], of the headers alone.
pub(crate) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let seconds: u64 = headers.get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds.min(RETRY_AFTER_SECONDS_MAX)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_carry_the_servers_words() {
        let check = |status, body: &str, expected: Option<&str>| {
            let response =
                Response { status, body: Bytes::copy_from_slice(body.as_bytes()), ..Response::default() };
            let message = response.ok().err().map(|error| error.to_string());
            assert_eq!(message.as_deref(), expected);
        };
        check(200, "{}", None);
        check(
            400,
            r#"{"error":{"msg":"undefined field x","code":400}}"#,
            Some("undefined field x (status 400)"),
        );
        check(404, "<html>…</html>", Some("there is no such collection or handler (status 404)"));
        check(
            401,
            "<html>…</html>",
            Some("the server asks who you are: say it with --user-file, --user or --api-key (status 401)"),
        );
        check(
            429,
            "<html>\n…</html>",
            Some("too many log-ins have failed; try again in some minutes (status 429)"),
        );
        check(429, "later", Some("later (status 429)"));
        check(502, "bad gateway\nmore", Some("bad gateway (status 502)"));
    }
}
