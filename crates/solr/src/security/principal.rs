//! Who asks: what log-in makes of a user or a key, and what rules look at. Made once for a request, before
//! its path is served.

use std::sync::Arc;

/// Somebody who has logged in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Principal {
    /// Of a user, or `key:` and the name of a key.
    pub name: String,
    pub(crate) roles: Arc<[String]>,
}
