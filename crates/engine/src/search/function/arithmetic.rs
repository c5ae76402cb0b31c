//! Numbers from numbers, a batch at a time: sums and their kin in single precision, roots, logarithms and
//! angles in double, as Lucene computes them. Java's `max` of a number and none is none.
//!
//! In: an operator and the readers of its arguments; out: the values of a batch of documents. Whether a call
//! has a value at all is `truth`'s, distances are `distance`'s, and which precision a call has is said by its
//! operator.

use plan::{Kind, Operator, Value};
use tantivy::DocId;

use super::batch::{BatchBuffer, convert};
use super::values::SingleValues;
use super::{distance, text};

/// Calls whose values are in single precision.
pub(super) fn floats<V: SingleValues>(
    operator: &Operator,
    arguments: &mut [V],
    docs: &[DocId],
    out: &mut [f32],
) {
    match operator {
        Operator::Sum => fold(arguments, docs, out, 0.0, |sum, value| sum + value),
        Operator::Product => fold(arguments, docs, out, 1.0, |product, value| product * value),
        Operator::Max => {
            extreme(arguments, docs, out, f32::NEG_INFINITY, |one, other| one.total_cmp(&other).is_gt());
        }
        Operator::Min => {
            extreme(arguments, docs, out, f32::INFINITY, |one, other| one.total_cmp(&other).is_lt());
        }
        Operator::Subtract => pair(arguments, docs, out, |left, right| left - right),
        Operator::Divide => pair(arguments, docs, out, |left, right| left / right),
        Operator::Milliseconds => milliseconds(arguments, docs, out),
        Operator::Absolute => each(arguments, docs, out, f32::abs),
        Operator::Linear { slope, intercept } => {
            each(arguments, docs, out, |value| value * slope + intercept);
        }
        Operator::Reciprocal { m, a, b } => each(arguments, docs, out, |value| a / (m * value + b)),
        Operator::Map { min, max } => map(arguments, *min..=*max, docs, out),
        Operator::StringDistance(measure) => text::distances(*measure, arguments, docs, out),
        _ => out.fill(0.0),
    }
}

fn each<V: SingleValues>(arguments: &mut [V], docs: &[DocId], out: &mut [f32], of: impl Fn(f32) -> f32) {
    if let [argument] = arguments {
        argument.floats(docs, out);
        out.iter_mut().for_each(|value| *value = of(*value));
    }
}

fn pair<V: SingleValues>(arguments: &mut [V], docs: &[DocId], out: &mut [f32], of: impl Fn(f32, f32) -> f32) {
    if let [left, right] = arguments {
        let mut others = BatchBuffer::of(docs);
        left.floats(docs, out);
        right.floats(docs, others.all_mut());
        out.iter_mut().zip(others.all()).for_each(|(value, other)| *value = of(*value, *other));
    }
}

fn fold<V: SingleValues>(
    arguments: &mut [V],
    docs: &[DocId],
    out: &mut [f32],
    start: f32,
    of: impl Fn(f32, f32) -> f32,
) {
    out.fill(start);
    for argument in arguments {
        let mut values = BatchBuffer::of(docs);
        argument.floats(docs, values.all_mut());
        out.iter_mut().zip(values.all()).for_each(|(so_far, value)| *so_far = of(*so_far, *value));
    }
}

/// Of the arguments that have a value; 0 when none has.
fn extreme<V: SingleValues>(
    arguments: &mut [V],
    docs: &[DocId],
    out: &mut [f32],
    start: f32,
    beats: impl Fn(f32, f32) -> bool,
) {
    out.fill(start);
    let mut any = BatchBuffer::<bool>::of(docs);
    for argument in arguments {
        let (mut values, mut present) = (BatchBuffer::<f32>::of(docs), BatchBuffer::<bool>::of(docs));
        argument.floats(docs, values.all_mut());
        argument.present(docs, present.all_mut());
        let so_far = out.iter_mut().zip(any.all_mut());
        for ((best, any), (value, _)) in
            so_far.zip(values.all().iter().zip(present.all())).filter(|(_, (_, present))| **present)
        {
            *any = true;
            if value.is_nan() || (!best.is_nan() && beats(*value, *best)) {
                *best = *value;
            }
        }
    }
    out.iter_mut().zip(any.all()).filter(|(_, any)| !**any).for_each(|(best, _)| *best = 0.0);
}

fn milliseconds<V: SingleValues>(arguments: &mut [V], docs: &[DocId], out: &mut [f32]) {
    if let [left, right] = arguments {
        let (mut from, mut to) = (BatchBuffer::<i64>::of(docs), BatchBuffer::<i64>::of(docs));
        left.integers(docs, from.all_mut());
        right.integers(docs, to.all_mut());
        let each = out.iter_mut().zip(from.all().iter().zip(to.all()));
        each.for_each(|(out, (from, to))| *out = from.wrapping_sub(*to) as f32);
    }
}

