//! Documents like others: beside the hits of a search, and at paths that the config gives to Solr's
//! `MoreLikeThisHandler`, where `q` finds the one document whose likes are searched, or the body is a text.
//!
//! In: a parsed request; out: for each document the words that tell it (`cluster`, over all shards' counts)
//! and the search that they make, both on one pin. Choosing words and writing the section are `solr`'s and
//! `plan`'s.

use std::sync::Arc;

use cluster::Collection;
use meter::Meters;
use plan::{Error, LikeSource, LikeTerm, MoreLike, Page, Result, SearchPlan, SearchResult};
use solr::Params;
use solr::params::{more_like, query};
use solr::response::{self, FoundAlike, LikesOf};
use solr::select::{Likes, Resolved, SelectRequest};

use super::permit::Permit;
use super::select::Resolving;
use crate::request::call::{Answer, Call, Failure};

pub(super) async fn run(
    call: &Call<'_>,
    collection: &Arc<Collection>,
    (params, permit): (&Params, &Permit),
) -> Result<Answer, Failure> {
    let resolving = Resolving::of(call, collection, permit);
    let context = resolving.context();
    let likes = Likes::parse(params, context.schema, context.boolean_clauses_max)?;
    let Resolved { plan, response, warnings, .. } = SelectRequest::parse(params)?.resolve(&context)?;
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
        let by_likes = |query| SearchPlan {
            filters: plan.filters.clone(),
            facets: plan.facets.clone(),
            ..plan.showing(query, plan.page)
        };
        found.found = Some(alike(collection, (&likes, &permit.meters), &like, by_likes).await?);
    }
    let shown = (response.start, &response.fields);
    let entries = response::more_like(found, likes.terms_shown, shown, context.schema);
    Ok(Answer { entries, warnings, ..Answer::default() })
}

/// What is like each hit of a search; with `explain` why.
pub(super) async fn beside(
    collection: &Arc<Collection>,
    likes: &Likes,
    (plan, explain): (&SearchPlan, bool),
    (result, meters): (&SearchResult, &Meters),
) -> Result<Vec<LikesOf>> {
    let mut found = Vec::with_capacity(result.hits.len());
    for hit in result.hits.iter().take_while(|_| !meters.allowance.is_used_up()) {
        let like = likes.of(LikeSource::Document(hit.id.clone()));
        let page = Page { start: 0, rows: likes.count };
        let showing = |query| SearchPlan { explain, ..plan.showing(query, page) };
        let (terms, result) = alike(collection, (likes, meters), &like, showing).await?;
        found.push(LikesOf { id: hit.id.clone(), query: likes.query(&like, &terms), terms, result });
    }
    Ok(found)
}

async fn alike(
    collection: &Arc<Collection>,
    (likes, meters): (&Likes, &Meters),
    like: &MoreLike,
    plan: impl Fn(plan::Query) -> SearchPlan,
) -> Result<(Vec<LikeTerm>, SearchResult)> {
    let pin = collection.pin();
    let terms = pin.like_terms(like, meters).await?;
    let result = pin.search(Arc::new(plan(likes.query(like, &terms))), meters).await?;
    Ok((terms, result))
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
