//! The values that documents have in a field, each with what the documents score: from a column, or from the
//! terms of a field without one.
//!
//! In: the documents of a join's query in one segment; out: tallies by value (`search/tallies.rs`), which a
//! join or a graph looks up in another field or another collection. Stops where the allowance is used up.

use std::collections::BTreeMap;

use meter::Allowance;
use plan::Result;
use tantivy::DocId;
use tantivy::schema::{Field, IndexRecordOption};

use crate::errors::from_tantivy;
use crate::search::context::SearchSegment;
use crate::search::evaluate::Evaluator;
use crate::search::sets::TERMS_A_LOOK;
use crate::search::tallies::{Key, Tallies, Tally};
use crate::segment::bits::Bits;
use crate::segment::columns::AnyColumn;

/// Documents between looks at the allowance.
const DOCS_A_LOOK: usize = 4096;

/// What each document counts, for as long as the search may go on.
pub(super) struct Weights<'a> {
    pub(super) evaluator: Option<Evaluator>,
    pub(super) allowance: &'a Allowance,
}

impl Weights<'_> {
    fn of(&mut self, doc: DocId) -> f32 {
        self.evaluator.as_mut().and_then(|evaluator| evaluator.score(doc)).unwrap_or(0.0)
    }
}

/// From a column.
pub(super) fn collect_column(
    column: &AnyColumn,
    docs: &Bits,
    weights: &mut Weights<'_>,
    tallies: &mut Tallies,
) {
    match column {
        AnyColumn::I64(column) => {
            each(docs, weights, |doc, weight| {
                add_all(column.values_for_doc(doc).map(Key::Integer), weight, tallies);
            });
        }
        AnyColumn::F64(column) => each(docs, weights, |doc, weight| {
            add_all(
                column.values_for_doc(doc).map(|real| Key::Real(tantivy::f64_to_u64(real))),
                weight,
                tallies,
            );
        }),
        AnyColumn::Bool(column) => {
            each(docs, weights, |doc, weight| {
                add_all(column.values_for_doc(doc).map(Key::Flag), weight, tallies);
            });
        }
        AnyColumn::Str(column) => {
            let mut ordinals: BTreeMap<u64, Tally> = BTreeMap::new();
            each(docs, weights, |doc, weight| {
                column.term_ords(doc).for_each(|ordinal| ordinals.entry(ordinal).or_default().add(weight));
            });
            let mut text = String::new();
            for (ordinal, tally) in ordinals {
                text.clear();
                if column.ord_to_str(ordinal, &mut text).unwrap_or(false) {
                    tallies.entry(Key::Text(text.clone())).or_default().join(tally);
                }
            }
        }
    }
}

fn each(docs: &Bits, weights: &mut Weights<'_>, mut take: impl FnMut(DocId, f32)) {
    for (at, doc) in docs.iter().enumerate() {
        if at % DOCS_A_LOOK == 0 && weights.allowance.is_used_up() {
            return;
        }
        take(doc, weights.of(doc));
    }
}

fn add_all(keys: impl Iterator<Item = Key>, weight: f32, tallies: &mut Tallies) {
    keys.for_each(|key| tallies.entry(key).or_default().add(weight));
}

/// From the terms of a field without a column: each is asked for the documents.
pub(super) fn collect_terms(
    segment: &SearchSegment<'_>,
    field: Field,
    docs: &Bits,
    weights: &mut Weights<'_>,
    tallies: &mut Tallies,
) -> Result<()> {
    let scores: BTreeMap<DocId, f32> = match weights.evaluator {
        Some(_) => docs.iter().map(|doc| (doc, weights.of(doc))).collect(),
        None => BTreeMap::new(),
    };
    let inverted = segment.reader.inverted_index(field).map_err(from_tantivy)?;
    let mut terms = inverted.terms().stream().map_err(from_tantivy)?;
    let mut read = 0u32;
    while terms.advance() {
        read += 1;
        if read.is_multiple_of(TERMS_A_LOOK) && weights.allowance.is_used_up() {
            break;
        }
        let blocks = inverted.read_block_postings_from_terminfo(terms.value(), IndexRecordOption::Basic);
        let (mut blocks, mut tally) = (blocks.map_err(from_tantivy)?, Tally::default());
        while !blocks.docs().is_empty() {
            let among = blocks.docs().iter().filter(|doc| docs.contains(**doc));
            among.for_each(|doc| tally.add(scores.get(doc).copied().unwrap_or(0.0)));
            blocks.advance();
        }
        if tally.count > 0
            && let Ok(text) = std::str::from_utf8(terms.key())
        {
            tallies.entry(Key::Text(text.to_owned())).or_default().join(tally);
        }
    }
    Ok(())
}
