//! `/get`: documents by id, visible or not. In: ids, perhaps with filters; out: the documents as their last
//! update left them. Filters are asked of a snapshot with all updates in it, which nobody else gets to see:
//! what searches see is only a commit's to change.
//!
//! The ids say which shard has each of them, or the request's route does where they do not; a request that
//! names shards is answered by these. Several collections are asked one after the other, each for the ids
//! that none before it has: a document that several have is the first one's.

use std::collections::HashSet;
use std::sync::Arc;

use cluster::{Collection, GetShards, ShardDocument, ShardSelection};
use plan::{Error, Result, ShardChoice};
use solr::params::shards;
use solr::{Fetched, GetRequest, Params, fingerprint_entry, versions_entry};

use super::missing::Missing;
use super::permit::Permit;
use super::select::{SearchScope, asked, name_shards, selected};
use crate::request::call::{Answer, Call, Failure};

pub(super) async fn run(
    call: &Call<'_>,
    collection: &Arc<Collection>,
    (params, permit): (&Params, &Permit),
) -> Result<Answer, Failure> {
    let together = asked(call, collection, params)?;
    let collections = together.collections();
    let scopes = SearchScope::of_all(call, collections, permit);
    let first = scopes.first().ok_or_else(|| Error::internal("a request asks no collection"))?;
    let mut request = GetRequest::parse(params, &first.context())?;
    let chosen = ChosenShards::of(call, collections, (params, &request))?;
    let missing = Missing::of(collections, &chosen.selections);
    if request.versions.is_some() || request.fingerprint.is_some() {
        let together = together.clone().of_shards(chosen.selections);
        let mut told = Vec::new();
        if let Some(up_to) = request.fingerprint {
            told.extend(fingerprint_entry(up_to, &together.fingerprint(up_to).await?));
        }
        if let Some(limit) = request.versions {
            told.extend(versions_entry(&together.versions(limit).await?));
        }
        return Ok(missing.mark(permit, told.into()));
    }
    let shards: Vec<_> = collections.iter().map(|one| one.shard_documents()).collect();
    match collections {
        [only] if only.sharded_name().is_none() => request.fields_mut().name_core(&only.core_name()),
        _ => name_shards(request.fields_mut(), || shards.concat()),
    }
    let found = of_all(collections, (&scopes, &shards, &chosen), (params, permit), &request).await?;
    let schemas: Vec<_> = scopes.iter().map(|scope| scope.context().schema).collect();
    Ok(missing.mark(permit, request.respond(found, &schemas).into()))
}

/// The shards that the request means.
struct ChosenShards<'a> {
    /// Of each collection.
    selections: Vec<ShardSelection>,
    /// Whether the request says which these are; else each id does.
    is_named: bool,
    /// Goes for ids that do not say where they are.
    route: Option<&'a str>,
}

impl<'a> ChosenShards<'a> {
    fn of(
        call: &Call<'_>,
        collections: &[Arc<Collection>],
        (params, request): (&'a Params, &GetRequest),
    ) -> Result<Self> {
        // A look-up by id takes a route as an update does: for the one shard where such documents are put. A
        // search takes it for all shards that may have some.
        let is_search = request.is_searched() || request.versions.is_some() || request.fingerprint.is_some();
        let choice = match shards::choice(params)? {
            ShardChoice::Routed(_) if !is_search => ShardChoice::All,
            choice => choice,
        };
        let is_named = choice != ShardChoice::All;
        let selections = selected(collections, &choice, call.core)?;
        Ok(Self { selections, is_named, route: shards::ROUTE.sent(params) })
    }

    /// Of one collection, by its number.
    fn asked(&self, number: usize) -> GetShards<'_> {
        let named = self.selections.get(number).filter(|_| self.is_named);
        named.map_or(GetShards::OfIds(self.route), GetShards::Selected)
    }
}

/// One entry an id. Shards are numbered through all collections.
async fn of_all(
    collections: &[Arc<Collection>],
    (scopes, shards, chosen): (&[SearchScope], &[Vec<ShardDocument>], &ChosenShards<'_>),
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
        let own = of_one(collection, (scope, chosen.asked(number)), asked, &left).await?;
        for (at, own) in places.into_iter().zip(own) {
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
    (scope, shards): (&SearchScope, GetShards<'_>),
    (params, permit): (&Params, &Permit),
    request: &GetRequest,
) -> Result<Vec<Option<Fetched>>> {
    if request.is_searched() {
        let plan = Arc::new(request.filtered(params, &scope.context())?);
        let all = ShardSelection::default();
        let selection = if let GetShards::Selected(selection) = shards { selection } else { &all };
        return Ok(request.by_id(collection.search_applied(plan, selection, &permit.meters).await?));
    }
    let found = collection.get((&request.ids, shards), &request.selection()).await?;
    Ok(found.into_iter().map(|found| found.map(Fetched::from)).collect())
}
