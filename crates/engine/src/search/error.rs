//! Errors of the library below, met while reading. What the user did wrong is found before the library is asked.

use plan::Error;
use tantivy::TantivyError;

use crate::errors::from_tantivy;

pub(crate) fn engine_error(error: impl Into<TantivyError>) -> Error {
    from_tantivy(error.into())
}

/// The other way, where a callback of the library must answer in its terms.
pub(crate) fn library_error(error: &Error) -> TantivyError {
    TantivyError::InternalError(error.message.clone())
}
