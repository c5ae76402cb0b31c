//! What a source gives, whatever its kind: rows of named values with the rows below them, by a key; and what
//! it could not give, with the reason.
//!
//! All sources make these, mapping and rules read them. Values have the source's types as far as there is one
//! here; how each becomes a field's is `mapping`'s.

use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;
use jiff::civil::DateTime;

/// A value as the source types it. A text is not yet what a field's type makes of it.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    /// A number that neither of these holds exactly, in JSON's spelling.
    Decimal(String),
    Text(String),
    Instant(Timestamp),
    /// A date, or a date with a time, without a zone.
    Civil(DateTime),
    List(Vec<Value>),
    Json(serde_json::Value),
}

/// One row. Rows of a page share their columns' names.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    pub columns: Arc<[String]>,
    /// As many as columns.
    pub values: Vec<Value>,
}

/// A row that makes a document, and what belongs to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// Of the source's key column, as text.
    pub key: String,
    pub row: Row,
    /// For each of the source's children, in the file's order, its rows.
    pub children: Vec<Vec<Row>>,
}

/// A row that makes no document, and why: what the dead-letter file keeps.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Rejected {
    pub source: String,
    /// The key where it is known, else the place in the source.
    pub key: String,
    pub reason: String,
}

impl Row {
    /// `None` for a column that the source does not have.
    pub fn get(&self, column: &str) -> Option<&Value> {
        // Rows have few columns: looking at each is quicker than hashing the name.
        let at = self.columns.iter().position(|name| name == column)?;
        self.values.get(at)
    }
}

/// Puts rows in an order that depends on nothing but their values: by `column` where there is one, numbers as
/// numbers, then by all.
pub fn sort_rows(rows: &mut [Row], column: Option<&str>) {
    let whole = |row: &Row| row.values.iter().map(|value| format!("{value}\0")).collect::<String>();
    let first = |row: &Row| column.and_then(|column| row.get(column)).cloned().unwrap_or(Value::Null);
    rows.sort_by_cached_key(|row| {
        let first = first(row);
        // Bits of floats in their numbers' order.
        let number = first.number().map(|number| {
            let bits = number.to_bits() as i64;
            bits ^ (((bits >> 63) as u64) >> 1) as i64
        });
        (number, first.to_string(), whole(row))
    });
}

impl Value {
    pub fn is_null(&self) -> bool {
        matches!(self, Value::Null)
    }

    /// As a number, where it is one or spells one.
    pub fn number(&self) -> Option<f64> {
        match self {
            Value::Int(number) => Some(*number as f64),
            Value::Float(number) => Some(*number),
            Value::Decimal(text) | Value::Text(text) => text.trim().parse().ok(),
            _ => None,
        }
    }
}

/// As a person would write it: the text of templates, conditions and keys.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Null => Ok(()),
            Value::Bool(value) => value.fmt(f),
            Value::Int(value) => value.fmt(f),
            Value::Float(value) => value.fmt(f),
            Value::Decimal(text) | Value::Text(text) => f.write_str(text),
            Value::Instant(instant) => instant.fmt(f),
            Value::Civil(civil) => civil.fmt(f),
            Value::List(values) => {
                for (at, value) in values.iter().enumerate() {
                    let comma = if at == 0 { "" } else { ", " };
                    write!(f, "{comma}{value}")?;
                }
                Ok(())
            }
            Value::Json(value) => value.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_in_order_of_their_values_alone() {
        let row = |rank: Value, name: &str| Row {
            columns: ["rank".to_owned(), "name".to_owned()].into(),
            values: vec![rank, Value::Text(name.to_owned())],
        };
        let mut rows = vec![
            row(Value::Int(10), "c"),
            row(Value::Int(9), "d"),
            row(Value::Decimal("-2.5".to_owned()), "e"),
            row(Value::Null, "b"),
            row(Value::Int(9), "a"),
            row(Value::Int(-3), "f"),
        ];
        let names = |rows: &[Row]| rows.iter().map(|row| row.values[1].to_string()).collect::<String>();
        sort_rows(&mut rows, Some("rank"));
        assert_eq!(names(&rows), "bfeadc");
        let sorted = rows.clone();
        rows.reverse();
        sort_rows(&mut rows, Some("rank"));
        assert_eq!(rows, sorted);
        let mut names_only = vec![row(Value::Null, "tag3"), row(Value::Null, "tag20")];
        sort_rows(&mut names_only, None);
        assert_eq!(names(&names_only), "tag20tag3");
    }
}
