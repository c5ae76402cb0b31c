//! The keys that hits are ordered by. Within a segment each is one number whose natural order is the sort's;
//! a hit that leaves its segment carries the values that the numbers stand for (`plan::partial::SortValue`).
//!
//! Here sort keys of a plan are resolved against the layout: to a column, the score, a function, or what a
//! field that no document here has would be. What the numbers of one segment are is `source`'s.

use std::sync::Arc;

use plan::partial::HitRef;
use plan::{BelowKey, Error, FieldClass, FieldSpec, Result, SortBy, SortKey, SortMissing};
use tantivy::DocId;

use super::below::Below;
use super::key::{Key, float_of, is_present};
use super::source::Source;
use crate::layout::{ColumnKind, ColumnRef, FieldLayout};
use crate::search::context::{SearchContext, SearchSegment};
use crate::search::function::{Lowered, lower};
use crate::search::node::Node;

/// What hits are ordered by: one key after another, then their places in the index.
pub(crate) struct Order(Vec<Field>);

impl Order {
    pub(crate) fn resolve(context: &SearchContext<'_>, keys: &[SortKey]) -> Result<Self> {
        keys.iter().map(|key| Field::resolve(context, key)).collect::<Result<_>>().map(Self)
    }

    /// Whether the score alone decides, the greatest first.
    pub(crate) fn is_by_score(&self) -> bool {
        matches!(&self.0[..], [Field { by: By::Score, descending: true }])
    }

    pub(super) fn first(&self) -> Option<&Field> {
        self.0.first()
    }

    pub(super) fn fields(&self) -> &[Field] {
        &self.0
    }

    /// Where the keys of a segment's documents come from.
    pub(crate) fn open(
        &self,
        context: &SearchContext<'_>,
        node: &Node,
        segment: &SearchSegment<'_>,
    ) -> Result<Vec<Source>> {
        self.0.iter().map(|field| Source::open(context, node, segment, field)).collect()
    }

    /// A document with these keys, as it compares with those of other segments and other shards.
    pub(crate) fn hit(
        &self,
        sources: &[Source],
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

/// A sort key with its field.
pub(super) struct Field {
    pub(super) by: By,
    pub(super) descending: bool,
}

pub(super) enum By {
    Score,
    Column {
        column: ColumnRef,
        class: FieldClass,
        missing: Missing,
    },
    /// A field that no document of the shard has named, and what its column would be. Other shards may have
    /// values.
    Unmet {
        kind: ColumnKind,
        class: FieldClass,
        missing: Missing,
    },
    /// No field that could have values anywhere.
    Nothing,
    IndexOrder,
    Random(u64),
    Function(Lowered),
    /// A column of the documents below.
    Below(Box<By>, Below),
}

/// Where documents without a value go. `First` and `Last` hold whatever the direction.
#[derive(Clone, Copy)]
pub(super) enum Missing {
    First,
    Last,
    Lowest,
    /// As the number 0, Solr's default for numbers and dates.
    Zero,
}

impl Field {
    fn resolve(context: &SearchContext<'_>, key: &SortKey) -> Result<Self> {
        Ok(Self { by: By::resolve(context, &key.by)?, descending: key.descending })
    }

    /// What a key was made of, `None` for that of a missing value.
    pub(super) fn raw(&self, key: Key) -> Option<u64> {
        let raw = key as u64;
        is_present(key).then_some(if self.descending { !raw } else { raw })
    }
}

impl By {
    /// What the values are of, whichever documents have them.
    pub(super) fn own(&self) -> &By {
        if let By::Below(own, _) = self { own } else { self }
    }

    fn unmet(context: &SearchContext<'_>, name: &str) -> Self {
        let unmet = |(spec, kind): (&Arc<FieldSpec>, _)| By::Unmet {
            kind,
            class: spec.class(),
            missing: missing(spec),
        };
        context.layout.unmet_field(name).map_or(By::Nothing, unmet)
    }

    fn resolve(context: &SearchContext<'_>, by: &SortBy) -> Result<Self> {
        Ok(match by {
            SortBy::Score => By::Score,
            SortBy::IndexOrder => By::IndexOrder,
            SortBy::Random { seed } => By::Random(*seed),
            SortBy::Function(function) => By::Function(lower(context, function)?),
            SortBy::Field(name) => match context.layout.field(name) {
                None => By::unmet(context, name),
                Some(layout) => By::Column {
                    column: column_of(layout)?,
                    class: layout.class(),
                    missing: missing(&layout.spec),
                },
            },
            SortBy::Below(below) => {
                let BelowKey { field, parents, children } = &**below;
                let mut own = By::resolve(context, &SortBy::Field(field.clone()))?;
                if let By::Column { missing, class, .. } | By::Unmet { missing, class, .. } = &mut own {
                    // Whatever the field says of itself.
                    *missing = if class.is_point() { Missing::Zero } else { Missing::Lowest };
                }
                By::Below(Box::new(own), Below::open(context, parents, children)?)
            }
        })
    }
}

fn column_of(layout: &FieldLayout) -> Result<ColumnRef> {
    layout.single().ok_or_else(|| {
        Error::bad_request(format!(
            "can not sort on a field w/o docValues unless it is indexed and supports Uninversion.: {}",
            layout.name
        ))
    })
}

fn missing(spec: &FieldSpec) -> Missing {
    let numeric = spec.class().is_point();
    match spec.properties.sort_missing() {
        SortMissing::First => Missing::First,
        SortMissing::Last => Missing::Last,
        SortMissing::AsLowest if numeric || spec.class() == FieldClass::Rank => Missing::Zero,
        SortMissing::AsLowest => Missing::Lowest,
    }
}
