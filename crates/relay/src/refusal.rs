//! What the relay answers where no server does: a status, what may have been done, and Solr's form of an
//! error, which its clients show. `Retry-After` is said only where no server has seen anything: an
//! application that sends an update twice since it was told to may do twice what was done once.

use std::time::Duration;

use client::{Error, ErrorKind};
use hyper::StatusCode;
use hyper::header::{CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use serde_json::json;

use crate::body::{Answer, RelayBody};

/// Tells what may have been done.
const OUTCOME: &str = "x-relay-outcome";
/// Who is refused for want of room or of a server may come again after this.
const COME_AGAIN: Duration = Duration::from_secs(1);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub status: StatusCode,
    pub message: String,
    pub outcome: Outcome,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// No server has seen it.
    Nothing,
    Unknown,
}

impl Outcome {
    pub fn of(error: &Error) -> Self {
        match error.kind() {
            ErrorKind::OutcomeUnknown => Outcome::Unknown,
            ErrorKind::FixRequest | ErrorKind::LogIn | ErrorKind::RetryLater => Outcome::Nothing,
        }
    }
}

impl Refusal {
    /// Of what no server has seen.
    pub fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Self { status, message: message.into(), outcome: Outcome::Nothing }
    }

    pub fn answer(&self) -> Answer {
        let code = self.status.as_u16();
        let body = json!({
            "responseHeader": {"status": code},
            "error": {"metadata": ["error-class", "relay"], "msg": self.message, "code": code},
        });
        let mut answer = Answer::new(RelayBody::from(format!("{body}\n")));
        *answer.status_mut() = self.status;
        let headers = answer.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json;charset=utf-8"));
        let outcome = if self.outcome == Outcome::Nothing { "nothing" } else { "unknown" };
        headers.insert(OUTCOME, HeaderValue::from_static(outcome));
        let comes_again =
            matches!(self.status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE);
        // An invitation to send it all again, which it must not be where a part may be done.
        if comes_again && self.outcome == Outcome::Nothing {
            headers.insert(RETRY_AFTER, HeaderValue::from(COME_AGAIN.as_secs()));
        }
        answer
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        let outcome = Outcome::of(&error);
        let status = match &error {
            Error::Timeout { .. } => StatusCode::GATEWAY_TIMEOUT,
            Error::Connect { .. } | Error::NoEndpoint(_) | Error::ZooKeeper { .. } => {
                StatusCode::SERVICE_UNAVAILABLE
            }
            Error::Request(_) => StatusCode::BAD_REQUEST,
            _ => StatusCode::BAD_GATEWAY,
        };
        let message = match &error {
            // The error's own words name the flag of a client.
            Error::Connect { url, reason } => {
                format!(
                    "the relay: no server answers at {url} ({reason}); start it, or name another with --upstream"
                )
            }
            _ => format!("the relay: {error}"),
        };
        Self { status, message, outcome }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_a_part_may_be_done_nobody_is_invited_to_come_again() {
        let url = "http://h/solr".to_owned();
        let nobody = Refusal::from(Error::Connect { url, reason: String::new() });
        assert!(nobody.message.ends_with("name another with --upstream"), "{}", nobody.message);
        let part_done = Refusal { outcome: Outcome::Unknown, ..nobody };
        assert!(!part_done.answer().headers().contains_key(RETRY_AFTER));
    }

    #[test]
    fn errors_become_answers_that_say_what_may_have_been_done() {
        let check = |error: Error, status: u16, outcome: &'static str, comes_again: bool| {
            let answer = Refusal::from(error).answer();
            assert_eq!(
                (answer.status().as_u16(), &answer.headers()[OUTCOME]),
                (status, &HeaderValue::from_static(outcome))
            );
            assert_eq!(answer.headers().contains_key(RETRY_AFTER), comes_again);
        };
        let url = || "http://h/solr".to_owned();
        let timeout = |sent| Error::Timeout { url: url(), seconds: 1, sent };
        check(Error::Connect { url: url(), reason: String::new() }, 503, "nothing", true);
        check(Error::NoEndpoint("none"), 503, "nothing", true);
        check(Error::ZooKeeper { servers: url(), reason: String::new() }, 503, "nothing", true);
        check(timeout(false), 504, "nothing", false);
        check(timeout(true), 504, "unknown", false);
        check(Error::Broken { url: url(), reason: String::new() }, 502, "unknown", false);
        check(Error::Tls("expired".into()), 502, "nothing", false);
        check(Error::Request("malformed".into()), 400, "nothing", false);
    }
}
