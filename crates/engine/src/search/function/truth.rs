//! Truths from values, which argument is chosen, and whether there is a value at all. The rules differ from
//! function to function; they are those of Lucene's value sources, recorded from Solr 9.10.1.
//!
//! In: an operator and the readers of its arguments; out: a batch of flags, or of the chosen values.
//! Comparisons of reals are Java's, which have an order for what is no number.

use std::cmp::Ordering;

use plan::{Comparison, Kind, Operator, Value};
use tantivy::DocId;

use super::batch::{BatchBuffer, convert};
use super::values::SingleValues;

/// Calls whose values are truths.
pub(super) fn flags<V: SingleValues>(
    operator: &Operator,
    arguments: &mut [V],
    docs: &[DocId],
    out: &mut [bool],
) {
    match (operator, arguments) {
        (Operator::Exists, [of]) => of.present(docs, out),
        (Operator::Not, [of]) => {
            of.flags(docs, out);
            out.iter_mut().for_each(|flag| *flag = !*flag);
        }
        (Operator::IsNan, [of]) => {
            let mut values = BatchBuffer::of(docs);
            of.floats(docs, values.all_mut());
            convert(values.all(), out, f32::is_nan);
        }
        (Operator::And, all) => join(all, docs, out, true, |so_far, flag| so_far && flag),
        (Operator::Or, all) => join(all, docs, out, false, |so_far, flag| so_far || flag),
        (Operator::ExclusiveOr, all) => {
            let mut every = BatchBuffer::of(docs);
            join(all, docs, out, false, |so_far, flag| so_far || flag);
            join(all, docs, every.all_mut(), true, |so_far, flag| so_far && flag);
            out.iter_mut().zip(every.all()).for_each(|(some, every)| *some = *some && !*every);
        }
        (Operator::Compare(comparison), [left, right]) => compare(*comparison, left, right, docs, out),
        (Operator::Equal, [left, right]) => {
            left.remember(docs);
            right.remember(docs);
            let equal = docs.iter().map(|doc| equal(left.value(*doc), right.value(*doc)));
            out.iter_mut().zip(equal).for_each(|(out, equal)| *out = equal);
        }
        _ => out.fill(false),
    }
}

fn join<V: SingleValues>(
    arguments: &mut [V],
    docs: &[DocId],
    out: &mut [bool],
    start: bool,
    of: impl Fn(bool, bool) -> bool,
) {
    out.fill(start);
    for argument in arguments {
        let mut flags = BatchBuffer::of(docs);
        argument.flags(docs, flags.all_mut());
        out.iter_mut().zip(flags.all()).for_each(|(so_far, flag)| *so_far = of(*so_far, *flag));
    }
}

/// Whole numbers as such, all others in double precision, where none comes last.
fn compare<V: SingleValues>(
    comparison: Comparison,
    left: &mut V,
    right: &mut V,
    docs: &[DocId],
    out: &mut [bool],
) {
    let whole = |reader: &V| matches!(reader.kind(), Kind::Int | Kind::Long | Kind::Date);
    if whole(left) && whole(right) {
        let (mut one, mut other) = (BatchBuffer::<i64>::of(docs), BatchBuffer::<i64>::of(docs));
        left.integers(docs, one.all_mut());
        right.integers(docs, other.all_mut());
        let orders = one.all().iter().zip(other.all()).map(|(one, other)| one.cmp(other));
        return out.iter_mut().zip(orders).for_each(|(out, order)| *out = holds(comparison, order));
    }
    let (mut one, mut other) = (BatchBuffer::<f64>::of(docs), BatchBuffer::<f64>::of(docs));
    left.doubles(docs, one.all_mut());
    right.doubles(docs, other.all_mut());
    let orders = one.all().iter().zip(other.all()).map(|(one, other)| java_order(*one, *other));
    out.iter_mut().zip(orders).for_each(|(out, order)| *out = holds(comparison, order));
}

fn holds(comparison: Comparison, order: Ordering) -> bool {
    match comparison {
        Comparison::Greater => order.is_gt(),
        Comparison::GreaterOrEqual => order.is_ge(),
        Comparison::Less => order.is_lt(),
        Comparison::LessOrEqual => order.is_le(),
    }
}

