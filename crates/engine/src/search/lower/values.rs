//! The values that documents have in a field, each with what the documents score: from a column, or from the terms of a field
//! without one.

use std::collections::BTreeMap;

use meter::Allowance;
use plan::{FieldClass, Result, Value};
use tantivy::DocId;
use tantivy::schema::{Field, IndexRecordOption};

use super::blocks::Tally;
use crate::search::SearchSegment;
use crate::search::bits::Bits;
use crate::search::columns::AnyColumn;
use crate::search::error::engine_error;
use crate::search::evaluate::Evaluator;
use crate::search::facet::{integer_value, real_value};
use crate::search::sets::TERMS_A_LOOK;

/// A value in the order of its kind: texts as they are, numbers by their bits, which sort as they do.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Key {
    Text(String),
    Integer(i64),
    Real(u64),
    Flag(bool),
}

/// What each value scores.
pub(crate) type Tallies = BTreeMap<Key, Tally>;

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

impl Key {
    pub(super) fn value(&self, class: FieldClass) -> Value {
        match self {
            Key::Text(text) => Value::Str(text.clone()),
            Key::Integer(number) => integer_value(class, *number),
            Key::Real(bits) => real_value(class, tantivy::u64_to_f64(*bits)),
            Key::Flag(flag) => Value::Bool(*flag),
        }
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
    let inverted = segment.reader.inverted_index(field).map_err(engine_error)?;
    let mut terms = inverted.terms().stream().map_err(engine_error)?;
    let mut read = 0u32;
    while terms.advance() {
        read += 1;
        if read.is_multiple_of(TERMS_A_LOOK) && weights.allowance.is_used_up() {
            break;
        }
        let blocks = inverted.read_block_postings_from_terminfo(terms.value(), IndexRecordOption::Basic);
        let (mut blocks, mut tally) = (blocks.map_err(engine_error)?, Tally::default());
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
