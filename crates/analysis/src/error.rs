//! What can go wrong while an analyzer is built. Analysing text cannot fail: whatever a schema gets wrong is
//! found when its chains are built. The message is for the person who wrote the schema and names the
//! component.

use std::fmt;

/// What the author of the schema has to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// No such char filter, tokenizer or filter: correct the name.
    UnknownComponent,
    /// An argument is unknown, missing or has a bad value: correct it.
    BadArgument,
    /// A file that the component names is not in the configset: add it.
    MissingResource,
    /// A file was found but its content cannot be read: correct the line.
    BadResource,
    /// Solr has it, this server does not: choose another component.
    Unsupported,
}

/// Why an analyzer could not be built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// What to do about it.
    pub kind: ErrorKind,
    /// One lower-case sentence without a full stop that names the component.
    pub message: String,
}

impl Error {
    /// An error of the given kind.
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Error { kind, message: message.into() }
    }

    /// An argument that cannot be used.
    pub(crate) fn argument(message: impl Into<String>) -> Self {
        Error::new(ErrorKind::BadArgument, message)
    }

    /// A file whose content cannot be used.
    pub(crate) fn resource(message: impl Into<String>) -> Self {
        Error::new(ErrorKind::BadResource, message)
    }

    /// Something that Solr has and we do not.
    pub(crate) fn unsupported(message: impl Into<String>) -> Self {
        Error::new(ErrorKind::Unsupported, message)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
