//! Where in the tree of facets something stands, for messages: Solr names the way to the facet that it cannot
//! read, as its JSON has it. Made anew on each level and never kept: only a message ever reads it.

use plan::Error;

/// The name of a facet and the path above it.
#[derive(Clone, Copy)]
pub(super) struct TreePath<'a> {
    pub key: &'a str,
    pub above: &'a str,
}

impl TreePath<'_> {
    pub fn error(&self, message: &str) -> Error {
        Error::bad_request(format!("{message} , path={}/{}", self.above, self.key))
    }
}
