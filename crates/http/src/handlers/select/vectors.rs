//! The terms of the hits, at handlers that have a `TermVectorComponent`.
//!
//! In: the request as `solr` reads it, and a search's hits; out: the section of the response. Vectors are
//! read at the search's pin: a hit is a number in that snapshot alone. What cannot be read is reported behind
//! the hits, as Solr does, with an empty section.

use meter::Meters;
use plan::{Error, Result};
use solr::select::Resolved;
use solr::vectors::{self, VectorsRequest};

use super::component_search::ComponentSearch;
use super::step::{Preparation, StepOutput};

pub(super) struct VectorsStep {
    request: Result<VectorsRequest>,
}

impl VectorsStep {
    /// `None` when the request asks for none, or nothing is searched.
    pub fn prepare(given: Preparation<'_>, search: Option<&Resolved>) -> Option<Self> {
        let request =
            VectorsRequest::parse(given.params, &search?.response.fields, given.asked.context.schema);
        request.transpose().map(|request| Self { request })
    }

    pub async fn run(&self, search: Option<&ComponentSearch>) -> StepOutput {
        let failed = |error: Error| StepOutput {
            entries: vectors::nothing(),
            failure: Some(error),
            ..StepOutput::default()
        };
        let request = match &self.request {
            Ok(request) => request,
            Err(error) => return failed(error.clone()),
        };
        let Some(search) = search else { return StepOutput::default() };
        let plan = request.plan(&search.result.hits);
        match search.pinned.vectors(&plan, &Meters::default()).await {
            Ok(vectors) => Ok(request.respond(vectors)).into(),
            Err(error) => failed(error),
        }
    }
}
