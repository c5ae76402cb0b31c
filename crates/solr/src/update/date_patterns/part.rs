//! What a pattern of a date is made of, once it is read (`mod.rs`). Only the types: `moment.rs` goes along
//! them. Patterns are read once, with the configuration, and walked for every text: what can be decided
//! early, such as how many digits a number leaves to the next, stands in the parts.

use crate::update::date_text::ZoneStyle;

/// A part of a pattern.
#[derive(Debug, PartialEq)]
pub(super) enum PatternPart {
    Literal(String),
    Number(Number),
    /// By its name.
    Month,
    Weekday,
    HalfOfDay,
    Fraction,
    Zone(ZoneStyle),
    /// Blanks that may stand before a number.
    Blanks(usize),
    Optional(Vec<PatternPart>),
}

/// A part of a date in digits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Number {
    pub part: Part,
    pub digits_max: usize,
    /// Digits behind it that belong to others.
    pub reserved: usize,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Part {
    Year,
    YearOfCentury,
    Month,
    Day,
    Hour,
    HourOfHalf,
    Minute,
    Second,
}
