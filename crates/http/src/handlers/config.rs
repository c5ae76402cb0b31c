//! `/config` and `/config/requestHandler`: the configuration in force. It is changed in the configset, not here.

use std::sync::Arc;

use cluster::Collection;
use plan::{Error, Result};
use solr::response::Entries;

use crate::call::Call;

pub(super) fn run(call: &Call<'_>, collection: &Arc<Collection>, path: &str) -> Result<Entries> {
    if call.content.as_ref().is_some_and(|content| !content.bytes.is_empty()) {
        return Err(Error::bad_request(
            "changing the configuration over HTTP is not supported; change the configset's solrconfig.xml",
        ));
    }
    let config = collection.config();
    Ok(match path {
        "/config/requestHandler" => solr::admin::request_handlers(&config, call.params.get("componentName")),
        _ => solr::admin::config(&config),
    })
}
