//! `/schema/managed` and `/schema/analysis/…`: managed lists of stop words and synonyms are read and changed
//! here. A change is on disk before the answer, and in use from the next reload of the collection on. The
//! path below names the list, which the collection keeps with its schema. It is not applied at once because
//! documents that are indexed already were analysed by the old list: Solr waits for the reload, too, and
//! clients that changed one know that they have to index again.

use std::sync::Arc;

use cluster::Collection;
use hyper::Method;
use plan::Result;
use solr::response::Entries;
use solr::schema::managed::{self, When};

use crate::request::call::{Call, Content};

pub(super) async fn run(call: &Call<'_>, collection: &Arc<Collection>, path: &str) -> Result<Entries> {
    let path = path.strip_prefix("/schema").unwrap_or(path).to_owned();
    let when = When { now_ms: call.server.node.clock().now_ms(), opened_ms: collection.opened_ms() };
    match call.method {
        Method::PUT | Method::POST => {
            let body = call.content.as_ref().map(Content::text).transpose()?.unwrap_or_default().to_owned();
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
