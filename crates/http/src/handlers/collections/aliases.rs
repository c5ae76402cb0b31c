//! Names that stand for collections: making, listing and deleting them, and `RENAME`, which makes one. Routed
//! aliases are not supported: each of their parameters is refused.
//!
//! In: a call to `/admin/collections`; out: an edit of the cluster's state, which the node keeps durably
//! (`cluster`, `node/names`). What an alias means when a request names one is decided there.

use std::collections::BTreeMap;

use cluster::ClusterState;
use plan::{Error, Result};
use solr::admin::pairs;
use solr::params::admin::collections as params;
use solr::response::{Entries, Name, Node};

use super::properties::{checked, prefixed};
use crate::request::call::Call;

pub(super) async fn create(call: &Call<'_>) -> Result<Entries> {
    let name = call.required(&params::NAME)?;
    if let Some((router, _)) = params::ROUTER.sent_all(&call.params).next() {
        return Err(Error::bad_request(format!(
            "`{}{router}` is not supported: routed aliases are not served here; name collections with `collections`",
            params::ROUTER.beginning()
        )));
    }
    let Some(collections) = call.text(&params::COLLECTIONS) else {
        return Err(Error::bad_request(
            "Alias creation requires either a list of either collections (for creating a traditional alias) or \
             routers (for creating a routed alias)",
        ));
    };
    let members = collections.split(',').map(str::trim).filter(|member| !member.is_empty());
    call.server.node.set_alias(name, members.map(str::to_owned).collect()).await?;
    Ok(vec![])
}

/// Deleting what is not there succeeds, as in Solr.
pub(super) async fn delete(call: &Call<'_>) -> Result<Entries> {
    let name = call.required(&params::NAME)?.to_owned();
    let edit = move |state: &mut ClusterState| {
        state.aliases.remove(&name);
        Ok(())
    };
    call.server.node.edit_state(edit).await?;
    Ok(vec![])
}

pub(super) fn list(call: &Call<'_>) -> Entries {
    let state = call.server.node.state();
    vec![("aliases".into(), pairs(members(&state))), ("properties".into(), properties(&state))]
}

/// `/aliases.json` of SolrCloud.
pub(super) fn document(state: &ClusterState) -> Entries {
    vec![("collection".into(), pairs(members(state))), ("collection_metadata".into(), properties(state))]
}

/// Of each alias that has some.
fn properties(state: &ClusterState) -> Node {
    let set = state.aliases.iter().filter(|(_, alias)| !alias.properties.is_empty());
    let properties = set.map(|(name, alias)| (Name::Owned(name.clone()), pairs(alias.properties.clone())));
    Node::Map(properties.collect())
}

/// Each alias with its members, separated by commas.
pub(super) fn members(state: &ClusterState) -> Vec<(String, String)> {
    state.aliases.iter().map(|(name, alias)| (name.clone(), alias.collections.join(","))).collect()
}

pub(super) async fn set_properties(call: &Call<'_>) -> Result<Entries> {
    let name = call.required(&params::NAME)?.to_owned();
    let values: BTreeMap<String, Option<String>> = prefixed(call)?
        .into_iter()
        .map(|(name, value)| (name, Some(value).filter(|it| !it.is_empty())))
        .collect();
    let edit = move |state: &mut ClusterState| {
        let unknown = || Error::bad_request(format!("Alias {name} does not exist"));
        let properties = &mut state.aliases.get_mut(&name).ok_or_else(unknown)?.properties;
        for (name, value) in values {
            match value {
                Some(value) => drop(properties.insert(name, value)),
                None => drop(properties.remove(&name)),
            }
        }
        checked(properties)
    };
    call.server.node.edit_state(edit).await?;
    Ok(vec![])
}

/// The collection stays as it is; the new name stands for it, also in aliases that name it.
pub(super) async fn rename(call: &Call<'_>) -> Result<Entries> {
    let (node, name, target) =
        (&call.server.node, call.required(&params::NAME)?, call.required(&params::TARGET)?);
    let unknown = || Error::bad_request(format!("Collection '{name}' not found."));
    let collection = node.find(name).ok_or_else(unknown)?;
    if node.resolve_described(target).is_ok() {
        return Err(Error::bad_request(format!("Collection '{target}' exists.")));
    }
    node.rename_by_alias(&collection, target).await?;
    Ok(vec![])
}
