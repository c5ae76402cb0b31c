//! Reals as Java's `parseFloat` and `parseDouble` read them, in queries, parameters and documents. In: a
//! text; out: the nearest number, ties to the even one. Decimal ones Rust rounds as Java does; hexadecimal
//! ones, `0x1.8p1` for 3, it does not read.

use std::str::FromStr;

/// `f32` and `f64`.
pub trait JavaReal: FromStr {
    /// Bits of a normal number's digits.
    const PRECISION: i64;
    /// The exponent of the smallest number.
    const EXPONENT_MIN: i64;

    /// A number of no more digits than it can hold.
    fn of_exact(number: f64) -> Self;

    /// `None` where Java refuses the text. Blanks around it count for nothing.
    fn parse_java(text: &str) -> Option<Self> {
        let text = text.trim_matches(|c: char| c <= ' ');
        let body = text.strip_prefix(['-', '+']).unwrap_or(text);
        match body {
            // There is one, whatever stands before it.
            "NaN" => return body.parse().ok(),
            "Infinity" => return text.parse().ok(),
            _ => {}
        }
        if let Some(hexadecimal) = body.strip_prefix("0x").or_else(|| body.strip_prefix("0X")) {
            return Self::of_hexadecimal(hexadecimal, text.starts_with('-'));
        }
        let plain = body.starts_with(|c: char| c.is_ascii_digit() || c == '.');
        // Java's literals may carry their type: `1.5f` is a number to Solr.
        let digits = text.strip_suffix(['f', 'F', 'd', 'D']).unwrap_or(text);
        // Rust also reads `inf`, `infinity` and `nan` in any case, which Java refuses.
        if plain { digits.parse().ok() } else { None }
    }

    /// `None` where it is none: hexadecimal digits with a point or none, `p` and a decimal exponent, which
    /// must be there, perhaps the letter of a type.
    fn of_hexadecimal(text: &str, negative: bool) -> Option<Self> {
        let (digits, exponent) = text.split_once(['p', 'P'])?;
        let exponent = exponent.strip_suffix(['f', 'F', 'd', 'D']).unwrap_or(exponent);
        let size = rounded(mantissa(digits)?, power(exponent)?, (Self::PRECISION, Self::EXPONENT_MIN));
        Some(Self::of_exact(if negative { -size } else { size }))
    }
}

impl JavaReal for f64 {
    const PRECISION: i64 = 53;
    const EXPONENT_MIN: i64 = -1074;

    fn of_exact(number: f64) -> Self {
        number
    }
}

impl JavaReal for f32 {
    const PRECISION: i64 = 24;
    const EXPONENT_MIN: i64 = -149;

    fn of_exact(number: f64) -> Self {
        number as f32
    }
}

/// Whole digits, and the power of two that they count by.
type Mantissa = (u64, i64);

/// Digits beyond those that can matter only say whether there is more: the last bit.
fn mantissa(text: &str) -> Option<Mantissa> {
    const FULL: u64 = 1 << 58;
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let (mut number, mut power, mut more) = (0_u64, 0_i64, false);
    let places = whole.chars().map(|digit| (digit, 0)).chain(fraction.chars().map(|digit| (digit, 4)));
    for (digit, behind) in places {
        let digit = u64::from(digit.to_digit(16)?);
        if number < FULL {
            number = number << 4 | digit;
            power -= behind;
        } else {
            more |= digit != 0;
            power += 4 - behind;
        }
    }
    Some((number << 1 | u64::from(more), power - 1))
}

/// A decimal exponent; beyond what any number has it is as good as endless.
fn power(text: &str) -> Option<i64> {
    const ENDLESS: i64 = 1 << 40;
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let size = digits.parse().unwrap_or(ENDLESS).min(ENDLESS);
    Some(if text.starts_with('-') { -size } else { size })
}

