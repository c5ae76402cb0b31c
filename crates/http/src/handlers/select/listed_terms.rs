//! What the dictionaries of fields hold: beside a search, and as the answer of `/terms`.
//!
//! In: fields and bounds as `solr` has read them; out: terms with counts. Fields of points have no terms here
//! and are answered by a facet over their values. How many terms one answer may hold is bounded here.

use std::sync::Arc;

use cluster::Collection;
use meter::Meters;
use plan::{Error, FacetPlan, FacetSort, FieldFacet, Query, Result, SearchPlan, TermCount};
use solr::response::Entries;
use solr::terms::{FieldTerms, TermsRequest};

use super::step::{Preparation, StepOutput};

/// Terms of all fields in one answer.
const TERMS_MAX: usize = 1 << 21;

/// The terms that a search lists beside its hits.
pub(super) struct TermsStep<'a> {
    collection: &'a Arc<Collection>,
    /// Or why it cannot be read, which is reported behind the hits, and what is shown then.
    request: Result<TermsRequest, (Error, Entries)>,
}

impl<'a> TermsStep<'a> {
    /// `None` when the request asks for none.
    pub fn prepare(given: Preparation<'a>) -> Option<Self> {
        let request = TermsRequest::beside_hits(given.params, given.context.schema).transpose()?;
        Some(Self { collection: given.collection, request })
    }

    pub async fn run(&self) -> StepOutput {
        match &self.request {
            Ok(request) => list_terms(self.collection, request).await.into(),
            Err((error, shown)) => {
                StepOutput { entries: shown.clone(), failure: Some(error.clone()), ..StepOutput::default() }
            }
        }
    }
}

/// The section of the answer.
pub(in crate::handlers) async fn list_terms(
    collection: &Arc<Collection>,
    request: &TermsRequest,
) -> Result<Entries> {
    let (mut listed, mut count) = (Vec::with_capacity(request.fields.len()), 0);
    for field in &request.fields {
        count += listed.last().map_or(0, Vec::len);
        if count > TERMS_MAX {
            return Err(Error::bad_request(format!(
                "more than `{TERMS_MAX}` terms in one answer; set `terms.limit`, or ask for fewer fields"
            )));
        }
        listed.push(match field {
            FieldTerms::Listed(plan) => collection.terms(plan).await?,
            FieldTerms::Values { field, limit, by_count, raw } => {
                let sort = if *by_count { FacetSort::Count } else { FacetSort::Index };
                let mut terms = values(collection, (field, request.schema_version), *limit, sort).await?;
                if *raw {
                    terms.iter_mut().for_each(as_indexed);
                }
                terms
            }
        });
    }
    Ok(request.respond(listed, collection.stats().num_docs))
}

/// Booleans are indexed by one letter; numbers show no other form here.
fn as_indexed(count: &mut TermCount) {
    match count.term.as_str() {
        "true" => count.term = "T".to_owned(),
        "false" => count.term = "F".to_owned(),
        _ => {}
    }
}

/// The values of a field of points or booleans.
async fn values(
    collection: &Arc<Collection>,
    (field, schema_version): (&Arc<str>, Option<u64>),
    limit: Option<usize>,
    sort: FacetSort,
) -> Result<Vec<TermCount>> {
    let facet = FieldFacet { sort, limit, ..FieldFacet::of(field) };
    let facets = FacetPlan { enabled: true, fields: vec![facet], ..FacetPlan::default() };
    let plan = SearchPlan { schema_version, facets, ..SearchPlan::count(Query::All) };
    let found = collection.search(Arc::new(plan), &Meters::default()).await?.facets.fields.pop();
    let counts = found.map(|facet| facet.counts).unwrap_or_default();
    let count = |(value, documents): (plan::Value, u64)| TermCount {
        term: value.to_text(),
        documents,
        occurrences: None,
    };
    Ok(counts.into_iter().map(count).collect())
}
