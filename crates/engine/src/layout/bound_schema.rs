//! A schema bound to this shard: how its fields lie in the segments, and what analyses their texts. The three
//! change together and are swapped as one, so that nobody sees a field of a schema whose layout does not have
//! it.

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
