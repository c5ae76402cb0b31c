//! Documents like another, at paths that the config gives to Solr's `MoreLikeThisHandler`: `q` finds the one
//! document whose likes are searched, or the body is a text.
//!
//! In: a parsed request; out: the document, its telling words and what is like it, by filters and facets of
//! the request. The search itself is `select/likes.rs`'s, which also shows likes beside the hits of a search.

use std::sync::Arc;

use cluster::{Collection, Together};
use plan::{Error, LikeSource, Page, Result, SearchPlan};
use solr::Params;
use solr::params::{more_like, query};
use solr::response::{self, FoundAlike};
use solr::select::{Likes, Resolved, SelectRequest};

use super::permit::Permit;
use super::select::{SearchScope, check_all_shards, name_shards, search_alike};
use crate::request::call::{Answer, Call, Failure};

pub(super) async fn run(
    call: &Call<'_>,
    collection: &Arc<Collection>,
    (params, permit): (&Params, &Permit),
) -> Result<Answer, Failure> {
    check_all_shards(collection, params, true)?;
    let scope = SearchScope::of(call, collection, permit);
    let context = scope.context();
    let likes = Likes::parse(params, context.schema, context.boolean_clauses_max)?;
    let Resolved { plan, mut response, warnings, .. } = SelectRequest::parse(params)?.resolve(&context)?;
    name_shards(&mut response.fields, || collection.shard_documents());
    let mut found = FoundAlike { facets: plan.facets.enabled, ..FoundAlike::default() };
    let like = if query::Q.is_sent(params) {
        let offset = more_like::MATCH_OFFSET.read(params)?;
        found.offset = usize::try_from(offset).unwrap_or(0);
        let page = Page { start: found.offset, rows: 1 };
        let matched =
            collection.search(Arc::new(plan.showing(plan.query.clone(), page)), &permit.meters).await?;
        let like = matched.hits.first().map(|hit| likes.of(LikeSource::Document(hit.id.clone())));
        found.matched = more_like::MATCH_SHOWN.read(params)?.then_some(matched);
        like
    } else {
        Some(likes.of(LikeSource::Text(text(call)?)))
    };
    if let Some(like) = like {
        let by_likes = |query| {
            let (filters, facets) = (plan.filters.clone(), plan.facets.clone());
            vec![SearchPlan { filters, facets, ..plan.showing(query, plan.page) }]
        };
        let alone = Together::of(collection.clone(), []);
        found.found = Some(search_alike(&alone, (&likes, &permit.meters), &like, by_likes).await?);
    }
    let shown = (response.start, &response.fields);
    let entries = response::more_like(found, likes.terms_shown, shown, context.schema);
    Ok(Answer { entries, warnings, ..Answer::default() })
}

/// The request's body.
fn text(call: &Call<'_>) -> Result<String> {
    let content = call.content.as_ref().filter(|content| !content.bytes.is_empty());
    let bytes = content.map(|content| content.bytes.to_vec()).ok_or_else(|| {
        Error::bad_request("MoreLikeThis requires either a query (?q=) or text to find similar documents.")
    })?;
    String::from_utf8(bytes)
        .map_err(|_| Error::bad_request("the request's body is not UTF-8; encode it as UTF-8"))
}
