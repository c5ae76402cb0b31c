//! PostgreSQL's text of a value to a value, by the column's type. Text, not binary: it is the one form in
//! which types we do not know come readable too.
//!
//! In: a row as the driver gives it; out: a row of values, arrays as lists. Pure: types are known by their
//! numbers, no question is asked of the database.

use std::sync::Arc;

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use sqlx::postgres::{PgRow, PgValueRef};
use sqlx::{Column as _, Row as _, ValueRef as _};

use crate::record::{Row, Value};

/// The row's values. Errors: the reason, with the column.
pub fn row_of(row: &PgRow, columns: &Arc<[String]>) -> Result<Row, String> {
    let values = row.columns().iter().enumerate().map(|(at, column)| {
        let oid = column.type_info().oid().map_or(0, |oid| oid.0);
        let Some(text) = text_at(row, at)? else { return Ok(Value::Null) };
        value_of(oid, text).ok_or_else(|| {
            let short: String = text.chars().take(40).collect();
            format!("column `{}`: `{short}` is nothing a document can hold", column.name())
        })
    });
    Ok(Row { columns: columns.clone(), values: values.collect::<Result<_, _>>()? })
}

/// A value's text; `None` for null. Errors: what is no text, so that it does not pass for null.
pub fn text_at(row: &PgRow, at: usize) -> Result<Option<&str>, String> {
    let value: PgValueRef<'_> = row.try_get_raw(at).map_err(|error| error.to_string())?;
    if value.is_null() {
        return Ok(None);
    }
    let column = || row.column(at).name();
    value.as_str().map(Some).map_err(|_| format!("column `{}`: not UTF-8", column()))
}

/// Type numbers are those of `pg_type.dat`, the same in every database.
fn value_of(oid: u32, text: &str) -> Option<Value> {
    if let Some(element) = element_of(oid) {
        return array_of(element, text).map(Value::List);
    }
    match oid {
        16 => Some(Value::Bool(text == "t")),
        20 | 21 | 23 | 26 => text.parse().ok().map(Value::Int),
        700 | 701 => text.parse().ok().map(Value::Float),
        1700 => Some(match text {
            "NaN" | "Infinity" | "-Infinity" => Value::Float(text.parse().ok()?),
            text => Value::Decimal(text.to_owned()),
        }),
        1082 => text.parse::<Date>().ok().map(|date| Value::Civil(date.into())),
        1114 => text.parse::<DateTime>().ok().map(Value::Civil),
        1184 => text.parse::<Timestamp>().ok().map(Value::Instant),
        114 | 3802 => serde_json::from_str(text).ok().map(Value::Json),
        _ => Some(Value::Text(text.to_owned())),
    }
}

fn element_of(array: u32) -> Option<u32> {
    Some(match array {
        1000 => 16,
        1005 => 21,
        1007 => 23,
        1016 => 20,
        1021 => 700,
        1022 => 701,
        1231 => 1700,
        1182 => 1082,
        1115 => 1114,
        1185 => 1184,
        199 => 114,
        3807 => 3802,
        // text, varchar, char, uuid, name, inet
        1009 | 1015 | 1014 | 2951 | 1003 | 1041 => 25,
        _ => return None,
    })
}

/// `{a,"b c",NULL}`, of any dimensions: the elements in order.
fn array_of(element: u32, text: &str) -> Option<Vec<Value>> {
    // Bounds that differ from 1 come before: `[0:1]={a,b}`.
    let text = if text.starts_with('[') { text.split_once('=')?.1 } else { text };
    let mut values = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '{' | '}' | ',' => {}
            '"' => {
                let mut item = String::new();
                loop {
                    match chars.next()? {
                        '"' => break,
                        '\\' => item.push(chars.next()?),
                        char => item.push(char),
                    }
                }
                values.push(value_of(element, &item)?);
            }
            first => {
                let mut item = String::from(first);
                while let Some(char) = chars.next_if(|char| !matches!(char, ',' | '}')) {
                    item.push(char);
                }
                if item != "NULL" {
                    values.push(value_of(element, &item)?);
                }
            }
        }
    }
    Some(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_what_their_types_say() {
        let text = |text: &str| Value::Text(text.to_owned());
        let check = |oid: u32, given: &str, expected: Option<Value>| {
            assert_eq!(value_of(oid, given), expected, "{oid} {given}");
        };
        check(16, "t", Some(Value::Bool(true)));
        check(20, "-9223372036854775808", Some(Value::Int(i64::MIN)));
        check(1700, "0.10", Some(Value::Decimal("0.10".to_owned())));
        check(
            1184,
            "2026-05-01 09:00:00.25+00",
            Some(Value::Instant("2026-05-01T09:00:00.25Z".parse().unwrap())),
        );
        check(1114, "2026-05-01 09:00:00", Some(Value::Civil("2026-05-01T09:00:00".parse().unwrap())));
        check(1184, "infinity", None);
        check(1082, "0044-03-15 BC", None);
        check(1007, "{1,2,NULL}", Some(Value::List(vec![Value::Int(1), Value::Int(2)])));
        check(
            1009,
            r#"{a,"b, \"c\"","NULL",NULL}"#,
            Some(Value::List(vec![text("a"), text("b, \"c\""), text("NULL")])),
        );
        check(1009, "[0:1]={a,b}", Some(Value::List(vec![text("a"), text("b")])));
        check(1007, "{{1,2},{3,4}}", Some(Value::List((1..=4).map(Value::Int).collect())));
        check(1009, r#"{"open"#, None);
        check(2950, "a-b", Some(text("a-b")));
    }
}
