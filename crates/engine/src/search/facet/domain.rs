//! What a facet counts over.

use std::sync::Arc;

use crate::segment::bits::Bits;

/// The hits of each segment.
pub(crate) type Domain = Vec<Arc<Bits>>;
