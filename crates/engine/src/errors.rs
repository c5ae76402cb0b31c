//! Errors of the layers below in the caller's terms: what tantivy and the store report, as kinds of
//! `plan::Error`.
//!
//! A kind says what the caller can do: wait out a full disk or a lost shard (`Unavailable`), restore damaged
//! data (`DataLoss`), ask again what became of an update (`Unknown`). Messages and statuses for clients are
//! made of the kind above, in `solr`.

use std::error::Error as StdError;
use std::io;

use plan::{Error, ErrorKind};
use tantivy::TantivyError;

/// Damage is told from misuse, and a full disk from both; everything else tantivy reports is a defect of
/// ours, as it only sees what we wrote.
pub(crate) fn from_tantivy(error: impl Into<TantivyError>) -> Error {
    let error = error.into();
    let kind = match &error {
        TantivyError::DataCorruption(_) => ErrorKind::DataLoss,
        TantivyError::IoError(source) => match innermost_kind(&**source) {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => ErrorKind::Unavailable,
            io::ErrorKind::InvalidData => ErrorKind::DataLoss,
            _ => ErrorKind::Internal,
        },
        _ => ErrorKind::Internal,
    };
    let advice =
        if kind == ErrorKind::Unavailable { "; free space on this disk; reads go on meanwhile" } else { "" };
    Error::new(kind, format!("segment: {error}{advice}")).with_source(error)
}

/// The kind of the error that others wrap: tantivy, its dictionaries and our directory each put a coat of
/// `Other` around it.
fn innermost_kind(error: &(dyn StdError + 'static)) -> io::ErrorKind {
    let mut kind = io::ErrorKind::Other;
    let mut next = Some(error);
    while let Some(error) = next {
        next = match (error.downcast_ref::<io::Error>(), error.downcast_ref::<store::Error>()) {
            (Some(io), _) => {
                kind = io.kind();
                io.get_ref().map(|inner| inner as &(dyn StdError + 'static))
            }
            (None, Some(store)) if *store.kind() == store::ErrorKind::Full => {
                return io::ErrorKind::StorageFull;
            }
            _ => error.source(),
        };
    }
    kind
}

/// A full disk, a failed log and a lost shard are states to wait out or to leave; damage is damage. What was
/// offered to a medium that does not answer is unknown.
pub(crate) fn from_store(error: store::Error) -> Error {
    let kind = match error.kind() {
        store::ErrorKind::Corrupt { .. } => ErrorKind::DataLoss,
        store::ErrorKind::Invalid => ErrorKind::TooLarge,
        store::ErrorKind::Conflict | store::ErrorKind::NotFound => ErrorKind::Internal,
        store::ErrorKind::Unknown => ErrorKind::Unknown,
        _ => ErrorKind::Unavailable,
    };
    Error::new(kind, error.message().to_owned()).with_source(error)
}

/// Of an update that was appended: whatever keeps it from becoming durable here, it may yet be so.
pub(crate) fn from_unresolved(error: store::Error) -> Error {
    if matches!(error.kind(), store::ErrorKind::Invalid) {
        return Error::internal(error.message().to_owned()).with_source(error);
    }
    let message = format!("{}; whether this update counts is not known", error.message());
    Error::new(ErrorKind::Unknown, message).with_source(error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn a_full_disk_is_known_through_its_coats() {
        let check = |source: io::Error, expected: ErrorKind| {
            assert_eq!(from_tantivy(TantivyError::IoError(Arc::new(source))).kind, expected);
        };
        let full = || io::Error::from(io::ErrorKind::StorageFull);
        check(full(), ErrorKind::Unavailable);
        check(io::Error::other(io::Error::other(full())), ErrorKind::Unavailable);
        check(io::Error::other(store::Error::new(store::ErrorKind::Full, "full")), ErrorKind::Unavailable);
        check(io::Error::other(io::Error::from(io::ErrorKind::InvalidData)), ErrorKind::DataLoss);
        check(io::Error::other("else"), ErrorKind::Internal);
    }
}
