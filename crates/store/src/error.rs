//! The one error of this crate. Its kind says what the caller should do; its message says what happened, to
//! which file, and the next step. Built from `std::io::Error` at the places that touch the disk, and nowhere
//! else.

use std::fmt;
use std::io;
use std::path::Path;

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What the caller should do about an [`Error`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Nothing happened; the same call may succeed shortly.
    Retry,
    /// The disk or quota is full. Refuse writes, keep serving reads; the same call works once there is space.
    Full,
    /// Somebody else owns this shard. Drop what is in memory; open it as a reader, or contend for it anew.
    Deposed,
    /// A write was offered to the medium, which has not answered in time. It may be there, as a whole, or
    /// never: show it to nobody, never offer it again elsewhere; waiting again may tell.
    Unknown,
    /// Stored bytes are not what was written. `file` is the file's name, `offset` where the first bad byte
    /// may lie.
    Corrupt { file: String, offset: u64 },
    /// The name or version is taken: re-read and decide again.
    Conflict,
    /// The medium failed for this opening (for the log: a failed sync, which is never retried). Whatever was
    /// offered and is not resolved stays unknown. Give up this home; open it anew.
    Failed,
    /// No such file.
    NotFound,
    /// The request itself is wrong; the same call never succeeds.
    Invalid,
}

/// A failed call to the store.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), source: None }
    }

    /// Keeps the cause, for callers that lift their own failure into this type (a `replay` visitor).
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    pub fn kind(&self) -> &ErrorKind {
        &self.kind
    }

    pub fn message(&self) -> &str {
        &self.message
    }

    /// `action` completes "cannot …": `write`, `open`, `sync`.
    pub(crate) fn io(action: &str, path: &Path, source: io::Error) -> Self {
        let kind = kind_of(&source);
        let step = next_step(&kind);
        let message = format!("cannot {action} `{}`: {source}; {step}", path.display());
        Self { kind, message, source: Some(Box::new(source)) }
    }

    pub(crate) fn corrupt(file: &str, offset: u64, what: &str) -> Self {
        let kind = ErrorKind::Corrupt { file: file.to_owned(), offset };
        Self::new(
            kind,
            format!("`{file}` is damaged at byte {offset}: {what}; restore the shard from a copy"),
        )
    }

    /// The same kind and message for a second caller: a failure of the log is told to every waiter.
    pub(crate) fn repeat(&self) -> Self {
        Self::new(self.kind.clone(), self.message.clone())
    }
}

fn kind_of(error: &io::Error) -> ErrorKind {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => ErrorKind::Full,
        io::ErrorKind::NotFound => ErrorKind::NotFound,
        io::ErrorKind::AlreadyExists => ErrorKind::Conflict,
        io::ErrorKind::Interrupted | io::ErrorKind::TimedOut | io::ErrorKind::OutOfMemory => ErrorKind::Retry,
        io::ErrorKind::NotADirectory | io::ErrorKind::IsADirectory => ErrorKind::Invalid,
        _ => ErrorKind::Failed,
    }
}

fn next_step(kind: &ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Full => "free space on this disk; reads go on meanwhile",
        ErrorKind::NotFound => "check the name",
        ErrorKind::Conflict => "read the newest state and decide again",
        ErrorKind::Retry => "try again",
        ErrorKind::Invalid => "check the path",
        _ => "check the disk, the file's owner and its permissions",
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_follow_the_callers_action() {
        let check = |from: io::ErrorKind, want: ErrorKind| {
            let error = Error::io("write", Path::new("a/b"), io::Error::from(from));
            assert_eq!(error.kind(), &want);
            assert!(error.message().starts_with("cannot write `a/b`: "), "{error}");
        };
        check(io::ErrorKind::StorageFull, ErrorKind::Full);
        check(io::ErrorKind::QuotaExceeded, ErrorKind::Full);
        check(io::ErrorKind::NotFound, ErrorKind::NotFound);
        check(io::ErrorKind::AlreadyExists, ErrorKind::Conflict);
        check(io::ErrorKind::PermissionDenied, ErrorKind::Failed);
    }
}
