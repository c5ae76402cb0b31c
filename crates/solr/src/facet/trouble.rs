//! Why nothing is counted, by when Solr finds it: what is wrong with a request's form comes before the
//! search, what does not fit the schema after it. It ends as `Resolved::late_failure`, or as the request's
//! error, by which of the two it is.

use plan::Error;

/// Why there is no plan.
pub(super) enum Trouble {
    /// The JSON is not a tree of facets: found before the search.
    Form(Error),
    /// The tree does not fit the schema: Solr finds that after the search and answers with the hits and the
    /// error.
    Schema(Error),
}

impl Trouble {
    pub(super) fn into_error(self) -> Error {
        match self {
            Trouble::Form(error) | Trouble::Schema(error) => error,
        }
    }
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        Self::Form(error)
    }
}
