//! `/config` and below: the configuration in force, the Config API's commands, and the sets of parameters. A
//! change is on disk and in use when it is answered; nothing is restarted. Parsing and checking are
//! `solr::config`'s; here a change is put in place under the collection's own lock, by compare-and-set
//! against what it was made from.

use std::sync::Arc;

use cluster::Collection;
use plan::CollectionConfig;
use solr::config::param_sets;
use solr::response::{Entries, Node};
use solr::{EditError, Params, config as solr_config};

use crate::configsets::Configset;
use crate::request::call::{Call, Failure};

const PARAMS: &str = "params";

/// A body makes it an edit.
pub(super) async fn run(
    call: &Call<'_>,
    collection: &Arc<Collection>,
    path: &str,
    params: &Params,
) -> Result<Entries, Failure> {
    let section = path.strip_prefix("/config").unwrap_or_default().trim_start_matches('/');
    let Some(content) = &call.content else { return Ok(view(&collection.config(), section, params)?) };
    let warning = || {
        (
            "WARNING".into(),
            Node::str("This response format is experimental.  It is likely to change in the future."),
        )
    };
    let body = content.text()?.to_owned();
    let configset = super::configsets::require(call, &collection.configset()).ok();
    let sets = section == PARAMS;
    let edit = move |config: &CollectionConfig| match sets {
        true => edited_params(config, &body),
        false => edited(config, &body, configset.as_deref()),
    };
    match collection.edit_config(edit).await {
        Ok(()) => Ok(vec![warning()]),
        Err(error) => {
            let mut failure = Failure::from(error);
            failure.before.extend(failure.messages());
            failure.before.push(warning());
            Err(failure)
        }
    }
}

fn view(config: &CollectionConfig, section: &str, params: &Params) -> plan::Result<Entries> {
    match section.strip_prefix(PARAMS) {
        Some("") => param_sets::view(&config.source, None),
        Some(below) if below.starts_with('/') => {
            param_sets::view(&config.source, Some(below.trim_start_matches('/')))
        }
        _ => solr::admin::config(config, section, params),
    }
}

/// New parts may name the files of the configset that the collection came from.
fn edited(
    config: &CollectionConfig,
    body: &str,
    configset: Option<&Configset>,
) -> Result<CollectionConfig, EditError> {
    let read = |name: &str| configset?.files.get(name).cloned();
    Ok(solr_config::edit(&config.source, body, &read)?.config)
}

fn edited_params(config: &CollectionConfig, body: &str) -> Result<CollectionConfig, EditError> {
    Ok(solr_config::with_params(config, param_sets::edit(&config.source, body)?)?)
}
