//! `/admin/ping`: whether the collection answers a search, and whether it is in service. With a
//! `healthcheckFile` in the handler's configuration, the file says that it is: `enable` makes it, `disable`
//! removes it, and so may an operator by hand.

use std::sync::Arc;

use cluster::Collection;
use meter::Meters;
use plan::{Error, ErrorKind, Query, Result, SearchPlan};
use solr::params::admin::ping::ACTION;
use solr::response::{Entries, Node};
use solr::{Params, json_request};

use crate::request::call::Call;

pub(super) async fn run(
    call: &Call<'_>,
    collection: &Arc<Collection>,
    (path, params): (&str, &Params),
) -> Result<Entries> {
    let config = collection.config();
    let file = config.handler(path).and_then(|handler| handler.health_check_file.as_deref());
    match ACTION.text(params).to_ascii_lowercase().as_str() {
        "ping" => ping(collection, file, params).await,
        "status" => status(collection, file.ok_or_else(|| unavailable("healthcheck not configured"))?).await,
        action @ ("enable" | "disable") => {
            let file = file.ok_or_else(|| unavailable("No healthcheck file defined."))?;
            let text = (action == "enable").then(|| format!("{}\n", call.started_ms));
            collection.set_health_file(file, text).await?;
            Ok(vec![])
        }
        other => Err(Error::bad_request(format!("Unknown action: {other}"))),
    }
}

async fn ping(collection: &Arc<Collection>, file: Option<&str>, params: &Params) -> Result<Entries> {
    if let Some(file) = file
        && !collection.has_health_file(file).await?
    {
        return Err(unavailable("Service disabled"));
    }
    // A ping is a search with the same parameters. Solr differs: what is wrong with these is a node that
    // fails there, an error 500 (`compat/select/json_handlers.yaml`).
    if let Err(error) = json_request::expand(params.clone()) {
        return Err(Error::bad_request(format!("Ping query caused exception: {error}")));
    }
    collection.search(Arc::new(SearchPlan::count(Query::All)), &Meters::default()).await?;
    Ok(vec![("status".into(), Node::str("OK"))])
}

async fn status(collection: &Arc<Collection>, file: &str) -> Result<Entries> {
    let enabled = collection.has_health_file(file).await?;
    Ok(vec![("status".into(), Node::str(if enabled { "enabled" } else { "disabled" }))])
}

fn unavailable(message: &str) -> Error {
    Error::new(ErrorKind::Unavailable, message)
}

/// Whether the request is for a ping, not about its health check.
pub(super) fn pings(params: &Params) -> bool {
    ACTION.text(params).eq_ignore_ascii_case("ping")
}
