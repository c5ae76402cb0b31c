//! What a join carries from the documents of one query to those of another: values, each with what its
//! documents score. A tree and not a table: values leave in the order in which a dictionary is walked, each
//! term found behind the last.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use plan::{FieldType, RelatedScore, Value};

use crate::segment::columns::{real_value, shown_integer};

/// A value in the order of its kind: texts as they are, numbers by their bits, which sort as they do.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Key {
    Text(String),
    Integer(i64),
    Real(u64),
    Flag(bool),
}

/// What each value scores.
pub(crate) type Tallies = BTreeMap<Key, Tally>;

impl Key {
    /// As a field of the type has it.
    pub(crate) fn value(&self, kind: &FieldType) -> Value {
        match self {
            Key::Text(text) => Value::Str(text.clone()),
            Key::Integer(number) => shown_integer(kind, *number),
            Key::Real(bits) => real_value(kind.class, tantivy::u64_to_f64(*bits)),
            Key::Flag(flag) => Value::Bool(*flag),
        }
    }
}

/// Scores that become one.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Tally {
    sum: f64,
    max: f32,
    min: f32,
    pub(crate) count: u32,
}

impl Tally {
    pub(crate) fn add(&mut self, score: f32) {
        let first = self.count == 0;
        self.max = if first { score } else { self.max.max(score) };
        self.min = if first { score } else { self.min.min(score) };
        self.sum += f64::from(score);
        self.count += 1;
    }

    pub(crate) fn join(&mut self, other: Tally) {
        let alone = self.count == 0;
        self.max = if alone { other.max } else { self.max.max(other.max) };
        self.min = if alone { other.min } else { self.min.min(other.min) };
        self.sum += other.sum;
        self.count += other.count;
    }

    pub(crate) fn score(self, mode: RelatedScore) -> f32 {
        match mode {
            RelatedScore::None => 0.0,
            RelatedScore::Average => (self.sum / f64::from(self.count.max(1))) as f32,
            RelatedScore::Max => self.max,
            RelatedScore::Min => self.min,
            RelatedScore::Total => self.sum as f32,
        }
    }
}
