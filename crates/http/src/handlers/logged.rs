//! What the query log is told of a search, once it has been answered. In: a call with its parameters in
//! effect; out: the search, which its reply carries to where the request ends. Who asked and how long it took
//! is known there (`crates/http/src/request/service.rs`).

use std::sync::Arc;

use cluster::Collection;
use solr::Params;
use solr::query_log::logged_search;

use crate::observe::query_log::LoggedSearch;
use crate::request::call::Call;
use crate::request::route::Handler;

/// The search of a call that has been answered; `None` where nobody keeps it.
pub(super) fn search(
    call: &Call<'_>,
    (handler, path): (Handler, &str),
    collection: &Collection,
    params: &Params,
) -> Option<Arc<LoggedSearch>> {
    let config = &call.server.config;
    if config.query_log.is_none() || !handler.is_logged() {
        return None;
    }
    let mut names = collection.name();
    for other in &call.beside {
        names.push(',');
        names.push_str(&other.name());
    }
    let members = logged_search(&names, path, params, &config.query_log_left_out);
    Some(Arc::new(LoggedSearch { members, hits: call.trace.hits() }))
}
