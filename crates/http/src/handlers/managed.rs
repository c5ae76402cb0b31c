//! `/schema/managed` and `/schema/analysis/…`: managed lists of stop words and synonyms are read and changed here. A change
//! is on disk before the answer, and in use from the next reload of the collection on.

use std::sync::Arc;

use cluster::Collection;
use hyper::Method;
use plan::{Error, Result};
use solr::response::Entries;
use solr::schema::managed::{self, When};

use crate::call::{Call, Content};

pub(super) async fn run(call: &Call<'_>, collection: &Arc<Collection>, path: &str) -> Result<Entries> {
    let path = path.strip_prefix("/schema").unwrap_or(path).to_owned();
    let when = When { now_ms: call.server.node.clock().now_ms(), opened_ms: collection.opened_ms() };
    match call.method {
        Method::PUT | Method::POST => {
            let body = body(call.content.as_ref())?;
            collection.edit_files(move |source| managed::put(source, &path, &body, when)).await?;
        }
        Method::DELETE => {
            collection.edit_files(move |source| managed::delete(source, &path, when)).await?;
        }
        _ => {
            let (saved, in_use) = (collection.saved_schema(), collection.schema());
            return managed::view(&saved, &in_use.source, &path, when.opened_ms);
        }
    }
    Ok(vec![])
}

fn body(content: Option<&Content>) -> Result<String> {
    let bytes = content.map(|content| content.bytes.to_vec()).unwrap_or_default();
    String::from_utf8(bytes)
        .map_err(|_| Error::bad_request("the request's body is not UTF-8; encode it as UTF-8"))
}
