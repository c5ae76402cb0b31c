//! Texts that are numbers, as update processors read them: digits with `,` between groups of any length, `.`
//! before the fraction (or what another language has for these), `E` before the exponent, no sign but `-`.
//! Recorded from Solr 9.10.1 (Java's number format of the root locale). Solr differs: it also makes 0 of
//! `NaN` and the largest number of what no long holds; here these keep their value
//! (`compat/update/guessing.yaml`).

use plan::NumberStyle;

/// A whole number that an `i64` holds.
pub fn long(text: &str, style: NumberStyle) -> Option<i64> {
    let number = Written::read(text, style)?;
    if number.fraction.is_some() || number.whole.is_empty() {
        return None;
    }
    let zeros = number.exponent.unwrap_or_default().parse::<usize>().unwrap_or_default();
    if number.exponent.is_some_and(|exponent| exponent.starts_with('-')) || zeros > 18 {
        return None;
    }
    format!("{}{}{}", number.sign, number.whole, "0".repeat(zeros)).parse().ok()
}

/// A number with or without a fraction.
pub fn double(text: &str, style: NumberStyle) -> Option<f64> {
    let Written { sign, whole, fraction, exponent } = Written::read(text, style)?;
    let plain = format!("{sign}{whole}.{}e{}", fraction.unwrap_or("0"), exponent.unwrap_or("0"));
    let plain = if whole.is_empty() { plain.replacen('.', "0.", 1) } else { plain };
    plain.replace(".e", ".0e").parse().ok()
}

/// The parts of a number.
struct Written<'a> {
    sign: &'static str,
    /// Digits, without the commas.
    whole: String,
    fraction: Option<&'a str>,
    exponent: Option<&'a str>,
}

impl<'a> Written<'a> {
    fn read(text: &'a str, NumberStyle { group, point }: NumberStyle) -> Option<Self> {
        let (sign, rest) = match text.strip_prefix('-') {
            Some(rest) => ("-", rest),
            None => ("", text),
        };
        let (rest, exponent) = match rest.split_once('E') {
            Some((rest, exponent)) => (rest, Some(exponent)),
            None => (rest, None),
        };
        let (whole, fraction) = match rest.split_once(point) {
            Some((whole, fraction)) => (whole, Some(fraction)),
            None => (rest, None),
        };
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let whole_fits =
            whole.chars().all(|it| it.is_ascii_digit() || it == group) && !whole.ends_with(group);
        let whole: String = whole.chars().filter(|it| *it != group).collect();
        let some_digit = !whole.is_empty() || fraction.is_some_and(|it| !it.is_empty());
        let exponent_fits = exponent.is_none_or(|exponent| {
            let size = exponent.strip_prefix('-').unwrap_or(exponent);
            !size.is_empty() && size.len() <= 9 && digits(size)
        });
        let fits = whole_fits && some_digit && fraction.is_none_or(digits) && exponent_fits;
        fits.then_some(Self { sign, whole, fraction, exponent })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_recognised() {
        let check = |text: &str, whole: Option<i64>, real: Option<f64>| {
            assert_eq!(
                (long(text, NumberStyle::ROOT), double(text, NumberStyle::ROOT)),
                (whole, real),
                "{text}"
            );
        };
        check("1", Some(1), Some(1.0));
        check("-5", Some(-5), Some(-5.0));
        check("1,000", Some(1000), Some(1000.0));
        check("1,0,0", Some(100), Some(100.0));
        check(",1", Some(1), Some(1.0));
        check("1E5", Some(100_000), Some(100_000.0));
        check("1.5", None, Some(1.5));
        check("1,000.5", None, Some(1000.5));
        check("1.5E3", None, Some(1500.0));
        check("1E-2", None, Some(0.01));
        check("1.", None, Some(1.0));
        check(".5", None, Some(0.5));
        check("-.5", None, Some(-0.5));
        check("9223372036854775808", None, Some(9_223_372_036_854_775_808.0));
        for text in [
            "", "-", ".", "E5", "1e5", "+1", " 1", "1 ", "1,", "1.2.3", "1,5.", "0x10", "1_000", "--1", "1E",
            "1E+5", "NaN", "1.5,0",
        ] {
            let both = text == "1,5.";
            check(text, None, both.then_some(15.0));
        }
    }
}
