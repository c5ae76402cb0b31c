//! A schema bound to this shard: how its fields lie in the segments, and what analyses their texts.

use std::sync::Arc;

use plan::Schema;

use crate::layout::Layout;
use crate::layout::analyzers::Analyzers;

/// The schema with what follows from it.
pub(crate) struct BoundSchema {
    pub(crate) schema: Arc<Schema>,
    pub(crate) analyzers: Arc<Analyzers>,
    pub(crate) layout: Arc<Layout>,
}
