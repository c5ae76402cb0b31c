//! How a `security.json` is refused: the words that all readers of its parts share. Whatever is not known is
//! refused, and nothing passed over.

use plan::{Error, Result};

use crate::commands::Object;

/// The file's name in the data folder, as in Solr's home.
pub const FILE: &str = "security.json";

/// Refuses keys that are not read.
pub(super) fn only(object: &Object<'_>, known: &[&str], what: &str) -> Result<()> {
    match object.entries.iter().find(|(name, _)| !known.contains(&&**name)) {
        None => Ok(()),
        Some((name, _)) => {
            Err(wrong(format!("has `{name}` in `{what}`, which is not supported; take it out")))
        }
    }
}

/// What is wrong with the file.
pub(super) fn wrong(what: impl std::fmt::Display) -> Error {
    Error::bad_request(format!("`{FILE}` {what}"))
}
