//! Errors of the layers below in the caller's terms: what tantivy and the store report, as kinds of `plan::Error`.

use plan::{Error, ErrorKind};
use tantivy::TantivyError;

/// Damage is told from misuse; everything else tantivy reports is a defect of ours, as it only sees what we wrote.
pub(crate) fn from_tantivy(error: TantivyError) -> Error {
    let kind = match &error {
        TantivyError::DataCorruption(_) => ErrorKind::DataLoss,
        TantivyError::IoError(source) if source.kind() == std::io::ErrorKind::StorageFull => {
            ErrorKind::Unavailable
        }
        TantivyError::IoError(source) if source.kind() == std::io::ErrorKind::InvalidData => {
            ErrorKind::DataLoss
        }
        _ => ErrorKind::Internal,
    };
    Error::new(kind, format!("segment: {error}")).with_source(error)
}

/// A full disk, a failed log and a lost shard are states to wait out or to leave; damage is damage.
pub(crate) fn from_store(error: store::Error) -> Error {
    let kind = match error.kind() {
        store::ErrorKind::Corrupt { .. } => ErrorKind::DataLoss,
        store::ErrorKind::Invalid => ErrorKind::TooLarge,
        store::ErrorKind::Conflict | store::ErrorKind::NotFound => ErrorKind::Internal,
        _ => ErrorKind::Unavailable,
    };
    Error::new(kind, error.message().to_owned()).with_source(error)
}
