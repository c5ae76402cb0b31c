//! Exact decimal numbers for `numerals.rs`: read, added, shifted by powers of ten, and written without
//! needless zeros. Digits are kept one by one, which is enough for numbers as people write them. Sums need no
//! limit of size and no rounding, as no floating-point number and no machine integer has; the caller bounds
//! the length. No signs, products or comparisons: numerals need none.

use std::fmt;

/// A number of zero or more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Decimal {
    /// From the lowest one on.
    digits: Vec<u8>,
    /// The number of digits after the point.
    scale: usize,
}

impl Decimal {
    pub(super) fn one() -> Self {
        Decimal { digits: vec![1], scale: 0 }
    }

    /// Digits with at most one point among them; none if there is no digit or more than one point.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let digits = whole.chars().chain(fraction.chars()).rev();
        let digits: Option<Vec<u8>> =
            digits.map(|c| c.to_digit(10).and_then(|digit| u8::try_from(digit).ok())).collect();
        let digits = digits.filter(|digits| !digits.is_empty())?;
        Some(Decimal { digits, scale: fraction.len() })
    }

    /// Times ten to the given power.
    pub(super) fn shifted(mut self, power: u32) -> Self {
        for _ in 0..power {
            if self.scale > 0 {
                self.scale -= 1;
            } else {
                self.digits.insert(0, 0);
            }
        }
        self
    }

    pub(super) fn plus(&self, other: &Decimal) -> Self {
        let scale = self.scale.max(other.scale);
        let length = self.len_at(scale).max(other.len_at(scale));
        let mut digits = Vec::with_capacity(length + 1);
        let mut carry = 0;
        // One digit more than the longer number, for the carry; a leading zero is dropped when it is written.
        for at in 0..=length {
            let sum = self.digit_at(scale, at) + other.digit_at(scale, at) + carry;
            digits.push(sum % 10);
            carry = sum / 10;
        }
        Decimal { digits, scale }
    }

    /// The number of digits if there were `scale` after the point.
    fn len_at(&self, scale: usize) -> usize {
        self.digits.len() + scale - self.scale
    }

    /// A digit, counted from the lowest one if there were `scale` after the point.
    fn digit_at(&self, scale: usize, at: usize) -> u8 {
        let at = at.checked_sub(scale - self.scale);
        at.and_then(|at| self.digits.get(at)).copied().unwrap_or(0)
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digit = |digit: &u8| char::from(b'0' + digit);
        let at = self.scale.min(self.digits.len());
        let (fraction, whole) = self.digits.split_at(at);
        let whole: String = whole.iter().rev().map(digit).collect();
        let leading = self.scale - at;
        let fraction: String =
            std::iter::repeat_n('0', leading).chain(fraction.iter().rev().map(digit)).collect();
        let (whole, fraction) = (whole.trim_start_matches('0'), fraction.trim_end_matches('0'));
        f.write_str(if whole.is_empty() { "0" } else { whole })?;
        if fraction.is_empty() { Ok(()) } else { write!(f, ".{fraction}") }
    }
}
