//! Numbers as text, straight into the response's buffer: whole numbers in decimal, floats as Java prints
//! them.

use std::io::Write as _;

use plan::Value;

pub fn write_long(out: &mut Vec<u8>, number: i64) {
    out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}

/// As `Float.toString` of Java.
pub fn write_float(out: &mut Vec<u8>, number: f32) {
    if number == 0.0 || (1e-3..1e7).contains(&number.abs()) {
        // Rust and Java agree in this range; writing to a vector cannot fail.
        let _ = write!(out, "{number:?}");
    } else {
        out.extend_from_slice(Value::Float(number).to_text().as_bytes());
    }
}

/// As `Double.toString` of Java.
pub fn write_double(out: &mut Vec<u8>, number: f64) {
    if number == 0.0 || (1e-3..1e7).contains(&number.abs()) {
        let _ = write!(out, "{number:?}");
    } else {
        out.extend_from_slice(Value::Double(number).to_text().as_bytes());
    }
}
