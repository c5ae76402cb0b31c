//! Documents like another, at paths that the config gives to Solr's `MoreLikeThisHandler`: `q` finds the one
//! document whose likes are searched, or the body is a text.
//!
//! In: a parsed request; out: the document, its telling words and what is like it, by filters and facets of
//! the request. Of several collections any may have the document, and what is like it comes from all. The
//! search itself is `select/likes.rs`'s, which also shows likes beside the hits of a search.

use std::sync::Arc;

use cluster::Collection;
use plan::{Component, Error, LikeSource, Page, Query, Result, SearchPlan};
use solr::Params;
use solr::params::{facet, more_like, query, shards};
use solr::response::{self, FoundAlike};
use solr::select::{Likes, Resolved, SelectRequest};

use super::missing::Missing;
use super::permit::Permit;
use super::select::{
    AskedCollections, SearchScope, asked, name_shards, resolved_by_others, search_alike, selected,
};
use crate::request::call::{Answer, Call, Failure};

pub(super) async fn run(
    call: &Call<'_>,
    collection: &Arc<Collection>,
    (params, permit): (&Params, &Permit),
) -> Result<Answer, Failure> {
    let together = asked(call, collection, params)?;
    let collections = together.collections();
    let shards = selected(collections, &shards::choice(params)?, call.core)?;
    let missing = Missing::of(collections, &shards);
    let scopes = SearchScope::of_all(call, collections, permit);
    let asked = AskedCollections::of(together.clone(), &scopes)?;
    let context = asked.context;
    let likes = Likes::parse(params, context.schema, context.boolean_clauses_max)?;
    let request = SelectRequest::parse(params)?;
    let own = request.resolve(&context)?;
    let by_others = resolved_by_others(&request, &own, &asked)?;
    let Resolved { plan, mut response, warnings, late_failure, .. } = own;
    let plans: Vec<_> = std::iter::once(plan).chain(by_others.into_iter().map(|it| it.plan)).collect();
    let pin = together.clone().of_shards(shards).preferring(call.replica_choice(params)?).pin();
    name_shards(&mut response.fields, || pin.shard_documents().to_vec());
    let mut found =
        FoundAlike { facets: plans.iter().any(|plan| plan.facets.enabled), ..FoundAlike::default() };
    let like = if query::Q.is_sent(params) {
        let offset = more_like::MATCH_OFFSET.read(params)?;
        found.offset = usize::try_from(offset).unwrap_or(0);
        let page = Page { start: found.offset, rows: 1 };
        let plans: Vec<_> =
            plans.iter().map(|plan| Arc::new(plan.showing(plan.query.clone(), page))).collect();
        let matched = pin.search_together(&plans, &permit.meters).await?;
        let like = matched.hits.first().map(|hit| likes.of(LikeSource::Document(hit.id.clone())));
        found.matched = more_like::MATCH_SHOWN.read(params)?.then_some(matched);
        like
    } else {
        Some(likes.of(LikeSource::Text(text(call)?)))
    };
    if let Some(like) = like {
        let by_likes = |query: Query| {
            let by_likes = |plan: &Arc<SearchPlan>| {
                let (filters, facets) = (plan.filters.clone(), plan.facets.clone());
                SearchPlan { filters, facets, ..plan.showing(query.clone(), plan.page) }
            };
            plans.iter().map(by_likes).collect()
        };
        found.found = Some(search_alike(&pin, (&likes, &permit.meters), &like, by_likes).await?);
    }
    let shown = (response.start, &response.fields);
    let entries = response::more_like(found, likes.terms_shown, shown, context.schema);
    // Classic facets are all that this handler has of what fails behind the search.
    if let (Some((Component::Facet, error)), true) = (late_failure, facet::FACET.read(params)?) {
        return Err(Failure { before: entries, ..Failure::from(error) });
    }
    Ok(missing.mark(permit, Answer { entries, warnings, ..Answer::default() }))
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
