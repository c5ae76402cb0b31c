//! Why a text is no function. Solr answers the two kinds apart, so what reads functions keeps them apart up
//! to where it is called. A `Failure` becomes one error where there is no other reading to try (`{!func}`),
//! and is looked into where there is: sorts and field lists try a text as a field behind it.

use plan::Error;

use crate::query::syntax::SyntaxError;

/// Why a text is no function: Solr tells what cannot be read from what cannot be meant.
#[derive(Debug)]
pub(crate) enum Failure {
    Syntax(SyntaxError),
    Meaning(Error),
}

impl From<SyntaxError> for Failure {
    fn from(error: SyntaxError) -> Self {
        Failure::Syntax(error)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Meaning(error)
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Syntax(error) => error.into(),
            Failure::Meaning(error) => error,
        }
    }
}
