//! What is summed up of every value of a facet, each under its own number: one pass over the documents of the
//! bucket, which reads each document's values once, instead of counting first and then dealing out the
//! documents to the values that turned out to have some. It pays where values are few beside documents and
//! none of those that have documents is left out.
//!
//! In: the documents of a bucket that `terms` cuts; out: its counts and a summary whose slots are the keys.

use std::sync::Arc;

use meter::Allowance;
use plan::{CutDepth, Result, ShardListing, TermsFacet, TermsSort};

use super::below::BucketsBelow;
use super::docs::BucketDocs;
use super::keys::{KeyColumn, Keys};
use super::summary::{OpenStats, Summary};
use crate::search::key_table::KeyTable;

/// So many documents a value has on average at least, and so many values there are at most: a slot takes
/// room for every statistic, also where its value has no documents in this bucket.
const DOCS_A_VALUE: u64 = 4;
const VALUES_MAX: usize = 1 << 16;

/// What is known of the values of a bucket's documents.
pub(super) struct Counts<'o> {
    pub(super) table: Arc<KeyTable>,
    pub(super) of_every: Option<OfEvery<'o>>,
}

/// A summary by key.
pub(super) struct OfEvery<'o> {
    /// The statistic that was asked for; all where there is none.
    only: Option<usize>,
    summary: Summary<'o>,
}

impl<'o> Counts<'o> {
    /// The summary of every value, if it is of this statistic alone, or of all.
    pub(super) fn of_every(&self, only: Option<usize>) -> Option<&Summary<'o>> {
        self.of_every.as_ref().filter(|of| of.only == only).map(|of| &of.summary)
    }
}

/// Which statistic is computed of every value that has documents, all where that says none; `None` where that
/// is done of some values only, or where it is better done of those that turn out to have documents.
pub(super) fn asked_of_every_value(
    plan: &TermsFacet,
    (column, docs): (&KeyColumn, &BucketDocs<'_>),
    below: &dyn BucketsBelow,
    depth: CutDepth,
) -> Option<Option<usize>> {
    let needs = below.needs();
    let values = column.cardinality().filter(|values| *values <= VALUES_MAX)? as u64;
    let few = values.saturating_mul(DOCS_A_VALUE) <= docs.count();
    // Statistics that compare sets look at other documents than those of the pass.
    let own = !needs.adds_to_absent && !needs.reaches_out && !below.stats().is_empty();
    if !few || !own || plan.prefix.is_some() {
        return None;
    }
    // What has facets below is dealt out to buckets anyhow, and those of a page are few of all values.
    match (depth, &plan.listing, plan.sort) {
        (CutDepth::Whole, ShardListing::Ranked, TermsSort::Stat(stat)) => Some(Some(stat)),
        (CutDepth::Whole, ShardListing::All, _) => (!needs.sub_facets).then_some(None),
        (CutDepth::Whole, ..) => None,
        (CutDepth::Page, _, TermsSort::Stat(stat)) if plan.prelim.is_none() => Some(Some(stat)),
        (CutDepth::Page, ..) => (plan.limit.is_none() && !needs.sub_facets).then_some(None),
    }
}

impl<'o> OfEvery<'o> {
    /// Sums up, and counts documents in `table` where it is not known how many each value has.
    pub(super) fn of(
        (column, docs): (&KeyColumn, &BucketDocs<'_>),
        (stats, only): (&'o OpenStats<'_>, Option<usize>),
        mut table: Option<&mut KeyTable>,
        allowance: &Allowance,
    ) -> Result<Self> {
        let mut summary = stats.summary(column.cardinality().unwrap_or_default(), only);
        let (mut keys, mut docs_of_keys, mut slots) = (Keys::default(), Vec::new(), Vec::new());
        for segment in 0..docs.segments() {
            docs.each_batch(segment, allowance, |docs| {
                column.read(segment, docs, true, &mut keys);
                docs_of_keys.clear();
                slots.clear();
                keys.each(docs, |doc, key| {
                    docs_of_keys.push(doc);
                    slots.push(key as u32);
                    if let Some(table) = &mut table {
                        table.count(key);
                    }
                });
                summary.add(segment, &docs_of_keys, &slots);
            });
        }
        summary.close()?;
        Ok(Self { only, summary })
    }
}
