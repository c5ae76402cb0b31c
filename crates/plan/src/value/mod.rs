//! A typed field value, as stored, indexed and returned. Owns how values compare, and their text as Java
//! writes it, which Solr's answers show; reading texts into values is `solr`'s by the field's class. Every
//! layer passes these; a text of a value is made only for people and for what sorts by text. What becomes of
//! a value in an index is the engine's.

pub(crate) mod currency;
pub(crate) mod date_span;
pub(crate) mod document;
pub(crate) mod enumeration;
pub(crate) mod instant;
pub(crate) mod java_real;

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use crate::value::enumeration::EnumValue;
use crate::value::instant::format_instant;

/// One value of one field, of the field's own type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Value {
    Str(String),
    Int(i32),
    Long(i64),
    Float(f32),
    Double(f64),
    Bool(bool),
    /// Milliseconds since 1970-01-01T00:00:00Z.
    Date(i64),
    Bytes(Vec<u8>),
    /// Of an enumeration, where its place in it counts. Documents keep the name, as a text.
    Enum(EnumValue),
}

impl Value {
    /// The text form Solr shows: dates as ISO instants, floats as Java prints them, bytes as base64.
    pub fn to_text(&self) -> String {
        match self {
            Value::Str(text) => text.clone(),
            Value::Int(number) => number.to_string(),
            Value::Long(number) => number.to_string(),
            Value::Float(number) => java_float(*number),
            Value::Double(number) => java_double(*number),
            Value::Bool(flag) => flag.to_string(),
            Value::Date(ms) => format_instant(*ms),
            Value::Bytes(bytes) => base64(bytes),
            Value::Enum(value) => value.name.to_string(),
        }
    }

    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::Str(text) => Some(text),
            Value::Enum(value) => Some(&value.name),
            _ => None,
        }
    }

    /// The order of values of one type: texts and bytes by their bytes, reals by IEEE 754's total order.
    /// Values of other types follow each other type by type.
    pub fn order(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Value::Str(left), Value::Str(right)) => left.cmp(right),
            (Value::Int(left), Value::Int(right)) => left.cmp(right),
            (Value::Long(left), Value::Long(right)) | (Value::Date(left), Value::Date(right)) => {
                left.cmp(right)
            }
            (Value::Float(left), Value::Float(right)) => left.total_cmp(right),
            (Value::Double(left), Value::Double(right)) => left.total_cmp(right),
            (Value::Bool(left), Value::Bool(right)) => left.cmp(right),
            (Value::Bytes(left), Value::Bytes(right)) => left.cmp(right),
            (Value::Enum(left), Value::Enum(right)) => left.cmp(right),
            (left, right) => left.type_number().cmp(&right.type_number()),
        }
    }

    fn type_number(&self) -> u8 {
        match self {
            Value::Bool(_) => 0,
            Value::Int(_) => 1,
            Value::Long(_) => 2,
            Value::Float(_) => 3,
            Value::Double(_) => 4,
            Value::Date(_) => 5,
            Value::Str(_) => 6,
            Value::Bytes(_) => 7,
            Value::Enum(_) => 8,
        }
    }
}

/// `Double.toString` of Java (JLS, since JDK 19 the shortest repr): plain from 1e-3 to 1e7, else `d.dEx`.
pub fn java_double(number: f64) -> String {
    if !number.is_finite() {
        return special(number.is_nan(), number > 0.0);
    }
    let size = number.abs();
    if number == 0.0 || (1e-3..1e7).contains(&size) {
        format!("{number:?}")
    } else {
        scientific(&two_digits(format!("{number:e}"), || format!("{number:.1e}")))
    }
}

/// `Float.toString` of Java, see [`java_double`].
pub fn java_float(number: f32) -> String {
    if !number.is_finite() {
        return special(number.is_nan(), number > 0.0);
    }
    let size = number.abs();
    if number == 0.0 || (1e-3..1e7).contains(&size) {
        format!("{number:?}")
    } else {
        scientific(&two_digits(format!("{number:e}"), || format!("{number:.1e}")))
    }
}

/// Where one digit would do, Java gives the nearest number of two, which tells in the tiniest: `4.9E-324`,
/// not `5.0E-324`.
fn two_digits(shortest: String, two: impl FnOnce() -> String) -> String {
    if shortest.contains('.') { shortest } else { two() }
}

fn special(nan: bool, positive: bool) -> String {
    match (nan, positive) {
        (true, _) => "NaN".to_owned(),
        (false, true) => "Infinity".to_owned(),
        (false, false) => "-Infinity".to_owned(),
    }
}

fn scientific(rust: &str) -> String {
    let (digits, exponent) = rust.split_once('e').unwrap_or((rust, "0"));
    let point = if digits.contains('.') { "" } else { ".0" };
    format!("{digits}{point}E{exponent}")
}

fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let word =
            chunk.iter().fold(0u32, |word, byte| word << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for digit in 0..4 {
            let index = (word >> (18 - 6 * digit) & 63) as usize;
            text.push(if digit <= chunk.len() { ALPHABET[index] as char } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_print_as_java_prints_them() {
        let check = |number: f64, text: &str| assert_eq!(java_double(number), text);
        check(0.0, "0.0");
        check(-0.0, "-0.0");
        check(1.0, "1.0");
        check(123.456, "123.456");
        check(1e7, "1.0E7");
        check(12_345_678.9, "1.23456789E7");
        check(0.001, "0.001");
        check(0.000_12, "1.2E-4");
        check(f64::NEG_INFINITY, "-Infinity");
        check(f64::from_bits(1), "4.9E-324");
        check(2e-4, "2.0E-4");
        assert_eq!(java_float(f32::from_bits(1)), "1.4E-45");
        assert_eq!(java_float(1.1), "1.1");
        assert_eq!(java_float(3.4e38), "3.4E38");
    }

    #[test]
    fn bytes_print_as_base64() {
        for (bytes, text) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")]
        {
            assert_eq!(Value::Bytes(bytes.into()).to_text(), text);
        }
    }
}
