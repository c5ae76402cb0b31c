//! What the dictionaries of fields hold: beside a search, and as the answer of `/terms`.
//!
//! In: fields and bounds as `solr` has read them; out: terms with counts. Fields of points have no terms here
//! and are answered by a facet over their values. How many terms one answer may hold is bounded here.

use std::sync::Arc;

use cluster::Together;
use meter::Meters;
use plan::{Error, FacetPlan, FacetSort, FieldFacet, Query, Result, SearchPlan, TermCount};
use solr::response::Entries;
use solr::terms::{FieldTerms, TermsRequest};

use super::step::{Preparation, StepOutput};

/// Terms of all fields in one answer.
const TERMS_MAX: usize = 1 << 21;

/// The terms that a search lists beside its hits.
pub(super) struct TermsStep<'a> {
    together: &'a Together,
    /// As each collection reads the request; or why it cannot be read, which is reported behind the hits, and
    /// what is shown then.
    requests: Result<Vec<TermsRequest>, (Error, Entries)>,
}

impl<'a> TermsStep<'a> {
    /// `None` when the request asks for none.
    pub fn prepare(given: Preparation<'a>) -> Option<Self> {
        let Preparation { asked, params, .. } = given;
        let requests = asked
            .contexts()
            .filter_map(|context| TermsRequest::beside_hits(params, context.schema).transpose());
        let requests = requests.collect::<Result<Vec<_>, _>>();
        let is_asked = requests.as_ref().map_or(true, |requests| !requests.is_empty());
        is_asked.then_some(Self { together: &asked.together, requests })
    }

    pub async fn run(&self) -> StepOutput {
        match &self.requests {
            Ok(requests) => list_terms(self.together, requests).await.into(),
            Err((error, shown)) => {
                StepOutput { entries: shown.clone(), failure: Some(error.clone()), ..StepOutput::default() }
            }
        }
    }
}

/// The section of the answer, from the request as each collection reads it. Errors: `BadRequest` where a
/// field is listed as terms in one and as values in another, and for too many terms.
pub(in crate::handlers) async fn list_terms(
    together: &Together,
    requests: &[TermsRequest],
) -> Result<Entries> {
    let Some(first) = requests.first() else { return Ok(vec![]) };
    let (mut listed, mut count) = (Vec::with_capacity(first.fields.len()), 0);
    for (at, field) in first.fields.iter().enumerate() {
        count += listed.last().map_or(0, Vec::len);
        if count > TERMS_MAX {
            return Err(Error::bad_request(format!(
                "more than `{TERMS_MAX}` terms in one answer; set `terms.limit`, or ask for fewer fields"
            )));
        }
        listed.push(match field {
            FieldTerms::Listed(_) => {
                let plans = requests.iter().map(|request| match request.fields.get(at) {
                    Some(FieldTerms::Listed(plan)) => Ok(plan),
                    _ => Err(of_other_kind(field.field())),
                });
                together.terms(&plans.collect::<Result<Vec<_>>>()?).await?
            }
            FieldTerms::Values { field, limit, by_count, raw } => {
                let is_other = |request: &TermsRequest| {
                    !matches!(request.fields.get(at), Some(FieldTerms::Values { .. }))
                };
                if requests.iter().any(is_other) {
                    return Err(of_other_kind(field));
                }
                let sort = if *by_count { FacetSort::Count } else { FacetSort::Index };
                let facet = FieldFacet { sort, limit: *limit, ..FieldFacet::of(field) };
                let mut terms = values(together, &facet, requests).await?;
                if *raw {
                    terms.iter_mut().for_each(as_indexed);
                }
                terms
            }
        });
    }
    Ok(first.respond(listed, together.documents()))
}

/// Booleans are indexed by one letter; numbers show no other form here.
fn as_indexed(count: &mut TermCount) {
    match count.term.as_str() {
        "true" => count.term = "T".to_owned(),
        "false" => count.term = "F".to_owned(),
        _ => {}
    }
}

fn of_other_kind(field: &str) -> Error {
    Error::bad_request(format!(
        "`{field}` is of points or booleans in one of the collections and of terms in another; name one of them"
    ))
}

/// The values of a field of points or booleans.
async fn values(
    together: &Together,
    facet: &FieldFacet,
    requests: &[TermsRequest],
) -> Result<Vec<TermCount>> {
    let plan = |request: &TermsRequest| {
        let facets = FacetPlan { enabled: true, fields: vec![facet.clone()], ..FacetPlan::default() };
        let schema_version = request.schema_version;
        Arc::new(SearchPlan { schema_version, facets, ..SearchPlan::count(Query::All) })
    };
    let plans: Vec<_> = requests.iter().map(plan).collect();
    let found = together.pin().search_together(&plans, &Meters::default()).await?.facets.fields.pop();
    let counts = found.map(|facet| facet.counts).unwrap_or_default();
    let count = |(value, documents): (plan::Value, u64)| TermCount {
        term: value.to_text(),
        documents,
        occurrences: None,
    };
    Ok(counts.into_iter().map(count).collect())
}
