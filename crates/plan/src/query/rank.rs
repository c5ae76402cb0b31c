//! Scores from a number that a document was given to rank it (Solr's `RankField` and `{!rank}`), by one of a
//! few curves. The formulas and their precision are those of Lucene's `FeatureField` (9.12). The engine keeps
//! the rounded number in a column and asks here for a score; parameters are read, and refused, in
//! `crates/solr/src/query/rank.rs`.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::value::java_float;

/// Documents with a number in a field, by that number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RankQuery {
    pub field: Arc<str>,
    pub curve: RankCurve,
    pub weight: f32,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum RankCurve {
    Log {
        scaling: f32,
    },
    /// `None` is the average of the index.
    Saturation {
        pivot: Option<f32>,
    },
    Sigmoid {
        pivot: f32,
        exponent: f32,
    },
    Linear,
}

/// Bits of a number that are not kept.
const BITS_LOST: u32 = 15;

/// The number as kept: with eight bits of fraction.
pub fn rank_kept(number: f32) -> f32 {
    rank_of_code(rank_code(number))
}

/// By which numbers are averaged.
pub fn rank_code(number: f32) -> u32 {
    number.to_bits() >> BITS_LOST
}

/// The number of a code.
pub fn rank_of_code(code: u32) -> f32 {
    f32::from_bits(code << BITS_LOST)
}

impl RankQuery {
    /// The score for a number; `average` stands in for a pivot that is not given.
    pub fn score(&self, number: f32, average: f32) -> f32 {
        let weight = self.weight;
        match self.curve {
            RankCurve::Log { scaling } => (f64::from(weight) * f64::from(scaling + number).ln()) as f32,
            RankCurve::Saturation { pivot } => {
                let pivot = pivot.unwrap_or(average);
                weight * (1.0 - pivot / (number + pivot))
            }
            RankCurve::Sigmoid { pivot, exponent } => {
                let power = |number: f32| f64::from(number).powf(f64::from(exponent));
                (f64::from(weight) * (1.0 - power(pivot) / (power(number) + power(pivot)))) as f32
            }
            RankCurve::Linear => weight * number,
        }
    }

    /// In Lucene's words.
    pub fn describe(&self) -> String {
        let curve = match self.curve {
            RankCurve::Log { scaling } => format!("LogFunction(scalingFactor={})", java_float(scaling)),
            RankCurve::Saturation { pivot } => {
                format!("SaturationFunction(pivot={})", pivot.map_or("null".to_owned(), java_float))
            }
            RankCurve::Sigmoid { pivot, exponent } => {
                format!("SigmoidFunction(pivot={}, a={})", java_float(pivot), java_float(exponent))
            }
            RankCurve::Linear => "LinearFunction".to_owned(),
        };
        format!("FeatureQuery(field=_rank_, feature={}, function={curve})", self.field)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Recorded from Solr 9.10.1.
    #[test]
    fn curves_are_those_of_lucene() {
        let check = |curve, weight, number: f32, expected: f32| {
            let query = RankQuery { field: "r".into(), curve, weight };
            let found = query.score(rank_kept(number), 4.078_125);
            assert!((found - expected).abs() < 1e-6, "{curve:?} of {number}: {found}");
        };
        check(RankCurve::Log { scaling: 1.0 }, 1.0, 10.5, 2.442_347);
        check(RankCurve::Log { scaling: 2.0 }, 3.0, 1.0, 3.295_837);
        check(RankCurve::Saturation { pivot: Some(5.0) }, 2.0, 1.0, 0.333_333_37);
        check(RankCurve::Sigmoid { pivot: 5.0, exponent: 0.8 }, 1.0, 100.25, 0.916_719_2);
        check(RankCurve::Linear, 1.0, 0.3, 0.299_804_7);
        check(RankCurve::Saturation { pivot: None }, 1.0, 100.25, 0.960_910_56);
    }
}