fn rounded((number, by): Mantissa, exponent: i64, (precision, exponent_min): (i64, i64)) -> f64 {
    if number == 0 {
        return 0.0;
    }
    let exponent = by + exponent;
    let bits = 64 - i64::from(number.leading_zeros());
    // What the last bit that can be kept is worth.
    let last = (exponent + bits - precision).max(exponent_min);
    let (kept, last) = match last - exponent {
        ..=0 => (number, exponent),
        dropped @ 1..=63 => {
            let (kept, rest, half) = (number >> dropped, number & ((1 << dropped) - 1), 1 << (dropped - 1));
            let up = rest > half || (rest == half && kept & 1 == 1);
            (kept + u64::from(up), last)
        }
        _ => (0, last),
    };
    // In two steps: the power alone may be smaller than any normal number, where the product is none.
    let last = last.clamp(-4_000, 4_000) as i32;
    kept as f64 * 2_f64.powi(last / 2) * 2_f64.powi(last - last / 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reals_read_as_java_reads_them() {
        let check = |text: &str, expected: Option<f64>| assert_eq!(f64::parse_java(text), expected, "{text}");
        check("1.5e3", Some(1500.0));
        check(" 5 ", Some(5.0));
        check("-2", Some(-2.0));
        check("1f", Some(1.0));
        check(".5", Some(0.5));
        check("5.", Some(5.0));
        check("-Infinity", Some(f64::NEG_INFINITY));
        check("1e400", Some(f64::INFINITY));
        check("0x1.8p1", Some(3.0));
        check("-0X.8P+2f", Some(-2.0));
        check("+0x1p0", Some(1.0));
        for none in ["0x1", "0x", "inf", "nan", "", "--1", "f"] {
            check(none, None);
        }
        assert!(f64::parse_java("-NaN").unwrap().is_nan());
    }

    #[test]
    fn reals_round_as_javas() {
        let check = |text: &str, double: Option<f64>, float: Option<f32>| {
            assert_eq!(f64::of_hexadecimal(text, false), double, "{text}");
            assert_eq!(f32::of_hexadecimal(text, false), float, "{text}");
        };
        check("1p0", Some(1.0), Some(1.0));
        check(".8p0", Some(0.5), Some(0.5));
        check("1.p-1d", Some(0.5), Some(0.5));
        check("1.000001p0", Some(1.0 + 2_f64.powi(-24)), Some(1.0));
        check("1.000003p0", Some(1.0 + 3.0 * 2_f64.powi(-24)), Some(1.0 + 2.0 * f32::EPSILON));
        check("1.0000010000000000000000000001p0", Some(1.0 + 2_f64.powi(-24)), Some(1.0 + f32::EPSILON));
        check("1p-1074", Some(f64::from_bits(1)), Some(0.0));
        check("1p-1075", Some(0.0), Some(0.0));
        check("1.8p-1075", Some(f64::from_bits(1)), Some(0.0));
        check("1p-149", Some(2_f64.powi(-149)), Some(f32::from_bits(1)));
        check("1.fffffffffffffp1023", Some(f64::MAX), Some(f32::INFINITY));
        check("1p1024", Some(f64::INFINITY), Some(f32::INFINITY));
        check("1p99999999999999999999", Some(f64::INFINITY), Some(f32::INFINITY));
        check("0p99999999999999999999", Some(0.0), Some(0.0));
        check("1p-99999999999999999999", Some(0.0), Some(0.0));
        for none in ["", "1", "p0", ".p0", "1p", "1px", "gp0", "1.2.3p0", "1p+-1", "1p0x"] {
            check(none, None, None);
        }
    }

    /// Written digit by digit, any number comes back: numbers of all sizes, by a step that visits them
    /// evenly.
    #[test]
    fn what_is_written_is_read() {
        const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
        for bits in (0..20_000_u64).map(|number| number.wrapping_mul(STEP)) {
            let number = f64::from_bits(bits).abs();
            if !number.is_finite() {
                continue;
            }
            let (fraction, exponent) = (bits & ((1 << 52) - 1), (bits >> 52 & 0x7ff) as i64);
            let text = match exponent {
                0 => format!("0.{fraction:013x}p-1022"),
                _ => format!("1.{fraction:013x}p{}", exponent - 1023),
            };
            assert_eq!(f64::of_hexadecimal(&text, false), Some(number), "{text}");
            assert_eq!(f32::of_hexadecimal(&text, false), Some(number as f32), "{text}");
        }
    }
}
