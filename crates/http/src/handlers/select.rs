//! A search, from parameters to the response's entries: the whole trip in one function.

use std::sync::Arc;

use cluster::Collection;
use plan::{Error, Result};
use solr::Params;
use solr::query::SchemaAnalyzers;
use solr::response::{self, Found};
use solr::select::{ExplainOther, ResolveContext, SelectRequest};

use crate::call::{Answer, Call, Failure};

pub(super) async fn run(
    call: &Call<'_>,
    collection: &Arc<Collection>,
    params: &Params,
) -> Result<Answer, Failure> {
    let moment = collection.moment();
    let versioned = collection.versioned_schema();
    let context = ResolveContext {
        schema: &versioned.schema,
        analyzers: &versioned.derived(SchemaAnalyzers::new),
        now_ms: call.started_ms,
        boolean_clauses_max: collection.config().boolean_clauses_max,
    };
    let request = SelectRequest::parse(params)?; // text -> typed
    let resolved = request.resolve(&context)?; // typed -> plan
    let plan = Arc::new(resolved.plan);
    let result = collection.search(plan.clone()).await?; // route, engine, gather
    let explained_other = match &resolved.response.explain_other {
        Some(other) => {
            let limit = ExplainOther::DOCUMENTS_MAX;
            collection.explain_other(&plan.query, &other.query, limit).await?
        }
        None => vec![],
    };
    let found = Found { result, facets: plan.facets.enabled, explained_other };
    let entries = response::select(found, &resolved.response, context.schema, call.elapsed_ms());
    match resolved.late_failure {
        Some(error) => Err(Failure { before: entries, ..Failure::from(error) }),
        None => {
            let moment = resolved.repeatable.then_some(moment);
            Ok(Answer { entries, warnings: resolved.warnings, moment })
        }
    }
}

/// Refuses a body that is no JSON: no other says anything to a search.
pub(super) fn check_body(call: &Call<'_>) -> Result<()> {
    let Some(content) = call.content.as_ref().filter(|content| !content.bytes.is_empty()) else {
        return Ok(());
    };
    let media_type = content.media_type.as_deref().unwrap_or_default();
    if media_type.contains("json") {
        return Ok(());
    }
    let shown: Vec<_> = call.params.pairs().iter().map(|(name, value)| format!("{name}={value}")).collect();
    let shown = shown.join("&");
    Err(Error::bad_request(format!("Bad contentType for search handler :{media_type} request={{{shown}}}")))
}

/// A JSON body is the parameter `json`.
pub(super) fn with_body(call: &Call<'_>, params: Params) -> Result<Params> {
    let Some(content) = call.content.as_ref().filter(|content| !content.bytes.is_empty()) else {
        return Ok(params);
    };
    let text = std::str::from_utf8(&content.bytes)
        .map_err(|_| Error::bad_request("the request's body is not UTF-8; encode it as UTF-8"))?;
    let mut params = params;
    params.push("json", text);
    Ok(params)
}
