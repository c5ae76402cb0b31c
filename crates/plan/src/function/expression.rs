//! Arithmetic over the numbers of one document, as Lucene's expressions compute it: all in double precision,
//! truths as 1 and 0, a field without a value as 0. Read by `solr::config`, worked out by `engine::suggest`;
//! functions of queries, which have kinds and run by blocks, are the folder's (`mod.rs`).

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::geo::point::{EARTH_RADIUS_KM, central_angle};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Expression {
    Number(f64),
    Field(Arc<str>),
    Call { operation: Arithmetic, arguments: Vec<Expression> },
}

/// What is done with the arguments, of which the reader checks that there are as many as needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Arithmetic {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Negate,
    /// Of whole numbers, as are those below up to the truths.
    Complement,
    BitAnd,
    BitOr,
    BitXor,
    ShiftLeft,
    ShiftRight,
    ShiftRightUnsigned,
    Not,
    And,
    Or,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    /// The second argument where the first is true, else the third.
    Choose,
    Absolute,
    ArcCosine,
    HyperbolicArcCosine,
    ArcSine,
    HyperbolicArcSine,
    ArcTangent,
    ArcTangent2,
    HyperbolicArcTangent,
    Ceiling,
    Cosine,
    HyperbolicCosine,
    Exponential,
    Floor,
    /// Kilometres between two places, in degrees.
    HaversineKilometres,
    HaversineMetres,
    NaturalLog,
    Log10,
    /// To the base that comes first.
    Log,
    Max,
    Min,
    Power,
    Sine,
    HyperbolicSine,
    SquareRoot,
    Tangent,
    HyperbolicTangent,
}

impl Expression {
    pub fn call(operation: Arithmetic, arguments: Vec<Expression>) -> Self {
        Expression::Call { operation, arguments }
    }

    /// Its value for a document whose fields are worth `field`.
    pub fn value(&self, field: &dyn Fn(&str) -> f64) -> f64 {
        match self {
            Expression::Number(number) => *number,
            Expression::Field(name) => field(name),
            Expression::Call { operation, arguments } => {
                let values: Vec<f64> = arguments.iter().map(|it| it.value(field)).collect();
                operation.of(&values)
            }
        }
    }

    /// Every field that it reads, as often as it stands there.
    pub fn fields(&self) -> Vec<&Arc<str>> {
        match self {
            Expression::Number(_) => Vec::new(),
            Expression::Field(name) => vec![name],
            Expression::Call { arguments, .. } => arguments.iter().flat_map(Expression::fields).collect(),
        }
    }
}

impl Arithmetic {
    fn of(self, values: &[f64]) -> f64 {
        let at = |place: usize| values.get(place).copied().unwrap_or(f64::NAN);
        let (a, b) = (at(0), at(1));
        self.of_whole(a, b).or_else(|| self.of_truth(values)).unwrap_or_else(|| match self {
            Arithmetic::Add => a + b,
            Arithmetic::Subtract => a - b,
            Arithmetic::Multiply => a * b,
            Arithmetic::Divide => a / b,
            Arithmetic::Remainder => a % b,
            Arithmetic::Negate => -a,
            Arithmetic::Max => values.iter().copied().reduce(java_max).unwrap_or(f64::NAN),
            Arithmetic::Min => -values.iter().map(|value| -value).reduce(java_max).unwrap_or(f64::NAN),
            Arithmetic::Power => a.powf(b),
            Arithmetic::ArcTangent2 => a.atan2(b),
            Arithmetic::Log => b.ln() / a.ln(),
            Arithmetic::HaversineKilometres => haversine(values),
            Arithmetic::HaversineMetres => haversine(values) * 1000.0,
            one => one.of_one(a),
        })
    }

    /// Java's: what does not fit is the nearest that does, what is no number is 0; shifts count modulo 64.
    fn of_whole(self, a: f64, b: f64) -> Option<f64> {
        let (a, b) = (a as i64, b as i64);
        Some(match self {
            Arithmetic::Complement => !a,
            Arithmetic::BitAnd => a & b,
            Arithmetic::BitOr => a | b,
            Arithmetic::BitXor => a ^ b,
            Arithmetic::ShiftLeft => a.wrapping_shl(b as u32),
            Arithmetic::ShiftRight => a.wrapping_shr(b as u32),
            Arithmetic::ShiftRightUnsigned => a.cast_unsigned().wrapping_shr(b as u32).cast_signed(),
            _ => return None,
        } as f64)
    }

    fn of_truth(self, values: &[f64]) -> Option<f64> {
        let at = |place: usize| values.get(place).copied().unwrap_or(f64::NAN);
        let (a, b) = (at(0), at(1));
        let truth = match self {
            Arithmetic::Not => a == 0.0,
            Arithmetic::And => a != 0.0 && b != 0.0,
            Arithmetic::Or => a != 0.0 || b != 0.0,
            Arithmetic::Equal => a == b,
            Arithmetic::NotEqual => a != b,
            Arithmetic::Less => a < b,
            Arithmetic::LessOrEqual => a <= b,
            Arithmetic::Greater => a > b,
            Arithmetic::GreaterOrEqual => a >= b,
            Arithmetic::Choose => return Some(if a != 0.0 { b } else { at(2) }),
            _ => return None,
        };
        Some(f64::from(u8::from(truth)))
    }

    fn of_one(self, a: f64) -> f64 {
        match self {
            Arithmetic::Absolute => a.abs(),
            Arithmetic::ArcCosine => a.acos(),
            Arithmetic::HyperbolicArcCosine => a.acosh(),
            Arithmetic::ArcSine => a.asin(),
            Arithmetic::HyperbolicArcSine => a.asinh(),
            Arithmetic::ArcTangent => a.atan(),
            Arithmetic::HyperbolicArcTangent => a.atanh(),
            Arithmetic::Ceiling => a.ceil(),
            Arithmetic::Cosine => a.cos(),
            Arithmetic::HyperbolicCosine => a.cosh(),
            Arithmetic::Exponential => a.exp(),
            Arithmetic::Floor => a.floor(),
            Arithmetic::NaturalLog => a.ln(),
            Arithmetic::Log10 => a.log10(),
            Arithmetic::Sine => a.sin(),
            Arithmetic::HyperbolicSine => a.sinh(),
            Arithmetic::SquareRoot => a.sqrt(),
            Arithmetic::Tangent => a.tan(),
            Arithmetic::HyperbolicTangent => a.tanh(),
            _ => f64::NAN,
        }
    }
}

/// What is no number wins, as in Java.
fn java_max(one: f64, other: f64) -> f64 {
    if one.is_nan() || other.is_nan() { f64::NAN } else { one.max(other) }
}

fn haversine(values: &[f64]) -> f64 {
    match values {
        [north, east, other_north, other_east] => {
            let radians = |latitude: &f64, longitude: &f64| (latitude.to_radians(), longitude.to_radians());
            central_angle(radians(north, east), radians(other_north, other_east)) * EARTH_RADIUS_KM
        }
        _ => f64::NAN,
    }
}
