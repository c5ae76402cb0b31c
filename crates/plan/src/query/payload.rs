//! What is stored with words where they stand, their payloads: how they are read, what several amount to, how
//! they compare. Which filters store some is known to `analysis`. Names and rules are those of Lucene's and
//! Solr's payload utilities.

use serde::{Deserialize, Serialize};

use crate::value::Value;

/// How a payload is read as a number. A word without one counts 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PayloadDecoder {
    Float,
    Integer,
}

impl PayloadDecoder {
    /// `None` of fewer than four bytes; both kinds are big-endian, as in Lucene.
    pub fn decode(self, payload: &[u8]) -> Option<f32> {
        let bytes = *payload.first_chunk::<4>()?;
        Some(match self {
            PayloadDecoder::Float => f32::from_be_bytes(bytes),
            PayloadDecoder::Integer => i32::from_be_bytes(bytes) as f32,
        })
    }
}

/// What an analyzer stores with words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PayloadKind {
    Float,
    Integer,
    Text,
}

impl PayloadKind {
    /// What Solr's encoder of this name, or of this class, writes; the text itself without one.
    pub fn encoded(encoder: Option<&str>) -> Self {
        match encoder.and_then(|name| name.rsplit('.').next()) {
            Some("float" | "FloatEncoder") => PayloadKind::Float,
            Some("integer" | "IntegerEncoder") => PayloadKind::Integer,
            _ => PayloadKind::Text,
        }
    }

    /// How it becomes a number, if it does.
    pub fn decoder(self) -> Option<PayloadDecoder> {
        match self {
            PayloadKind::Float => Some(PayloadDecoder::Float),
            PayloadKind::Integer => Some(PayloadDecoder::Integer),
            PayloadKind::Text => None,
        }
    }

    /// Lucene's name.
    pub fn name(self) -> &'static str {
        match self {
            PayloadKind::Float => "FLOAT",
            PayloadKind::Integer => "INT",
            PayloadKind::Text => "STRING",
        }
    }
}

/// What several payloads amount to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PayloadFunction {
    Min,
    Max,
    Average,
    Sum,
}

impl PayloadFunction {
    pub const NAMES: [(&'static str, PayloadFunction); 4] = [
        ("min", PayloadFunction::Min),
        ("max", PayloadFunction::Max),
        ("average", PayloadFunction::Average),
        ("sum", PayloadFunction::Sum),
    ];

    /// Lucene's class.
    pub fn class(self) -> &'static str {
        match self {
            PayloadFunction::Min => "MinPayloadFunction",
            PayloadFunction::Max => "MaxPayloadFunction",
            PayloadFunction::Average => "AveragePayloadFunction",
            PayloadFunction::Sum => "SumPayloadFunction",
        }
    }

    /// In the order of the payloads, in single precision; `None` of none.
    pub fn of(self, payloads: impl Iterator<Item = f32>) -> Option<f32> {
        let (mut sum, mut count) = (0.0f32, 0usize);
        for payload in payloads {
            sum = match self {
                _ if count == 0 => payload,
                PayloadFunction::Min => sum.min(payload),
                PayloadFunction::Max => sum.max(payload),
                PayloadFunction::Average | PayloadFunction::Sum => sum + payload,
            };
            count += 1;
        }
        let total = if self == PayloadFunction::Average { sum / count as f32 } else { sum };
        (count > 0).then_some(total)
    }
}

/// How a payload must compare with the one given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PayloadOperation {
    Equal,
    Greater,
    GreaterOrEqual,
    Less,
    LessOrEqual,
}

impl PayloadOperation {
    pub const NAMES: [(&'static str, PayloadOperation); 5] = [
        ("eq", PayloadOperation::Equal),
        ("gt", PayloadOperation::Greater),
        ("gte", PayloadOperation::GreaterOrEqual),
        ("lt", PayloadOperation::Less),
        ("lte", PayloadOperation::LessOrEqual),
    ];

    /// Whether values that compare so pass.
    pub fn admits(self, order: std::cmp::Ordering) -> bool {
        match self {
            PayloadOperation::Equal => order.is_eq(),
            PayloadOperation::Greater => order.is_gt(),
            PayloadOperation::GreaterOrEqual => order.is_ge(),
            PayloadOperation::Less => order.is_lt(),
            PayloadOperation::LessOrEqual => order.is_le(),
        }
    }

    /// Lucene's name.
    pub(crate) fn name(self) -> String {
        let found = Self::NAMES.iter().find(|(_, operation)| *operation == self);
        found.map_or_else(String::new, |(name, _)| name.to_ascii_uppercase())
    }
}

/// What is done with the payloads of a stretch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum PayloadUse {
    Score {
        decoder: PayloadDecoder,
        how: PayloadFunction,
        /// Whether the score is multiplied by what it would be without payloads.
        times_score: bool,
    },
    /// Only stretches whose payloads, one by one, compare so with these.
    Check { kind: PayloadKind, operation: PayloadOperation, payloads: Vec<Value> },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn payloads_amount_to_one_number() {
        let check = |how: PayloadFunction, payloads: &[f32], expected: Option<f32>| {
            assert_eq!(how.of(payloads.iter().copied()), expected, "{how:?} of {payloads:?}");
        };
        check(PayloadFunction::Min, &[2.0, -1.0], Some(-1.0));
        check(PayloadFunction::Max, &[-2.0, -1.0], Some(-1.0));
        check(PayloadFunction::Average, &[2.0, 1.0], Some(1.5));
        check(PayloadFunction::Sum, &[2.0, 1.0], Some(3.0));
        check(PayloadFunction::Average, &[], None);
    }
}
