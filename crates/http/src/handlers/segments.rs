//! `/admin/segments`: the segments that searches see, and with `fieldBytes` what each field takes of them. Of
//! all shards, or of the one that is addressed as a core; Solr's names are given to them by `solr`.

use std::sync::Arc;

use cluster::{Collection, SegmentStats};
use plan::Result;
use solr::Params;
use solr::admin::SegmentFacts;
use solr::params::admin::segments::FIELD_BYTES;
use solr::response::Entries;

/// Of all shards, or of the one that is addressed as a core, whoever serves it.
pub(super) async fn run(
    collection: &Arc<Collection>,
    core: Option<usize>,
    params: &Params,
) -> Result<Entries> {
    let mut entries = match core {
        Some(number) => of_shard(collection, number),
        None => shown(collection.segments()),
    };
    if FIELD_BYTES.read(params)? {
        entries.extend(solr::admin::field_bytes(&collection.field_bytes(core).await?));
    }
    Ok(entries)
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
