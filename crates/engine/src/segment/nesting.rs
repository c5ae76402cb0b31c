//! Where a stored document stands in its block: what it says of its root and of the way there. Read off the
//! document's stored source, by updates of a block, deletes and rebuilds, and by searches that go up or down.
//! The block's documents stand one after the other with the root last, which says where a block ends, but not
//! who is whose parent: that is kept in the source of each, by Solr's `_nest_path_` and `_root_`.

use plan::{NEST_PATH_FIELD, ROOT_FIELD, Result, Value};

use crate::layout::Layout;
use crate::segment::source_codec;

/// What a stored document says of its place.
pub(crate) struct NestedPosition {
    pub(crate) root: Option<String>,
    /// Empty where none is kept.
    pub(crate) path: String,
}

pub(crate) fn nested_position(source: &[u8], layout: &Layout) -> Result<NestedPosition> {
    let mut place = NestedPosition { root: None, path: String::new() };
    let named = |slot| layout.slot_name(slot).map_or("", |name| name);
    source_codec::fields(
        source,
        |slot| matches!(named(slot), ROOT_FIELD | NEST_PATH_FIELD),
        |slot, values| {
            let text = values.first().map(Value::to_text);
            match named(slot) {
                ROOT_FIELD => place.root = text,
                _ => place.path = text.unwrap_or_default(),
            }
        },
    )?;
    Ok(place)
}
