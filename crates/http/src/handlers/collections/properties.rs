//! What clients set: for the cluster, for a collection, and what of a collection can be modified on one node.
//!
//! Names and values are bounded here before the node keeps them; most of them mean nothing to this server and
//! are only shown again. What Solr would change with them and is not changed here is refused by name.

use std::collections::BTreeMap;

use cluster::{CORES_MAX_PROPERTY, ClusterState};
use plan::{Error, Result};
use solr::Params;
use solr::params::admin::collections as params;
use solr::params::shards::{DEFAULT_PREFERENCES, replica_choice};
use solr::response::Entries;

use super::lifecycle::not_found;
use super::replicas;
use crate::request::call::Call;

/// Properties that Solr knows, besides those that begin with `ext.`.
const OF_CLUSTER: [&str; 4] = ["urlScheme", "location", DEFAULT_PREFERENCES, CORES_MAX_PROPERTY];
/// Bounds of what is kept.
const COUNT_MAX: usize = 1000;
const VALUE_BYTES_MAX: usize = 16 << 10;

pub(super) async fn of_cluster(call: &Call<'_>) -> Result<Entries> {
    let (name, value) =
        (call.required(&params::NAME)?.to_owned(), call.text(&params::VALUE).map(str::to_owned));
    if name == "samplePercentage" {
        return Err(Error::bad_request(
            "`samplePercentage` says how many requests are traced in Solr, and this server sends no traces; ask with \
             `debug=timing`, or look into the log of slow requests",
        ));
    }
    if name == CORES_MAX_PROPERTY
        && let Some(value) = value.as_deref().filter(|value| value.parse::<i64>().is_err())
    {
        return Err(Error::bad_request(format!(
            "`{name}` is `{value}`, which is no whole number; use one, or -1 for no bound"
        )));
    }
    if !OF_CLUSTER.contains(&name.as_str()) && !name.starts_with("ext.") {
        return Err(Error::bad_request(format!(
            "Not a known cluster property or starts with prefix ext., propertyName: {name}"
        )));
    }
    // Solr differs: it takes any scheme, and its nodes cannot reach each other from then on.
    if name == "urlScheme" && value.as_deref().is_some_and(|scheme| !matches!(scheme, "http" | "https")) {
        let value = value.unwrap_or_default();
        return Err(Error::bad_request(format!("`urlScheme` is `{value}`; use `http` or `https`")));
    }
    if name == DEFAULT_PREFERENCES {
        // What is no preference would fail every search from then on.
        replica_choice(&Params::default(), (None, value.as_deref()), String::new)?;
    }
    let edit = move |state: &mut ClusterState| {
        match value {
            Some(value) => drop(state.properties.insert(name, value)),
            None => drop(state.properties.remove(&name)),
        }
        checked(&state.properties)
    };
    call.server.node.edit_state(edit).await?;
    Ok(vec![])
}

pub(super) async fn of_collection(call: &Call<'_>) -> Result<Entries> {
    let (collection, property) = (call.required(&params::NAME)?, call.required(&params::PROPERTY_NAME)?);
    let value = call.text(&params::PROPERTY_VALUE).map(str::to_owned);
    set(call, collection, (BTreeMap::from([(property.to_owned(), value)]), None)).await
}

/// One replica is what there is, and the configset is not changed here.
pub(super) async fn modify(call: &Call<'_>) -> Result<Entries> {
    let collection = call.required(&params::COLLECTION)?;
    replicas::check_count(call, &params::REPLICATION_FACTOR)?;
    for (name, value) in [
        (params::CONFIGSET.name, call.sent(&params::CONFIGSET)),
        (params::PER_REPLICA_STATE.name, call.sent(&params::PER_REPLICA_STATE)),
    ] {
        if let Some(value) = value.filter(|value| *value != "false") {
            return Err(Error::bad_request(format!(
                "cannot modify the collection: `{name}` is `{value}`, which cannot be set on a collection that exists"
            )));
        }
    }
    let values = prefixed(call)?.into_iter();
    let values: BTreeMap<_, _> = values
        .map(|(name, value)| {
            (format!("{}{name}", params::PROPERTY.beginning()), Some(value).filter(|value| !value.is_empty()))
        })
        .collect();
    let read_only = call.value(&params::READ_ONLY)?;
    let given = params::REPLICATION_FACTOR.is_sent(&call.params)
        || params::READ_ONLY.is_sent(&call.params)
        || params::PER_REPLICA_STATE.is_sent(&call.params);
    if values.is_empty() && !given {
        return Err(Error::bad_request(
            "no supported values provided [replicationFactor, collection.configName, perReplicaState, readOnly]",
        ));
    }
    set(call, collection, (values, read_only)).await
}

async fn set(
    call: &Call<'_>,
    name: &str,
    (values, read_only): (BTreeMap<String, Option<String>>, Option<bool>),
) -> Result<Entries> {
    let collection = call.server.node.find(name).ok_or_else(|| not_found(name))?;
    let mut all = collection.properties();
    all.extend(values.iter().map(|(name, value)| (name.clone(), value.clone().unwrap_or_default())));
    checked(&all)?;
    call.server.node.set_properties(&collection, (values, read_only)).await?;
    Ok(vec![])
}

/// The parameters `property.…`, without that.
pub(super) fn prefixed(call: &Call<'_>) -> Result<BTreeMap<String, String>> {
    let named = params::PROPERTY.sent_all(&call.params);
    let found: BTreeMap<_, _> = named.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    if found.contains_key("") {
        return Err(Error::bad_request("`property.` names no property; write `property.NAME=VALUE`"));
    }
    Ok(found)
}

/// Refuses more than is meant to be kept.
pub(super) fn checked(properties: &BTreeMap<String, String>) -> Result<()> {
    let long = |(name, value): &(&String, &String)| name.len().max(value.len()) > VALUE_BYTES_MAX;
    if properties.len() > COUNT_MAX || properties.iter().any(|pair| long(&pair)) {
        return Err(Error::bad_request(format!(
            "too many or too long properties: at most `{COUNT_MAX}` of `{VALUE_BYTES_MAX}` bytes; remove some"
        )));
    }
    Ok(())
}
