//! What can go wrong between a client and a server, with the next step in each message.

use std::error::Error as StdError;

use crate::url::SolrUrl;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("`{0}` is not a Solr URL; write it as http://127.0.0.1:8983/solr")]
    Url(String),
    #[error(
        "no server answers at {url} ({reason}); start one with `parhelion serve`, or name another with --url"
    )]
    Connect { url: String, reason: String },
    #[error("the connection to {url} broke ({reason}); the server's log says more")]
    Broken { url: String, reason: String },
    #[error("{url} did not answer within {seconds} s")]
    Timeout { url: String, seconds: u64 },
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

impl Error {
    pub(crate) fn connect(url: &SolrUrl, error: &(dyn StdError + 'static)) -> Self {
        Error::Connect { url: url.to_string(), reason: innermost(error) }
    }

    pub(crate) fn broken(url: &SolrUrl, error: &(dyn StdError + 'static)) -> Self {
        Error::Broken { url: url.to_string(), reason: innermost(error) }
    }
}

fn innermost(mut error: &(dyn StdError + 'static)) -> String {
    while let Some(source) = error.source() {
        error = source;
    }
    error.to_string()
}