fn map<V: SingleValues>(
    arguments: &mut [V],
    range: std::ops::RangeInclusive<f32>,
    docs: &[DocId],
    out: &mut [f32],
) {
    let Some((of, targets)) = arguments.split_first_mut() else { return };
    let mut inside = BatchBuffer::<f32>::of(docs);
    let mut outside = BatchBuffer::<f32>::of(docs);
    of.floats(docs, out);
    match targets {
        [target] => {
            target.floats(docs, inside.all_mut());
            convert(out, outside.all_mut(), |value| value);
        }
        [target, other] => {
            target.floats(docs, inside.all_mut());
            other.floats(docs, outside.all_mut());
        }
        _ => return,
    }
    for (value, (inside, outside)) in out.iter_mut().zip(inside.all().iter().zip(outside.all())) {
        *value = if range.contains(value) { *inside } else { *outside };
    }
}

/// Into `min..=max` from the extremes that were found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Scale {
    pub(super) min: f32,
    pub(super) max: f32,
    pub(super) least: f32,
    pub(super) greatest: f32,
}

impl Scale {
    fn factor(self) -> f32 {
        let width = self.greatest - self.least;
        if width == 0.0 { 0.0 } else { (self.max - self.min) / width }
    }

    /// In Lucene's words.
    pub(super) fn describe(self, of: &str) -> String {
        let [min, max, least, greatest] =
            [self.min, self.max, self.least, self.greatest].map(|number| Value::Float(number).to_text());
        format!("scale({of},toMin={min},toMax={max},fromMin={least},fromMax={greatest})")
    }
}

pub(super) fn scaled<V: SingleValues>(of: &mut V, scale: Scale, docs: &[DocId], out: &mut [f32]) {
    let factor = scale.factor();
    of.floats(docs, out);
    out.iter_mut().for_each(|value| *value = (*value - scale.least) * factor + scale.min);
}

/// Calls whose values are in double precision.
pub(super) fn doubles<V: SingleValues>(
    operator: &Operator,
    arguments: &mut [V],
    docs: &[DocId],
    out: &mut [f64],
) {
    if let Some(of) = unary(operator) {
        if let [argument] = arguments {
            argument.doubles(docs, out);
            out.iter_mut().for_each(|value| *value = of(*value));
        }
        return;
    }
    if let Some(of) = binary(operator) {
        if let [left, right] = arguments {
            let mut others = BatchBuffer::of(docs);
            left.doubles(docs, out);
            right.doubles(docs, others.all_mut());
            out.iter_mut().zip(others.all()).for_each(|(value, other)| *value = of(*value, *other));
        }
        return;
    }
    if operator.kind() == Kind::Double {
        distance::distances(operator, arguments, docs, out);
    }
}

fn unary(operator: &Operator) -> Option<fn(f64) -> f64> {
    use Operator as O;
    Some(match operator {
        O::Radians => |value| value * (std::f64::consts::PI / 180.0),
        O::Degrees => |value| value * (180.0 / std::f64::consts::PI),
        O::SquareRoot => f64::sqrt,
        O::CubeRoot => f64::cbrt,
        O::Log10 => f64::log10,
        O::NaturalLog => f64::ln,
        O::Exponential => f64::exp,
        O::Sine => f64::sin,
        O::Cosine => f64::cos,
        O::Tangent => f64::tan,
        O::ArcSine => f64::asin,
        O::ArcCosine => f64::acos,
        O::ArcTangent => f64::atan,
        O::HyperbolicSine => f64::sinh,
        O::HyperbolicCosine => f64::cosh,
        O::HyperbolicTangent => f64::tanh,
        O::Ceiling => f64::ceil,
        O::Floor => f64::floor,
        O::Round => f64::round_ties_even,
        _ => return None,
    })
}

fn binary(operator: &Operator) -> Option<fn(f64, f64) -> f64> {
    Some(match operator {
        Operator::Modulo => |left, right| left % right,
        Operator::Power => java_power,
        Operator::Hypotenuse => f64::hypot,
        Operator::ArcTangent2 => f64::atan2,
        _ => return None,
    })
}

/// Java's `pow` of a number that is none is none, but to the power of 0; 1 to the power of none is none, not
/// 1 as in C.
fn java_power(base: f64, exponent: f64) -> f64 {
    if exponent.is_nan() || (base.abs() == 1.0 && exponent.is_infinite()) {
        return f64::NAN;
    }
    base.powf(exponent)
}
