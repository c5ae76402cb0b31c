//! `/admin/ping`: whether the collection answers a search.

use std::sync::Arc;

use cluster::Collection;
use plan::{Error, ErrorKind, Query, Result, SearchPlan};
use solr::Params;
use solr::response::{Entries, Node};

pub(super) async fn run(collection: &Arc<Collection>, params: &Params) -> Result<Entries> {
    match params.get("action").map(str::to_ascii_lowercase).as_deref() {
        None | Some("ping") => {}
        Some("status") => return Err(Error::new(ErrorKind::Unavailable, "healthcheck not configured")),
        Some("enable" | "disable") => {
            return Err(Error::new(ErrorKind::Unavailable, "No healthcheck file defined."));
        }
        Some(other) => return Err(Error::bad_request(format!("Unknown action: {other}"))),
    }
    collection.search(Arc::new(SearchPlan::count(Query::All))).await?;
    Ok(vec![("status".into(), Node::str("OK"))])
}

/// Whether the request is for a ping, not about its health check.
pub(super) fn pings(params: &Params) -> bool {
    params.get("action").is_none_or(|action| action.eq_ignore_ascii_case("ping"))
}
