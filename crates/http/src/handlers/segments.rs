//! `/admin/segments`: the segments that searches see. Of all shards, or of the one that is addressed as a
//! core; Solr's names are given to them by `solr`.

use std::sync::Arc;

use cluster::{Collection, SegmentStats};
use solr::admin::SegmentFacts;
use solr::response::Entries;

/// Of all shards.
pub(super) fn run(collection: &Arc<Collection>) -> Entries {
    shown(collection.segments())
}

/// Of the shard of this number.
pub(super) fn of_shard(collection: &Collection, number: usize) -> Entries {
    shown(collection.shard_segments(number))
}

fn shown(segments: Vec<SegmentStats>) -> Entries {
    let facts = segments.into_iter().map(|segment| SegmentFacts {
        max_doc: segment.max_doc,
        deleted_docs: segment.deleted_docs,
        bytes: segment.bytes,
        committed: segment.persisted,
    });
    solr::admin::segments(&facts.collect::<Vec<_>>())
}
