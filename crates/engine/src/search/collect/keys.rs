//! The keys that hits are ordered by. Within a segment each is one number whose natural order is the sort's; across segments
//! strings compare by their text. `cursor.rs` reads keys back as values.

use std::cmp::Ordering;

use plan::{BelowKey, Error, FieldClass, Result, SortBy, SortKey, SortMissing};
use tantivy::DocId;

use super::Found;
use super::below::Below;
use super::key::{Key, PRESENT, is_present};
use super::source::{Resolved, Source};
use crate::layout::{ColumnRef, FieldLayout};
use crate::search::function::{Lowered, lower};
use crate::search::node::Node;
use crate::search::{SearchContext, SearchSegment};

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

    /// Across segments.
    pub(crate) fn compare(&self, left: &Merged, right: &Merged) -> Ordering {
        for ((field, left), right) in self.0.iter().zip(&left.keys).zip(&right.keys) {
            let order = match (left, right) {
                (Resolved::Text(left), Resolved::Text(right)) if field.descending => right.cmp(left),
                (Resolved::Text(left), Resolved::Text(right)) => left.cmp(right),
                (Resolved::Key(left), Resolved::Key(right)) => left.cmp(right),
                (Resolved::Key(key), Resolved::Text(_)) => key.cmp(&PRESENT),
                (Resolved::Text(_), Resolved::Key(key)) => PRESENT.cmp(key),
            };
            if order != Ordering::Equal {
                return order;
            }
        }
        (left.segment, left.doc).cmp(&(right.segment, right.doc))
    }
}

/// A hit with keys that compare across segments.
pub(crate) struct Merged {
    keys: Vec<Resolved>,
    segment: usize,
    doc: DocId,
}

impl Merged {
    pub(crate) fn resolve(sources: &[Source], keys: &[Key], segment: usize, doc: DocId) -> Result<Self> {
        let keys = sources.iter().zip(keys).map(|(source, key)| source.resolve(*key));
        Ok(Self { keys: keys.collect::<Result<_>>()?, segment, doc })
    }

    pub(crate) fn found(&self) -> Found {
        Found { segment: self.segment, doc: self.doc, score: None }
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
    /// The field has no value anywhere.
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

    fn resolve(context: &SearchContext<'_>, by: &SortBy) -> Result<Self> {
        Ok(match by {
            SortBy::Score => By::Score,
            SortBy::IndexOrder => By::IndexOrder,
            SortBy::Random { seed } => By::Random(*seed),
            SortBy::Function(function) => By::Function(lower(context, function)?),
            SortBy::Field(name) => match context.layout.field(name) {
                None => By::Nothing,
                Some(layout) => {
                    By::Column { column: column_of(layout)?, class: layout.class(), missing: missing(layout) }
                }
            },
            SortBy::Below(below) => {
                let BelowKey { field, parents, children } = &**below;
                let mut own = By::resolve(context, &SortBy::Field(field.clone()))?;
                if let By::Column { missing, class, .. } = &mut own {
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

fn missing(layout: &FieldLayout) -> Missing {
    let numeric = layout.class().is_point();
    match layout.spec.properties.sort_missing() {
        SortMissing::First => Missing::First,
        SortMissing::Last => Missing::Last,
        SortMissing::AsLowest if numeric || layout.class() == FieldClass::Rank => Missing::Zero,
        SortMissing::AsLowest => Missing::Lowest,
    }
}
