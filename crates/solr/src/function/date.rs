//! `ms(a,b)`: milliseconds between two dates, either of which is a constant with date math or a field. With
//! one argument up to that date from 1970; with none, `NOW`. In: arguments as texts; out: a constant where
//! both sides are, else a function of columns. Date math is `date_math.rs`', with the request's `NOW`.

use plan::{Function, Operator, Value};

use super::failure::Failure;
use super::field_value::value_of;
use super::parse::FunctionSource;

enum Moment {
    At(i64),
    Of(Function),
}

/// One date is itself, or a field's value; none is now.
pub(super) fn milliseconds(source: &mut FunctionSource<'_>) -> Result<Function, Failure> {
    let first = source.argument()?.text.unwrap_or_else(|| "NOW".to_owned());
    let second = source.argument()?.text;
    let first = moment(source, &first)?;
    let second = second.map(|text| moment(source, &text)).transpose()?;
    let long = |ms| Function::Constant(Value::Long(ms));
    Ok(match (first, second) {
        (Moment::At(first), None) => long(first),
        // Wrapping as Java does; only dates hundreds of millions of years apart can meet it.
        (Moment::At(first), Some(Moment::At(second))) => long(first.wrapping_sub(second)),
        (Moment::Of(first), None) => first,
        (first, Some(second)) => {
            let function = |moment| match moment {
                Moment::At(ms) => long(ms),
                Moment::Of(function) => function,
            };
            Function::call(Operator::Milliseconds, vec![function(first), function(second)])
        }
    })
}

/// A date when it begins like one, else a field.
fn moment(source: &FunctionSource<'_>, text: &str) -> Result<Moment, Failure> {
    // The second character, as Solr looks: the first may be the sign of a year before our era.
    let is_date = text.starts_with("NOW") || text.chars().nth(1).is_some_and(|c| c.is_ascii_digit());
    Ok(match is_date {
        true => Moment::At(source.context.dates.parse(text)?),
        false => Moment::Of(value_of(source.context, text)?),
    })
}
