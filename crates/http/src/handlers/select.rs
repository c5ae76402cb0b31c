//! A search, from parameters to the response's entries: the whole trip in one function.

use std::sync::Arc;

use cluster::Collection;
use plan::{Error, HandlerConfig, Result};
use solr::query::SchemaAnalyzers;
use solr::response::{self, Found};
use solr::select::{ExplainOther, ResolveContext, SelectRequest};
use solr::{Params, json_request};

use super::Asked;
use crate::call::{Answer, Call, Content, Failure};

pub(super) async fn run(
    call: &Call<'_>,
    collection: &Arc<Collection>,
    params: &Params,
) -> Result<Answer, Failure> {
    let moment = collection.moment();
    let versioned = collection.versioned_schema();
    let others = super::others(call);
    let context = ResolveContext {
        schema: &versioned.schema,
        analyzers: &versioned.derived(SchemaAnalyzers::new),
        now_ms: call.started_ms,
        boolean_clauses_max: collection.config().boolean_clauses_max,
        others: Some(&others),
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
    if is_json(content) {
        return Ok(());
    }
    let shown: Vec<_> = call.params.pairs().iter().map(|(name, value)| format!("{name}={value}")).collect();
    let shown = shown.join("&");
    Err(Error::bad_request(format!("Bad contentType for search handler :{media_type} request={{{shown}}}")))
}

/// What the request asks, with its JSON as parameters. Macros that cannot be filled in leave nothing to echo, as in Solr.
pub(super) fn asked(call: &Call<'_>, presets: &HandlerConfig) -> Result<Asked> {
    let sent = match call.content.as_ref().filter(|content| is_json(content)) {
        Some(content) => json_request::with_body(&call.params, text(content)?),
        None => call.params.clone(),
    };
    let plain = Asked::plainly(&sent, presets);
    if !json_request::is_asked(&plain.effective) {
        return Ok(plain);
    }
    let effective = json_request::with_params(&sent).with_handler(presets);
    let filled = match json_request::filled(effective.clone()) {
        Ok(filled) => filled,
        Err(error) => return Ok(Asked { sent: None, effective, refused: Some(error) }),
    };
    Ok(match json_request::expand(filled.clone()) {
        Ok(effective) => Asked { sent: Some(sent), effective, refused: None },
        Err(error) => Asked { sent: Some(sent), effective: filled, refused: Some(error) },
    })
}

fn text(content: &Content) -> Result<&str> {
    std::str::from_utf8(&content.bytes)
        .map_err(|_| Error::bad_request("the request's body is not UTF-8; encode it as UTF-8"))
}

fn is_json(content: &Content) -> bool {
    content.media_type.as_deref().is_some_and(|media_type| media_type.contains("/json"))
}
