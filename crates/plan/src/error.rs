//! One error for all layers. Its kind says what the caller should do; `solr` maps kinds to status codes and
//! bodies. A kind is added only where a caller would do something else; what a person needs stands in the
//! message, with the next step. Nothing here knows HTTP.

use std::error::Error as StdError;
use std::fmt;
use std::iter::successors;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// What the caller can do about an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ErrorKind {
    /// The request is wrong; sending it again unchanged fails again.
    BadRequest,
    /// The thing named does not exist.
    NotFound,
    /// Another update came first (optimistic concurrency): read again, then decide.
    Conflict,
    /// The request was resolved against another version of the schema than the shard has, and nothing of it
    /// was done: resolve it anew, and go on.
    SchemaChanged,
    /// The thing is in use: take it out of use first.
    InUse,
    /// The method does not apply to this path.
    MethodNotAllowed,
    /// The content type is not one that is read here.
    UnsupportedMedia,
    /// More than a configured bound; make the request smaller.
    TooLarge,
    /// Overloaded: try again in a moment.
    Busy,
    /// Try again later or elsewhere: disk full, shutting down, log failed.
    Unavailable,
    /// The update was written, and nobody can tell yet whether it counts: it may, as a whole, or never. Send
    /// it again only if doing it twice does no harm.
    Unknown,
    /// Stored bytes do not match their checksum; restore or rebuild.
    DataLoss,
    /// A defect of ours.
    Internal,
    /// A replica was lost in the midst of what is read from it, and the shard has others: begin anew.
    ReplicaLost,
}

/// The kind of mistake below a bad request. Solr's clients read a Java class name for it in the error body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum RootCause {
    NumberFormat,
    QuerySyntax,
    DateFormat,
    Json,
    Xml,
    IllegalArgument,
    /// A shape that cannot be read.
    ShapeSyntax,
    /// A shape that cannot be.
    InvalidShape,
    /// Math of dates that cannot be read.
    DateMath,
    /// Values that cannot be compared.
    ClassCast,
    Unsupported,
    /// A text that ends too early.
    TooShort,
}

/// An error with its kind, a message for the person who reads it, and what caused it. Two are equal when they
/// say the same: causes are for logs.
#[derive(Clone, Serialize, Deserialize)]
pub struct Error {
    pub kind: ErrorKind,
    pub message: String,
    pub root: Option<RootCause>,
    cause: Option<Cause>,
}

/// What lies below an error, in words, the nearest first. A text and not the error itself: errors stand in
/// plans and outcomes, which are data; what the caller should do is the kind's to say, never a cast's.
#[derive(Clone, Serialize, Deserialize)]
struct Cause(Arc<str>);

pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), root: None, cause: None }
    }

    pub fn bad_request(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::BadRequest, message)
    }

    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::NotFound, message)
    }

    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Internal, message)
    }

    #[must_use]
    pub fn with_root(mut self, root: RootCause) -> Self {
        self.root = Some(root);
        self
    }

    #[must_use]
    pub fn with_source(mut self, source: impl StdError + 'static) -> Self {
        let causes = successors(Some(&source as &dyn StdError), |&error| error.source());
        let texts: Vec<String> = causes.map(ToString::to_string).collect();
        self.cause = Some(Cause(texts.join(": ").into()));
        self
    }

    /// Puts `context` before the message, as in "[doc=7] …".
    #[must_use]
    pub fn context(mut self, context: impl fmt::Display) -> Self {
        self.message = format!("{context}{}", self.message);
        self
    }
}

impl PartialEq for Error {
    fn eq(&self, other: &Self) -> bool {
        let Self { kind, message, root, cause: _ } = self;
        (kind, message, root) == (&other.kind, &other.message, &other.root)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.kind, self.message)?;
        match &self.cause {
            Some(Cause(text)) => write!(f, " ({text})"),
            None => Ok(()),
        }
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.cause.as_ref().map(|cause| cause as &(dyn StdError + 'static))
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl StdError for Cause {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_are_told_and_not_compared() {
        let below = Error::not_found("no file").with_source(fmt::Error);
        let error = Error::internal("cannot open").with_source(below);
        assert_eq!(error.source().unwrap().to_string(), format!("no file: {}", fmt::Error));
        assert_eq!(format!("{error:?}"), format!("Internal: cannot open (no file: {})", fmt::Error));
        assert_eq!(error, Error::internal("cannot open"));
        assert_ne!(error, Error::not_found("cannot open"));
    }
}
