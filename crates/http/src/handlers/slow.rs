//! `/solr/admin/slow`, ours: the last requests that were slow, and where their time went. Kept by
//! `crates/http/src/observe/slow_log.rs`; the form of the answer is `solr`'s.

use solr::response::Entries;

use crate::request::call::Call;

pub(super) fn run(call: &Call<'_>) -> Entries {
    let slow = &call.server.slow;
    solr::slow::listed(call.server.config.slow_ms, slow.total(), &slow.last())
}
