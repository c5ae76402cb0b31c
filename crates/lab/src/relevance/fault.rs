//! What is wrong with a file or a request of a relevance test. Below the readers of files, which make it, and
//! the lab's own error, which carries it.

/// Why a file or a request of a relevance test cannot be used; the message names file format, line and value.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Fault(pub(crate) String);

impl Fault {
    pub(super) fn at(line: usize, message: impl std::fmt::Display) -> Self {
        Fault(format!("line {line}: {message}"))
    }
}
