//! Which collections a search asks: the one that serves it, with those that an alias or a list of names
//! stands for beside it, or those that the parameter `collection` names instead. Each reads the request by
//! its own schema; what their shards find is gathered as if it were one collection.
//!
//! Errors: `BadRequest` for a name of nothing, and for fields that are not of one kind in all of them.

use std::sync::Arc;

use cluster::{Collection, ShardSelection, Together};
use plan::{Error, Result, Schema, SearchPlan, ShardChoice, ShardFound};
use solr::Params;
use solr::admin::base_url;
use solr::params::shards;
use solr::response::{AskedShard, Name, Node, shards_info};
use solr::select::{ResolveContext, Resolved, SelectRequest};

use super::asked_collections::AskedCollections;
use super::component_search::ComponentSearch;
use crate::handlers::collections::scheme;
use crate::handlers::missing::Missing;
use crate::request::call::Call;

/// The collections that the request means: those of its path, of which `serving` is the first, unless it
/// names others.
pub(in crate::handlers) fn asked(
    call: &Call<'_>,
    serving: &Arc<Collection>,
    params: &Params,
) -> Result<Together> {
    let of_path = || Together::of(serving.clone(), call.beside.iter().cloned());
    Ok(named(call, params)?.unwrap_or_else(of_path))
}

/// Those that the parameter `collection` names, if it does.
pub(super) fn named(call: &Call<'_>, params: &Params) -> Result<Option<Together>> {
    let Some(names) = shards::COLLECTIONS.sent(params).filter(|names| !names.trim().is_empty()) else {
        return Ok(None);
    };
    let mut found: Vec<Arc<Collection>> = Vec::new();
    for name in names.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        let unknown = || Error::bad_request(format!("Could not find collection : {name}"));
        let node = &call.server.node;
        for described in node.resolve_described(name).map_err(|_| unknown())? {
            let collection = node.described_to_read(&described)?;
            // Which the sender may not search is as if it were not there.
            if !call.access.reads_all() && !call.access.reads(&collection) {
                return Err(unknown());
            }
            if !found.iter().any(|known| Arc::ptr_eq(known, &collection)) {
                found.push(collection);
            }
        }
    }
    let mut found = found.into_iter();
    match found.next() {
        Some(first) => Ok(Some(Together::of(first, found))),
        None => Err(Error::bad_request(format!("`collection` is `{names}`; name a collection"))),
    }
}

/// The shards that the request means in each collection, as of now; and the number of the one whose core it
/// addressed.
pub(in crate::handlers) fn selected(
    collections: &[Arc<Collection>],
    choice: &ShardChoice,
    core: Option<usize>,
) -> Result<Vec<ShardSelection>> {
    // Collections call their shards alike: which of them is meant nobody can tell.
    if let ([_, _, ..], ShardChoice::Named(_)) = (collections, choice) {
        return Err(Error::bad_request(
            "`shards` names shards of one collection; over several use `_route_`, or leave it out",
        ));
    }
    collections.iter().map(|collection| collection.select_shards(choice, core)).collect()
}

/// The request as the other collections read it; `own` is how the first does. Errors: also for a component
/// that another cannot resolve and the first can. What the first alone counts, marks or explains would stand
/// there as if it were of all, so it is the request's error at once, as it is where a shard of Solr's
/// refuses.
pub(in crate::handlers) fn resolved_by_others(
    request: &SelectRequest<'_>,
    own: &Resolved,
    asked: &AskedCollections<'_>,
) -> Result<Vec<Resolved>> {
    let resolved_by = |context: &ResolveContext<'_>| {
        let resolved = request.resolve(context)?;
        check_kinds(&own.plan, (asked.context.schema, context.schema))?;
        match &resolved.late_failure {
            Some((_, error)) if own.late_failure.is_none() => Err(error.clone()),
            _ => Ok(resolved),
        }
    };
    asked.others.iter().map(resolved_by).collect()
}

/// That values which meet are of one kind.
fn check_kinds(plan: &SearchPlan, (first, other): (&Schema, &Schema)) -> Result<()> {
    for name in plan.compared_fields() {
        let (Some(own), Some(others)) = (first.field(name), other.field(name)) else { continue };
        if own.class() != others.class() {
            return Err(Error::bad_request(format!(
                "`{name}` is of type `{}` in one of the collections and of type `{}` in another; sort, group and count by fields of one kind",
                own.source.type_name, others.source.type_name
            )));
        }
    }
    Ok(())
}

/// What each shard found, under the name by which it is shown.
pub(super) fn told(
    (call, collections): (&Call<'_>, &[Arc<Collection>]),
    search: &ComponentSearch,
    missing: &Missing,
) -> (Name, Node) {
    let ComponentSearch { pinned, result, .. } = search;
    let node = &call.server.node;
    let url = base_url(node.name(), scheme(&node.state()));
    let here = |core: &str| {
        let known = collections.iter().find_map(|it| it.own_replica_address(core));
        known.unwrap_or_else(|| format!("{url}/{core}/"))
    };
    let replicas = pinned.asked().zip(pinned.addresses());
    // One alone is the whole result.
    let alone = ShardFound {
        total: result.total,
        total_exact: result.total_exact,
        score_max: result.score_max,
        elapsed_ms: call.elapsed_ms(),
    };
    let found = result.by_shard.iter().copied().chain([alone]);
    let asked = replicas.zip(found).map(|((shard, there), found)| AskedShard {
        address: there.unwrap_or_else(|| here(&shard.core)),
        found,
        missing: missing.of_core(&shard.core),
    });
    ("shards.info".into(), shards_info(&Vec::from_iter(asked)))
}
