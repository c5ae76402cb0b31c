//! How the administration reads numbers, and what it says of those that are none. For the definitions of this
//! folder.

use plan::{Error, Result};

use crate::params::not_a_number;

/// A number of things, as the paths of cores and collections take it.
pub(super) fn count(name: &str, text: &str) -> Result<usize> {
    text.parse().map_err(|_| {
        Error::bad_request(format!("cannot parse `{name}`: `{text}` is not a whole number; use 1 or more"))
    })
}

/// A number of things, as the paths take it that show an index.
pub(super) fn size(text: &str) -> Result<usize> {
    text.parse().map_err(|_| not_a_number(text))
}
