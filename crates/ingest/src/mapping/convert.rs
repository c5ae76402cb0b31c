//! A value as a field's type wants it, and as JSON. Nothing is bent silently: what does not fit is an error
//! that shows the value.
//!
//! In: a value as its source typed it, the type that the file names, and the zone of times without one; out:
//! a value, or its JSON in the spelling that Solr takes. Steps on texts come before (`transform`).

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use crate::config::FieldKind;
use crate::record::Value;

/// `value` as `kind`; `zone` is where times without one are.
pub fn convert(value: &Value, kind: FieldKind, zone: &TimeZone) -> Result<Value, String> {
    match kind {
        FieldKind::String => Ok(Value::Text(value.to_string())),
        FieldKind::Int => to_int(value).map(Value::Int),
        FieldKind::Float => value.number().map(Value::Float).ok_or_else(|| unfit(value, "a number")),
        FieldKind::Bool => to_bool(value).map(Value::Bool),
        FieldKind::Date => to_instant(value, zone).map(Value::Instant),
        FieldKind::Json => match value {
            Value::Json(_) => Ok(value.clone()),
            _ => serde_json::from_str(&value.to_string())
                .map(Value::Json)
                .map_err(|error| format!("{}: {error}", unfit(value, "JSON"))),
        },
    }
}

fn to_int(value: &Value) -> Result<i64, String> {
    let number = match value {
        Value::Int(number) => Some(*number),
        Value::Bool(value) => Some(i64::from(*value)),
        Value::Text(text) | Value::Decimal(text) => text.trim().parse().ok(),
        _ => None,
    };
    // 2^53: above it a float does not say which whole number was meant.
    let whole =
        |float: f64| (float.fract() == 0.0 && float.abs() <= 9_007_199_254_740_992.0).then_some(float as i64);
    number.or_else(|| value.number().and_then(whole)).ok_or_else(|| unfit(value, "a whole number"))
}

fn to_bool(value: &Value) -> Result<bool, String> {
    match value {
        Value::Bool(value) => return Ok(*value),
        Value::Int(0) => return Ok(false),
        Value::Int(1) => return Ok(true),
        _ => {}
    }
    match value.to_string().trim().to_ascii_lowercase().as_str() {
        "true" | "t" | "yes" | "y" | "1" => Ok(true),
        "false" | "f" | "no" | "n" | "0" => Ok(false),
        _ => Err(unfit(value, "true or false")),
    }
}

/// A moment: as it is, of a date in `zone`, or of a text with or without a zone of its own.
pub fn to_instant(value: &Value, zone: &TimeZone) -> Result<Timestamp, String> {
    let civil = match value {
        Value::Instant(instant) => return Ok(*instant),
        Value::Civil(civil) => *civil,
        Value::Text(text) => {
            let text = text.trim();
            if let Ok(instant) = text.parse() {
                return Ok(instant);
            }
            text.parse::<DateTime>()
                .map_err(|_| unfit(value, "a date such as `2026-05-01` or `2026-05-01T09:00:00Z`"))?
        }
        _ => return Err(unfit(value, "a date")),
    };
    // A time that a change of clocks leaves out is the moment an hour later, one that comes twice the
    // earlier.
    civil.to_zoned(zone.clone()).map(|zoned| zoned.timestamp()).map_err(|error| error.to_string())
}

fn unfit(value: &Value, wanted: &str) -> String {
    let text = value.to_string();
    let short: String = text.chars().take(40).collect();
    let dots = if short.len() < text.len() { "…" } else { "" };
    format!("`{short}{dots}` is not {wanted}")
}

/// A server takes an object with these members for an edit of the field as it stands. A document is sent
/// again wherever its outcome is not known (`target`), so it may hold none that count twice.
fn refuse_edits(value: &serde_json::Value) -> Result<(), String> {
    let edit = ["inc", "add"].into_iter().find(|edit| value.get(edit).is_some());
    edit.map_or(Ok(()), |edit| {
        Err(format!(
            "an object with `{edit}` edits the document that is there, once more each time it is sent; give the \
             value that is to be there"
        ))
    })
}

/// Writes the value as JSON. Errors: what JSON, or Solr's dates, cannot hold.
pub fn write_value(value: &Value, out: &mut Vec<u8>) -> Result<(), String> {
    match value {
        Value::Null => out.extend_from_slice(b"null"),
        Value::Bool(value) => out.extend_from_slice(if *value { b"true" } else { b"false" }),
        Value::Int(number) => out.extend_from_slice(number.to_string().as_bytes()),
        Value::Float(number) if number.is_finite() => out.extend_from_slice(number.to_string().as_bytes()),
        Value::Float(number) => return Err(format!("`{number}` is not a number that JSON can hold")),
        Value::Decimal(text) => out.extend_from_slice(text.as_bytes()),
        Value::Text(text) => {
            let _ = serde_json::to_writer(out, text);
        }
        Value::Instant(instant) => write_instant(*instant, out),
        Value::Civil(civil) => {
            let zoned = civil.to_zoned(TimeZone::UTC).map_err(|error| error.to_string())?;
            write_instant(zoned.timestamp(), out);
        }
        Value::List(values) => {
            out.push(b'[');
            for (at, value) in values.iter().enumerate() {
                if at > 0 {
                    out.push(b',');
                }
                write_value(value, out)?;
            }
            out.push(b']');
        }
        Value::Json(value) => {
            refuse_edits(value)?;
            let _ = serde_json::to_writer(out, value);
        }
    }
    Ok(())
}

/// Solr keeps milliseconds.
fn write_instant(instant: Timestamp, out: &mut Vec<u8>) {
    let millis = Timestamp::from_millisecond(instant.as_millisecond()).unwrap_or(instant);
    out.push(b'"');
    out.extend_from_slice(millis.to_string().as_bytes());
    out.push(b'"');
}
