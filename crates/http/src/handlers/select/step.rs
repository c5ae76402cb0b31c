//! What goes into a step of the pipeline, and what comes out of it. The steps are files beside; their order
//! is `pipeline`'s. A step that fails keeps what those before it found: Solr answers with the hits and the
//! error, and so does this.

use plan::{CollectionConfig, Error, Result};
use solr::Params;
use solr::response::{Entries, Node};

use super::asked_collections::AskedCollections;

/// What steps are prepared from.
#[derive(Clone, Copy)]
pub(super) struct Preparation<'a> {
    pub asked: &'a AskedCollections<'a>,
    pub config: &'a CollectionConfig,
    pub params: &'a Params,
}

/// The outcome of one step: its section as far as it came, and why it came no farther.
#[derive(Default)]
pub(super) struct StepOutput {
    pub entries: Entries,
    pub failure: Option<Error>,
    /// For the debug section: how the likes of each hit were found.
    pub likes_explained: Option<Node>,
}

/// What the steps had to say.
#[derive(Default)]
pub(super) struct Sections {
    /// By the component's name.
    pub entries: Vec<(String, Entries)>,
    pub likes_explained: Option<Node>,
    pub failure: Option<Error>,
    /// The first component that was not run because the request's allowance is used up.
    pub cut: Option<usize>,
    /// How many of the handler's components are shown.
    pub shown: usize,
}

impl From<Result<Entries>> for StepOutput {
    fn from(section: Result<Entries>) -> Self {
        match section {
            Ok(entries) => Self { entries, ..Self::default() },
            Err(error) => Self { failure: Some(error), ..Self::default() },
        }
    }
}
