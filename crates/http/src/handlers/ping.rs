//! `/admin/ping`: whether the collection answers a search.

use std::sync::Arc;

use cluster::Collection;
use plan::{Error, ErrorKind, FacetPlan, FieldSelection, Page, Query, Result, SearchPlan, SortBy, SortKey};
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
    collection.search(Arc::new(anything())).await?;
    Ok(vec![("status".into(), Node::str("OK"))])
}

/// Whether the request is for a ping, not about its health check.
pub(super) fn pings(params: &Params) -> bool {
    params.get("action").is_none_or(|action| action.eq_ignore_ascii_case("ping"))
}

/// All documents, none shown.
fn anything() -> SearchPlan {
    SearchPlan {
        cache: false,
        count_enough: None,
        shape: plan::Shape::default(),
        query: Query::All,
        filters: vec![],
        sort: vec![SortKey { by: SortBy::IndexOrder, descending: false }],
        page: Page { start: 0, rows: 0 },
        fields: FieldSelection::default(),
        functions: vec![],
        scores: false,
        facets: FacetPlan::default(),
        explain: false,
    }
}
