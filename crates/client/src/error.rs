//! What can go wrong between a client and a server, with the next step in each message, and what the caller
//! should do of it.
//!
//! The kind tells whether the same may be sent again: whether a request had been sent by then is part of the
//! error, for an update may have been done. Logins are never repeated in a message.

use std::error::Error as StdError;
use std::fmt::Display;

#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    #[error("`{0}` is not a Solr URL; write it as http://127.0.0.1:8983/solr")]
    Url(String),
    #[error(
        "no server answers at {url} ({reason}); start one with `parhelion serve`, or name another with --url"
    )]
    Connect { url: String, reason: String },
    /// After the request was sent, in part at least.
    #[error("the connection to {url} broke ({reason}); the server's log says more")]
    Broken { url: String, reason: String },
    /// `sent`: whether the request had been, in part at least.
    #[error("{url} did not answer within {seconds} s")]
    Timeout { url: String, seconds: u64, sent: bool },
    /// The answer is larger than the client takes.
    #[error(
        "the answer of {url} is longer than {bytes_max} bytes; ask for fewer rows, or raise `response_bytes_max`"
    )]
    TooLong { url: String, bytes_max: usize },
    /// The list of servers is empty.
    #[error("there is no server to ask: {0}")]
    NoEndpoint(&'static str),
    /// Nothing was sent to any server of Solr's.
    #[error(
        "no ZooKeeper of {servers} tells the cluster's state ({reason}); start it, or name another (`zk1:2181,zk2:2181/solr`)"
    )]
    ZooKeeper { servers: String, reason: String },
    /// Certificates or keys that cannot be used.
    #[error("{0}")]
    Tls(String),
    /// The words are ours: what was given is never repeated.
    #[error("{0}")]
    Login(&'static str),
    #[error("cannot make the request: {0}")]
    Request(String),
    /// The server answered with an error of its own.
    #[error("{message} (status {status})")]
    Status { status: u16, message: String },
    #[error("the answer is not JSON: {0}")]
    NotJson(String),
}

/// What the caller should do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The same again fails again.
    FixRequest,
    /// Say who asks, or as somebody else.
    LogIn,
    /// Nothing was done; the same again, later or elsewhere, may succeed.
    RetryLater,
    /// The request was sent and its outcome is not known: an update may have been done, in part or whole.
    /// Look, or send it again if doing it twice does no harm.
    OutcomeUnknown,
}

impl Error {
    pub fn kind(&self) -> ErrorKind {
        match self {
            Error::Url(_) | Error::Tls(_) | Error::Login(_) | Error::Request(_) => ErrorKind::FixRequest,
            Error::Connect { .. }
            | Error::NoEndpoint(_)
            | Error::ZooKeeper { .. }
            | Error::Timeout { sent: false, .. } => ErrorKind::RetryLater,
            Error::Broken { .. } | Error::Timeout { .. } | Error::TooLong { .. } | Error::NotJson(_) => {
                ErrorKind::OutcomeUnknown
            }
            Error::Status { status: 401 | 403, .. } => ErrorKind::LogIn,
            Error::Status { status: 429, .. } => ErrorKind::RetryLater,
            Error::Status { status: 500.., .. } => ErrorKind::OutcomeUnknown,
            Error::Status { .. } => ErrorKind::FixRequest,
        }
    }

    pub(crate) fn connect(url: &dyn Display, error: &(dyn StdError + 'static)) -> Self {
        Error::Connect { url: url.to_string(), reason: innermost(error) }
    }

    pub(crate) fn broken(url: &dyn Display, error: &(dyn StdError + 'static)) -> Self {
        Error::Broken { url: url.to_string(), reason: innermost(error) }
    }
}

fn innermost(mut error: &(dyn StdError + 'static)) -> String {
    while let Some(source) = error.source() {
        error = source;
    }
    error.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_say_whether_something_may_have_been_done() {
        let check = |error: Error, expected: ErrorKind| assert_eq!(error.kind(), expected, "{error}");
        let url = || "http://h/solr".to_owned();
        let status = |status| Error::Status { status, message: String::new() };
        check(Error::Url(url()), ErrorKind::FixRequest);
        check(Error::Connect { url: url(), reason: String::new() }, ErrorKind::RetryLater);
        check(Error::Timeout { url: url(), seconds: 1, sent: false }, ErrorKind::RetryLater);
        check(Error::Timeout { url: url(), seconds: 1, sent: true }, ErrorKind::OutcomeUnknown);
        check(Error::Broken { url: url(), reason: String::new() }, ErrorKind::OutcomeUnknown);
        check(status(302), ErrorKind::FixRequest);
        check(status(400), ErrorKind::FixRequest);
        check(status(401), ErrorKind::LogIn);
        check(status(429), ErrorKind::RetryLater);
        check(status(503), ErrorKind::OutcomeUnknown);
    }
}
