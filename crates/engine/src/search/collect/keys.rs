//! The keys that hits are ordered by: sort keys of a plan are resolved against the layout: to a column, the
//! score, a function, or what a field that no document here has would be. Several of them are an `order`;
//! what the numbers of one segment are is `source`'s.

use std::sync::Arc;

use plan::{BelowKey, Error, FieldClass, FieldSpec, Pick, Result, SortBy, SortKey, SortMissing};

use super::below::Below;
use super::key::{Key, is_present};
use crate::layout::{ColumnKind, ColumnRef, FieldLayout};
use crate::search::context::SearchContext;
use crate::search::function::{LoweredFunction, lower};

/// A sort key with its field.
pub(super) struct SortField {
    pub(super) by: SortBasis,
    pub(super) descending: bool,
}

pub(super) enum SortBasis {
    Score,
    Column {
        column: ColumnRef,
        class: FieldClass,
        missing: MissingPlace,
        /// Which of several values; `None` is the one that the direction puts first.
        pick: Option<Pick>,
    },
    /// A field that no document of the shard has named, and what its column would be. Other shards may have
    /// values.
    Unmet {
        kind: ColumnKind,
        class: FieldClass,
        missing: MissingPlace,
    },
    /// No field that could have values anywhere.
    Nothing,
    IndexOrder,
    Random(u64),
    Function(LoweredFunction),
    /// A column of the documents below.
    Below(Box<SortBasis>, Below),
}

/// Where documents without a value go. `First` and `Last` hold whatever the direction.
#[derive(Clone, Copy)]
pub(super) enum MissingPlace {
    First,
    Last,
    Lowest,
    /// As the number 0, Solr's default for numbers and dates.
    Zero,
}

impl SortField {
    pub(super) fn resolve(context: &SearchContext<'_>, key: &SortKey) -> Result<Self> {
        Ok(Self { by: SortBasis::resolve(context, &key.by)?, descending: key.descending })
    }

    /// What a key was made of, `None` for that of a missing value.
    pub(super) fn raw(&self, key: Key) -> Option<u64> {
        let raw = key as u64;
        is_present(key).then_some(if self.descending { !raw } else { raw })
    }
}

impl SortBasis {
    /// What the values are of, whichever documents have them.
    pub(super) fn own(&self) -> &SortBasis {
        if let SortBasis::Below(own, _) = self { own } else { self }
    }

    fn unmet(context: &SearchContext<'_>, name: &str) -> Self {
        let unmet = |(spec, kind): (&Arc<FieldSpec>, _)| SortBasis::Unmet {
            kind,
            class: spec.class(),
            missing: missing(spec),
        };
        context.layout.unmet_field(name).map_or(SortBasis::Nothing, unmet)
    }

    fn resolve(context: &SearchContext<'_>, by: &SortBy) -> Result<Self> {
        Ok(match by {
            SortBy::Score => SortBasis::Score,
            SortBy::IndexOrder => SortBasis::IndexOrder,
            SortBy::Random { seed } => SortBasis::Random(*seed),
            SortBy::Function(function) => SortBasis::Function(lower(context, function)?),
            SortBy::Field(name) => match context.layout.field(name) {
                None => SortBasis::unmet(context, name),
                Some(layout) => SortBasis::Column {
                    column: column_of(layout)?,
                    class: layout.class(),
                    missing: missing(&layout.spec),
                    pick: None,
                },
            },
            SortBy::Picked { field, pick: picked } => {
                let mut own = SortBasis::resolve(context, &SortBy::Field(field.clone()))?;
                match &mut own {
                    SortBasis::Column { missing, pick, .. } => {
                        (*missing, *pick) = (MissingPlace::Lowest, Some(*picked));
                    }
                    SortBasis::Unmet { missing, .. } => *missing = MissingPlace::Lowest,
                    _ => {}
                }
                own
            }
            SortBy::Below(below) => {
                let BelowKey { field, parents, children } = &**below;
                let mut own = SortBasis::resolve(context, &SortBy::Field(field.clone()))?;
                if let SortBasis::Column { missing, class, .. } | SortBasis::Unmet { missing, class, .. } =
                    &mut own
                {
                    // Whatever the field says of itself.
                    *missing =
                        if class.has_number_column() { MissingPlace::Zero } else { MissingPlace::Lowest };
                }
                SortBasis::Below(Box::new(own), Below::open(context, parents, children)?)
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

fn missing(spec: &FieldSpec) -> MissingPlace {
    let numeric = spec.class().is_point();
    match spec.properties.sort_missing() {
        SortMissing::First => MissingPlace::First,
        SortMissing::Last => MissingPlace::Last,
        SortMissing::AsLowest if numeric || spec.class() == FieldClass::Rank => MissingPlace::Zero,
        SortMissing::AsLowest => MissingPlace::Lowest,
    }
}
