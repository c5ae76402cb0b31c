//! Errors of the library below, met while reading. What the user did wrong is found before the library is asked.

use plan::Error;
use tantivy::TantivyError;

use crate::errors::from_tantivy;

pub(crate) fn engine_error(error: impl Into<TantivyError>) -> Error {
    from_tantivy(error.into())
}
