//! `/admin/segments`: the segments that searches see.

use std::sync::Arc;

use cluster::Collection;
use solr::admin::SegmentFacts;
use solr::response::Entries;

pub(super) fn run(collection: &Arc<Collection>) -> Entries {
    let facts: Vec<_> = collection
        .segments()
        .into_iter()
        .map(|segment| SegmentFacts {
            max_doc: segment.max_doc,
            deleted_docs: segment.deleted_docs,
            bytes: segment.bytes,
            committed: segment.persisted,
        })
        .collect();
    solr::admin::segments(&facts)
}
