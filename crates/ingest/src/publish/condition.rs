//! A test of one column, with words for a person.
//!
//! In: a condition of the file, compiled once, then rows; out: whether it holds, and what it says. Rules are
//! made of conditions and moments in `mod.rs`.

use std::fmt;

use crate::config::ConditionConfig;
use crate::mapping::json_of;
use crate::record::{Row, Value};

#[derive(Debug)]
pub struct Condition {
    column: String,
    test: Test,
}

#[derive(Debug)]
enum Test {
    OneOf(Vec<Operand>),
    NoneOf(Vec<Operand>),
    Min(f64),
    Max(f64),
    Missing(bool),
}

/// What a column is compared with: by number where both sides are numbers, else by text.
#[derive(Debug)]
struct Operand {
    text: String,
    number: Option<f64>,
}

impl Condition {
    pub fn compile(config: &ConditionConfig) -> Result<Self, String> {
        let operands = |values: &Vec<toml::Value>| values.iter().map(Operand::of).collect::<Vec<_>>();
        let mut tests = Vec::new();
        tests.extend(config.is.as_ref().map(|value| Test::OneOf(vec![Operand::of(value)])));
        tests.extend(config.is_not.as_ref().map(|value| Test::NoneOf(vec![Operand::of(value)])));
        tests.extend(config.one_of.as_ref().map(|values| Test::OneOf(operands(values))));
        tests.extend(config.none_of.as_ref().map(|values| Test::NoneOf(operands(values))));
        tests.extend(config.min.map(Test::Min));
        tests.extend(config.max.map(Test::Max));
        tests.extend(config.missing.map(Test::Missing));
        match (tests.pop(), tests.is_empty()) {
            (Some(test), true) => Ok(Self { column: config.column.clone(), test }),
            _ => Err(format!(
                "of `{}` name one of `is`, `is_not`, `one_of`, `none_of`, `min`, `max`, `missing`; \
                 write two conditions for two tests",
                config.column
            )),
        }
    }

    /// A column that is not there, or has no value, equals nothing and is within no bound.
    pub fn holds(&self, row: &Row) -> bool {
        let value = row.get(&self.column).unwrap_or(&Value::Null);
        match &self.test {
            Test::OneOf(operands) => equals_any(value, operands),
            Test::NoneOf(operands) => !equals_any(value, operands),
            Test::Min(min) => value.number().is_some_and(|number| number >= *min),
            Test::Max(max) => value.number().is_some_and(|number| number <= *max),
            Test::Missing(missing) => value.is_null() == *missing,
        }
    }
}

fn equals_any(value: &Value, operands: &[Operand]) -> bool {
    match value {
        Value::Null => false,
        Value::List(values) => values.iter().any(|value| equals_any(value, operands)),
        Value::Int(_) | Value::Float(_) | Value::Decimal(_) => {
            operands.iter().any(|operand| operand.number.is_some() && operand.number == value.number())
        }
        value => {
            let text = value.to_string();
            operands.iter().any(|operand| operand.text == text)
        }
    }
}

impl Operand {
    fn of(value: &toml::Value) -> Self {
        let text = value.as_str().map_or_else(|| json_of(value).to_string(), str::to_owned);
        let number = text.parse().ok();
        Self { text, number }
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |operands: &[Operand]| {
            operands.iter().map(|operand| format!("`{}`", operand.text)).collect::<Vec<_>>().join(" or ")
        };
        let column = &self.column;
        match &self.test {
            Test::OneOf(operands) => write!(f, "`{column}` is {}", list(operands)),
            Test::NoneOf(operands) => write!(f, "`{column}` is other than {}", list(operands)),
            Test::Min(min) => write!(f, "`{column}` is at least {min}"),
            Test::Max(max) => write!(f, "`{column}` is at most {max}"),
            Test::Missing(true) => write!(f, "`{column}` has no value"),
            Test::Missing(false) => write!(f, "`{column}` has a value"),
        }
    }
}
