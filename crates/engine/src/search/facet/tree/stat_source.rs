//! What statistics are computed from: a column, a function, documents, their parents, two sets; opened once
//! for a snapshot, with what has to be kept of it by bucket.
//!
//! In: the source of a plan; out: what `sums` reads a batch at a time. Statistics of the same source share
//! one.

use plan::{Result, StatFunction, StatSource};

use super::functions::FunctionColumn;
use super::keys::KeyColumn;
use super::related::Sets;
use crate::search::context::SearchContext;
use crate::search::facet::domain::{Domain, query_bits};

/// A source of statistics, opened, and what is asked of it.
pub(super) struct OpenSource {
    pub(super) source: StatSource,
    /// `None` for documents, and for a field that no document has.
    pub(super) column: Option<KeyColumn>,
    /// What computes the values that the column does not hold.
    pub(super) function: Option<FunctionColumn>,
    /// The parents of the documents, by segment.
    pub(super) parents: Option<Domain>,
    /// The sets that are compared.
    pub(super) sets: Option<Sets>,
    pub(super) needs: Needs,
}

/// What has to be kept by bucket.
#[derive(Clone, Copy, Default)]
pub(super) struct Needs {
    pub(super) moments: bool,
    pub(super) extremes: bool,
    pub(super) absent: bool,
    pub(super) distinct: bool,
    pub(super) samples: bool,
}

impl OpenSource {
    pub(super) fn open(context: &SearchContext<'_>, source: &StatSource) -> Result<Self> {
        let (mut column, mut function, mut parents, mut sets) = (None, None, None, None);
        match source {
            StatSource::Field(name) | StatSource::Runs(name) => {
                if let Some(layout) = context.layout.field(name) {
                    column = KeyColumn::with_words(context, layout)?;
                }
            }
            StatSource::Function { function: computed, present_only } => {
                column = Some(KeyColumn::computed());
                function = Some(FunctionColumn::open(context, computed, *present_only)?);
            }
            StatSource::Documents => {}
            StatSource::Parents(query) => parents = Some(query_bits(context, query)?),
            StatSource::Sets { foreground, background } => {
                sets = Some(Sets::open(context, foreground, background)?);
            }
        }
        Ok(Self { source: source.clone(), column, function, parents, sets, needs: Needs::default() })
    }
}

impl Needs {
    pub(super) fn add(&mut self, function: &StatFunction) {
        match function {
            StatFunction::Sum
            | StatFunction::Average
            | StatFunction::Mean
            | StatFunction::SumOfSquares
            | StatFunction::Variance
            | StatFunction::StdDev => self.moments = true,
            StatFunction::Min | StatFunction::Max => self.extremes = true,
            StatFunction::Distinct | StatFunction::DistinctValues => self.distinct = true,
            StatFunction::CountValues | StatFunction::Relatedness { .. } => {}
            StatFunction::Missing => self.absent = true,
            StatFunction::Percentiles(_) => self.samples = true,
        }
    }
}