/// `Double.compare`: what is no number comes after all others, and is equal to itself.
pub(crate) fn java_order(one: f64, other: f64) -> Ordering {
    let plain = |number: f64| if number.is_nan() { f64::NAN.abs() } else { number };
    plain(one).total_cmp(&plain(other))
}

/// As values: numbers by their size whatever their kind, all else by kind and value.
fn equal(left: Option<Value>, right: Option<Value>) -> bool {
    match (left, right) {
        (Some(left), Some(right)) => match (whole(&left), whole(&right), real(&left), real(&right)) {
            (Some(left), Some(right), ..) => left == right,
            (_, _, Some(left), Some(right)) => java_order(left, right).is_eq(),
            _ => left == right,
        },
        (left, right) => left == right,
    }
}

fn whole(value: &Value) -> Option<i64> {
    match value {
        Value::Int(number) => Some(i64::from(*number)),
        Value::Long(number) => Some(*number),
        _ => None,
    }
}

fn real(value: &Value) -> Option<f64> {
    match value {
        Value::Float(number) => Some(f64::from(*number)),
        Value::Double(number) => Some(*number),
        other => whole(other).map(|number| number as f64),
    }
}

/// `if` and `def`: for each document the value of the argument that is chosen, read by `read`.
pub(super) fn choose<V: SingleValues, T: Copy + Default>(
    operator: &Operator,
    arguments: &mut [V],
    docs: &[DocId],
    out: &mut [T],
    read: fn(&mut V, &[DocId], &mut [T]),
) {
    match (operator, arguments) {
        (Operator::If, [condition, then, otherwise]) => {
            let (mut flags, mut others) = (BatchBuffer::<bool>::of(docs), BatchBuffer::<T>::of(docs));
            condition.flags(docs, flags.all_mut());
            read(then, docs, out);
            read(otherwise, docs, others.all_mut());
            for (value, (flag, other)) in out.iter_mut().zip(flags.all().iter().zip(others.all())) {
                *value = if *flag { *value } else { *other };
            }
        }
        (Operator::Default, [before @ .., last]) => {
            read(last, docs, out);
            for argument in before.iter_mut().rev() {
                let (mut present, mut values) = (BatchBuffer::<bool>::of(docs), BatchBuffer::<T>::of(docs));
                argument.present(docs, present.all_mut());
                read(argument, docs, values.all_mut());
                for (value, (present, other)) in out.iter_mut().zip(present.all().iter().zip(values.all())) {
                    *value = if *present { *other } else { *value };
                }
            }
        }
        _ => out.fill(T::default()),
    }
}

/// Whether a call has a value.
pub(super) fn present<V: SingleValues>(
    operator: &Operator,
    arguments: &mut [V],
    docs: &[DocId],
    out: &mut [bool],
) {
    use Operator as O;
    match operator {
        O::Sum | O::Product | O::Subtract | O::Divide | O::Modulo | O::Milliseconds => {
            every(arguments, docs, out);
        }
        O::Linear { .. } | O::Reciprocal { .. } => every(arguments, docs, out),
        O::StringDistance(_) | O::Concatenate | O::Compare(_) | O::Equal => every(arguments, docs, out),
        O::If => choose(operator, arguments, docs, out, V::present),
        O::Max | O::Min | O::Default => some(arguments, docs, out),
        _ => out.fill(true),
    }
}

fn every<V: SingleValues>(arguments: &mut [V], docs: &[DocId], out: &mut [bool]) {
    out.fill(true);
    for argument in arguments {
        let mut present = BatchBuffer::of(docs);
        argument.present(docs, present.all_mut());
        out.iter_mut().zip(present.all()).for_each(|(so_far, present)| *so_far &= *present);
    }
}

fn some<V: SingleValues>(arguments: &mut [V], docs: &[DocId], out: &mut [bool]) {
    out.fill(false);
    for argument in arguments {
        let mut present = BatchBuffer::of(docs);
        argument.present(docs, present.all_mut());
        out.iter_mut().zip(present.all()).for_each(|(so_far, present)| *so_far |= *present);
    }
}
