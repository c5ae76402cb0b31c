//! What hits are ordered by. Within a segment each key is one number whose natural order is the sort's; a hit
//! that leaves its segment carries the values that the numbers stand for (`plan::partial::SortValue`).
//!
//! In: the sort of a plan, resolved by `keys`; out: the sources that give a segment's numbers, and hits.

use plan::partial::HitRef;
use plan::{Result, SortKey};
use tantivy::DocId;

use super::key::{Key, float_of};
use super::keys::{SortBasis, SortField};
use super::source::KeySource;
use crate::search::context::{SearchContext, SearchSegment};
use crate::search::node::Node;

/// What hits are ordered by: one key after another, then their places in the index.
pub(crate) struct Order(Vec<SortField>);

impl Order {
    pub(crate) fn resolve(context: &SearchContext<'_>, keys: &[SortKey]) -> Result<Self> {
        keys.iter().map(|key| SortField::resolve(context, key)).collect::<Result<_>>().map(Self)
    }

    /// Whether the score alone decides, the greatest first.
    pub(crate) fn is_by_score(&self) -> bool {
        matches!(&self.0[..], [SortField { by: SortBasis::Score, descending: true }])
    }

    pub(super) fn first(&self) -> Option<&SortField> {
        self.0.first()
    }

    pub(super) fn fields(&self) -> &[SortField] {
        &self.0
    }

    /// Where the keys of a segment's documents come from.
    pub(crate) fn open(
        &self,
        context: &SearchContext<'_>,
        node: &Node,
        segment: &SearchSegment<'_>,
    ) -> Result<Vec<KeySource>> {
        self.0.iter().map(|field| KeySource::open(context, node, segment, field)).collect()
    }

    /// A document with these keys, as it compares with those of other segments and other shards.
    pub(crate) fn hit(
        &self,
        sources: &[KeySource],
        keys: &[Key],
        (segment, doc): (usize, DocId),
    ) -> Result<HitRef> {
        if let ([field], [key], true) = (&self.0[..], keys, self.is_by_score()) {
            // As the paths by score alone make it, so that hits of both compare.
            let score = field.raw(*key).map(|raw| float_of(raw as u32));
            return Ok(HitRef { score, ..HitRef::at(segment, doc) });
        }
        let values = self.0.iter().zip(sources).zip(keys);
        let sort = values.map(|((field, source), key)| source.sort_value(field, *key));
        Ok(HitRef { sort: sort.collect::<Result<_>>()?, ..HitRef::at(segment, doc) })
    }
}
