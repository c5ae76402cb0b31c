//! `/get`: documents by id, visible or not. In: ids, perhaps with filters; out: the documents as their last
//! update left them. Filters are asked of a snapshot with all updates in it, which nobody else gets to see:
//! what searches see is only a commit's to change.
//!
//! Several collections are asked one after the other, each for the ids that none before it has: a document
//! that several have is the first one's.

use std::collections::HashSet;
use std::sync::Arc;

use cluster::{Collection, ShardDocument};
use plan::Result;
use solr::params::shards;
use solr::{Fetched, GetRequest, Params, versions_entry};

use super::missing::Missing;
use super::permit::Permit;
use super::select::{SearchScope, asked, check_all_shards, name_shards};
use crate::request::call::{Answer, Call, Failure};

pub(super) async fn run(
    call: &Call<'_>,
    collection: &Arc<Collection>,
    (params, permit): (&Params, &Permit),
) -> Result<Answer, Failure> {
    let mut request = GetRequest::parse(params)?;
    let together = asked(call, collection, params)?;
    let collections = together.collections();
    for collection in collections {
        check_all_shards(collection, params, request.is_searched())?;
    }
    let missing = Missing::of_all(collections);
    if let Some(limit) = request.versions {
        let versions = together.versions(limit).await?;
        return Ok(missing.mark(permit, versions_entry(&versions).into()));
    }
    let shards: Vec<_> = collections.iter().map(|one| one.shard_documents()).collect();
    match collections {
        [only] if only.sharded_name().is_none() => request.fields_mut().name_core(&only.core_name()),
        _ => name_shards(request.fields_mut(), || shards.concat()),
    }
    let scopes = SearchScope::of_all(call, collections, permit);
    let found = of_all(collections, (&scopes, &shards), (params, permit), &request).await?;
    let schemas: Vec<_> = scopes.iter().map(|scope| scope.context().schema).collect();
    Ok(missing.mark(permit, request.respond(found, &schemas).into()))
}

/// One entry an id. Shards are numbered through all collections.
async fn of_all(
    collections: &[Arc<Collection>],
    (scopes, shards): (&[SearchScope], &[Vec<ShardDocument>]),
    asked: (&Params, &Permit),
    request: &GetRequest,
) -> Result<Vec<Option<Fetched>>> {
    let mut found: Vec<Option<Fetched>> = request.ids.iter().map(|_| None).collect();
    let mut shards_before = 0;
    for (number, ((collection, scope), shards)) in collections.iter().zip(scopes).zip(shards).enumerate() {
        let places = places_left(&request.ids, &found);
        if places.is_empty() {
            break;
        }
        let left = request.of_ids(places.iter().filter_map(|at| request.ids.get(*at).cloned()).collect());
        for (at, own) in places.into_iter().zip(of_one(collection, scope, asked, &left).await?) {
            let Some(place) = found.get_mut(at) else { continue };
            *place = own.map(|it| Fetched { collection: number, shard: shards_before + it.shard, ..it });
        }
        shards_before += u32::try_from(shards.len()).unwrap_or(u32::MAX);
    }
    Ok(found)
}

/// An id that is asked for twice is found once it is found in one of its places.
fn places_left(ids: &[String], found: &[Option<Fetched>]) -> Vec<usize> {
    let known = ids.iter().zip(found).filter(|(_, found)| found.is_some());
    let known: HashSet<&String> = known.map(|(id, _)| id).collect();
    let left = (0..).zip(ids).filter(|(_, id)| !known.contains(id));
    left.map(|(at, _)| at).collect()
}

async fn of_one(
    collection: &Collection,
    scope: &SearchScope,
    (params, permit): (&Params, &Permit),
    request: &GetRequest,
) -> Result<Vec<Option<Fetched>>> {
    if request.is_searched() {
        let plan = request.filtered(params, &scope.context())?;
        return Ok(request.by_id(collection.search_applied(Arc::new(plan), &permit.meters).await?));
    }
    let found = collection.get((&request.ids, shards::ROUTE.sent(params)), &request.selection()).await?;
    Ok(found.into_iter().map(|found| found.map(Fetched::from)).collect())
}
